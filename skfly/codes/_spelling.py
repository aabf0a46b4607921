"""Words that were never seen, by those that are spelled like them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["alike_in_spelling"]

_NGRAMS = (3, 5)


def alike_in_spelling(words: Sequence[str], vocabulary: tuple[str, ...]) -> sparse.csr_array:
    """Return how much each word of a vocabulary tells about words that are not in it.

    That is the square of the cosine of their character n-grams (3 to 5 characters, the ends of a
    word marked), weighted so that rare n-grams count more.

    Parameters
    ----------
    words : sequence of str
    vocabulary : tuple of str
        It is remembered from one call to the next.

    Returns
    -------
    weights : sparse matrix of float32, (n_words, n_vocabulary)

    Examples
    --------
    >>> weights = alike_in_spelling(["monarchical"], ("monarch", "fly", "anarchic")).toarray()
    >>> (weights[0, 0] > weights[0, 2] > weights[0, 1]).item()
    True
    """
    if not words or not vocabulary:
        return sparse.csr_array((len(words), len(vocabulary)), dtype=np.float32)
    vectorizer, known = _index(vocabulary)
    weights = sparse.csr_array(vectorizer.transform(words) @ known)
    weights.data **= 2
    return weights


@lru_cache(maxsize=2)
def _index(vocabulary: tuple[str, ...]) -> tuple[TfidfVectorizer, sparse.csr_array]:
    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=_NGRAMS, lowercase=False, dtype=np.float32
    )
    known = vectorizer.fit_transform(vocabulary)
    return vectorizer, sparse.csr_array(known.T)
