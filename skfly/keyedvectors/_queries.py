"""Similarities and neighbours, counted on bits."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.codes import CodeSearch, count_bits, score
from skfly.keyedvectors._input import (
    Item,
    as_items,
)
from skfly.keyedvectors._scores import CodeScores

__all__ = ["CodeQueries"]


class CodeQueries(CodeScores):
    """The queries of ``KeyedVectors``.

    With cosine, results are those of gensim on the same codes. A query of several keys or vectors
    asks, with the other measures, for the weighted mean of the similarities to each of them.
    """

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
            What they should be similar to, and what not. A list may have ``(key, weight)``; the
            weights of others are 1 and -1.
        topn : int or None, default=10
            How many; ``None`` returns the similarities of all keys as an array.
        clip_start, clip_end : int, optional
            Look only at keys in this range.
        restrict_vocab : int, optional
            Look only at this many first keys.
        indexer : optional
            One of gensim's approximate indexes, which is then asked instead.

        Returns
        -------
        similar : list of (str, float) or ndarray
            Without the keys of the query. Equally similar ones come in the order of the keys.
        """
        if isinstance(topn, Integral) and topn < 1:
            return []
        items = as_items(positive, 1.0) + as_items(negative, -1.0)
        codes = self._item_codes(items)
        if indexer is not None and isinstance(topn, int):
            return indexer.most_similar(self._mean(items), topn)
        first, last = self._range(clip_start, clip_end, restrict_vocab)
        if topn and len(items) == 1 and items[0].weight > 0 and codes[0] is not None:
            own = self._own(items)
            rows, similarities = self._searcher().best(
                codes[0][None], int(topn) + len(own), first, last
            )
            return self._named(rows[0], similarities[0], own, int(topn))
        scores = self._scores(items, codes, first, last)
        if not topn:
            return scores.astype(np.float32)
        return self._best_named(scores, self._own(items), int(topn), first)

    def neighbors(
        self, words_or_codes: Any, n: Any = 10, *, n_jobs: int | None = None
    ) -> list[list[tuple[Any, float]]]:
        """Return the nearest keys of many words or codes at once, on threads.

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
            Keys and similarities, the most similar first. Equally similar ones come in the order
            of the keys.

        Examples
        --------
        >>> from skfly import FlyKeyedVectors
        >>> wv = FlyKeyedVectors.from_codes(["fly", "moth", "bank"],
        ...                                 [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]])
        >>> wv.neighbors(["fly", "bank"], n=1)
        [[('moth', 0.5)], [('moth', 0.5)]]
        """
        if not isinstance(n, Integral) or n < 0:
            raise ValueError(f"n must be a number from 0; got {n!r}")
        queries, own = self._batch(words_or_codes)
        found, similarities = self._searcher().best(
            queries, int(n) + max(map(len, own), default=0), n_jobs=n_jobs
        )
        return [self._named(*row, int(n)) for row in zip(found, similarities, own, strict=True)]

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
            Look only at this many first keys (gensim accepts this, but looks at all).

        Returns
        -------
        similar : list of (str, float) or ndarray
        """
        if isinstance(topn, Integral) and topn < 1:
            return []
        wanted, unwanted = as_items(positive, 1.0), as_items(negative, 1.0)
        if not wanted:
            raise ValueError("cannot compute similarity with no input")
        first, last = self._range(0, None, restrict_vocab)
        scores = np.ones(last - first)
        for item in wanted:
            scores *= self._shifted_cosine(item, first, last)
        below = np.ones(last - first)
        for item in unwanted:
            below *= self._shifted_cosine(item, first, last)
        scores /= below + 0.000001
        if not topn:
            return scores.astype(np.float32)
        return self._best_named(scores, self._own(wanted + unwanted), int(topn), first)

    def similarity(self, w1: Any, w2: Any) -> Any:
        """Return the similarity of two keys.

        Parameters
        ----------
        w1, w2 : str or int

        Returns
        -------
        similarity : float
        """
        rows = [self.get_index(w1), self.get_index(w2)]
        left, right = self._store.packed(rows)
        n_left, n_right = self._store.sizes[rows]
        return score(
            count_bits((left & right)[None])[0], n_left, n_right, self.vector_size, self._measure
        )[()]

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
        search = CodeSearch(self._store.take(right), self._measure)
        return np.mean([search.scores(self._code(row), 0, len(right)) for row in left])

    def distances(self, word_or_vector: Any, other_words: Any = ()) -> NDArray[Any]:
        """Return the distances of keys to a key, code or vector: 1 minus the similarity.

        Parameters
        ----------
        word_or_vector : str, int, ndarray or sparse row
        other_words : iterable of str, optional
            The keys; all, if there are none here.

        Returns
        -------
        distances : ndarray of float32
        """
        items = [Item(word_or_vector, 1.0)]
        codes = self._item_codes(items)
        whole = self
        if other_words is not None and len(other_words):
            whole = self._part([self.get_index(word) for word in other_words])
            # a key's code comes along as a vector: the part may not have the key
            items = [Item(self._item_vector(items[0].what), 1.0)]
        scores = whole._scores(items, codes, 0, len(whole._store))
        return np.asarray(1 - scores, dtype=np.float32)

    def closer_than(self, key1: Any, key2: Any) -> list[Any]:
        """Return the keys that are closer to ``key1`` than ``key2`` is.

        Parameters
        ----------
        key1, key2 : str or int

        Returns
        -------
        keys : list
        """
        own, other = self.get_index(key1), self.get_index(key2)
        scores = np.round(self._searcher().scores(self._code(own), 0, len(self._store)), 12)
        closer = np.flatnonzero(scores > scores[other]).tolist()
        return [self.index_to_key[i] for i in closer if i != own]

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
        if self._measure == "cosine":
            return super().relative_cosine_similarity(wa, wb, topn)
        by_cosine = copy.copy(self)
        by_cosine.similarity_measure = "cosine"
        return by_cosine.relative_cosine_similarity(wa, wb, topn)
