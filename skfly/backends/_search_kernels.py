"""Numba kernels that search codes: pure functions on arrays that release the GIL.

Codes come in two forms, each with one column a code, so that a loop over codes is a loop over
consecutive memory: ``packed`` (n_bytes, V) of 8 cells a byte, and ``cells`` (hash_length, V) with
the numbers of the active cells (``n_cells`` where there is none). There are no bounds checks here:
``skfly.codes`` checks what it passes.

What is best is decided on integers. ``ranks[c, o]`` is the rank, from 0 for the worst, of a code
of class ``c`` that shares ``o`` cells with the query; ``least[r]`` is the overlap that a code
needs at least to have rank ``r`` or a better one. ``classes`` has one entry if all are alike.
``counts`` is room for the overlaps of ``BLOCK`` codes, of a type that holds the largest: the
smaller it is, the more codes the vector unit counts at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import intrinsic

from skfly import _fork  # noqa: F401

_options: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "boundscheck": False,
}
BLOCK = 4096  # codes whose overlaps are held at a time
_STRIP = 64  # codes that are looked at one by one if any of them is good enough


def _ones_of(typing_context, word):  # noqa: ARG001
    def codegen(context, builder, signature, args):  # noqa: ARG001
        return builder.ctpop(args[0])

    return word(word), codegen


_popcount: Any = intrinsic(_ones_of)


@njit(inline="always", **_options)
def _active_bytes(query, rows):
    """Write the places of the bytes of a query that have ones, and return how many there are.

    The others need not be read: of 400 cells, a query of 32 has ones in half of its bytes.
    """
    n = 0
    for b in range(query.shape[0]):
        if query[b]:
            rows[n] = b
            n += 1
    return n


@njit(inline="always", **_options)
def _count_packed(packed, query, rows, n_rows, start, stop, counts):
    """Overlaps of the codes ``start`` to ``stop`` with a query, from its active bytes."""
    n = stop - start
    counts[:n] = 0
    r = 0
    while r + 4 <= n_rows:  # several at a time: the counts are read and written less often
        row0, row1 = packed[rows[r], start:stop], packed[rows[r + 1], start:stop]
        row2, row3 = packed[rows[r + 2], start:stop], packed[rows[r + 3], start:stop]
        bits0, bits1 = query[rows[r]], query[rows[r + 1]]
        bits2, bits3 = query[rows[r + 2]], query[rows[r + 3]]
        for i in range(n):
            counts[i] += (
                _popcount(row0[i] & bits0)
                + _popcount(row1[i] & bits1)
                + _popcount(row2[i] & bits2)
                + _popcount(row3[i] & bits3)
            )
        r += 4
    while r < n_rows:
        row, bits = packed[rows[r], start:stop], query[rows[r]]
        for i in range(n):
            counts[i] += _popcount(row[i] & bits)
        r += 1


@njit(inline="always", **_options)
def _count_cells(cells, active, start, stop, counts):
    """Overlaps of the codes ``start`` to ``stop`` with a query that has ``active[m]`` 1 or 0."""
    n = stop - start
    counts[:n] = 0
    for j in range(cells.shape[0]):
        row = cells[j, start:stop]
        for i in range(n):
            counts[i] += active[row[i]]


@njit(**_options)
def overlaps_of_packed(packed, query, first, last, counts, out):
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    rows = np.empty(query.shape[0], np.int64)
    n_rows = _active_bytes(query, rows)
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        _count_packed(packed, query, rows, n_rows, start, stop, counts)
        out[start - first : stop - first] = counts[: stop - start]


@njit(**_options)
def overlaps_of_cells(cells, active, first, last, counts, out):
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        _count_cells(cells, active, start, stop, counts)
        out[start - first : stop - first] = counts[: stop - start]


@njit(**_options)
def sums_of_packed(packed, tables, first, last, out):
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells.

    ``tables[b, v]`` is the sum for the cells that are on if byte ``b`` of a code is ``v``.
    """
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        total = out[start - first : stop - first]
        total[:] = 0
        for b in range(tables.shape[0]):
            table = tables[b]
            row = packed[b, start:stop]
            for i in range(stop - start):
                total[i] += table[row[i]]


