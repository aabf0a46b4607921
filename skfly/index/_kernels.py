"""Numba kernels of :class:`PackedIndex`: pure functions on arrays that release the GIL.

``columns`` (n_bytes, n_codes) has one column per code, 8 cells per byte, so that a loop over codes
is a loop over consecutive memory. There are no bounds checks here: the index checks what it
passes.

Similarities are compared as integers. ``ranks[c, o]`` is the rank, from 0 for the least similar,
of a code of class ``c`` that shares ``o`` cells with the query; ``needed[r]`` is the smallest
overlap that can reach rank ``r``. ``classes`` has the class of each code, or one entry if there is
only one class.

``candidates`` are the codes that may be among the ``n`` nearest of each query: a tuple of
``state`` (the rank that a code must exceed, the number of candidates that do, and the number of
candidates), a ``histogram`` of their ranks, the ``codes`` and their ``code_ranks``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skfly._caching import OPTIONS
from skfly._intrinsics import popcount

BLOCK = 4096  # codes whose overlaps are held at a time
_STRIP = 64  # codes that are compared one by one if any of them may be near enough


@njit(inline="always", **OPTIONS)
def _active_bytes(query, active):
    """Write the positions of a query's bytes that have ones, and return their number.

    The others need not be read: a query with 32 of 400 cells has ones in half of its bytes.
    """
    n = 0
    for b in range(query.shape[0]):
        if query[b]:
            active[n] = b
            n += 1
    return n


@njit(inline="always", **OPTIONS)
def _count(columns, query, active, n_active, start, stop, counts):
    """Count the overlaps of the codes ``start`` to ``stop`` with a query."""
    n = stop - start
    counts[:n] = 0
    r = 0
    while r + 4 <= n_active:  # several at a time: counts are read and written less often
        row0, row1 = columns[active[r], start:stop], columns[active[r + 1], start:stop]
        row2, row3 = columns[active[r + 2], start:stop], columns[active[r + 3], start:stop]
        bits0, bits1 = query[active[r]], query[active[r + 1]]
        bits2, bits3 = query[active[r + 2]], query[active[r + 3]]
        for i in range(n):
            counts[i] += (
                popcount(row0[i] & bits0)
                + popcount(row1[i] & bits1)
                + popcount(row2[i] & bits2)
                + popcount(row3[i] & bits3)
            )
        r += 4
    while r < n_active:
        row, bits = columns[active[r], start:stop], query[active[r]]
        for i in range(n):
            counts[i] += popcount(row[i] & bits)
        r += 1


@njit(**OPTIONS)
def overlaps(columns, query, first, last, counts, out):
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    active = np.empty(query.shape[0], np.int64)
    n_active = _active_bytes(query, active)
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        _count(columns, query, active, n_active, start, stop, counts)
        out[start - first : stop - first] = counts[: stop - start]


@njit(**OPTIONS)
def weighted_sums(columns, tables, first, last, out):
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells.

    ``tables[b, v]`` is the sum for the cells that are on if byte ``b`` of a code is ``v``.
    """
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        total = out[start - first : stop - first]
        total[:] = 0
        for b in range(tables.shape[0]):
            table = tables[b]
            row = columns[b, start:stop]
            for i in range(stop - start):
                total[i] += table[row[i]]


@njit(inline="always", **OPTIONS)
def _start(n_queries, n, n_ranks, floor):
    """Allocate the candidates of queries; ranks below ``floor`` are no candidates."""
    room = 2 * n + _STRIP
    state = np.zeros((n_queries, 3), np.int64)
    state[:, 0] = floor - 1
    return (
        state,
        np.zeros((n_queries, n_ranks), np.int32),
        np.empty((n_queries, room), np.int64),
        np.empty((n_queries, room), np.int64),
    )


