"""What words with similar spelling say about unseen words and rare ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from skfly.engine._numpy import log32

_SHORTEST, _LONGEST_NGRAM = 3, 5
_SPACE = ord(" ")
_BITS = 21  # of a character
_NO_KEY = np.iinfo(np.int64).max  # after all others
_IDF_UNIT = 2.0**-20
_LENGTH = 2.0**24
_LONGEST = 100  # characters of a word that count: n-grams take 200 times its memory
_COMMON_NGRAM = 100  # one word in so many has it, and
_FEWEST_WORDS = 20
_ALIKE = 0.2
_SAME_START = 3  # characters; words that only end alike are often unrelated
_WORDS_AT_A_TIME = 1024
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


class Ngrams:
    """Character n-grams (3 to 5 characters) of words, with spaces around, and their numbers.

    Examples
    --------
    >>> ngrams = Ngrams()
    >>> ngrams.count(["fly", "fl"], learn=True).toarray().astype(int)
    array([[1, 0, 1, 1, 0, 1, 1, 1],
           [1, 1, 0, 0, 1, 0, 0, 0]])
    """

    def __init__(self) -> None:
        self._keys: list[NDArray[np.int64]] = []  # of n-grams of each length, in rising order

    def count(self, words: Sequence[str], *, learn: bool = False) -> sparse.csr_array:
        """Return how often each word has each n-gram, and first ``learn`` which there are."""
        tokens = [word[:_LONGEST].split() for word in words]
        owners = np.repeat(np.arange(len(words)), list(map(len, tokens)))
        # one space ends a token and begins the next
        text = " ".join(["", *chain.from_iterable(tokens), ""])
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
        is_space = points == _SPACE
        begins = np.flatnonzero(~is_space[1:-1])  # of n-grams without a space inside
        token = np.cumsum(is_space)[begins + 1] - 1
        prefix = points[begins] << _BITS | points[begins + 1]
        rows, columns, n_columns = [], [], 0
        for level in range(_LONGEST_NGRAM + 1 - _SHORTEST):
            last = begins + level + _SHORTEST - 1
            key = prefix << _BITS | points[last]
            if learn:
                keys, number = np.unique(key, return_inverse=True)
                self._keys.append(np.append(keys, _NO_KEY))
            else:
                number = np.searchsorted(self._keys[level], key)
                known = self._keys[level][number] == key
                begins, last, token, number = (
                    array[known] for array in (begins, last, token, number)
                )
            rows.append(owners[token])
            columns.append(number + n_columns)
            n_columns += len(self._keys[level]) - 1
            is_inside = ~is_space[last]
            begins, token, prefix = (array[is_inside] for array in (begins, token, number))
        places = np.concatenate(rows) * n_columns + np.concatenate(columns)
        places, counts = np.unique(places, return_counts=True)
        ends = np.searchsorted(places, np.arange(len(words) + 1) * n_columns)
        arrays = counts.astype(np.float64), places % max(n_columns, 1), ends
        return sparse.csr_array(arrays, shape=(len(words), n_columns))


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
            self._ngrams = Ngrams()
            counts = self._ngrams.count(vocabulary, learn=True)
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
        return self._weigh(self._ngrams.count(words))

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
    having = np.diff(spelling._known.indptr)
    is_common = having > max(len(known) // _COMMON_NGRAM, _FEWEST_WORDS)
    ngrams = spelling._known.T.tocsr()
    ngrams.data[is_common[ngrams.indices]] = 0
    ngrams.eliminate_zeros()
    beginning = np.unique([word[:_SAME_START] for word in plain], return_inverse=True)[1]
    by_beginning = np.argsort(beginning, kind="stable")
    of_others = np.argsort(beginning[others], kind="stable")
    for part in gen_batches(len(plain), _WORDS_AT_A_TIME):
        row = by_beginning[part]
        least, most = beginning[row[[0, -1]]]
        first = np.searchsorted(beginning[others], least, "left", of_others)
        last = np.searchsorted(beginning[others], most, "right", of_others)
        column = of_others[first:last]
        found = (spelling._ngrams_of([plain[i] for i in row]) @ ngrams[column].T).tocoo()
        cosines = found.data / _LENGTH**2
        word, other = row[found.row], others[column[found.col]]
        kept = (cosines >= _ALIKE) & (other != word) & (beginning[other] == beginning[word])
        cubes = (cosines[kept] ** 3).astype(np.float32)
        places = word[kept].astype(np.int32), column[found.col[kept]].astype(np.int32)
        parts.append((cubes, *places))
    cubes, rows, columns = map(np.concatenate, zip(*parts, strict=True))
    return sparse.csr_array((cubes, (rows, columns)), shape=(len(words), len(others)))
