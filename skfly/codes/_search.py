"""Exact search for the codes that are most similar to a query, by any measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly._jobs import n_threads_for
from skfly.backends._checks import check_range
from skfly.backends._threads import run_chunks
from skfly.codes._gpu_index import GpuIndex
from skfly.codes._inverted import InvertedIndex
from skfly.codes._packed import CodeStore, check_rows, count_bits
from skfly.codes._similarity import score

__all__ = ["CodeSearch"]

_QUERIES_A_CHUNK = 32
_NUMBERS_A_CHUNK = 1 << 20  # that the kernel holds beside the codes
_WORTH_THREADS = 1 << 25  # bytes to go through; less takes about as long as starting a thread
_KEPT_TABLES = 64


class _Ranking(NamedTuple):
    """How good each pair of a code's class and its overlap with the query is, as integers."""

    classes: NDArray[Any]  # of each code; one for all, if it is the same
    ranks: NDArray[np.int64]  # of class and overlap
    least: NDArray[np.int64]  # overlap to be at least at a rank
    overlaps: NDArray[np.int64]  # that stand for a rank
    sizes: NDArray[np.int64]


class CodeSearch:
    """Finds the codes of a store that are most similar to queries.

    Overlaps are counted on bits and ranked as integers; similarities are computed for what was
    found only. Equally similar codes come in the order of the store.

    Parameters
    ----------
    store : CodeStore
    measure : {"cosine", "overlap", "sokal-michener", "jaccard"}
    index : InvertedIndex, GpuIndex or None
        Searched instead of the store where that is faster.

    Examples
    --------
    >>> from skfly.codes import PackedCodes, pack_rows
    >>> codes = pack_rows(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]]))
    >>> search = CodeSearch(PackedCodes.from_rows(codes, 3), "jaccard")
    >>> rows, similarities = search.best(codes[:1], 2)
    >>> rows.tolist(), similarities.tolist()
    ([[0, 2]], [[1.0, 0.5]])
    """

    def __init__(
        self,
        store: CodeStore,
        measure: str = "cosine",
        index: InvertedIndex | GpuIndex | None = None,
    ) -> None:
        self.store = store
        self.measure = measure
        self.index = index
        self._rankings: dict[int, _Ranking] = {}
        self._classes: tuple[NDArray[Any], NDArray[np.int64]] | None = None

    def best(
        self,
        queries: NDArray[np.uint64],
        n_best: int,
        first: int = 0,
        last: int | None = None,
        n_jobs: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return, for each packed query, the most similar codes and how similar they are.

        Parameters
        ----------
        queries : ndarray of uint64, (n_queries, n_words)
        n_best : int
            How many; at most as many as there are.
        first, last : int
            Look only at codes ``first`` to ``last``.
        n_jobs : int or None
            Threads; ``None``: as many as numba is set to use.
        """
        last = len(self.store) if last is None else last
        check_range(first, last, len(self.store))
        queries = check_rows(queries, self.store.n_cells)
        n_best = max(0, min(n_best, last - first))
        found = np.empty((len(queries), n_best), dtype=np.int64)
        similarities = np.empty((len(queries), n_best))
        if not n_best or not len(queries):
            return found, similarities
        sizes = count_bits(queries)
        for which, ranking in self._ranked(sizes):
            rows, ranks = self._search(queries[which], ranking, n_best, first, last, n_jobs)
            found[which] = rows
            similarities[which] = score(
                ranking.overlaps[ranks],
                sizes[which][:, None],
                ranking.sizes[ranks],
                self.store.n_cells,
                self.measure,
            )
        return found, similarities

    def scores(self, query: NDArray[np.uint64], first: int, last: int) -> NDArray[np.float64]:
        """Return the similarities of the codes ``first`` to ``last`` to one packed query."""
        return score(
            self.store.overlaps(query, first, last),
            count_bits(query[None]),
            self.store.sizes[first:last],
            self.store.n_cells,
            self.measure,
        )

    def _search(
        self,
        queries: NDArray[np.uint64],
        ranking: _Ranking,
        n_best: int,
        first: int,
        last: int,
        n_jobs: int | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        shape = (len(queries), n_best)
        found, ranks = np.empty(shape, np.int64), np.empty(shape, np.int64)
        table = ranking[:3]
        whole = first == 0 and last == len(self.store)
        index = self.index
        by_planes = index is not None and whole and index.pays(count_bits(queries))
        if index is not None and by_planes and index.at_once:
            index.best(queries, *table, found, ranks)
            return found, ranks

        def kernel(start: int, stop: int) -> None:
            out = found[start:stop], ranks[start:stop]
            if index is not None and by_planes:
                index.best(queries[start:stop], *table, *out)
            else:
                self.store.best(queries[start:stop], table, first, last, *out)

        room = 2 * (2 * n_best) + len(ranking.least)
        step = max(1, min(_QUERIES_A_CHUNK, _NUMBERS_A_CHUNK // room))
        chunks = [(i, min(i + step, len(queries))) for i in range(0, len(queries), step)]
        n_bytes = len(queries) * (last - first) * self.store.columns.itemsize
        n_bytes *= len(self.store.columns)
        n_threads = n_threads_for(n_jobs) if n_bytes >= _WORTH_THREADS else 1
        if len(chunks) > 1 or n_threads == 1 or by_planes:
            run_chunks(kernel, chunks, n_threads)
            return found, ranks
        return self._search_parts(queries, table, n_best, first, last, n_threads)

    def _search_parts(
        self,
        queries: NDArray[np.uint64],
        table: tuple[Any, ...],
        n_best: int,
        first: int,
        last: int,
        n_threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Search parts of a large store on threads, for few queries."""

        def kernel(start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            shape = (len(queries), min(n_best, stop - start))
            found, ranks = np.empty(shape, np.int64), np.empty(shape, np.int64)
            self.store.best(queries, table, start, stop, found, ranks)
            return found, ranks

        edges = np.linspace(first, last, n_threads + 1).astype(int).tolist()
        chunks = [pair for pair in pairwise(edges) if pair[0] < pair[1]]
        parts = run_chunks(kernel, chunks, n_threads)
        found = np.concatenate([rows for rows, _ in parts], axis=1)
        ranks = np.concatenate([some for _, some in parts], axis=1)
        # parts come in the order of the store, so a stable sort keeps equal codes in it
        order = np.argsort(-ranks, axis=1, kind="stable")[:, :n_best]
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(ranks, order, axis=1)

    # Ranks

    def _ranked(self, sizes: NDArray[np.int64]) -> Iterator[tuple[Any, _Ranking]]:
        """Yield queries and the ranking that holds for them."""
        if self._one_size() is not None or self.measure != "jaccard":
            yield slice(None), self._ranking(1)
            return
        for size in np.unique(sizes).tolist():
            yield np.flatnonzero(sizes == size), self._ranking(size)

    def _ranking(self, query_size: int) -> _Ranking:
        ranking = self._rankings.get(query_size)
        if ranking is None:
            size = self._one_size()
            ranking = self._make_ranking(query_size) if size is None else self._plain_ranking(size)
            # another thread may do the same: nothing is read back from here
            if len(self._rankings) >= _KEPT_TABLES:
                self._rankings = {}
            self._rankings[query_size] = ranking
        return ranking

    def _one_size(self) -> int | None:
        """Return the size of all codes if they rank by overlap alone, else None."""
        sizes = self._size_classes()[1]
        if self.measure == "overlap":
            return int(sizes.max())
        if len(sizes) == 1:
            return int(sizes[0])
        # an empty code has overlap 0, and so is as similar as any other code without a common
        # cell; but Sokal-Michener counts the cells that neither has
        if len(sizes) == 2 and sizes[0] == 0 and self.measure != "sokal-michener":
            return int(sizes[1])
        return None

    def _size_classes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the class of each code, and the size that codes of a class have."""
        if self._classes is None and self.store.one_size is not None:
            self._classes = np.zeros(1, dtype=np.uint16), np.array([self.store.one_size])
        elif self._classes is None:
            present = np.bincount(self.store.sizes)
            sizes = np.flatnonzero(present)
            if len(sizes) == 1:
                classes: NDArray[Any] = np.zeros(1, dtype=np.uint16)
            else:
                class_of = np.cumsum(present > 0) - 1
                classes = class_of.astype(np.uint16)[self.store.sizes]
            self._classes = classes, sizes
        return self._classes

    def _plain_ranking(self, size: int) -> _Ranking:
        """Return the ranking by overlap."""
        overlaps = np.arange(size + 1)
        return _Ranking(
            np.zeros(1, dtype=np.uint16),
            overlaps[None],
            np.append(overlaps, np.iinfo(np.int64).max),
            overlaps,
            np.full(size + 1, size),
        )

    def _make_ranking(self, query_size: int) -> _Ranking:
        classes, sizes = self._size_classes()
        overlaps = np.arange(sizes.max() + 1)
        possible = overlaps <= sizes[:, None]
        scores = score(overlaps, query_size, sizes[:, None], self.store.n_cells, self.measure)
        # equal scores should be equal, however they were rounded
        _, place, ranks = np.unique(
            np.round(scores[possible], 12), return_index=True, return_inverse=True
        )
        table = np.zeros(scores.shape, dtype=np.int64)
        table[possible] = ranks.ravel()
        of_class, of_overlap = np.nonzero(possible)
        needed = np.full(len(place) + 1, np.iinfo(np.int64).max)
        np.minimum.at(needed, ranks.ravel(), of_overlap)
        least = np.minimum.accumulate(needed[::-1])[::-1].copy()
        return _Ranking(classes, table, least, of_overlap[place], sizes[of_class[place]])
