"""What queries are made of: items, their codes, and the scores of all words."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.codes import pack_rows
from skfly.keyedvectors._input import (
    KEY_TYPES,
    Item,
    as_vector,
    is_binary,
    pack_checked,
    unpack_one,
)
from skfly.keyedvectors._store import KeyedCodes

__all__ = ["CodeScores"]

_COUNTED_APART = 8  # codes in a query; for more, one sum of weights is faster than counting each


class CodeScores(KeyedCodes):
    """Turns queries into scores, from bits."""

    def _batch(self, words_or_codes: Any) -> tuple[NDArray[np.uint64], list[list[int]]]:
        """Return packed queries, and the places of the keys that they are."""
        if isinstance(words_or_codes, KEY_TYPES):
            words_or_codes = [words_or_codes]
        if sparse.issparse(words_or_codes) and words_or_codes.ndim == 1:
            words_or_codes = words_or_codes.reshape(1, -1)
        if not sparse.issparse(words_or_codes) and not len(words_or_codes):
            words_or_codes = np.zeros((0, self.vector_size))
        if isinstance(words_or_codes, np.ndarray) and words_or_codes.dtype.kind in "biuf":
            words_or_codes = np.atleast_2d(words_or_codes)
        elif not sparse.issparse(words_or_codes) and isinstance(words_or_codes[0], KEY_TYPES):
            rows = [self.get_index(key) for key in words_or_codes]
            return self._store.packed(rows), [[row] for row in rows]
        queries, _ = pack_checked(words_or_codes, self.vector_size)
        return queries, [[]] * len(queries)

    def _range(
        self, clip_start: int, clip_end: int | None, restrict_vocab: int | None
    ) -> tuple[int, int]:
        n_codes = len(self._store)
        span = slice(0, restrict_vocab) if restrict_vocab else slice(clip_start, clip_end or None)
        first, last, _ = span.indices(n_codes)
        return first, max(first, last)

    def _item_codes(self, items: list[Item]) -> list[NDArray[np.uint64] | None]:
        """Return the packed code of each item; None for a vector that is not ones and zeros."""
        if not items:
            raise ValueError("cannot compute mean with no input")
        codes: list[NDArray[np.uint64] | None] = []
        for what, _ in items:
            if isinstance(what, KEY_TYPES):
                place = self.get_index(what, -1)
                if place < 0:
                    raise KeyError(f"Key '{what}' not present in vocabulary")
                codes.append(self._code(place))
            else:
                vector = as_vector(what, self.vector_size)
                codes.append(pack_rows(vector[None])[0] if is_binary(vector) else None)
        return codes

    def _item_vector(self, what: Any) -> NDArray[Any]:
        if isinstance(what, KEY_TYPES):
            return unpack_one(self._code(self.get_index(what)), self.vector_size, np.float64)
        return as_vector(what, self.vector_size).astype(np.float64)

    def _own(self, items: list[Item]) -> list[int]:
        """Return the places of the keys among the items, which are no answer to the query."""
        return [self.get_index(what) for what, _ in items if isinstance(what, KEY_TYPES)]

    def _mean(self, items: list[Item]) -> NDArray[Any]:
        keys, weights = zip(*items, strict=True)
        return self.get_mean_vector(
            keys, np.array(weights), post_normalize=True, ignore_missing=False
        )

    def _part(self, rows: list[int]) -> CodeScores:
        """Return an object with some of the codes and without keys, to compute with."""
        part = copy.copy(self)
        part._set_store(self._store.take(rows))
        return part

    def _scores(
        self,
        items: list[Item],
        codes: list[NDArray[np.uint64] | None],
        first: int,
        last: int,
    ) -> NDArray[np.float64]:
        if len(items) == 1 and codes[0] is not None and items[0].weight > 0:
            return self._searcher().scores(codes[0], first, last)
        if self._measure == "cosine":
            length = np.linalg.norm(self._weighted_sum(items))
            dots = self._dots(items, codes, first, last)
            return self._by_norms(dots / length if length else dots, first, last)
        total = np.zeros(last - first)
        for (what, weight), code in zip(items, codes, strict=True):
            if code is not None:
                total += weight * self._searcher().scores(code, first, last)
            elif self._measure == "overlap":
                total += weight * self._store.sums(self._item_vector(what), first, last)
            else:
                raise ValueError(
                    f"similarity_measure={self._measure!r} compares codes, and a query has other "
                    "values than ones and zeros: use 'cosine' or 'overlap' for it"
                )
        weights = sum(abs(weight) for _, weight in items)
        return total / weights if weights else total

    def _dots(
        self,
        items: list[Item],
        codes: list[NDArray[np.uint64] | None],
        first: int,
        last: int,
    ) -> NDArray[np.float64]:
        """Return the product of each code with the weighted sum of the items."""
        if len(items) > _COUNTED_APART:
            return self._store.sums(self._weighted_sum(items), first, last)
        total = np.zeros(last - first)
        for item, code in zip(items, codes, strict=True):
            if code is None:
                total += self._store.sums(self._weighted_sum([item]), first, last)
            else:
                total += self._factor(item) * self._store.overlaps(code, first, last)
        return total

    def _weighted_sum(self, items: list[Item]) -> NDArray[np.float64]:
        total = np.zeros(self.vector_size)
        for item in items:
            total += self._factor(item) * self._item_vector(item.what)
        return total

    def _factor(self, item: Item) -> float:
        """Return what an item's vector is multiplied with: gensim scales keys, not vectors."""
        if not isinstance(item.what, KEY_TYPES):
            return item.weight
        size = int(self._store.sizes[self.get_index(item.what)])
        return item.weight / math.sqrt(max(size, 1))

    def _by_norms(self, dots: NDArray[Any], first: int, last: int) -> NDArray[np.float64]:
        return np.asarray(dots / np.sqrt(np.maximum(self._store.sizes[first:last], 1)))

    def _best_named(
        self, scores: NDArray[np.float64], own: list[int], topn: int, first: int
    ) -> list[tuple[Any, float]]:
        n = min(topn + len(own), len(scores))
        if n == 0:
            return []
        rounded = np.round(scores, 12)
        needed = np.partition(rounded, len(scores) - n)[len(scores) - n]
        rows = np.flatnonzero(rounded >= needed)
        rows = rows[np.argsort(-rounded[rows], kind="stable")][:n]
        return self._named(rows + first, scores[rows], own, topn)

    def _named(
        self, rows: NDArray[Any], similarities: NDArray[Any], own: list[int], topn: int
    ) -> list[tuple[Any, float]]:
        keys = self.index_to_key
        return [
            (keys[row], similarity)
            for row, similarity in zip(rows.tolist(), similarities.tolist(), strict=True)
            if row not in own
        ][:topn]

    def _shifted_cosine(self, item: Item, first: int, last: int) -> NDArray[np.float64]:
        """Return ``(1 + cosine) / 2``; as in gensim, a vector that is given is not scaled."""
        scores = self._dots([item], self._item_codes([item]), first, last)
        return np.asarray((1 + self._by_norms(scores, first, last)) / 2)
