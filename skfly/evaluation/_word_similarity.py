"""Word similarity: whether words that people find similar have similar codes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from skfly.evaluation._datasets import WordPairs, load_word_pairs
from skfly.evaluation._drawing import Chart
from skfly.evaluation._layout import Column, Grid
from skfly.evaluation._table import Table
from skfly.evaluation._vectors import (
    HASH_LENGTHS,
    Floats,
    FlyCodes,
    WordVectors,
    as_words,
    check_hash_lengths,
    known_words,
)

MEASURES = ("auto", "cosine", "sokal-michener")
COLUMNS = (
    Column("dataset", "key", "dataset"),
    Column("hash_length", "key", "hash length", missing="dense"),
    Column("spearman", "value", "score", deviation="std"),
    Column("n_pairs", "size", "pairs", text="{n_pairs} of {n_pairs_in_all}"),
    Column("n_pairs_in_all", "size"),
    Column("n_runs", "info"),
)
_GRID = Grid(("hash_length",), ("dataset",), "spearman", size="n_pairs")
AXES = ("hash length", "100 x Spearman correlation")
_CHART = Chart("hash_length", "spearman", ("dataset",), AXES, by_hash_length=True)


def word_similarity(
    model_or_keyed_vectors: Any,
    datasets: Any = None,
    hash_lengths: Iterable[int] = HASH_LENGTHS,
    *,
    measure: str = "auto",
    pairs_known_to: Iterable[Any] = (),
    half: str | None = None,
) -> Table:
    """Score the similarity of words against human judgement.

    The score is 100 times Spearman's rank correlation between both, over the pairs of which both
    words are known. A word that is not known as it is written is looked up in lower case.

    Parameters
    ----------
    model_or_keyed_vectors : FlyHashVectorizer, gensim.models.KeyedVectors or mapping
        A fitted vectorizer, whose static codes are scored (it is not changed); or
        anything with ``word in vectors`` and ``vectors[word]``.
    datasets : path-like, list, dict or None, default=None
        A directory, a file (see :func:`read_word_pairs`), a :class:`WordPairs`, a list of those;
        or a dict from names to files, :class:`WordPairs` or lists of ``(word1, word2, score)``.
        ``None``: WordSim-353 and SimLex-999, which come with gensim.
    hash_lengths : iterable of int, default=(4, 8, 16, 32, 51, 64, 128)
        At which a vectorizer is scored; those above its number of cells are left out. Vectors
        have none.
    measure : {"auto", "cosine", "sokal-michener"}, default="auto"
        Of similarity. ``"sokal-michener"`` is ``(n11 + n00) / n``, the share of cells that two
        codes agree on; in vectors, what is not zero counts as one. ``"auto"``: that for a
        vectorizer, the cosine for vectors.
    pairs_known_to : iterable of models or sets of words
        Score only pairs that all of these know too, so that several models can be compared.
    half : {"first", "second"} or None, default=None
        Score only every other pair of each dataset: the first, third, ... or the second,
        fourth, ... Choose parameters on one half, and report the other.

    Returns
    -------
    table : Table
        A row for each hash length and dataset: ``dataset``, ``hash_length`` (None for vectors),
        ``spearman``, ``n_pairs`` (pairs that were scored), ``n_pairs_in_all``, ``std`` and
        ``n_runs``. A dataset without a score (no known pair, or all equally similar) has
        ``None``, and a warning says why.

    See Also
    --------
    mean_over_seeds : Mean and standard deviation of several results.
    gensim.models.KeyedVectors.evaluate_word_pairs : Gives the same numbers for vectors.

    Examples
    --------
    >>> from skfly.evaluation import word_similarity
    >>> vectors = {"fly": [1, 0], "moth": [0.9, 0.1], "bank": [0, 1], "loan": [0.3, 1]}
    >>> pairs = [("fly", "moth", 9.0), ("bank", "loan", 7.5), ("Fly", "loan", 1.0),
    ...          ("fly", "ocean", 0.5)]
    >>> print(word_similarity(vectors, {"mine": pairs}))
    | hash length | mine |
    |---|---|
    | dense | 100.0 |
    | pairs | 3 of 4 |
    """
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")
    lengths = check_hash_lengths(model_or_keyed_vectors, hash_lengths)
    model = as_words(model_or_keyed_vectors)
    chosen = [data if half is None else data.half(half) for data in load_word_pairs(datasets)]
    words = list(dict.fromkeys(word for data in chosen for word in data.words))
    known = model.known(words)
    for other in pairs_known_to:
        known &= known_words(other, words)
    rows = _score(model, chosen, known, lengths, measure)
    return Table(rows, COLUMNS, grid=_GRID, chart=_CHART)


def _score(
    model: FlyCodes | WordVectors,
    datasets: Sequence[WordPairs],
    known: Set[str],
    hash_lengths: Sequence[int],
    measure: str,
) -> list[dict[str, Any]]:
    """Return the rows by hash length, then by dataset. All pairs are looked up at once."""
    pairs = [[pair for pair in data.pairs if known >= {*pair[:2]}] for data in datasets]
    people = [np.array([score for *_, score in some]) for some in pairs]
    ends = np.cumsum([len(some) for some in pairs])[:-1]
    left = [word for some in pairs for word, _, _ in some]
    right = [word for some in pairs for _, word, _ in some]
    rows = []
    problems: dict[tuple[str, str], list[int | None]] = {}
    for length, similarities in model.similar(left, right, hash_lengths, measure):
        found = np.split(similarities, ends)
        for data, judged, similar in zip(datasets, people, found, strict=True):
            problem = _why_no_score(judged, similar, len(data))
            if problem:
                problems.setdefault((data.name, problem), []).append(length)
            score = None if problem else 100 * float(spearmanr(judged, similar).statistic)
            sizes = {"n_pairs": len(judged), "n_pairs_in_all": len(data), "n_runs": 1}
            rows.append({"dataset": data.name, "hash_length": length, "spearman": score, **sizes})
    n_lengths = len(rows) // len(datasets)
    for (name, problem), lengths in problems.items():
        shown = ", ".join(map(str, lengths))
        where = "" if len(lengths) == n_lengths else f" at hash length {shown}"
        warnings.warn(f"no score for {name}{where}: {problem}", stacklevel=3)
    return rows


def _why_no_score(people: Floats, similarities: Floats, n_in_all: int) -> str | None:
    if len(people) < 2:
        known = "none" if not len(people) else "only one"
        return f"{known} of its {n_in_all} pairs is known"
    if np.ptp(people) == 0:
        return f"people's scores of the {len(people)} known pairs are all {people[0]:g}"
    if not np.isfinite(similarities).all():
        return "the model's similarities are not all numbers"
    if np.ptp(similarities) == 0:
        return f"the {len(people)} known pairs are all equally similar to the model"
    return None
