"""Analogies: find the word that is to c as b is to a."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from skfly._compressed import open_file
from skfly._files import gensim_file
from skfly.evaluation._layout import Column, Grid
from skfly.evaluation._table import Table
from skfly.evaluation._vectors import (
    HASH_LENGTHS,
    FlyCodes,
    as_words,
    check_hash_lengths,
    vectors_of,
)

TOTAL = "all"
_COLUMNS = (
    Column("section", "key", "section", default=TOTAL),
    Column("hash_length", "key", "hash length", missing="dense"),
    Column("accuracy", "value", "accuracy"),
    Column("n_correct"),
    Column("n_questions", "size", "questions", text="{n_questions} of {n_questions_in_all}"),
    Column("n_questions_in_all", "size"),
)
_GRID = Grid(("section",), ("hash_length",), "accuracy", size="n_questions", size_at="right")


def word_analogies(
    model_or_keyed_vectors: Any,
    path: str | os.PathLike[str] | None = None,
    hash_lengths: Iterable[int] = HASH_LENGTHS,
    *,
    restrict_vocab: int = 300_000,
) -> Table:
    """Score analogies: Athens is to Greece as Baghdad is to Iraq.

    The answer is the word nearest to ``b - a + c`` other than these three, ignoring case. This
    calls gensim's ``evaluate_word_analogies``, so the numbers are the same.

    Parameters
    ----------
    model_or_keyed_vectors : FlyHashVectorizer or gensim.models.KeyedVectors
        A fitted vectorizer (it is not changed), or vectors: ``FlyKeyedVectors``, those of gensim,
        or a model with these as ``wv``.
    path : path-like or None, default=None
        Lines of four words, in sections that begin with a line ``: name``. ``None``: the 19,544
        questions of word2vec, which come with gensim.
    hash_lengths : iterable of int, default=(4, 8, 16, 32, 51, 64, 128)
        Hash lengths at which to score a vectorizer; those above its number of cells are skipped.
        Ignored for vectors.
    restrict_vocab : int, default=300_000
        Search only this many of the most frequent words.

    Returns
    -------
    table : Table
        A row for each hash length and section, and for all sections together (``"all"``):
        ``section``, ``hash_length`` (None for vectors), ``accuracy`` (percent; None if no
        question was asked), ``n_correct``, ``n_questions`` (those of which all four words are
        known) and ``n_questions_in_all``.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> from skfly.evaluation import word_analogies
    >>> wv = KeyedVectors(3)
    >>> wv.add_vectors(["athens", "greece", "baghdad", "iraq"],
    ...                [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]])
    >>> word_analogies(wv).rows[0]  # doctest: +NORMALIZE_WHITESPACE
    Row(section='capital-common-countries', hash_length=None, accuracy=100.0, n_correct=2,
        n_questions=2, n_questions_in_all=506)
    """
    if path is None:
        path = gensim_file("questions-words.txt")
    lengths = check_hash_lengths(model_or_keyed_vectors, hash_lengths)
    in_all = _count_questions(Path(path))
    rows = []
    for length, vectors in _at_lengths(model_or_keyed_vectors, lengths):
        _, sections = vectors.evaluate_word_analogies(
            os.fspath(path), restrict_vocab=restrict_vocab
        )
        sections[-1]["section"] = TOTAL
        for section, n_in_all in zip(sections, [*in_all, sum(in_all)], strict=True):
            n_correct = len(section["correct"])
            n_asked = n_correct + len(section["incorrect"])
            rows.append(
                {
                    "section": section["section"],
                    "hash_length": length,
                    "accuracy": 100 * n_correct / n_asked if n_asked else None,
                    "n_correct": n_correct,
                    "n_questions": n_asked,
                    "n_questions_in_all": n_in_all,
                }
            )
    if not rows[-1]["n_questions"]:
        warnings.warn(f"no score: no question of {path} has four known words", stacklevel=2)
    return Table(rows, _COLUMNS, grid=_GRID)


def _at_lengths(model: Any, lengths: Iterable[int]) -> Iterator[tuple[int | None, Any]]:
    """Yield hash lengths and the vectors of a model at each."""
    words = as_words(model)
    if isinstance(words, FlyCodes):
        from skfly.keyedvectors import make_vectors  # needs gensim

        for length in lengths:
            yield length, make_vectors(words.at(length).model)
        return
    vectors = vectors_of(model)
    if not hasattr(vectors, "evaluate_word_analogies"):
        raise TypeError(
            "expected a fitted FlyHashVectorizer or gensim KeyedVectors; got "
            f"{type(model).__name__}"
        )
    yield None, vectors


def _count_questions(path: Path) -> list[int]:
    """Return how many questions each section of a file has."""
    counts: list[int] = []
    with open_file(path) as lines:
        for line in map(bytes.decode, lines):
            if line.startswith(": "):
                counts.append(0)
            elif len(line.split()) == 4:
                if not counts:
                    break
                counts[-1] += 1
    if not sum(counts):
        raise ValueError(
            f"{path} has no analogies; expected lines of four words after a line ': name'"
        )
    return counts
