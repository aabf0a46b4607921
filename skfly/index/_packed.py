"""The default index: packed codes, all of them compared with a query."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly._threads import Kernels, n_threads_for, run_chunks
from skfly.engine._checks import check_array, check_range
from skfly.index import _early
from skfly.index._bits import as_matrix, as_packed, count_ones, pack_parts

_KERNELS = Kernels("skfly.index._kernels")
MEASURES = ("sokal-michener", "overlap", "cosine", "jaccard")
_CODES_AT_A_TIME = 1 << 14
_QUERIES_AT_A_TIME = 32
_NUMBERS_AT_A_TIME = 1 << 20  # a kernel holds for its queries
_WORTH_THREADS = 1 << 25  # bytes to read; for less, starting a thread takes as long
_MOST_RANKINGS = 64
_FIRST_GUESS = 64  # neighbours that most queries do not exceed


class Ranking(NamedTuple):
    """The possible similarities of codes to a query, ordered as integers.

    A code of class ``c`` (the codes of one size) that shares ``o`` cells with the query has rank
    ``ranks[c, o]``, from 0 for the least similar. ``needed[r]`` is the smallest overlap that can
    reach rank ``r``; ``overlaps[r]`` and ``sizes[r]`` are an example of a code with that rank.
    ``classes`` has one entry if all codes are in one class. Ranks below ``floor`` are those of
    codes to be left out.
    """

    classes: NDArray[Any]
    ranks: NDArray[np.int64]
    needed: NDArray[np.int64]
    overlaps: NDArray[np.int64]
    sizes: NDArray[np.int64]
    floor: int


class Request(NamedTuple):
    """A kernel's task: find the ``n`` best ranks from ``floor`` among some codes."""

    ranking: Ranking
    floor: int
    n: int
    first: int
    last: int


