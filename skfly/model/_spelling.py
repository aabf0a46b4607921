"""Words that were never seen, by those that are spelled like them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["Spelling"]

_NGRAMS = (3, 5)


class Spelling:
    """How much each word of a vocabulary tells about words that are not in it.

    That is the square of the cosine of their character n-grams (3 to 5 characters, the ends of a
    word marked), weighted so that rare n-grams count more.

    Parameters
    ----------
    vocabulary : sequence of str

    Examples
    --------
    >>> spelling = Spelling(["monarch", "fly", "anarchic"])
    >>> weights = spelling.weights(["monarchical"]).toarray()
    >>> (weights[0, 0] > weights[0, 2] > weights[0, 1]).item()
    True
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._n_words = len(vocabulary)
        if self._n_words:
            self._ngrams = TfidfVectorizer(
                analyzer="char_wb", ngram_range=_NGRAMS, lowercase=False, dtype=np.float32
            )
            self._known = sparse.csr_array(self._ngrams.fit_transform(vocabulary).T)

    def weights(self, words: Sequence[str]) -> sparse.csr_array:
        """Return the weights of the vocabulary's words for others, (n_words, n_vocabulary)."""
        if not words or not self._n_words:
            return sparse.csr_array((len(words), self._n_words), dtype=np.float32)
        weights = sparse.csr_array(self._ngrams.transform(words) @ self._known)
        weights.data **= 2
        return weights
