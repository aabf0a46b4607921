"""Analogies: a is to b as c is to a word that a model should find."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from skfly.evaluation._rows import RowTable, markdown, score_text
from skfly.evaluation._vectors import vectors_of
from skfly.evaluation._word_similarity import HASH_LENGTHS, check_hash_lengths
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["TOTAL", "WordAnalogyRow", "WordAnalogyTable", "word_analogies"]

TOTAL = "all"


@dataclass(frozen=True)
class WordAnalogyRow:
    """How many analogies of a section are solved.

    Attributes
    ----------
    section : str
        ``"all"`` for all sections together.
    hash_length : int or None
        Of the codes; ``None`` for vectors.
    accuracy : float or None
        Percent of right answers; ``None`` if no question was asked.
    n_correct : int
    n_questions : int
        Questions that were asked: those of which all four words are known.
    n_questions_in_all : int
        Questions in the file.
    """

    section: str
    hash_length: int | None
    accuracy: float | None
    n_correct: int
    n_questions: int
    n_questions_in_all: int


@dataclass(frozen=True)
class WordAnalogyTable(RowTable[WordAnalogyRow]):
    """Scores by section and hash length.

    ``str(table)`` is a table in Markdown: a line for each section, and a column for each hash
    length.

    Attributes
    ----------
    rows : list of WordAnalogyRow
        By hash length, then by section, all together at the end.

    Examples
    --------
    >>> from skfly.evaluation import WordAnalogyRow, WordAnalogyTable
    >>> print(WordAnalogyTable([WordAnalogyRow("family", 4, 50.0, 3, 6, 8),
    ...                         WordAnalogyRow("all", 4, 50.0, 3, 6, 8)]))
    | section | 4 | questions |
    |---|---|---|
    | family | 50.0 | 6 of 8 |
    | all | 50.0 | 6 of 8 |
    """

    row_type = WordAnalogyRow

    def score(self, section: str = TOTAL, hash_length: int | None = None) -> float | None:
        """Return one score.

        Parameters
        ----------
        section : str, default="all"
        hash_length : int or None
            ``None`` for vectors.

        Returns
        -------
        accuracy : float or None
        """
        for row in self.rows:
            if (row.section, row.hash_length) == (section, hash_length):
                return row.accuracy
        raise KeyError(f"no score for {section!r} at hash length {hash_length}")

    def __str__(self) -> str:
        lengths = list(dict.fromkeys(row.hash_length for row in self.rows))
        n_lines = len(self.rows) // max(len(lengths), 1)
        lines = []
        for number in range(n_lines):
            rows = self.rows[number::n_lines]
            asked = f"{rows[0].n_questions} of {rows[0].n_questions_in_all}"
            lines.append([rows[0].section, *(score_text(row.accuracy) for row in rows), asked])
        labels = ("dense" if length is None else str(length) for length in lengths)
        return markdown(["section", *labels, "questions"], lines)


def word_analogies(
    model_or_keyed_vectors: Any,
    path: str | os.PathLike[str] | None = None,
    hash_lengths: Iterable[int] = HASH_LENGTHS,
    *,
    restrict_vocab: int = 300_000,
) -> WordAnalogyTable:
    """Ask for the fourth word of analogies: Athens is to Greece as Baghdad is to ...

    The answer is the word nearest to ``b - a + c``, other than these three, whatever its case, as
    in gensim's ``evaluate_word_analogies``, which does the work: the numbers are the same.

    Parameters
    ----------
    model_or_keyed_vectors : FlyHashVectorizer or gensim.models.KeyedVectors
        A fitted vectorizer (it is not changed), or vectors: ``FlyKeyedVectors``, those of gensim,
        or a model with these as ``wv``.
    path : path-like or None, default=None
        Lines of four words, in sections that begin with a line ``: name``. ``None``: the 19,544
        questions of word2vec, which come with gensim.
    hash_lengths : iterable of int, default=(4, 8, 16, 32, 51, 64, 128)
        At which a vectorizer is scored; those above its number of cells are left out. Vectors
        have none.
    restrict_vocab : int, default=300_000
        Words behind these are not known.

    Returns
    -------
    table : WordAnalogyTable

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> from skfly.evaluation import word_analogies
    >>> wv = KeyedVectors(3)
    >>> wv.add_vectors(["athens", "greece", "baghdad", "iraq"],
    ...                [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]])
    >>> word_analogies(wv).rows[0]  # doctest: +NORMALIZE_WHITESPACE
    WordAnalogyRow(section='capital-common-countries', hash_length=None, accuracy=100.0,
                   n_correct=2, n_questions=2, n_questions_in_all=506)
    """
    if path is None:
        from gensim.test.utils import datapath

        path = datapath("questions-words.txt")
    lengths = check_hash_lengths(model_or_keyed_vectors, hash_lengths)
    in_all = _count_questions(Path(path))
    rows = []
    for length, vectors in _at_lengths(model_or_keyed_vectors, lengths):
        _, sections = vectors.evaluate_word_analogies(
            os.fspath(path), restrict_vocab=restrict_vocab
        )
        for section, n_in_all in zip(sections, [*in_all, sum(in_all)], strict=True):
            n_correct = len(section["correct"])
            n_asked = n_correct + len(section["incorrect"])
            accuracy = 100 * n_correct / n_asked if n_asked else None
            rows.append(
                WordAnalogyRow(section["section"], length, accuracy, n_correct, n_asked, n_in_all)
            )
        rows[-1] = WordAnalogyRow(**(asdict(rows[-1]) | {"section": TOTAL}))
    if not rows[-1].n_questions:
        warnings.warn(f"no score: no question of {path} has four known words", stacklevel=2)
    return WordAnalogyTable(rows)


def _at_lengths(model: Any, lengths: Iterable[int]) -> Iterator[tuple[int | None, Any]]:
    """Yield hash lengths and the vectors of a model at each."""
    if isinstance(model, FlyHashVectorizer):
        fly = copy.copy(model)  # shares all arrays; only its hash length will change
        for length in lengths:
            yield length, fly.set_params(hash_length=length).wv
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
    from gensim.utils import open as smart_open  # what is compressed is read too

    counts: list[int] = []
    with smart_open(str(path), "rb") as lines:
        for line in map(bytes.decode, lines):
            if line.startswith(": "):
                counts.append(0)
            elif len(line.split()) == 4:
                if not counts:
                    break
                counts[-1] += 1
    if not sum(counts):
        raise ValueError(
            f"{path} has no analogies; expected lines of four words behind a line ': name'"
        )
    return counts
