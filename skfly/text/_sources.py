"""Read documents from text files."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from skfly._compressed import open_file

_ERRORS = ("strict", "ignore", "replace")


class TextLines:
    """Iterate over the lines of text files; each line is a document.

    Every iteration reads the files again.

    Parameters
    ----------
    path : path-like
        A text file, plain or compressed (``.gz``, ``.bz2``, ``.xz``; ``.zst`` with
        ``pip install "skfly[zstd]"``), or a directory, whose files are read recursively in order
        of their names. Files whose names begin with a dot are skipped.
    encoding : str, default="utf-8"
    errors : {"strict", "ignore", "replace"}, default="strict"
        What to do with bytes that cannot be decoded.

    Reading raises ``OSError`` if a compressed file is corrupt or takes more than 64 MB of memory
    to decompress, ``EOFError`` if it is truncated, and ``UnicodeDecodeError`` if text cannot be
    decoded.

    Examples
    --------
    For a file with one sentence per line::

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

    @property
    def files(self) -> list[str]:
        """The files, in the order they are read."""
        return files_in(self.path)

    def __iter__(self) -> Iterator[str]:
        for file in self.files:
            with _named_in_errors(file), self._open(file, "rt") as lines:
                yield from lines

    def _open(self, file: str, mode: str) -> IO[Any]:
        how = {"encoding": self.encoding, "errors": self.errors} if mode == "rt" else {}
        return open_file(file, mode, **how)

    @property
    def reads_utf8(self) -> bool:
        """Whether :meth:`blocks` can be used."""
        return codecs.lookup(self.encoding).name == "utf-8" and self.errors in _ERRORS

    def blocks(self, n_bytes: int) -> Iterator[bytes]:
        r"""Yield the lines in UTF-8, about ``n_bytes`` at a time, each with its ``"\n"``.

        Only for files in UTF-8. If ``errors`` is ``"strict"``, the caller must reject invalid
        bytes.
        """
        for file in self.files:
            with _named_in_errors(file):
                yield from self._blocks_of(file, n_bytes)

    def _blocks_of(self, path: str, n_bytes: int) -> Iterator[bytes]:
        begun: list[bytes] = []
        with self._open(path, "rb") as file:
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
        """Add the name of the file to errors from decoding :meth:`blocks`."""
        try:
            yield
        except UnicodeDecodeError as error:
            error.add_note(f"while reading {self._undecodable()}")
            raise

    def _undecodable(self) -> str:
        """Return the first file that cannot be decoded."""
        for file in self.files:
            decoder = codecs.getincrementaldecoder(self.encoding)(self.errors)
            with self._open(file, "rb") as opened:
                try:
                    while data := opened.read(1 << 22):
                        decoder.decode(data)
                    decoder.decode(b"", final=True)
                except UnicodeDecodeError:
                    return file
        return self.path

    def __repr__(self) -> str:
        return f"TextLines({self.path!r})"


@contextmanager
def _named_in_errors(file: str) -> Iterator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except (EOFError, OSError, UnicodeDecodeError) as error:
        error.add_note(f"while reading {file}")
        raise


def files_in(path: str | os.PathLike[str], suffixes: Iterable[str] | None = None) -> list[str]:
    """Return the files of a directory in order of their names, or the file itself.

    Names that begin with a dot are skipped, and so are files without one of the ``suffixes``.
    """
    root = Path(path)
    if not root.is_dir():
        return [os.fspath(path)]
    found = [
        os.fspath(file)
        for file in sorted(root.rglob("*"))
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(root).parts)
        and (suffixes is None or file.suffix in suffixes)
    ]
    if not found:
        raise FileNotFoundError(f"the directory {root} has no files to read")
    return found
