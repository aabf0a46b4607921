"""What words with similar spelling say about unseen words and rare ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import gen_batches

from skfly.engine._numpy import log32

_NGRAMS = (3, 5)
_IDF_UNIT = 2.0**-20
_LENGTH = 2.0**24
_LONGEST = 100  # characters of a word that count: n-grams take 200 times its memory
_COMMON_NGRAM = 100  # one word in so many has it, and
_FEWEST_WORDS = 20
_ALIKE = 0.2
_SAME_START = 3  # characters; words that only end alike are often unrelated
_WORDS_AT_A_TIME = 4096
_DIGIT = re.compile(r"\d")


class UnknownWords(dict[str, int]):
    """The ids of unknown words, in the order in which they were looked up.

    Parameters
    ----------
    known : mapping from str to int
    n_words : int
        The id of the first unknown word.

    Examples
    --------
    >>> ids = UnknownWords({"fly": 0}, n_words=1)
    >>> [ids.get(word) for word in ("moth", "fly", "bank", "moth")], list(ids)
    ([1, 0, 2, 1], ['moth', 'bank'])
    """

    def __init__(self, known: Mapping[str, int], n_words: int) -> None:
        super().__init__()
        self._known = known
        self._n_words = n_words

    def get(self, word: str, _: object = None) -> int:
        """Return the id of a word; a new unknown word gets the next one."""
        found = self._known.get(word)
        return self.setdefault(word, self._n_words + len(self)) if found is None else found


class Spelling:
    """How much each word of a vocabulary says about words outside it.

    This is the squared cosine of their character n-grams (3 to 5 characters, with word boundaries
    marked), weighted so that rare n-grams count more. Only the first 100 characters count.

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
            self._ngrams = CountVectorizer(
                analyzer="char_wb", ngram_range=_NGRAMS, lowercase=False, dtype=np.float64
            )
            counts = sparse.csr_array(self._ngrams.fit_transform(_cut(vocabulary)))
            having = np.bincount(counts.indices, minlength=counts.shape[1])
            ratios = ((self._n_words + 1) / (having + 1)).astype(np.float32)
            self._idf = np.rint((log32(ratios) + 1).astype(np.float64) / _IDF_UNIT)
            self._known = self._weigh(counts).T.tocsr()

    def weights(self, words: Sequence[str]) -> sparse.csr_array:
        """Return the weights of the vocabulary's words for others, (n_words, n_vocabulary)."""
        if not words or not self._n_words:
            return sparse.csr_array((len(words), self._n_words), dtype=np.float32)
        weights = self._ngrams_of(words) @ self._known
        weights.data = ((weights.data / _LENGTH**2) ** 2).astype(np.float32)
        return weights

    def _ngrams_of(self, words: Sequence[str]) -> sparse.csr_array:
        return self._weigh(sparse.csr_array(self._ngrams.transform(_cut(words))))

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return rows of equal length; whole numbers, so that all sums are exact."""
        values = counts.data * self._idf[counts.indices]
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=counts.shape[0]))
        whole = np.rint(values / lengths[rows] * _LENGTH)
        return sparse.csr_array((whole, counts.indices, counts.indptr), counts.shape)


def spelled_alike(words: Sequence[str], others: NDArray[np.int64]) -> sparse.csr_array:
    """Return how alike words are spelled to some of them: the cube of the cosine of their n-grams.

    Only words that begin with the same three characters are alike, and those with a cosine of at
    least 0.2. N-grams that more than one word in a hundred has are left out. A word with a digit
    is like no other.

    Parameters
    ----------
    words : sequence of str
    others : ndarray of int64
        Positions among them.

    Returns
    -------
    alike : sparse array of float32, (n_words, n_others)

    Examples
    --------
    >>> words = ["monarch", "fly", "monarchical", "flying", "mp3", "mp4"]
    >>> (spelled_alike(words, np.arange(6)).toarray() > 0).astype(int)
    array([[0, 0, 1, 0, 0, 0],
           [0, 0, 0, 1, 0, 0],
           [1, 0, 0, 0, 0, 0],
           [0, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0]])
    """
    plain = ["" if _DIGIT.search(word) else word for word in words]
    known = [plain[i] for i in others]
    if not any(known):
        return sparse.csr_array((len(words), len(others)), dtype=np.float32)
    spelling, parts = Spelling(known), []
    beginning = np.unique([word[:_SAME_START] for word in plain], return_inverse=True)[1]
    having = np.diff(spelling._known.indptr)
    is_rare = having <= max(len(known) // _COMMON_NGRAM, _FEWEST_WORDS)
    ngrams = sparse.diags_array(is_rare.astype(np.float64)) @ spelling._known
    for part in gen_batches(len(plain), _WORDS_AT_A_TIME):
        found = (spelling._ngrams_of(plain[part]) @ ngrams).tocoo()
        cosines = found.data / _LENGTH**2
        row, other = found.row + part.start, others[found.col]
        kept = (cosines >= _ALIKE) & (other != row) & (beginning[other] == beginning[row])
        cubes = (cosines[kept] ** 3).astype(np.float32)
        places = found.row[kept], found.col[kept]
        parts.append(sparse.csr_array((cubes, places), shape=found.shape))
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def _cut(words: Sequence[str]) -> list[str]:
    return [word[:_LONGEST] for word in words]
