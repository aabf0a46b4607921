"""``skfly hash``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from skfly._files import replace_file
from skfly.cli._app import Encoding, Force, HashLength, Json, Model, UnknownWords, app, examples
from skfly.cli._console import print_json, say
from skfly.cli._files import STANDARD_INPUT, batches, check_place, load_to_hash, read_lines


@app.command(
    "hash",
    epilog=examples(
        'echo "the fly eats fruit" | skfly hash corpus.skfly',
        "skfly hash corpus.skfly documents.txt.gz --json",
        "skfly hash corpus.skfly words.txt --words --hash-length 8",
        "skfly hash corpus.skfly documents.txt -o codes.npz",
    ),
)
def hash_texts(
    model: Model,
    text: Annotated[
        Path,
        typer.Argument(
            metavar="TEXT_FILE",
            help="A text file (plain, .gz, .bz2, .xz or .zst), one document per line, or - for "
            "standard input.",
        ),
    ] = STANDARD_INPUT,
    words: Annotated[
        bool,
        typer.Option(
            "--words", help="Take each line as a word, and print its code without context."
        ),
    ] = False,
    unknown_words: Annotated[
        UnknownWords | None,
        typer.Option(
            help="With --words: no cells for unknown words, or those of similar spelling."
        ),
    ] = None,
    hash_length: HashLength = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="NPZ", help="Write a scipy sparse matrix here instead."
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print the codes of documents or words.

    Prints the numbers of the active cells of each line; none if no word is known.
    """
    from scipy import sparse

    if text != STANDARD_INPUT and not text.exists():
        raise FileNotFoundError(f"there is no file {text}; to hash a text itself, pipe it in")
    if output is not None:
        check_place(output, force)
    fly = load_to_hash(model, hash_length, unknown_words)
    parts = []
    for lines in batches(read_lines(text, encoding)):
        codes = sparse.csr_array(
            fly.hash_words([line.strip() for line in lines]) if words else fly.transform(lines)
        )
        if output is None:
            _print_codes(lines, codes, as_json)
        else:
            parts.append(codes)
    if output is not None:
        none = sparse.csr_array((0, fly.n_features_out_), dtype=fly.dtype)
        _write_codes(output, sparse.vstack([none, *parts], format="csr"), as_json)


def _print_codes(lines: Sequence[str], codes: Any, as_json: bool) -> None:
    cells = [
        codes.indices[start:stop].tolist()
        for start, stop in zip(codes.indptr, codes.indptr[1:], strict=False)
    ]
    typer.echo(
        "\n".join(
            json.dumps({"text": line, "cells": code}) if as_json else " ".join(map(str, code))
            for line, code in zip(lines, cells, strict=True)
        )
    )


def _write_codes(output: Path, codes: Any, as_json: bool) -> None:
    """Write codes to a temporary file and rename it."""
    from scipy import sparse

    with replace_file(output) as place, open(place, "wb") as file:
        sparse.save_npz(file, codes)
    rows, cells = codes.shape
    if as_json:
        print_json({"codes": str(output), "rows": rows, "cells": cells})
    else:
        say(f"{output}: {rows:,} code{'s' * (rows != 1)} of {cells:,} cells")
