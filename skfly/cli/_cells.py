"""``skfly cells``."""

from __future__ import annotations

from typing import Annotated

import typer

from skfly.cli._app import Encoding, Json, Model, NWords, app, examples
from skfly.cli._console import escaped, print_json, show_warning
from skfly.cli._files import batches, given_lines, load_to_hash


@app.command(
    epilog=examples(
        'skfly cells corpus.skfly "the bank raised the interest rate"',
        "cat sentences.txt | skfly cells corpus.skfly - --cells 2 --words 5",
        'skfly cells corpus.skfly "ripe fruit" --temperature 0.5 --json',
    )
)
def cells(
    model: Model,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT", help="Texts. Reads standard input, one per line, if none or -."
        ),
    ] = None,
    n_cells: Annotated[int, typer.Option("--cells", min=1, help="How many cells to list.")] = 4,
    n_words: NWords = 8,
    temperature: Annotated[
        float,
        typer.Option(min=0.001, help="The lower, the more the first words of a cell stand out."),
    ] = 0.1,
    encoding: Encoding = "utf-8",
    as_json: Json = False,
) -> None:
    """Print the cells that a text activates most, and the words that each stands for.

    A line for each cell: the text, the cell's number, its activation, and its words with their
    probability, between tabs. A text without a known word has no line, but a warning. With
    --json, a line for each text.
    """
    fly = load_to_hash(model, None)
    for lines in batches(given_lines(texts, encoding)):
        for line in lines:
            found = fly.kenyon_cells(line, n_cells, n_words, temperature=temperature)
            if not found and line.strip():
                show_warning(f"the model knows no word of the text: {line[:60]}")
            if as_json:
                print_json({"text": line, "cells": [cell._asdict() for cell in found]})
                continue
            for cell in found:
                words = (f"{escaped(word)} {chance:.3f}" for word, chance in cell.words)
                shown = escaped(" ".join(line.split()))
                typer.echo("\t".join([shown, str(cell.number), f"{cell.activation:.4f}", *words]))
