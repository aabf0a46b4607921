"""Datasets of words in context: pairs of uses of words, with people's ratings."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skfly.evaluation._datasets import warn_left_out
from skfly.text import TextLines

_WIC_LABELS = {"T": 1.0, "F": 0.0}
_SCWS_COLUMNS = 18
_SCWS_TARGET = re.compile(r"^(.*?)<b>(.*?)</b>(.*)$", re.DOTALL)


@dataclass(frozen=True)
class WordUse:
    """A word in its context.

    Attributes
    ----------
    before, word, after : str
        The word as written, and the text before and after it.

    Examples
    --------
    >>> from skfly.evaluation import WordUse
    >>> WordUse("by the", "bank", "of the river").sentence
    'by the bank of the river'
    """

    before: str
    word: str
    after: str

    @property
    def sentence(self) -> str:
        """The whole text, its parts joined by a space."""
        return " ".join(part for part in (self.before, self.word, self.after) if part)


@dataclass(frozen=True)
class ContextPairs:
    """A dataset of pairs of words in context.

    Attributes
    ----------
    name : str
    pairs : tuple of (WordUse, WordUse, float)
        Two uses and a rating: their similarity, or 1 for the same sense and 0 for another.
    graded : bool
        Whether ratings are degrees of similarity, or only yes or no.
    """

    name: str
    pairs: tuple[tuple[WordUse, WordUse, float], ...]
    graded: bool

    def __len__(self) -> int:
        return len(self.pairs)


def read_wic(path: str | os.PathLike[str]) -> ContextPairs:
    """Read the Word-in-Context dataset (WiC).

    Parameters
    ----------
    path : path-like
        A directory, with files ``*.data.txt`` in it or below, and for each its ``*.gold.txt``; or
        one ``*.data.txt``. A line of data has a word, its part of speech, the places of the
        target in both sentences as ``i-j``, and the sentences, cut into words by spaces; a line
        of gold is ``T`` or ``F``. Data without a gold file are left out, with a warning.

    Returns
    -------
    data : ContextPairs
        All pairs, in the order of the names of the files.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no directory or file {path}")
    pairs: list[tuple[WordUse, WordUse, float]] = []
    for file in sorted(path.rglob("*.data.txt")) if path.is_dir() else [path]:
        gold = file.with_name(file.name.removesuffix(".data.txt") + ".gold.txt")
        if gold.is_file():
            pairs += _read_wic_file(file, gold)
        else:
            warnings.warn(f"{file} is left out: there is no {gold.name} beside it", stacklevel=2)
    if not pairs:
        raise ValueError(
            f"{path} has no pairs of WiC; expected files *.data.txt, each with its *.gold.txt"
        )
    return ContextPairs("WiC", tuple(pairs), graded=False)


def _read_wic_file(data: Path, gold: Path) -> list[tuple[WordUse, WordUse, float]]:
    labels = [line.strip() for line in TextLines(gold) if line.strip()]
    lines = [line.rstrip("\n") for line in TextLines(data) if line.strip()]
    if len(labels) != len(lines):
        raise ValueError(
            f"{data} has {len(lines)} lines, but {gold.name} has {len(labels)}: each needs one"
        )
    pairs = []
    for number, (line, label) in enumerate(zip(lines, labels, strict=True), start=1):
        try:
            _, _, places, first, second = line.split("\t")
            left, right = (int(place) for place in places.split("-"))
            pairs.append((_use_at(first, left), _use_at(second, right), _WIC_LABELS[label]))
        except (IndexError, KeyError, ValueError) as error:
            raise ValueError(
                f"line {number} of {data} is not 'word, part of speech, i-j, sentence, sentence' "
                f"with tabs between, with T or F in {gold.name}: {line!r:.60}, {label!r}"
            ) from error
    return pairs


def _use_at(sentence: str, place: int) -> WordUse:
    """Return the use of the word at a place.

    Examples
    --------
    >>> _use_at("Room and board .", 2)
    WordUse(before='Room and', word='board', after='.')
    """
    words = sentence.split()
    if not 0 <= place < len(words):
        raise IndexError(f"there is no word {place} in {sentence!r}")
    return WordUse(" ".join(words[:place]), words[place], " ".join(words[place + 1 :]))


def read_scws(path: str | os.PathLike[str]) -> ContextPairs:
    """Read Stanford's Contextual Word Similarities (SCWS).

    Parameters
    ----------
    path : path-like
        A text file, plain or compressed (``.gz``, ``.bz2``, ``.xz``), of lines with 18 columns
        and tabs between: number, word, part of speech, word, part of speech, context, context,
        mean of the ratings, and ten ratings. ``<b>`` and ``</b>`` mark the target in its context.
        Other lines are skipped, with a warning.

    Returns
    -------
    data : ContextPairs
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    pairs, skipped = [], []
    for number, line in enumerate(TextLines(path), start=1):
        if not line.strip():
            continue
        if (pair := _scws_pair(line.rstrip("\n").split("\t"))) is None:
            skipped.append(number)
        else:
            pairs.append(pair)
    if not pairs:
        raise ValueError(
            f"{path} has no pairs of SCWS; expected lines of {_SCWS_COLUMNS} columns, with "
            "<b>target</b> in the sixth and the seventh and a mean rating in the eighth"
        )
    lack = "two contexts with a target and a rating"
    warn_left_out(f"{path}: ", "lines", skipped, len(skipped) + len(pairs), lack)
    return ContextPairs("SCWS", tuple(pairs), graded=True)


def _scws_pair(fields: list[str]) -> tuple[WordUse, WordUse, float] | None:
    if len(fields) != _SCWS_COLUMNS:
        return None
    found = [_SCWS_TARGET.match(context) for context in fields[5:7]]
    if found[0] is None or found[1] is None:
        return None
    left, right = (WordUse(*(part.strip() for part in use.groups())) for use in found if use)
    try:
        return left, right, float(fields[7])
    except ValueError:
        return None


def load_context_pairs(data: Any) -> list[ContextPairs]:
    """Read datasets of words in context from any of the accepted forms.

    Parameters
    ----------
    data : path-like, ContextPairs or list of those
        As in :func:`word_in_context`.

    Returns
    -------
    datasets : list of ContextPairs

    Examples
    --------
    >>> from skfly.evaluation import ContextPairs, load_context_pairs
    >>> [data.name for data in load_context_pairs([ContextPairs("mine", (), graded=True)])]
    ['mine']
    """
    if isinstance(data, ContextPairs):
        return [data]
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        return [read_wic(path) if path.is_dir() or path.match("*.data.txt") else read_scws(path)]
    if not isinstance(data, Iterable):
        raise TypeError(
            "data must be a directory of WiC, a file of SCWS, ContextPairs, or a list of those; "
            f"got {type(data).__name__}: {data!r:.60}"
        )
    found = [one for item in data for one in load_context_pairs(item)]
    if not found:
        raise ValueError("no datasets were given")
    return found