@njit(inline="always", **OPTIONS)
def _offer(q, code, code_class, overlap, ranks, n, candidates):
    """Add a code to the candidates of query ``q`` if its rank is high enough.

    Codes come in order and must exceed the rank, so the first of equals stay.
    """
    state, histogram, codes, code_ranks = candidates
    rank = ranks[code_class, overlap]
    if rank <= state[q, 0]:
        return
    if state[q, 2] == codes.shape[1]:
        _compact(q, n, candidates)
    codes[q, state[q, 2]] = code
    code_ranks[q, state[q, 2]] = rank
    state[q, 2] += 1
    histogram[q, rank] += 1
    state[q, 1] += 1
    while state[q, 1] >= n:
        state[q, 0] += 1
        state[q, 1] -= histogram[q, state[q, 0]]


@njit(**OPTIONS)
def _compact(q, n, candidates):
    """Keep the ``n`` best candidates in the order in which they came."""
    state, _, codes, code_ranks = candidates
    n_ties = n - state[q, 1]  # how many are needed at the rank to exceed
    kept = 0
    for i in range(state[q, 2]):
        rank = code_ranks[q, i]
        if rank > state[q, 0] or (rank == state[q, 0] and n_ties > 0):
            n_ties -= rank == state[q, 0]
            codes[q, kept] = codes[q, i]
            code_ranks[q, kept] = rank
            kept += 1
    state[q, 2] = kept


@njit(**OPTIONS)
def _finish(candidates, found, found_ranks):
    """Write the best candidates, best first and ties in order; a rank of -1 says there is none."""
    state, histogram, codes, code_ranks = candidates
    n_queries, n = found.shape
    for q in range(n_queries):
        _compact(q, n, candidates)
        kept = state[q, 2]
        # a counting sort, which compiles much faster than numba's own sorts
        places = histogram[q]
        places[:] = 0
        for i in range(kept):
            places[code_ranks[q, i]] += 1
        before = 0
        for rank in range(places.shape[0] - 1, -1, -1):
            n_here = places[rank]
            places[rank] = before
            before += n_here
        for i in range(kept):
            rank = code_ranks[q, i]
            found[q, places[rank]] = codes[q, i]
            found_ranks[q, places[rank]] = rank
            places[rank] += 1
        found_ranks[q, kept:] = -1


@njit(inline="always", **OPTIONS)
def _largest(counts, first, last):
    """Return the largest count, without a branch in the loop so that it is vectorized."""
    largest = counts[first]
    for i in range(first + 1, last):
        largest = max(largest, counts[i])
    return largest


@njit(**OPTIONS)
def nearest(
    columns, queries, classes, ranks, needed, floor, first, last, counts, found, found_ranks
):
    """Find the codes with the highest ranks among ``first`` to ``last`` for packed queries.

    Ranks below ``floor`` are ignored. ``counts`` is a buffer for the overlaps of ``BLOCK``
    codes, of a type that holds the largest: the smaller, the more codes are counted at once.
    Blocks of codes stay in the cache while all queries are compared with them.
    """
    n_queries, n = found.shape
    candidates = _start(n_queries, n, needed.shape[0], floor)
    state = candidates[0]
    active = np.empty(queries.shape, np.int64)
    n_active = np.empty(n_queries, np.int64)
    for q in range(n_queries):
        n_active[q] = _active_bytes(queries[q], active[q])
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for q in range(n_queries):
            _count(columns, queries[q], active[q], n_active[q], start, stop, counts)
            if _largest(counts, 0, stop - start) < needed[state[q, 0] + 1]:
                continue
            for strip in range(0, stop - start, _STRIP):
                end = min(strip + _STRIP, stop - start)
                if _largest(counts, strip, end) < needed[state[q, 0] + 1]:
                    continue
                for i in range(strip, end):
                    if counts[i] >= needed[state[q, 0] + 1]:
                        code_class = classes[start + i if classes.shape[0] > 1 else 0]
                        _offer(q, start + i, code_class, counts[i], ranks, n, candidates)
    _finish(candidates, found, found_ranks)
