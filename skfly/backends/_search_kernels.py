"""Numba kernels that search codes: pure functions on arrays that release the GIL.

Codes come in two forms, each with one column a code, so that a loop over codes is a loop over
consecutive memory: ``words`` (n_words, V) of 64 cells a word, and ``cells`` (hash_length, V) with
the numbers of the active cells (``n_cells`` where there is none). There are no bounds checks here:
``skfly.codes`` checks what it passes.

What is best is decided on integers. ``ranks[c, o]`` is the rank, from 0 for the worst, of a code
of class ``c`` that shares ``o`` cells with the query; ``least[r]`` is the overlap that a code
needs at least to have rank ``r`` or a better one. ``classes`` has one entry if all are alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

_options: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "boundscheck": False,
}
_BLOCK = 1024  # codes whose overlaps are held at a time
_STRIP = 64  # codes that are looked at one by one if any of them is good enough


def _ones_of(typing_context, word):  # noqa: ARG001
    def codegen(context, builder, signature, args):  # noqa: ARG001
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


_popcount: Any = intrinsic(_ones_of)


@njit(inline="always", **_options)
def _ones(word):
    return np.int64(_popcount(word))


@njit(inline="always", **_options)
def _count_words(words, query, start, stop, counts):
    """Overlaps of the codes ``start`` to ``stop`` with a query of packed words."""
    n = stop - start
    n_words = words.shape[0]
    if n_words == 7:  # 400 cells, the default: all at once
        bits0, bits1, bits2, bits3 = query[0], query[1], query[2], query[3]
        bits4, bits5, bits6 = query[4], query[5], query[6]
        row0, row1, row2 = words[0, start:stop], words[1, start:stop], words[2, start:stop]
        row3, row4, row5 = words[3, start:stop], words[4, start:stop], words[5, start:stop]
        row6 = words[6, start:stop]
        for i in range(n):
            counts[i] = (
                _ones(row0[i] & bits0)
                + _ones(row1[i] & bits1)
                + _ones(row2[i] & bits2)
                + _ones(row3[i] & bits3)
                + _ones(row4[i] & bits4)
                + _ones(row5[i] & bits5)
                + _ones(row6[i] & bits6)
            )
        return
    counts[:n] = 0
    w = 0
    while w + 4 <= n_words:  # several at a time: the counts are read and written less often
        bits0, bits1, bits2, bits3 = query[w], query[w + 1], query[w + 2], query[w + 3]
        row0, row1 = words[w, start:stop], words[w + 1, start:stop]
        row2, row3 = words[w + 2, start:stop], words[w + 3, start:stop]
        for i in range(n):
            counts[i] += (
                _ones(row0[i] & bits0)
                + _ones(row1[i] & bits1)
                + _ones(row2[i] & bits2)
                + _ones(row3[i] & bits3)
            )
        w += 4
    while w < n_words:
        bits, row = query[w], words[w, start:stop]
        for i in range(n):
            counts[i] += _ones(row[i] & bits)
        w += 1


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
def overlaps_of_words(words, query, first, last, out):
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        _count_words(words, query, start, stop, out[start:stop])


@njit(**_options)
def overlaps_of_cells(cells, active, first, last, out):
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        _count_cells(cells, active, start, stop, out[start:stop])


@njit(**_options)
def sums_of_words(words, tables, first, last, out):
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells.

    ``tables[b, v]`` is the sum for the cells that are on if byte ``b`` of a code is ``v``.
    """
    low = np.uint64(255)
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        total = out[start:stop]
        total[:] = 0
        for b in range(tables.shape[0]):
            table = tables[b]
            row = words[b // 8, start:stop]
            shift = np.uint64(8 * (b % 8))
            for i in range(stop - start):
                total[i] += table[(row[i] >> shift) & low]


@njit(**_options)
def sums_of_cells(cells, weights, first, last, out):
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells."""
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        total = out[start:stop]
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
def _any_reach(counts, first, last, limit):
    """Whether any count is at least ``limit``: without a branch, for the vector unit."""
    n = 0
    for i in range(first, last):
        n += counts[i] >= limit
    return n > 0


@njit(inline="always", **_options)
def _offer_block(
    counts, start, stop, classes, ranks, least, n_best, state, histogram, codes, code_ranks
):
    n = stop - start
    if not _any_reach(counts, 0, n, least[state[0] + 1]):
        return
    for strip in range(0, n, _STRIP):
        end = min(strip + _STRIP, n)
        if not _any_reach(counts, strip, end, least[state[0] + 1]):
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
def best_of_words(words, queries, classes, ranks, least, first, last, found, found_ranks):
    """Find the best codes among ``first`` to ``last`` for each row of packed queries.

    Blocks of codes stay in the cache while all queries go over them.
    """
    n_queries, n_best = found.shape
    state, histogram, codes, code_ranks = _start(n_queries, n_best, least.shape[0])
    counts = np.empty(_BLOCK, np.int64)
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
        for q in range(n_queries):
            _count_words(words, queries[q], start, stop, counts)
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
def best_of_cells(cells, queries, classes, ranks, least, first, last, found, found_ranks):
    """As :func:`best_of_words`, for lists of cells; a query has 1 or 0 for each cell."""
    n_queries, n_best = found.shape
    state, histogram, codes, code_ranks = _start(n_queries, n_best, least.shape[0])
    counts = np.empty(_BLOCK, np.int32)
    for start in range(first, last, _BLOCK):
        stop = min(start + _BLOCK, last)
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
