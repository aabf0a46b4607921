"""Find the datasets in a folder; missing ones are reported and do not stop the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from skfly.evaluation import (
    ContextPairs,
    LabelledTexts,
    WordPairs,
    is_vector_file,
    load_vectors,
    read_20newsgroups,
    read_scws,
    read_sst2,
    read_trec,
    read_wic,
    read_word_pairs,
    read_wos,
)
from skfly.evaluation._datasets import dataset_files

__all__ = ["DataFolder"]

_WORD_PAIRS = ("MEN", "WS353", "SimLex", "RW", "RG", "MTurk-287")
_UNREADABLE = (OSError, ValueError, EOFError)
T = TypeVar("T")


class DataFolder:
    """Finds datasets by the names that their files have.

    ====================== =========================================================
    ``wordsim/``           files of word pairs
    ``wic/``               WiC: ``*.data.txt``, ``*.gold.txt``, in it or below
    ``scws*``              SCWS, a file
    ``20news*``            20 Newsgroups, a directory or an archive
    ``stsa.binary.*``      SST-2
    ``*.label``            TREC-6
    ``X.txt``, ``Y.txt``   Web of Science
    ``vectors/``           word vectors to compare with
    ====================== =========================================================

    They may be anywhere in the folder.

    Parameters
    ----------
    path : path-like

    Attributes
    ----------
    missing : dict from names of datasets to what is wrong
        Filled by the other methods.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise NotADirectoryError(f"there is no directory {path}")
        self.missing: dict[str, str] = {}

    def word_pairs(self) -> list[WordPairs]:
        """Return the datasets of word pairs."""
        found = []
        for directory in self._named("wordsim"):
            for file in dataset_files(directory) if directory.is_dir() else []:
                found += self._try(file.name, partial(read_word_pairs, file))
        known = {data.name for data in found}
        for name in _WORD_PAIRS:
            if name not in known:
                self.missing.setdefault(name, f"no such file in {self.path / 'wordsim'}")
        return found

    def contexts(self) -> list[ContextPairs]:
        """Return WiC and SCWS."""
        wic = [path for path in self._named("wic") if path.is_dir()]
        scws = [path for path in self._named("scws*") if path.is_file()]
        return [
            *self._first("WiC", wic, read_wic, "no directory wic"),
            *self._first("SCWS", scws, read_scws, "no file scws*"),
        ]

    def documents(self) -> Iterator[LabelledTexts]:
        """Yield the datasets of documents, one in memory at a time."""
        news = self._named("20news*")
        # of an unpacked archive, what holds both of its parts
        news = [path.parent if path.name.startswith("20news-bydate-") else path for path in news]
        for headers in (True, False):
            name = "20 Newsgroups" if headers else "20 Newsgroups, no headers"
            read = partial(read_20newsgroups, headers=headers)
            yield from self._first(name, news, read, "no 20news*")
        others: list[tuple[str, str, Callable[[Path], LabelledTexts]]] = [
            ("SST-2", "stsa.binary.*", read_sst2),
            ("TREC-6", "*.label", read_trec),
            ("WOS", "[XY].txt", read_wos),
        ]
        for name, pattern, reader in others:
            parents = [path.parent for path in self._named(pattern)]
            yield from self._first(name, parents, reader, f"no file {pattern}")

    def vectors(self) -> dict[str, Any]:
        """Return the word vectors, by the names of their files."""
        found: dict[str, Any] = {}
        for directory in self._named("vectors"):
            for file in sorted(directory.iterdir()) if directory.is_dir() else []:
                if is_vector_file(file):
                    for vectors in self._try(file.name, partial(load_vectors, file)):
                        found[file.name.split(".", maxsplit=1)[0]] = vectors
        return found

    def _named(self, pattern: str) -> list[Path]:
        """Return all paths whose name matches, the nearest first."""
        found = [path for path in self._paths() if fnmatchcase(path.name, pattern)]
        return sorted(found, key=lambda path: (len(path.parts), path))

    def _paths(self) -> Iterator[Path]:
        """Yield all that is in the folder and not hidden, following links."""
        seen = set()
        for directory, below, files in os.walk(self.path, followlinks=True):
            if os.path.realpath(directory) in seen:  # a link to itself, for example
                below.clear()
                continue
            seen.add(os.path.realpath(directory))
            yield from (Path(directory, name) for name in below + files if name[0] != ".")

    def _first(
        self, name: str, paths: Iterable[Path], read: Callable[[Path], T], otherwise: str
    ) -> list[T]:
        path = next(iter(paths), None)
        if path is None:
            self.missing[name] = f"{otherwise} in {self.path}"
            return []
        return self._try(name, lambda: read(path))

    def _try(self, name: str, read: Callable[[], T]) -> list[T]:
        try:
            return [read()]
        except _UNREADABLE as error:
            self.missing[name] = str(error)
            return []
