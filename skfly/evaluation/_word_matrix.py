"""Words and their codes or vectors, as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from skfly.evaluation._vectors import WordLookup, known_words, vectors_of
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["common_words", "vocabulary_of", "word_matrix"]


def vocabulary_of(model: Any) -> list[str]:
    """Return the words of a model, the most frequent first if it has them so."""
    if isinstance(model, FlyHashVectorizer):
        counts = model.word_counts_[list(model.vocabulary_.values())]
        return [list(model.vocabulary_)[i] for i in np.argsort(-counts, kind="stable")]
    vectors = vectors_of(model)
    return list(getattr(vectors, "index_to_key", vectors))


def common_words(models: Sequence[Any]) -> list[str]:
    """Return the words that all models know, in the order of the first."""
    words = vocabulary_of(models[0])
    for model in models[1:]:
        known = known_words(model, words)
        words = [word for word in words if word in known]
    return words


def word_matrix(model: Any, words: Sequence[str]) -> Any:
    """Return a row for each word: a CSR array of codes, or an array of vectors.

    Raises
    ------
    ValueError
        If a word is unknown, or a vector has values that are not numbers.
    """
    unknown = set(words) - known_words(model, words)
    if unknown:
        some = ", ".join(sorted(unknown)[:5])
        raise ValueError(f"{len(unknown)} of the {len(words)} words are not known: {some}, ...")
    if isinstance(model, FlyHashVectorizer):
        return sparse.csr_array(model.hash_words(words))
    rows = WordLookup(vectors_of(model)).stack(words).astype(np.float32)
    if not np.isfinite(rows).all():
        bad = words[int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])]
        raise ValueError(f"the vector of {bad!r} has values that are not finite numbers")
    return rows


def unit_rows(rows: Any) -> Any:
    """Return rows of length 1, as float32; rows of zeros stay so."""
    return normalize(rows.astype(np.float32))