@njit(**_options)
def sums_of_cells(cells, weights, first, last, out):
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells."""
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        total = out[start - first : stop - first]
        total[:] = 0
        for j in range(cells.shape[0]):
            row = cells[j, start:stop]
            for i in range(stop - start):
                total[i] += weights[row[i]]


@njit(inline="always", **_options)
def _class_of(classes, code):
    """Return the class of a code; a single class is that of all codes."""
    return classes[code] if code < classes.shape[0] else classes[0]


@njit(inline="always", **_options)
def _offer(code, rank, n_best, state, histogram, codes, code_ranks):
    """Take a code into the candidates if it is better than the worst that is needed.

    ``state`` is the rank that a code must be above (codes come in order, so that among equal ones
    the first stay), the number of candidates above it, and the number of candidates.
    """
    if rank <= state[0]:
        return
    if state[2] == codes.shape[0]:
        _compact(n_best, state, codes, code_ranks)
    codes[state[2]] = code
    code_ranks[state[2]] = rank
    state[2] += 1
    histogram[rank] += 1
    state[1] += 1
    while state[1] >= n_best:
        state[0] += 1
        state[1] -= histogram[state[0]]


@njit(**_options)
def _compact(n_best, state, codes, code_ranks):
    """Keep the ``n_best`` best candidates, in the order that they came."""
    level = n_best - state[1]  # how many at the worst rank that is needed
    n = 0
    for i in range(state[2]):
        if code_ranks[i] > state[0] or (code_ranks[i] == state[0] and level > 0):
            level -= code_ranks[i] == state[0]
            codes[n] = codes[i]
            code_ranks[n] = code_ranks[i]
            n += 1
    state[2] = n


@njit(inline="always", **_options)
def _largest(counts, first, last):
    """Return the largest count: without a branch, for the vector unit."""
    largest = counts[first]
    for i in range(first + 1, last):
        largest = max(largest, counts[i])
    return largest


@njit(inline="always", **_options)
def _offer_block(
    counts, start, stop, classes, ranks, least, n_best, state, histogram, codes, code_ranks
):
    n = stop - start
    if _largest(counts, 0, n) < least[state[0] + 1]:
        return
    for strip in range(0, n, _STRIP):
        end = min(strip + _STRIP, n)
        if _largest(counts, strip, end) < least[state[0] + 1]:
            continue
        for i in range(strip, end):
            if counts[i] >= least[state[0] + 1]:
                rank = ranks[_class_of(classes, start + i), counts[i]]
                _offer(start + i, rank, n_best, state, histogram, codes, code_ranks)


@njit(**_options)
def _finish(n_best, state, codes, code_ranks, found, found_ranks):
    """Write the best candidates, the best first and equal ones by their place."""
    _compact(n_best, state, codes, code_ranks)
    order = np.argsort(-code_ranks[: state[2]], kind="mergesort")
    for i in range(state[2]):
        found[i] = codes[order[i]]
        found_ranks[i] = code_ranks[order[i]]


@njit(inline="always", **_options)
def _start(n_queries, n_best, n_ranks):
    room = 2 * n_best + _STRIP
    state = np.zeros((n_queries, 3), np.int64)
    state[:, 0] = -1
    histogram = np.zeros((n_queries, n_ranks), np.int32)
    return (
        state,
        histogram,
        np.empty((n_queries, room), np.int64),
        np.empty((n_queries, room), np.int64),
    )


@njit(**_options)
def best_of_packed(
    packed, queries, classes, ranks, least, first, last, counts, found, found_ranks
):
    """Find the best codes among ``first`` to ``last`` for each row of packed queries.

    Blocks of codes stay in the cache while all queries go over them.
    """
    n_queries, n_best = found.shape
    state, histogram, codes, code_ranks = _start(n_queries, n_best, least.shape[0])
    rows = np.empty(queries.shape, np.int64)
    n_rows = np.empty(n_queries, np.int64)
    for q in range(n_queries):
        n_rows[q] = _active_bytes(queries[q], rows[q])
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for q in range(n_queries):
            _count_packed(packed, queries[q], rows[q], n_rows[q], start, stop, counts)
            _offer_block(
                counts,
                start,
                stop,
                classes,
                ranks,
                least,
                n_best,
                state[q],
                histogram[q],
                codes[q],
                code_ranks[q],
            )
    for q in range(n_queries):
        _finish(n_best, state[q], codes[q], code_ranks[q], found[q], found_ranks[q])


@njit(**_options)
def best_of_cells(cells, queries, classes, ranks, least, first, last, counts, found, found_ranks):
    """As :func:`best_of_packed`, for lists of cells; a query has 1 or 0 for each cell."""
    n_queries, n_best = found.shape
    state, histogram, codes, code_ranks = _start(n_queries, n_best, least.shape[0])
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for q in range(n_queries):
            _count_cells(cells, queries[q], start, stop, counts)
            _offer_block(
                counts,
                start,
                stop,
                classes,
                ranks,
                least,
                n_best,
                state[q],
                histogram[q],
                codes[q],
                code_ranks[q],
            )
    for q in range(n_queries):
        _finish(n_best, state[q], codes[q], code_ranks[q], found[q], found_ranks[q])
