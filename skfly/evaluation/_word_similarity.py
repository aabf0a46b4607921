"""Word similarity: whether words that people find similar have similar codes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from skfly.evaluation._datasets import WordPairs, load_datasets
from skfly.evaluation._table import WordSimilarityRow, WordSimilarityTable
from skfly.evaluation._vectors import Similarities, as_similarities, known_words
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["HASH_LENGTHS", "check_hash_lengths", "word_similarity"]

HASH_LENGTHS = (4, 8, 16, 32, 51, 64, 128)


def word_similarity(
    model_or_keyed_vectors: Any,
    datasets: Any = None,
    hash_lengths: Iterable[int] = HASH_LENGTHS,
    *,
    measure: str = "auto",
    pairs_known_to: Iterable[Any] = (),
    half: str | None = None,
) -> WordSimilarityTable:
    """Compare how similar the codes or vectors of words are with how similar people find them.

    The score is 100 times Spearman's rank correlation between both, over the pairs of which both
    words are known. A word that is not known as it is written is looked up in lower case.

    Parameters
    ----------
    model_or_keyed_vectors : FlyHashVectorizer, gensim.models.KeyedVectors or mapping
        A fitted vectorizer, of which the static codes are scored (it is not changed); or
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
    table : WordSimilarityTable
        A dataset without a score (no known pair, or all equally similar) has ``None``, and a
        warning says why.

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
    lengths = check_hash_lengths(model_or_keyed_vectors, hash_lengths)
    model = as_similarities(model_or_keyed_vectors, lengths, measure)
    chosen = [data if half is None else data.half(half) for data in load_datasets(datasets)]
    words = list(dict.fromkeys(word for data in chosen for word in data.words))
    known = model.known(words)
    for other in pairs_known_to:
        known &= known_words(other, words)
    return WordSimilarityTable(_score(model, chosen, known))


def _score(
    model: Similarities, datasets: Sequence[WordPairs], known: Set[str]
) -> list[WordSimilarityRow]:
    """Return the rows by hash length, then by dataset. All pairs are looked up at once."""
    pairs = [
        [pair for pair in data.pairs if pair[0] in known and pair[1] in known] for data in datasets
    ]
    people = [np.array([score for *_, score in some]) for some in pairs]
    ends = np.cumsum([len(some) for some in pairs])[:-1]
    left = [word for some in pairs for word, _, _ in some]
    right = [word for some in pairs for _, word, _ in some]
    rows = []
    problems: dict[tuple[str, str], list[int | None]] = {}
    for hash_length, similarities in model.similar(left, right):
        by_dataset = np.split(similarities, ends)
        for data, judged, found in zip(datasets, people, by_dataset, strict=True):
            problem = _why_no_score(judged, found, len(data))
            if problem:
                problems.setdefault((data.name, problem), []).append(hash_length)
            score = None if problem else 100 * float(spearmanr(judged, found).statistic)
            rows.append(WordSimilarityRow(data.name, hash_length, score, len(judged), len(data)))
    n_lengths = len(rows) // len(datasets)
    for (name, problem), lengths in problems.items():
        shown = ", ".join(map(str, lengths))
        where = "" if len(lengths) == n_lengths else f" at hash length {shown}"
        warnings.warn(f"no score for {name}{where}: {problem}", stacklevel=3)
    return rows


def _why_no_score(
    people: NDArray[np.float64], similarities: NDArray[np.float64], n_in_all: int
) -> str | None:
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


def check_hash_lengths(model: Any, hash_lengths: Any) -> list[int]:
    """Return the hash lengths that the model can have, each once."""
    single = isinstance(hash_lengths, Integral)
    lengths = list(dict.fromkeys([hash_lengths] if single else hash_lengths))
    for length in lengths:
        if not isinstance(length, Integral) or int(length) < 1:
            raise ValueError(f"hash lengths must be whole numbers above 0; got {length!r}")
    n_cells = getattr(model, "n_features_out_", None)
    if not isinstance(model, FlyHashVectorizer) or n_cells is None:
        return lengths
    possible = [int(length) for length in lengths if length <= n_cells]
    if not possible:
        raise ValueError(
            f"none of the hash lengths {lengths} is possible: the model has {n_cells} Kenyon cells"
        )
    return possible
