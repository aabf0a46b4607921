"""``skfly verify``."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated

import typer

from skfly.cli._app import Json, app, examples
from skfly.cli._console import escaped, in_one_line, print_json

_CHECKPOINTS = ("checkpoint-????????.skfly", "finished.skfly")


@app.command(
    epilog=examples(
        "skfly verify corpus.skfly",
        "skfly verify vectors.skfly notes.idx corpus.ids state --json",
    )
)
def verify(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Models, vectors, indexes of documents, encoded corpora, or checkpoints and "
            "directories of them.",
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Check files for damage.

    Prints a line for each file. The exit code is 1 if one is damaged.
    """
    all_sound = True
    for file in files:
        for path in _parts(file):
            try:
                kind, reason = _verify(path), ""
            except (ValueError, OSError) as error:
                kind, reason, all_sound = "", in_one_line(error), False
            if as_json:
                told = {"file": str(path), "sound": not reason, "kind": kind or None}
                print_json(told | ({"reason": reason} if reason else {}))
            else:
                typer.echo(escaped(reason or f"{path}: {kind}, sound"))
    if not all_sound:
        raise typer.Exit(1)


def _parts(path: Path) -> list[Path]:
    """Return the checkpoints in a directory, or the path itself if there are none."""
    return [file for name in _CHECKPOINTS for file in sorted(path.glob(name))] or [path]


def _verify(path: Path) -> str:
    """Read a file and return its kind; a damaged one raises ``ValueError`` or ``OSError``."""
    from skfly._model_file import read_model_file
    from skfly._pretrained import MODEL_NAME, PRETRAINED, find_model
    from skfly.text import EncodedCorpus

    if str(path) in PRETRAINED or (path / MODEL_NAME).is_file():
        path = find_model(path)
    if path.is_dir():
        if not any(path.iterdir()):
            raise ValueError(f"{path} is empty: it holds no checkpoint")
        EncodedCorpus.load(path)
        return "encoded corpus"
    arrays, content = read_model_file(path, mmap=True)
    arrays.check()
    kind = content.get("kind", "keyedvectors" if "keys" in content else "model")
    if not isinstance(kind, str) or kind not in _READERS:
        raise ValueError(f"{path} is damaged: it holds {kind!r:.30}")
    name, read = _READERS[kind]
    if kind != "documents" or content.get("model") is not None:
        resolve_name(read)(path)  # an index without its model cannot be used, but was compared
    return name


_READERS = {
    "model": ("model", "skfly:FlyHashVectorizer.load"),
    "keyedvectors": ("vectors", "skfly:FlyKeyedVectors.load"),
    "documents": ("index of documents", "skfly:DocumentIndex.load"),
    "checkpoint": ("checkpoint", "skfly.fit:Checkpoints.read"),
}
