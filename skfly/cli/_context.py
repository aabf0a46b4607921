"""``skfly context``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from skfly.cli._app import (
    Encoding,
    HashLength,
    Json,
    LayoutOption,
    Model,
    NWords,
    app,
    examples,
)
from skfly.cli._console import Rows, escaped, print_json, show_warning
from skfly.cli._files import batches, given_lines, load_to_hash


@app.command(
    epilog=examples(
        'skfly context corpus.skfly bank "they walked along the bank of the river"',
        "cat sentences.txt | skfly context corpus.skfly bank - --window 11",
        'skfly context corpus.skfly bank "a loan from the bank" --json',
    )
)
def context(
    model: Model,
    target: Annotated[str, typer.Argument(metavar="WORD", help="The word.", show_default=False)],
    sentences: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SENTENCE",
            help="Sentences with the word. Without any, or with -: standard input, one per line.",
        ),
    ] = None,
    n_words: NWords = 10,
    window: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Size of the window around the word, an odd number. Default: the whole sentence.",
        ),
    ] = None,
    hash_length: HashLength = None,
    encoding: Encoding = "utf-8",
    layout: LayoutOption = None,
    as_json: Json = False,
) -> None:
    """Print the words nearest to a word as a sentence uses it.

    Each line has the neighbours of the word in one sentence, except words of the sentence, with
    the number of shared cells, separated by tabs. --json adds the neighbours of the word alone
    and the cells of both codes.
    """
    from skfly.index import nearest_words

    rows = Rows(layout, "sentence", "neighbor", "cells shared")
    if window is not None and window % 2 == 0:
        raise typer.BadParameter(
            f"{window} is even; choose an odd number", param_hint="'--window'"
        )
    fly = load_to_hash(model, hash_length)
    alone = fly.hash_words([target])
    if not alone.nnz:
        show_warning(f"the model does not know {target!r}: only the words around it count")
    for lines in batches(given_lines(sentences, encoding)):
        codes = fly.hash_in_context(lines, [target] * len(lines), window=window)
        words = [fly.model_.tokens(line) for line in lines]
        own = [{target, *some} for some in words]
        found = nearest_words(fly.model_, codes, n_words, own)
        for row, (line, near) in enumerate(zip(lines, found, strict=True)):
            if fly.model_.normalize(target) not in words[row]:
                show_warning(f"{target!r} is not in the sentence: {line[:60]}")
            if as_json:
                static = nearest_words(fly.model_, alone, n_words, [own[row]])[0]
                print_json(
                    {
                        "word": target,
                        "sentence": line,
                        "neighbors": near,
                        "static_neighbors": static,
                        "cells": sorted(codes[[row]].indices.tolist()),
                        "static_cells": sorted(alone.indices.tolist()),
                    }
                )
            else:
                rows.print(line, near, partial(_print_line, near))


def _print_line(near: Sequence[tuple[str, int]]) -> None:
    typer.echo("\t".join(f"{escaped(word)} {count}" for word, count in near))
