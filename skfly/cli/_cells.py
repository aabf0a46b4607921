"""``skfly cells``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from skfly.cli._app import Encoding, Json, LayoutOption, Model, NWords, app, examples
from skfly.cli._console import Rows, escaped, print_json, show_warning
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
            metavar="TEXT", help="Texts. Without any, or with -: standard input, one per line."
        ),
    ] = None,
    n_cells: Annotated[int, typer.Option("--cells", min=1, help="How many cells to list.")] = 4,
    n_words: NWords = 8,
    temperature: Annotated[
        float,
        typer.Option(min=0.001, help="Lower values concentrate on the strongest words of a cell."),
    ] = 0.1,
    encoding: Encoding = "utf-8",
    layout: LayoutOption = None,
    as_json: Json = False,
) -> None:
    """Print the most active cells of a text and their words.

    Each line has the text, the number and name of a cell, its activation, and its words with their
    probabilities, separated by tabs. A text without known words gets a warning instead. With
    --json, there is one line per text.
    """
    rows = Rows(layout, "text", "cell", "name", "activation", "words")
    fly = load_to_hash(model, None)
    names = [" ".join(words) for words in fly.model_.cell_names()]
    for lines in batches(given_lines(texts, encoding)):
        for line in lines:
            found = fly.kenyon_cells(line, n_cells, n_words, temperature=temperature)
            if not found and line.strip():
                show_warning(f"the model knows no word of this text: {line[:60]}")
            if as_json:
                named = [{"name": names[cell.number], **cell._asdict()} for cell in found]
                print_json({"text": line, "cells": named})
                continue
            shown = [
                (
                    str(n),
                    names[n],
                    f"{activation:.4f}",
                    *(f"{word} {chance:.3f}" for word, chance in words),
                )
                for n, activation, words in found
            ]
            table = [(*cell[:3], ", ".join(cell[3:])) for cell in shown]
            rows.print(line, table, partial(_print_lines, line, shown))


def _print_lines(text: str, cells: Sequence[Sequence[str]]) -> None:
    for cell in cells:
        typer.echo("\t".join(map(escaped, [" ".join(text.split()), *cell])))
