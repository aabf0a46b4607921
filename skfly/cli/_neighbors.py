"""``skfly neighbors``."""

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
    UnknownWords,
    app,
    examples,
)
from skfly.cli._console import Rows, escaped, print_json, show_warning
from skfly.cli._files import batches, given_lines, load_to_hash


@app.command(
    epilog=examples(
        "skfly neighbors corpus.skfly bank river",
        "cat words.txt | skfly neighbors corpus.skfly - --words 5",
        "skfly neighbors corpus.skfly bank --hash-length 8 --json",
        "skfly neighbors corpus.skfly bank river --format csv > neighbors.csv",
    )
)
def neighbors(
    model: Model,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD", help="Words. Without any, or with -: standard input, one per line."
        ),
    ] = None,
    n_words: NWords = 10,
    unknown_words: Annotated[
        UnknownWords | None,
        typer.Option(
            help="No neighbours for an unknown word, or those of words with similar spelling."
        ),
    ] = None,
    hash_length: HashLength = None,
    encoding: Encoding = "utf-8",
    layout: LayoutOption = None,
    as_json: Json = False,
) -> None:
    """Print the words whose codes are nearest to a word's.

    Each line has a word and its neighbours with the number of shared cells, separated by tabs.
    Unknown words get a warning, and neighbours only if the model codes them by their spelling.
    """
    from skfly.index import nearest_words

    rows = Rows(layout, "word", "neighbor", "cells shared")
    fly = load_to_hash(model, hash_length, unknown_words)
    for lines in batches(given_lines(words, encoding)):
        asked = [line.strip() for line in lines]
        codes = fly.hash_words(asked)
        own = [{word, fly.model_.normalize(word)} for word in asked]
        for word, near in zip(asked, nearest_words(fly.model_, codes, n_words, own), strict=True):
            if not near:
                show_warning(f"the model does not know {word!r}")
            elif unknown_words is None and fly.model_.word_ids([word])[0] < 0:
                show_warning(f"the model does not know {word!r}: taking words spelled like it")
            if as_json:
                print_json({"word": word, "known": bool(near), "neighbors": near})
            else:
                rows.print(word, near, partial(_print_line, word, near))


def _print_line(word: str, near: Sequence[tuple[str, int]]) -> None:
    others = (f"{escaped(other)} {count}" for other, count in near)
    typer.echo("\t".join([escaped(word), *others]))
