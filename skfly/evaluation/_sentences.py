"""Sentences: whether those that people find similar have similar codes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.preprocessing import normalize

from skfly.evaluation._layout import Column, Grid
from skfly.evaluation._mean_vectors import MeanVectors
from skfly.evaluation._table import Table
from skfly.evaluation._vectors import Floats, FlyCodes, check_hash_lengths, vectors_of
from skfly.model import FlyModel
from skfly.text import TextLines
from skfly.vectorizer import FlyHashVectorizer

_COLUMNS = (
    Column("dataset", "key", "dataset"),
    Column("hash_length", "key", "hash length", missing="dense"),
    Column("spearman", "value", "score", deviation="std"),
    Column("n_pairs", "size", "pairs"),
    Column("n_runs", "info"),
)
_GRID = Grid(("hash_length",), ("dataset",), "spearman", size="n_pairs")
_SCORE, _FIRST, _SECOND = 4, 5, 6  # columns of the STS Benchmark


@dataclass(frozen=True)
class SentencePairs:
    """Pairs of sentences and how similar people find them.

    Attributes
    ----------
    name : str
    pairs : tuple of (str, str, float)

    Examples
    --------
    >>> from skfly.evaluation import SentencePairs
    >>> len(SentencePairs("mine", (("A fly eats.", "A moth eats.", 3.5),)))
    1
    """

    name: str
    pairs: tuple[tuple[str, str, float], ...]

    def __len__(self) -> int:
        return len(self.pairs)


def read_sts(path: str | os.PathLike[str]) -> SentencePairs:
    """Read a part of the STS Benchmark.

    Parameters
    ----------
    path : path-like
        ``sts-train.csv``, ``sts-dev.csv`` or ``sts-test.csv``: columns separated by tabs, the
        fifth of which is the score, the sixth and seventh the sentences.

    Returns
    -------
    data : SentencePairs
        Named after the file.
    """
    pairs = []
    for number, line in enumerate(TextLines(path), start=1):
        columns = line.rstrip("\n").split("\t")
        if columns == [""]:
            continue
        try:
            pairs.append((columns[_FIRST], columns[_SECOND], float(columns[_SCORE])))
        except (IndexError, ValueError) as error:
            raise ValueError(
                f"line {number} of {path} does not have a score in column 5 and sentences in "
                f"columns 6 and 7, separated by tabs: {line!r:.60}"
            ) from error
    name = os.path.basename(path).split(".")[0]  # noqa: PTH119  (of a str too)
    return SentencePairs(name, tuple(pairs))


def sentence_similarity(
    model: Any,
    data: Any,
    hash_lengths: Iterable[int] | None = None,
) -> Table:
    """Score the similarity of sentences against human judgement.

    The score is 100 times Spearman's rank correlation with the cosine of the codes or vectors of
    two sentences. All pairs count; a sentence without a known word is similar to none.

    Parameters
    ----------
    model : FlyHashVectorizer, FlyModel, mapping, transformer or function
        A fitted vectorizer, whose document codes are compared (it is not changed); gensim's
        ``KeyedVectors`` or another mapping, whose vectors of a sentence's words are
        averaged; a fitted scikit-learn transformer of texts; or a function from a list of
        sentences to an array, a row each.
    data : path-like, SentencePairs or list of those
        See :func:`read_sts`.
    hash_lengths : iterable of int or None, default=None
        At which a vectorizer is scored; ``None``: at its own.

    Returns
    -------
    table : Table
        A row for each hash length and dataset: ``dataset``, ``hash_length`` (None for vectors),
        ``spearman``, ``std``, ``n_pairs`` and ``n_runs``.

    Examples
    --------
    >>> from skfly.evaluation import SentencePairs, sentence_similarity
    >>> vectors = {"fly": [1, 0], "moth": [0.9, 0.1], "bank": [0, 1], "loan": [0.3, 1]}
    >>> pairs = SentencePairs("mine", (("A fly", "The moth", 5.0), ("A bank", "A loan", 4.0),
    ...                                ("The fly", "A bank", 0.0)))
    >>> sentence_similarity(vectors, pairs).score("mine")
    100.0
    """
    one = isinstance(data, str | os.PathLike | SentencePairs)
    datasets = [
        some if isinstance(some, SentencePairs) else read_sts(some)
        for some in ([data] if one else data)
    ]
    encoders = _encoders(model, hash_lengths)
    rows = [
        {
            "dataset": some.name,
            "hash_length": length,
            "spearman": _correlation(some, _cosines(some, encode)),
            "n_pairs": len(some),
            "n_runs": 1,
        }
        for length, encode in encoders.items()
        for some in datasets
    ]
    return Table(rows, _COLUMNS, grid=_GRID)


def _encoders(model: Any, hash_lengths: Iterable[int] | None) -> dict[int | None, Any]:
    """Return functions from sentences to rows, by hash length."""
    if isinstance(model, FlyHashVectorizer | FlyModel):
        codes = FlyCodes(model)
        lengths = [codes.hash_length] if hash_lengths is None else hash_lengths
        return {n: codes.at(n).model.documents for n in check_hash_lengths(model, lengths)}
    if hash_lengths is not None:
        raise ValueError("hash_lengths are for models of skfly; vectors have none")
    if hasattr(model, "transform"):
        return {None: model.transform}
    vectors = vectors_of(model)
    if hasattr(vectors, "__contains__") and hasattr(vectors, "__getitem__"):
        return {None: MeanVectors(vectors).transform}
    if callable(model):
        return {None: model}
    raise TypeError(
        "expected a fitted FlyHashVectorizer or other transformer of texts, gensim KeyedVectors "
        "or another mapping from words to vectors, or a function from sentences to an array; got "
        f"{type(model).__name__}"
    )


def _cosines(data: SentencePairs, encode: Any) -> Floats:
    sentences = [sentence for pair in data.pairs for sentence in pair[:2]]
    rows = encode(sentences)
    rows = normalize(rows if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64))
    first, second = rows[::2], rows[1::2]
    products = first.multiply(second) if sparse.issparse(rows) else first * second
    return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()


def _correlation(data: SentencePairs, cosines: Floats) -> float | None:
    people = np.array([score for *_, score in data.pairs])
    if np.ptp(people) == 0 or np.ptp(cosines) == 0:
        warnings.warn(f"no score for {data.name}: all pairs are equally similar", stacklevel=3)
        return None
    return 100 * float(spearmanr(people, cosines).statistic)
