"""Input and output files of the commands."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

STANDARD_INPUT = Path("-")
_DOCUMENTS_AT_A_TIME = 1_000


def check_place(path: Path, force: bool) -> None:
    """Reject an output that cannot or should not be written, before any work is done."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no directory {path.parent}")
    if path.is_file() and not force:
        raise FileExistsError(f"{path} exists; --force replaces it")
    try:
        with tempfile.NamedTemporaryFile(prefix=".skfly-", dir=path.parent):
            pass
    except OSError as error:
        raise OSError(f"cannot write in {path.parent}: {error.strerror}") from error


def load_model(model: Path) -> FlyHashVectorizer:
    from skfly.vectorizer import FlyHashVectorizer

    return FlyHashVectorizer.from_pretrained(model)


def holds_only_words(path: Path) -> bool:
    """Return whether a file is one that ``FlyKeyedVectors.save`` wrote."""
    from skfly._model_file import ModelFileError, read_model_file

    try:
        return path.is_file() and "keys" in read_model_file(path, mmap=True)[1]
    except (ModelFileError, OSError):  # whoever opens it says why
        return False


def load_to_hash(
    model: Path, hash_length: int | None, unknown_words: str | None = None
) -> FlyHashVectorizer:
    """Return a model that takes lines of text, regardless of its settings in Python."""
    fly = load_model(model)
    if unknown_words is not None:
        fly.set_params(unknown_words=str(unknown_words))
    fly.set_params(input="content", document_codes="binary", sparse_output=True)
    if hash_length is not None:
        if hash_length > fly.n_features_out_:
            raise ValueError(
                f"--hash-length is {hash_length}, but the model has {fly.n_features_out_} Kenyon "
                f"cells: choose 1 to {fly.n_features_out_}"
            )
        fly.set_params(hash_length=hash_length)
    return fly


def read_lines(source: Path, encoding: str) -> Iterator[str]:
    """Return the lines of a file or of standard input."""
    from skfly.text import TextLines

    if source == STANDARD_INPUT:
        return _checked(_standard_input(encoding), "standard input")
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a directory, not a text file")
    return _checked(TextLines(source, encoding=encoding), str(source))


class TextFiles:
    """The documents of a file, or of the files in a directory: lines, or a column of tables."""

    def __init__(self, source: Path, encoding: str, column: str | None) -> None:
        from skfly.text import TABLE_SUFFIXES, TextColumn, TextLines, files_in

        if not source.exists():
            raise FileNotFoundError(f"there is no file {source}")
        files = files_in(source)
        tables = [file for file in files if file.endswith(TABLE_SUFFIXES)]
        if column is not None and not tables:
            raise ValueError(f"--column is for Parquet and Arrow files, not for {source}")
        self._column = column
        self._encoding = encoding
        self.files = tables or files
        self._documents = [
            TextColumn(file, column) if tables else TextLines(file, encoding=encoding)
            for file in self.files
        ]

    def __iter__(self) -> Iterator[str]:
        for documents in self._documents:
            yield from _checked(documents, documents.path)

    def __repr__(self) -> str:
        return f"TextFiles({self._encoding!r}, {self._column!r})"


def given_lines(texts: Sequence[str] | None, encoding: str) -> Iterator[str]:
    """Return the arguments or, without any or with ``-``, the lines of standard input."""
    if not texts or list(texts) == ["-"]:
        return read_lines(STANDARD_INPUT, encoding)
    return iter(texts)


def _standard_input(encoding: str) -> Iterable[str]:
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        typer.echo(f"skfly: reading standard input, line by line; {end} it", err=True)
    reconfigure: Any = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding=encoding, errors="strict")
    return sys.stdin


def _checked(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield lines; name the text in errors."""
    try:
        yield from lines
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} cannot be read as {error.encoding} ({error.reason}); --encoding sets another"
        ) from error
    except (EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{name} cannot be read: {error}") from error


def batches(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield batches of lines without line ends; single lines from a terminal."""
    size = 1 if sys.stdin is not None and sys.stdin.isatty() else _DOCUMENTS_AT_A_TIME
    while batch := [line.rstrip("\r\n") for line in islice(lines, size)]:
        yield batch
