"""Look up codes, and count similarities and neighbours on bits."""

from __future__ import annotations

import copy
import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from gensim import matutils
from numpy.typing import NDArray
from scipy import sparse

from skfly.index import PackedIndex
from skfly.index._bits import count_ones, pack_codes
from skfly.index._packed import score
from skfly.keyedvectors._base import KeyedCodes
from skfly.keyedvectors._input import KEY_TYPES, as_vector, is_binary, pack_checked

_MOST_COUNTED = 8  # items whose overlaps are counted; for more, one weighted sum is faster


class _Item(NamedTuple):
    """One key or vector of a query."""

    row: int | None  # of a key
    code: NDArray[np.uint8] | None  # packed; None for a vector with other values than 0 and 1
    vector: NDArray[Any] | None  # such a vector
    weight: float
    scale: float  # the weight, over the length of a key's vector: gensim scales keys only


class CodeQueries(KeyedCodes):
    """The queries of ``KeyedVectors``.

    With cosine, results are those of gensim on the same codes. With the other measures, a query of
    several keys or vectors asks for the weighted mean of the similarities to each of them.
    """

    # Lookup

    def get_vector(self, key: Any, norm: bool = False) -> NDArray[Any]:
        """Return the code of a key as a vector of ones and zeros.

        Parameters
        ----------
        key : str or int
        norm : bool, default=False
            Scale it to length 1; an empty code stays as it is.

        Returns
        -------
        vector : ndarray, (vector_size,)
            Read-only.
        """
        code = self._code_of(key)
        bits = np.unpackbits(code, count=self.vector_size, bitorder="little")
        vector, size = bits.astype(self._dtype), bits.sum(dtype=np.int64)
        if norm and size:
            vector /= np.sqrt(size)
        vector.setflags(write=False)
        return vector

    def _code_of(self, key: Any) -> NDArray[np.uint8]:
        """Return the packed code of a key, or of an unknown word by its spelling."""
        spelled = None if key in self else self._spelled(key)
        return self._index.columns[:, self.get_index(key)].copy() if spelled is None else spelled

    def _spelled(self, key: Any) -> NDArray[np.uint8] | None:
        """Return the packed code of an unknown word by its spelling, if it has one."""
        if self._spell is None or not isinstance(key, str):
            return None
        code: NDArray[np.uint8] = pack_checked(self._spell(key), self.vector_size)[0][0]
        return code if code.any() else None

    def get_mean_vector(
        self,
        keys: Any,
        weights: Any = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> NDArray[Any]:
        """Return the weighted mean of codes, as gensim does.

        Parameters
        ----------
        keys : list of str, int, ndarray or sparse row
        weights : list of float or ndarray, optional
        pre_normalize : bool, default=True
            Scale the codes of keys (not vectors that are given) to length 1 first.
        post_normalize : bool, default=False
            Scale the mean to length 1.
        ignore_missing : bool, default=True
            Leave unknown keys out instead of raising ``KeyError``.

        Returns
        -------
        mean : ndarray, (vector_size,)
        """
        if len(keys) == 0:
            raise ValueError("cannot compute mean with no input")
        weights = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
        if len(keys) != weights.shape[0]:
            raise ValueError("keys and weights array must have same number of elements")
        mean, total = np.zeros(self.vector_size), 0.0
        for key, weight in zip(keys, weights.tolist(), strict=True):
            if isinstance(key, np.ndarray) or sparse.issparse(key):
                mean += weight * as_vector(key, self.vector_size)
            elif key in self or self._spelled(key) is not None:
                mean += weight * self.get_vector(key, norm=pre_normalize)
            elif ignore_missing:
                continue
            else:
                raise KeyError(f"Key '{key}' not present in vocabulary{self._suggestion(key)}")
            total += abs(weight)
        if total > 0:
            mean /= total
        if post_normalize:
            return np.asarray(matutils.unitvec(mean), dtype=np.float32)
        return mean.astype(self._dtype)

    def get_index(self, key: Any, default: Any = None) -> int:
        """Return the position of a key.

        Parameters
        ----------
        key : str or int
        default : int, optional
            Returned for an unknown key instead of raising ``KeyError``.

        Returns
        -------
        index : int
        """
        try:
            index: int = super().get_index(key, default)
        except KeyError:
            raise KeyError(f"Key '{key}' not present{self._suggestion(key)}") from None
        return index

    def _suggestion(self, key: Any) -> str:
        """Return a hint if another capitalisation of the key is known."""
        if isinstance(key, str):
            for other in (key.lower(), key.capitalize(), key.upper()):
                if other in self.key_to_index:
                    return f"; did you mean {other!r}?"
        return ""

    # Neighbours

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: Any = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> Any:
        """Return the keys that are most similar to keys, codes and vectors.

        Parameters
        ----------
        positive, negative : str, int, ndarray, sparse matrix, or list of these, optional
            What the keys should be similar and dissimilar to. A list may have ``(key, weight)``;
            the weights of others are 1 and -1.
        topn : int or None, default=10
            How many; ``None`` returns the similarities of all keys as an array.
        clip_start, clip_end : int, optional
            Search only the keys in this range.
        restrict_vocab : int, optional
            Search only this many first keys.
        indexer : optional
            One of gensim's approximate indexes, used instead.

        Returns
        -------
        similar : list of (str, float) or ndarray
            Without the keys of the query. Ties come in the order of the keys.
        """
        if isinstance(topn, Integral) and topn < 1:
            return []
        items = self._items(positive, 1.0)
        if negative is not None:
            items += self._items(negative, -1.0)
        if not items:
            raise ValueError("cannot compute mean with no input")
        if indexer is not None and isinstance(topn, int):
            mean = matutils.unitvec(self._weighted_sum(items))
            return indexer.most_similar(mean.astype(np.float32), topn)
        span = slice(0, restrict_vocab) if restrict_vocab else slice(clip_start, clip_end or None)
        first, last, _ = span.indices(len(self._index))
        last = max(first, last)
        if topn and len(items) == 1 and items[0].weight > 0 and items[0].code is not None:
            ids, scores = self._index._search(
                items[0].code[None], int(topn) + 1, self._measure, first=first, last=last
            )
            return self._named(ids[0], scores[0], (items[0].row,), topn)
        scores = self._scores(self._index, items, first, last)
        return self._best(scores, items, topn, first) if topn else scores.astype(np.float32)

    def neighbors(
        self, words_or_codes: Any, n: Any = 10, *, n_jobs: int | None = None
    ) -> list[list[tuple[Any, float]]]:
        """Return the nearest keys of many words or codes at once, on several threads.

        Parameters
        ----------
        words_or_codes : list of str, sparse matrix or array
            Words, each of which is left out of its own neighbours; or codes.
        n : int, default=10
            How many of each.
        n_jobs : int or None, default=None
            Threads; ``None``: as many as numba is set to use.

        Returns
        -------
        neighbors : list of lists of (str, float)
            Keys and similarities, most similar first. Ties come in the order of the keys.

        Examples
        --------
        >>> from skfly import FlyKeyedVectors
        >>> wv = FlyKeyedVectors.from_codes(["fly", "moth", "bank"],
        ...                                 [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]])
        >>> wv.neighbors(["fly", "bank"], n=1)
        [[('moth', 0.5)], [('moth', 0.5)]]
        """
        if not isinstance(n, Integral) or n < 0:
            raise ValueError(f"n must be 0 or more; got {n!r}")
        queries = [words_or_codes] if isinstance(words_or_codes, KEY_TYPES) else words_or_codes
        if isinstance(queries, np.ndarray) and queries.dtype.kind in "biuf":
            queries = np.atleast_2d(queries)
        if not sparse.issparse(queries) and not len(queries):
            return []
        own: list[int] = []
        if not sparse.issparse(queries) and isinstance(queries[0], KEY_TYPES):
            own = [self.get_index(key) for key in queries]
        packed = self._index.packed(own) if own else pack_checked(queries, self.vector_size)[0]
        ids, scores = self._index._search(packed, int(n) + bool(own), self._measure, n_jobs=n_jobs)
        return [
            self._named(*found, (own[i],) if own else (), int(n))
            for i, found in enumerate(zip(ids, scores, strict=True))
        ]

    def most_similar_cosmul(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: Any = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """Return the most similar keys by the multiplicative objective of Levy and Goldberg.

        It is defined by the cosine, whatever ``similarity_measure`` is.

        Parameters
        ----------
        positive, negative : str, int, ndarray, sparse matrix, or list of these, optional
        topn : int or None, default=10
            How many; ``None`` returns the scores of all keys as an array.
        restrict_vocab : int, optional
            Search only this many first keys (gensim accepts this, but searches all).

        Returns
        -------
        similar : list of (str, float) or ndarray
        """
        if isinstance(topn, Integral) and topn < 1:
            return []
        items = self._items(positive, 1.0)
        if not items:
            raise ValueError("cannot compute similarity with no input")
        unwanted = self._items(negative, 1.0)
        _, last, _ = slice(0, restrict_vocab or None).indices(len(self._index))
        norms = np.sqrt(np.maximum(self._index.sizes[:last], 1))
        # as in gensim, vectors that are given are not scaled to length 1
        shifted = [(1 + self._dots(self._index, [i], 0, last) / norms) / 2 for i in items]
        below = [(1 + self._dots(self._index, [i], 0, last) / norms) / 2 for i in unwanted]
        scores = np.prod(shifted, axis=0) / (np.prod(below, axis=0) + 0.000001)
        return self._best(scores, items + unwanted, topn) if topn else scores.astype(np.float32)

    def similarity(self, w1: Any, w2: Any) -> Any:
        """Return the similarity of two keys.

        Parameters
        ----------
        w1, w2 : str or int

        Returns
        -------
        similarity : float
        """
        left, right = self._code_of(w1), self._code_of(w2)
        shared, n_left, n_right = (
            count_ones(code).sum(dtype=np.int64) for code in (left & right, left, right)
        )
        return score(shared, n_left, n_right, self.vector_size, self._measure)[()]

    def n_similarity(self, ws1: Any, ws2: Any) -> Any:
        """Return the similarity of two sets of keys.

        Cosine is that of the means of their codes; the other measures are the mean over all pairs.
        Unknown keys are left out.

        Parameters
        ----------
        ws1, ws2 : list of str

        Returns
        -------
        similarity : float
        """
        if self._measure == "cosine" or not (len(ws1) and len(ws2)):
            return super().n_similarity(ws1, ws2)
        left, right = ([self.get_index(w) for w in ws if w in self] for ws in (ws1, ws2))
        if not left or not right:
            return 0.0
        others = self._index.take(right)
        codes = self._index.packed(left)
        return np.mean([self._similarities(others, code, 0, len(right)) for code in codes])

    def distances(self, word_or_vector: Any, other_words: Any = ()) -> NDArray[Any]:
        """Return the distances of keys to a key, code or vector: 1 minus the similarity.

        Parameters
        ----------
        word_or_vector : str, int, ndarray or sparse row
        other_words : iterable of str, optional
            The keys to compare with; all by default.

        Returns
        -------
        distances : ndarray of float32
        """
        items = self._items([(word_or_vector, 1.0)], 1.0)
        index = self._index
        if other_words is not None and len(other_words):
            index = index.take([self.get_index(word) for word in other_words])
        return np.asarray(1 - self._scores(index, items, 0, len(index)), dtype=np.float32)

    def closer_than(self, key1: Any, key2: Any) -> list[Any]:
        """Return the keys that are closer to ``key1`` than ``key2`` is.

        Parameters
        ----------
        key1, key2 : str or int

        Returns
        -------
        keys : list
        """
        row, other = self.get_index(key1), self.get_index(key2)
        code = self._index.packed([row])[0]
        scores = np.round(self._similarities(self._index, code, 0, len(self._index)), 12)
        closer = np.flatnonzero(scores > scores[other]).tolist()
        return [self.index_to_key[i] for i in closer if i != row]

    def relative_cosine_similarity(self, wa: Any, wb: Any, topn: int = 10) -> Any:
        """Return the cosine of two keys over the sum of those of the first key's neighbours.

        It is defined by the cosine, whatever ``similarity_measure`` is.

        Parameters
        ----------
        wa, wb : str or int
        topn : int, default=10
            How many neighbours.

        Returns
        -------
        similarity : float
        """
        by_cosine = copy.copy(self)
        by_cosine.similarity_measure = "cosine"
        return super(CodeQueries, by_cosine).relative_cosine_similarity(wa, wb, topn)

    # What queries are made of

    def _items(self, value: Any, weight: float) -> list[_Item]:
        """Return the keys and vectors of ``positive`` or ``negative`` in gensim's many forms."""
        if value is None:
            return []
        if isinstance(value, KEY_TYPES) or (sparse.issparse(value) and value.ndim == 1):
            value = [value]
        elif sparse.issparse(value):
            value = value.toarray()
        elif isinstance(value, np.ndarray):
            value = np.atleast_2d(value)
        items = []
        for entry in value:
            given, own_weight = entry, weight
            if not isinstance(entry, (*KEY_TYPES, np.ndarray)) and not sparse.issparse(entry):
                given, own_weight = entry[0], float(entry[1])
            if isinstance(given, KEY_TYPES):
                row = self.get_index(given, -1)
                code = self._spelled(given) if row < 0 else self._index.columns[:, row].copy()
                if code is None:
                    raise KeyError(
                        f"Key '{given}' not present in vocabulary{self._suggestion(given)}"
                    )
                scale = own_weight / math.sqrt(max(int(count_ones(code).sum()), 1))
                items.append(_Item(row if row >= 0 else None, code, None, own_weight, scale))
                continue
            vector = as_vector(given, self.vector_size)
            packed = pack_codes(vector[None])[0] if is_binary(vector) else None
            items.append(
                _Item(None, packed, vector if packed is None else None, own_weight, own_weight)
            )
        return items

    def _scores(
        self, index: PackedIndex, items: list[_Item], first: int, last: int
    ) -> NDArray[np.float64]:
        """Return the similarities of codes to a query."""
        if len(items) == 1 and items[0].code is not None and items[0].weight > 0:
            return self._similarities(index, items[0].code, first, last)
        if self._measure == "cosine":
            length = float(np.linalg.norm(self._weighted_sum(items))) or 1.0
            norms = np.sqrt(np.maximum(index.sizes[first:last], 1))
            return np.asarray(self._dots(index, items, first, last) / length / norms)
        total = np.zeros(last - first)
        for item in items:
            if item.code is not None:
                total += item.weight * self._similarities(index, item.code, first, last)
            elif self._measure == "overlap":
                total += item.weight * index.weighted_sums(item.vector, first, last)
            else:
                raise ValueError(
                    f"similarity_measure={self._measure!r} compares codes, and a query has other "
                    "values than ones and zeros: use 'cosine' or 'overlap' for it"
                )
        return total / (sum(abs(item.weight) for item in items) or 1.0)

    def _similarities(
        self, index: PackedIndex, code: NDArray[np.uint8], first: int, last: int
    ) -> NDArray[np.float64]:
        """Return the similarities of codes to one packed code."""
        shared, size = index.overlaps(code, first, last), count_ones(code).sum(dtype=np.int64)
        return score(shared, size, index.sizes[first:last], self.vector_size, self._measure)

    def _dots(
        self, index: PackedIndex, items: list[_Item], first: int, last: int
    ) -> NDArray[np.float64]:
        """Return the dot product of each code with the weighted sum of the items."""
        if len(items) > _MOST_COUNTED:
            return index.weighted_sums(self._weighted_sum(items), first, last)
        total = np.zeros(last - first)
        for item in items:
            if item.code is None:
                total += item.scale * index.weighted_sums(item.vector, first, last)
            else:
                total += item.scale * index.overlaps(item.code, first, last)
        return total

    def _weighted_sum(self, items: list[_Item]) -> NDArray[np.float64]:
        total = np.zeros(self.vector_size)
        for item in items:
            vector = item.vector
            if item.code is not None:
                vector = np.unpackbits(item.code, count=self.vector_size, bitorder="little")
            total += item.scale * np.asarray(vector, dtype=np.float64)
        return total

    def _best(
        self, scores: NDArray[np.float64], items: list[_Item], topn: Any, first: int = 0
    ) -> list[tuple[Any, float]]:
        """Return the keys with the best scores, without those of the query."""
        own = [item.row for item in items]
        n = min(int(topn) + len(own), len(scores))
        if n == 0:
            return []
        rounded = np.round(scores, 12)
        needed = np.partition(rounded, len(scores) - n)[len(scores) - n]
        ids = np.flatnonzero(rounded >= needed)
        ids = ids[np.argsort(-rounded[ids], kind="stable")][:n]
        return self._named(ids + first, scores[ids], own, topn)

    def _named(
        self, ids: NDArray[Any], scores: NDArray[Any], own: Any, topn: Any
    ) -> list[tuple[Any, float]]:
        """Return keys and scores, without the rows that are the query's own."""
        keys, found = self.index_to_key, []
        for row, value in zip(ids.tolist(), scores.tolist(), strict=True):
            if row not in own:
                found.append((keys[row], value))
        return found[: int(topn)]
