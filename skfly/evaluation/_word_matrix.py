"""Words and their codes or vectors, as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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


def word_matrix(model: Any, words: Sequence[str]) -> NDArray[np.float32]:
    """Return a row for each word: its code, or its vector.

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
        codes = sparse.csr_array(model.hash_words(words))
        return np.asarray(codes.toarray(), dtype=np.float32)
    rows = np.asarray(WordLookup(vectors_of(model)).stack(words), dtype=np.float32)
    if not np.isfinite(rows).all():
        bad = words[int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])]
        raise ValueError(f"the vector of {bad!r} has values that are not finite numbers")
    return rows
