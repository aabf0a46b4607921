"""Where documents come from."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["TextLines", "check_documents"]

_ERRORS = ("strict", "ignore", "replace")
_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


class TextLines:
    """The lines of a text file, as documents: read from disk, again for every iteration.

    Parameters
    ----------
    path : path-like
        A text file, plain or compressed (``.gz``, ``.bz2``, ``.xz``).
    encoding : str, default="utf-8"
    errors : {"strict", "ignore", "replace"}, default="strict"
        What to do with bytes that do not decode.

    Examples
    --------
    For a file with one sentence a line::

        FlyHashVectorizer(sentence_splitter=None).fit(TextLines("corpus.txt.xz"))
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        encoding: str = "utf-8",
        errors: str = "strict",
    ) -> None:
        self.path = os.fspath(path)
        self.encoding = encoding
        self.errors = errors

    def _open(self) -> IO[str]:
        opener: Any = _OPENERS.get(Path(self.path).suffix, open)
        lines: IO[str] = opener(self.path, "rt", encoding=self.encoding, errors=self.errors)
        return lines

    def __iter__(self) -> Iterator[str]:
        with self.named_in_errors(), self._open() as lines:
            yield from lines

    @property
    def reads_utf8(self) -> bool:
        """Whether :meth:`blocks` can be used."""
        return codecs.lookup(self.encoding).name == "utf-8" and self.errors in _ERRORS

    def blocks(self, n_bytes: int) -> Iterator[bytes]:
        r"""Yield the lines in UTF-8, about ``n_bytes`` at a time, each with its ``"\n"``.

        For files in UTF-8 only. If ``errors`` is ``"strict"`` it is left to the reader to find
        bytes that are not.
        """
        opener: Any = _OPENERS.get(Path(self.path).suffix, open)
        begun: list[bytes] = []
        with opener(self.path, "rb") as file:
            while data := file.read(n_bytes):
                # a "\r" at the end may be the first half of "\r\n"
                end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
                begun.append(data[:end] if end else data)
                if end:
                    yield self._whole_lines(b"".join(begun))
                    begun = [data[end:]]
            if last := self._whole_lines(b"".join(begun)):
                yield last

    def _whole_lines(self, data: bytes) -> bytes:
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if self.errors != "strict":
            data = data.decode("utf-8", self.errors).encode()
        return data + b"\n" if data and not data.endswith(b"\n") else data

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Errors within tell the name of the file."""
        try:
            yield
        except (EOFError, OSError, UnicodeDecodeError, lzma.LZMAError) as error:
            error.add_note(f"while reading {self.path}")
            raise

    def __repr__(self) -> str:
        return f"TextLines({self.path!r})"


def check_documents(documents: Any) -> Iterable[Any]:
    """Return ``documents`` if it can be a collection of documents, or say what is wrong."""
    if isinstance(documents, str | bytes | os.PathLike):
        raise ValueError(
            f"expected an iterable of documents, got a single {type(documents).__name__}; "
            "put one document in a list: [text]. To read a file, pass "
            "skfly.text.TextLines(path), or [path] with input='filename'"
        )
    if getattr(documents, "ndim", 1) != 1:
        raise ValueError(
            f"expected a one-dimensional collection of documents, got shape {documents.shape}; "
            "pass one text column, e.g. X['text'], or in a ColumnTransformer the column's "
            "name as a str instead of a list"
        )
    if not isinstance(documents, Iterable):
        raise TypeError(
            "expected an iterable of documents (str, or lists of words), got "
            f"{type(documents).__name__}"
        )
    return documents
