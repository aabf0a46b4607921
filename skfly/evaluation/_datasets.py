"""Datasets of word pairs: two words and how similar people find them.

The files that circulate differ: tabs, spaces, commas or semicolons, with a header or without,
with columns before and after the score. A line is read if it has two words and the file's score
column holds a number there. What cannot be read is counted and reported, never guessed.
"""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skfly._files import gensim_file

_EXPECTED = "lines of 'word1 word2 score', separated by tabs, spaces, commas or semicolons"
_SUFFIXES = {".txt", ".tsv", ".csv", ".tab"}
_NOT_DATA = re.compile(r"(readme|licen[cs]e|changelog)\b", re.IGNORECASE)
_SHIPPED_WITH_GENSIM = ("wordsim353.tsv", "simlex999.txt")
_LINES_SHOWN = 5
_NAMES = {
    "men-tr-3k": "MEN",
    "ws-353-all": "WS353",
    "wordsim353": "WS353",
    "simlex-999": "SimLex",
    "simlex999": "SimLex",
    "rw-stanford": "RW",
    "rg-65": "RG",
    "mturk-287": "MTurk-287",
}


@dataclass(frozen=True)
class WordPairs:
    """A dataset of word pairs.

    Attributes
    ----------
    name : str
    pairs : tuple of (str, str, float)
        Two words, and how similar people find them.
    n_skipped : int
        Lines or items without a score, which are not among the pairs.

    Examples
    --------
    >>> from skfly.evaluation import WordPairs
    >>> data = WordPairs("fruit", (("plum", "peach", 8.0), ("plum", "bank", 1.0)))
    >>> len(data), data.half("second").pairs
    (2, (('plum', 'bank', 1.0),))
    """

    name: str
    pairs: tuple[tuple[str, str, float], ...]
    n_skipped: int = 0

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words, in the order of the pairs."""
        return tuple(dict.fromkeys(word for *both, _ in self.pairs for word in both))

    def half(self, which: str) -> WordPairs:
        """Return every other pair, to choose on one half and report the other.

        Parameters
        ----------
        which : {"first", "second"}
            The first, third, fifth ... pair, or the second, fourth, sixth ...

        Returns
        -------
        half : WordPairs
        """
        if which not in ("first", "second"):
            raise ValueError(f"half must be 'first', 'second' or None; got {which!r}")
        return replace(self, pairs=self.pairs[0 if which == "first" else 1 :: 2])


def read_word_pairs(path: str | os.PathLike[str]) -> WordPairs:
    """Read a file of word pairs.

    Parameters
    ----------
    path : path-like
        A text file (UTF-8) with two words and a score a line, separated by tabs, spaces, commas
        or semicolons. The score is in the third column, or in the first one after it that holds
        a number at all. A header, blank lines, lines that begin with ``#`` and further columns
        are ignored. A line without two words and a score is left out and counted, with a
        warning.

    Returns
    -------
    data : WordPairs
        With the usual name of the dataset, or that of the file.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from skfly.evaluation import read_word_pairs
    >>> data = read_word_pairs(datapath("wordsim353.tsv"))
    >>> data.name, len(data), data.pairs[1]
    ('WS353', 353, ('tiger', 'cat', 7.35))
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8: {error.reason}") from error
    rows = {
        number: _fields(line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    column = _score_column(rows.values())
    found = {number: _pair(fields, column) for number, fields in rows.items()}
    first = next(iter(rows), 0)
    if (
        rows
        and found[first] is None
        and len(rows[first]) > column
        and all(rows[first][: column + 1])
    ):
        del found[first]  # a header
    if not any(found.values()):
        raise ValueError(f"{path} has no word pairs; expected {_EXPECTED}")
    return _without_skipped(_dataset_name(path), str(path), found, "line")


def _without_skipped(
    name: str, source: str, found: Mapping[int, tuple[str, str, float] | None], place: str
) -> WordPairs:
    """Return the pairs that could be read, and warn of the others."""
    pairs = tuple(pair for pair in found.values() if pair is not None)
    skipped = [number for number, pair in found.items() if pair is None]
    warn_left_out(f"{source}: ", "pairs", skipped, len(found), "two words and a score", place)
    return WordPairs(name, pairs, len(skipped))


def warn_left_out(
    source: str, what: str, skipped: Sequence[int], n_in_all: int, lack: str, place: str = "line"
) -> None:
    """Warn about what a reader skipped, if anything."""
    if skipped:
        shown = ", ".join(map(str, skipped[:_LINES_SHOWN])) + ", ..." * (
            len(skipped) > _LINES_SHOWN
        )
        warnings.warn(
            f"{source}{len(skipped)} of {n_in_all} {what} left out, without {lack} "
            f"({place} {shown})",
            stacklevel=4,
        )


def load_word_pairs(datasets: Any = None) -> list[WordPairs]:
    """Read datasets of word pairs from any of the accepted forms.

    Parameters
    ----------
    datasets : path-like, list, dict or None, default=None
        As in :func:`word_similarity`.

    Returns
    -------
    datasets : list of WordPairs

    Examples
    --------
    >>> from skfly.evaluation import load_word_pairs
    >>> [(data.name, len(data)) for data in load_word_pairs()]
    [('WS353', 353), ('SimLex', 999)]
    """
    if datasets is None:
        datasets = list(map(gensim_file, _SHIPPED_WITH_GENSIM))
    if isinstance(datasets, str | os.PathLike | WordPairs) or not isinstance(datasets, Iterable):
        datasets = [datasets]
    named = datasets.items() if isinstance(datasets, Mapping) else ((None, d) for d in datasets)
    found = [data for name, source in named for data in _load(name, source)]
    if not found:
        raise ValueError("no datasets were given")
    names = [data.name for data in found]
    for data in found:
        if not data.pairs:
            raise ValueError(f"dataset {data.name!r} has no pairs with a score")
        if names.count(data.name) > 1:
            raise ValueError(
                f"{names.count(data.name)} datasets are called {data.name!r}: name them in a "
                "dict, {name: file}, or give each once"
            )
    return found


def _load(name: Any, source: Any) -> list[WordPairs]:
    """Return what is in a source; with a name, it is one dataset that gets this name."""
    if isinstance(source, WordPairs):
        found = [source]
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        found = list(map(read_word_pairs, dataset_files(path) if path.is_dir() else [path]))
        if not found:
            files = f"files ({', '.join(sorted(_SUFFIXES))}) with {_EXPECTED}"
            raise ValueError(f"the directory {path} has no datasets; expected {files}")
    elif name is not None and isinstance(source, Iterable):
        pairs = {number: _given_pair(name, number, item) for number, item in enumerate(source)}
        found = [_without_skipped(str(name), f"dataset {name!r}", pairs, "item")]
    else:
        raise TypeError(
            "datasets must be a directory, a file, a list of those, or a dict from names to lists "
            f"of (word1, word2, score); got {type(source).__name__}: {source!r:.60}"
        )
    return found if name is None else [replace(data, name=str(name)) for data in found]


def _given_pair(name: Any, number: int, item: Any) -> tuple[str, str, float] | None:
    fields: Sequence[Any] = item if isinstance(item, list | tuple) else ()
    if len(fields) < 3 or not all(isinstance(word, str) for word in fields[:2]):
        raise ValueError(
            f"item {number} of dataset {name!r} is {item!r}; expected (word1, word2, score)"
        )
    return _pair(fields, 2)


def dataset_files(directory: Path) -> list[Path]:
    """Return the files of a directory that may be datasets."""
    return sorted(
        file
        for file in directory.iterdir()
        if file.is_file()
        and file.suffix.lower() in _SUFFIXES
        and not file.name.startswith(".")
        and not _NOT_DATA.match(file.name)
    )


def _fields(line: str) -> list[str]:
    r"""Return the columns of a line.

    Examples
    --------
    >>> _fields("hot dog\tfood\t7"), _fields("ice, snow, 7"), _fields("a b\t7")
    (['hot dog', 'food', '7'], ['ice', 'snow', '7'], ['a', 'b', '7'])
    """
    for separator in "\t;,":
        if separator in line:
            try:
                found = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
            except csv.Error:  # a field of more than 100,000 characters, for one
                break
            if len(found) >= 3:
                return [field.strip() for field in found]
            break
    return line.split()


def _score_column(rows: Iterable[Sequence[str]]) -> int:
    """Return the first column after the words that holds a number in any line."""
    columns = {
        place
        for fields in rows
        for place, field in enumerate(fields[2:], start=2)
        if _number(field) is not None
    }
    return min(columns, default=2)


def _pair(fields: Sequence[Any], column: int) -> tuple[str, str, float] | None:
    score = _number(fields[column]) if len(fields) > column else None
    if score is None or not fields[0] or not fields[1]:
        return None
    return fields[0], fields[1], score


def _number(text: Any) -> float | None:
    """Return a finite number, or None.

    Examples
    --------
    >>> _number("7.5"), _number("n/a"), _number("nan"), _number(None)
    (7.5, None, None, None)
    """
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _dataset_name(path: Path) -> str:
    """Return what a dataset is usually called, or its file's name without the ending.

    Examples
    --------
    >>> _dataset_name(Path("EN-MEN-TR-3k.txt")), _dataset_name(Path("mine.csv"))
    ('MEN', 'mine')
    """
    return _NAMES.get(path.stem.lower().removeprefix("en-"), path.stem)