class PackedIndex:
    """Packed codes, searched exactly by counting common ones.

    Search reads one bit for each cell and code, skips bytes in which the query has no ones, and
    needs no preparation.

    Parameters
    ----------
    codes : sparse matrix or array-like, (n_codes, n_cells)
        Anything not zero counts as one. With ``n_cells``, packed codes. Or another index, whose
        codes are then shared.
    n_cells : int, optional
        Width of packed codes: rows of bytes as :func:`skfly.codes.pack_codes` returns, or of
        64-bit words.

    Attributes
    ----------
    n_cells : int
        Width of the codes.
    columns : ndarray of uint8, (ceil(n_cells / 8), n_codes)
        The packed codes, one per column: the same byte of all codes is stored together.
    sizes : ndarray of uint16 or uint32, (n_codes,)
        The number of ones in each code. If all are equal, this takes the memory of one number and
        is read-only.

    Examples
    --------
    >>> from skfly.index import PackedIndex
    >>> index = PackedIndex([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]])
    >>> ids, scores = index.search([[1, 1, 0, 0]], 2, measure="jaccard")
    >>> ids.tolist(), scores.tolist()
    ([[0, 2]], [[1.0, 0.5]])
    >>> ids, scores = index.within([[1, 1, 0, 0]], 0.3, measure="jaccard")
    >>> [row.tolist() for row in ids], [row.round(2).tolist() for row in scores]
    ([[0, 2, 1]], [[1.0, 0.5, 0.33]])
    """

    n_cells: int
    columns: NDArray[np.uint8]
    sizes: NDArray[Any]
    _most_ones: int

    def __init__(self, codes: Any, n_cells: int | None = None) -> None:
        if isinstance(codes, PackedIndex):
            self.n_cells, self.columns, self.sizes = codes.n_cells, codes.columns, codes.sizes
            self._most_ones = codes._most_ones
            self._reset()
        elif n_cells is None:
            codes = as_matrix(codes)
            columns = np.empty((-(-codes.shape[1] // 8), codes.shape[0]), dtype=np.uint8)
            for part, packed in pack_parts(codes):
                columns[:, part] = packed.T
            self._set(columns, codes.shape[1])
        else:
            packed = as_packed(np.asarray(codes), n_cells, packed_only=True)
            self._set(np.ascontiguousarray(packed.T), n_cells)

    @classmethod
    def from_columns(cls, columns: NDArray[np.uint8], n_cells: int) -> PackedIndex:
        """Return an index of an array of packed codes, one per column, without copying it.

        Parameters
        ----------
        columns : ndarray of uint8, (ceil(n_cells / 8), n_codes)
        n_cells : int

        Returns
        -------
        index : PackedIndex
        """
        made = PackedIndex.__new__(PackedIndex)
        made._set(columns, n_cells)
        return made

    def _set(self, columns: NDArray[np.uint8], n_cells: int) -> None:
        # kernels rely on it: they do not check bounds themselves
        check_array("codes", columns, np.uint8, (-(-n_cells // 8), None))
        if n_cells % 8 and (columns[-1] >> np.uint8(n_cells % 8)).any():
            raise ValueError(f"codes have ones beyond their {n_cells} cells")
        self.n_cells, self.columns = n_cells, columns
        sizes: NDArray[Any] = np.zeros(
            columns.shape[1], np.uint16 if n_cells < 1 << 16 else np.uint32
        )
        for start in range(0, len(sizes), _CODES_AT_A_TIME):
            part = slice(start, start + _CODES_AT_A_TIME)
            for row in columns[:, part]:
                sizes[part] += count_ones(row)
        self._most_ones = int(sizes.max(initial=0))
        self.sizes = _one_if_equal(sizes)
        self._reset()

    def _reset(self) -> None:
        """Forget what was computed from the sizes."""
        self._rankings: dict[Any, Ranking] = {}
        self._classes: tuple[NDArray[Any], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rankings": {}, "_classes": None}

    @property
    def nbytes(self) -> int:
        """Memory of the codes, in bytes."""
        return int(self.columns.nbytes + (self.sizes.nbytes if self.sizes.strides != (0,) else 0))

    # Codes

    def packed(self, rows: Any = slice(None)) -> NDArray[np.uint8]:
        """Return some codes as rows of bytes, as :func:`skfly.codes.pack_codes` does.

        Parameters
        ----------
        rows : slice or list of int, default=all

        Returns
        -------
        packed : ndarray of uint8, (n_rows, ceil(n_cells / 8))
        """
        return np.ascontiguousarray(self.columns[:, rows].T)

    def dense(self, dtype: Any = np.float32) -> NDArray[Any]:
        """Return all codes as a matrix of ones and zeros.

        Parameters
        ----------
        dtype : dtype, default=numpy.float32

        Returns
        -------
        codes : ndarray, (n_codes, n_cells)
        """
        out = np.empty((len(self), self.n_cells), dtype=dtype)
        for start in range(0, len(self), _CODES_AT_A_TIME):
            part = slice(start, start + _CODES_AT_A_TIME)
            packed = self.packed(part)
            out[part] = np.unpackbits(packed, axis=1, count=self.n_cells, bitorder="little")
        return out

    def take(self, rows: Any) -> PackedIndex:
        """Return a new index of some of the codes.

        Parameters
        ----------
        rows : slice or list of int

        Returns
        -------
        index : PackedIndex
        """
        return PackedIndex.from_columns(self.columns[:, rows].copy(order="C"), self.n_cells)

    def append(self, packed: NDArray[np.uint8]) -> PackedIndex:
        """Return a new index with more codes after these.

        Parameters
        ----------
        packed : ndarray of uint8
            Packed codes.

        Returns
        -------
        index : PackedIndex
        """
        added = as_packed(packed, self.n_cells, packed_only=True).T
        return PackedIndex.from_columns(np.concatenate([self.columns, added], 1), self.n_cells)

    def replace(self, rows: Any, packed: NDArray[np.uint8]) -> None:
        """Replace some of the codes.

        Parameters
        ----------
        rows : list of int
        packed : ndarray of uint8
            A packed code for each row.
        """
        if type(self) is not PackedIndex:
            raise TypeError(f"codes of {type(self).__name__} cannot be replaced")
        packed = as_packed(packed, self.n_cells, packed_only=True)
        self.columns[:, rows] = packed.T
        if not self.sizes.flags.writeable:
            self.sizes = self.sizes.copy()
        self.sizes[rows] = count_ones(packed).sum(axis=1)
        self._most_ones = max(self._most_ones, int(self.sizes.max(initial=0)))
        self._reset()

    def without(self, rows: Any) -> PackedIndex:
        """Return an index of the same codes in which some count as empty; it shares the memory.

        With ``skip_empty`` these codes are never found.

        Parameters
        ----------
        rows : list of int

        Returns
        -------
        index : PackedIndex
        """
        made = PackedIndex(self)
        made.sizes = self.sizes.copy()
        made.sizes[rows] = 0
        return made

    @classmethod
    def concatenate(cls, parts: Sequence[PackedIndex]) -> PackedIndex:
        """Return one index with the codes of several, in order.

        Parameters
        ----------
        parts : list of PackedIndex
            At least one; all of the same width.

        Returns
        -------
        index : PackedIndex
        """
        made = PackedIndex(parts[0])
        if len(parts) > 1:
            made.columns = np.concatenate([part.columns for part in parts], axis=1)
            made.sizes = _one_if_equal(np.concatenate([part.sizes for part in parts]))
            made._most_ones = max(part._most_ones for part in parts)
        return made

    # Search

    def search(
        self,
        queries: Any,
        n: int,
        *,
        measure: str = "cosine",
        skip_empty: bool = False,
        n_jobs: int | None = None,
        first: int = 0,
        last: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest codes of each query.

        Parameters
        ----------
        queries : sparse matrix or array, (n_queries, n_cells)
            Anything not zero counts as one; or packed codes.
        n : int
            How many codes to return.
        measure : {"cosine", "overlap", "sokal-michener", "jaccard"}, default="cosine"
            See :func:`skfly.codes.similarity`.
        skip_empty : bool, default=False
            Whether codes without ones are never returned.
        n_jobs : int or None, default=None
            Threads; ``None``: as many as numba is set to use.
        first, last : int, optional
            Search only the codes from ``first`` up to, but without, ``last``.

        Returns
        -------
        ids : ndarray of int64, (n_queries, n)
            Positions of the codes, most similar first and ties in order. There are fewer columns
            if fewer codes are searched.
        scores : ndarray of float64, (n_queries, n)
            Their similarities.
        """
        queries = as_packed(queries, self.n_cells)
        return self._search(queries, n, measure, skip_empty, n_jobs, first, last)

    def within(
        self,
        queries: Any,
        least: float,
        *,
        measure: str = "cosine",
        skip_empty: bool = False,
        n_jobs: int | None = None,
    ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.float64]]]:
        """Return all codes that are similar enough to each query.

        Memory is proportional to what is found, never to queries times codes.

        Parameters
        ----------
        queries : sparse matrix or array, (n_queries, n_cells)
            Anything not zero counts as one; or packed codes.
        least : float
            The smallest similarity, with a tolerance of 1e-12 for rounding.
        measure : {"cosine", "overlap", "sokal-michener", "jaccard"}, default="cosine"
            See :func:`skfly.codes.similarity`.
        skip_empty : bool, default=False
            Whether codes without ones are never returned.
        n_jobs : int or None, default=None
            Threads; ``None``: as many as numba is set to use.

        Returns
        -------
        ids : list of ndarray of int64
            For each query the positions of the codes, most similar first and ties in order.
        scores : list of ndarray of float64
            Their similarities.
        """
        queries = as_packed(queries, self.n_cells)
        if np.isnan(least):
            raise ValueError("least must be a number; got nan")
        ids: list[Any] = [np.empty(0, np.int64)] * len(queries)
        scores: list[Any] = [np.empty(0)] * len(queries)
        if not len(self) or (skip_empty and not self.sizes.any()):
            return ids, scores
        sizes = count_ones(queries).sum(axis=1, dtype=np.int64)
        for size in np.unique(sizes).tolist():
            ranking = self._ranking(measure, size, skip_empty)
            levels = score(ranking.overlaps, size, ranking.sizes, self.n_cells, measure)
            enough = np.searchsorted(np.round(levels[ranking.floor :], 12), np.round(least, 12))
            floor = ranking.floor + int(enough)
            n, rows = min(_FIRST_GUESS, len(self)), np.flatnonzero(sizes == size)
            while len(rows):
                unfinished = []
                step = max(1, _NUMBERS_AT_A_TIME // n)
                for part in (rows[i : i + step] for i in range(0, len(rows), step)):
                    request = Request(ranking, floor, n, 0, len(self))
                    found, ranks = self._nearest(queries[part], request, n_jobs)
                    n_found = (ranks >= floor).sum(axis=1)
                    unfinished.append(part[n_found == n])
                    for i, row in enumerate(part.tolist()):
                        ids[row] = found[i, : n_found[i]].copy()
                        scores[row] = levels[ranks[i, : n_found[i]]]
                if n == len(self):
                    break
                n, rows = min(8 * n, len(self)), np.concatenate(unfinished)
        return ids, scores

    def _search(
        self,
        queries: NDArray[np.uint8],
        n: int,
        measure: str,
        skip_empty: bool = False,
        n_jobs: int | None = None,
        first: int = 0,
        last: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Search with packed queries that are already checked."""
        first, last = index(first), len(self) if last is None else index(last)
        if not 0 <= first <= last <= len(self):
            raise ValueError(f"there are no codes {first} to {last} among {len(self)}")
        n_codes = int(np.count_nonzero(self.sizes[first:last])) if skip_empty else last - first
        n = max(0, min(n, n_codes))
        ids, scores = np.empty((len(queries), n), np.int64), np.empty((len(queries), n))
        if not ids.size:
            return ids, scores
        sizes = count_ones(queries).sum(axis=1, dtype=np.int64)
        # with the other measures, the order does not depend on the size of the query
        for size in np.unique(sizes) if measure == "jaccard" else [1]:
            rows = np.flatnonzero(sizes == size) if measure == "jaccard" else slice(None)
            ranking = self._ranking(measure, int(size), skip_empty)
            request = Request(ranking, ranking.floor, n, first, last)
            ids[rows], ranks = self._nearest(queries[rows], request, n_jobs)
            example = ranking.overlaps[ranks], sizes[rows, None], ranking.sizes[ranks]
            scores[rows] = score(*example, self.n_cells, measure)
        return ids, scores

    def overlaps(self, query: Any, first: int, last: int) -> NDArray[np.int32]:
        """Return how many cells each code shares with one query.

        Parameters
        ----------
        query : ndarray of uint8, (ceil(n_cells / 8),)
            A packed code.
        first, last : int
            For the codes from ``first`` up to, but without, ``last``.

        Returns
        -------
        overlaps : ndarray of int32, (n_codes,)
        """
        check_range(first, last, len(self))
        query = as_packed(query[None], self.n_cells)[0]
        kernels = self._kernels(last - first)
        counts = np.empty(kernels.BLOCK, np.min_scalar_type(int(count_ones(query).sum())))
        out = np.empty(last - first, dtype=np.int32)
        kernels.overlaps(self.columns, query, first, last, counts, out)
        return out

    def weighted_sums(self, weights: Any, first: int, last: int) -> NDArray[np.float64]:
        """Return the sum of weights, one per cell, over the cells of each code.

        Parameters
        ----------
        weights : array-like of float, (n_cells,)
        first, last : int
            For the codes from ``first`` up to, but without, ``last``.

        Returns
        -------
        sums : ndarray of float64, (n_codes,)
        """
        check_range(first, last, len(self))
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != (self.n_cells,):
            raise ValueError(f"there must be {self.n_cells} weights; got shape {weights.shape}")
        padded = np.zeros((len(self.columns), 8))
        padded.ravel()[: self.n_cells] = weights
        values = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        tables = np.ascontiguousarray(padded @ values.T.astype(np.float64))
        out = np.empty(last - first)
        self._kernels(last - first).weighted_sums(self.columns, tables, first, last, out)
        return out

    # Ranks

    def _ranking(self, measure: str, query_size: int, skip_empty: bool) -> Ranking:
        """Return the ranking for queries of this size; it is cached for the next search."""
        query_size = query_size if measure == "jaccard" else 1
        key = measure, query_size, skip_empty
        ranking = self._rankings.get(key)
        if ranking is None:
            if self._classes is None:
                present = np.bincount(self.sizes)
                classes: Any = np.zeros(1, np.uint16)
                if np.count_nonzero(present) > 1:
                    classes = (np.cumsum(present > 0) - 1).astype(np.uint16)[self.sizes]
                self._classes = classes, np.flatnonzero(present)
            check_measure(measure)
            classes, sizes = self._classes
            # also of codes that only count as empty: kernels look their overlaps up, too
            overlaps = np.arange(self._most_ones + 1)[None]
            scores = score(overlaps, query_size, sizes[:, None], self.n_cells, measure)
            ranking = rank(
                classes, sizes, np.broadcast_to(scores, (len(sizes), overlaps.size)), skip_empty
            )
            if len(self._rankings) >= _MOST_RANKINGS:
                self._rankings = {}  # another thread may do the same, which is harmless
            self._rankings[key] = ranking
        return ranking

    # Kernels

    def _kernels(self, n_codes: int) -> Any:
        """Return the functions that compare so many codes with a query."""
        n_numbers = n_codes * len(self.columns) // 8  # bytes take less
        if _KERNELS.module is None and _KERNELS.are_worth_loading(n_numbers):
            _KERNELS.module = import_module("skfly.index._kernels")
        return _KERNELS.module or _early

    def _nearest(
        self, queries: NDArray[np.uint8], request: Request, n_jobs: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ids and ranks of the nearest codes; a rank below the floor means no code.

        The queries are split among threads or, if there are few, the codes.
        """
        ranking, _, n, first, last = request
        step = _NUMBERS_AT_A_TIME // (4 * n + len(ranking.needed))
        step = max(1, min(_QUERIES_AT_A_TIME, step))
        n_bytes = len(queries) * (last - first) * len(self.columns)
        n_threads = n_threads_for(n_jobs) if n_bytes >= _WORTH_THREADS else 1
        n_parts = n_threads if len(queries) <= step else 1
        if n_parts == 1 and len(queries) <= step:
            return self._run_kernel(queries, request)
        edges = pairwise(np.linspace(first, last, n_parts + 1).astype(int).tolist())
        parts = [request._replace(n=min(n, b - a), first=a, last=b) for a, b in edges]
        starts = range(0, len(queries), step)
        tasks = [(queries[start : start + step], part) for start in starts for part in parts]
        found, ranks = (
            np.concatenate(arrays, axis=1 if n_parts > 1 else 0)
            for arrays in zip(*run_chunks(self._run_kernel, tasks, n_threads), strict=True)
        )
        if n_parts > 1:
            order = np.argsort(-ranks, axis=1, kind="stable")[:, :n]
            found, ranks = (np.take_along_axis(array, order, axis=1) for array in (found, ranks))
        return found, ranks

    def _run_kernel(
        self, queries: NDArray[np.uint8], request: Request
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ids and ranks of the nearest codes, on one thread."""
        ranking, floor, n, first, last = request
        largest = count_ones(queries).sum(axis=1, dtype=np.int64).max(initial=0)
        kernels = self._kernels(len(queries) * (last - first))
        counts = np.empty(kernels.BLOCK, np.min_scalar_type(largest))
        found, ranks = np.empty((2, len(queries), n), np.int64)
        kernels.nearest(
            self.columns, queries, *ranking[:3], floor, first, last, counts, found, ranks
        )
        return found, ranks


def rank(
    classes: NDArray[Any],
    sizes: NDArray[np.int64],
    scores: NDArray[np.float64],
    skip_empty: bool,
) -> Ranking:
    """Rank the similarities that codes can have to a query.

    Parameters
    ----------
    classes : ndarray of uint16
        The class of each code, or one entry if there is only one class.
    sizes : ndarray of int64, (n_classes,)
        The number of ones of the codes of each class, rising.
    scores : ndarray of float64, (n_classes, n_overlaps)
        The similarity of a code of a class that shares 0, 1, ... cells with the query.
    skip_empty : bool
        Whether codes without ones are left out.

    Examples
    --------
    >>> ranking = rank(np.zeros(1, np.uint16), np.array([2]), np.array([[0.0, 0.5, 1.0]]), False)
    >>> ranking.ranks.tolist(), ranking.needed[:3].tolist()
    ([[0, 1, 2]], [0, 1, 2])
    """
    possible = np.arange(scores.shape[1]) <= sizes[:, None]
    # equal scores should be equal however they were rounded
    values = np.round(scores[possible], 12)
    floor = int(skip_empty and sizes[0] == 0)
    if floor:
        values[0] = -np.inf
    _, example, ranks = np.unique(values, return_index=True, return_inverse=True)
    table = np.zeros(possible.shape, dtype=np.int64)
    table[possible] = ranks.ravel()
    class_of, overlap_of = np.nonzero(possible)
    needed = np.full(len(example) + 1, np.iinfo(np.int64).max)
    np.minimum.at(needed, ranks.ravel(), overlap_of)
    needed = np.minimum.accumulate(needed[::-1])[::-1].copy()
    return Ranking(classes, table, needed, overlap_of[example], sizes[class_of[example]], floor)


def _one_if_equal(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return sizes in the memory of one number if all are equal."""
    if len(sizes) and (sizes == sizes[0]).all():
        return np.broadcast_to(sizes[:1].copy(), sizes.shape)
    return sizes


def score(
    shared: Any, n_left: Any, n_right: Any, n_cells: int, measure: str
) -> NDArray[np.float64]:
    """Return the similarity of codes with ``n_left`` and ``n_right`` ones that share some cells.

    Examples
    --------
    >>> score(np.array([2, 0]), 2, np.array([8, 0]), 10, "cosine")
    array([0.5, 0. ])
    """
    both: NDArray[np.float64] = np.asarray(shared, dtype=np.float64)
    if measure == "overlap":
        return both
    n_left, n_right = np.asarray(n_left, np.float64), np.asarray(n_right, np.float64)
    either = n_left + n_right - both
    if measure == "sokal-michener":
        return np.asarray((both + n_cells - either) / n_cells)
    whole = np.sqrt(n_left * n_right) if measure == "cosine" else either
    both, whole = np.broadcast_arrays(both, whole)
    return np.asarray(np.divide(both, whole, out=np.zeros(both.shape), where=whole > 0))


def check_measure(measure: str) -> None:
    """Raise ``ValueError`` unless this is the name of a measure."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")
