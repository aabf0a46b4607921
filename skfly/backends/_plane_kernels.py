"""Numba kernels of the inverted index, beside those in ``_search_kernels.py``.

``planes`` (n_cells, V / 64) has one row a cell, with one bit a code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skfly.backends._search_kernels import (
    _class_of,
    _finish,
    _offer,
    _options,
    _popcount,
    _start,
)


@njit(**_options)
def planes_of_packed(packed, first, last, planes):
    """Set the bits of the codes ``first`` to ``last`` in the planes; ``first`` begins a word."""
    for b in range(packed.shape[0]):
        for i in range(first, last):
            bits = np.int64(packed[b, i])
            mine = np.uint64(1) << np.uint64(i % 64)
            m = 8 * b
            while bits:
                if bits & 1:
                    planes[m, i // 64] |= mine
                bits >>= 1
                m += 1


@njit(**_options)
def planes_of_cells(cells, first, last, planes):
    """Set the bits of the codes ``first`` to ``last`` in the planes; ``first`` begins a word."""
    for j in range(cells.shape[0]):
        for i in range(first, last):
            if cells[j, i] < planes.shape[0]:
                planes[cells[j, i], i // 64] |= np.uint64(1) << np.uint64(i % 64)


_PLANE_BLOCK = 256  # words of a plane whose counters are held at a time


# Rows are passed as numbers: to make and drop a slice of an array takes as long as to add one up.


@njit(**_options)
def _add_planes(planes, first, second, start, n, rows, total, carry):
    """Add two planes to a row of bits, and write what is carried to another."""
    for i in range(n):
        a, b, c = rows[total, i], planes[first, start + i], planes[second, start + i]
        half = a ^ b
        rows[total, i] = half ^ c
        rows[carry, i] = (a & b) | (half & c)


@njit(**_options)
def _add_rows(rows, n, total, first, second, carry):
    """As :func:`_add_planes`, for rows; all four are different."""
    for i in range(n):
        a, b, c = rows[total, i], rows[first, i], rows[second, i]
        half = a ^ b
        rows[total, i] = half ^ c
        rows[carry, i] = (a & b) | (half & c)


@njit(**_options)
def _count_planes(planes, cells, start, n, n_bits, rows, waits):
    """Add up planes into ``64 n`` counters, whose bits are in the first rows.

    Two rows of the same value are added at a time, and what they carry waits for another one of
    its value in the second ``n_bits`` rows. The last of three spare rows is 0.
    """
    spare, nothing = 2 * n_bits, 2 * n_bits + 2
    rows[:n_bits, :n] = 0
    waits[:] = False
    for k in range(0, len(cells), 2):
        carry = spare if n_bits == 1 or waits[1] else n_bits + 1
        if k + 1 < len(cells):
            _add_planes(planes, cells[k], cells[k + 1], start, n, rows, 0, carry)
        else:
            rows[spare + 1, :n] = planes[cells[k], start : start + n]
            _add_rows(rows, n, 0, spare + 1, nothing, carry)
        b = 1
        while b < n_bits and waits[b]:
            waits[b] = False
            came = carry
            carry = spare + b % 2 if b + 1 == n_bits or waits[b + 1] else n_bits + b + 1
            _add_rows(rows, n, b, n_bits + b, came, carry)
            b += 1
        if b < n_bits:
            waits[b] = True
    carry = nothing
    for b in range(1, n_bits):
        other = n_bits + b if waits[b] else nothing
        if other != nothing or carry != nothing:
            _add_rows(rows, n, b, other, carry, spare + b % 2)
            carry = spare + b % 2


@njit(**_options)
def _reach(rows, n_bits, limit, first, n, reached, equal):
    """Set the bits of the counters that are at least ``limit``, compared from the highest bit."""
    reached[first:n] = 0
    equal[first:n] = ~np.uint64(0)
    for b in range(n_bits - 1, -1, -1):
        if (limit >> b) & 1:
            for i in range(first, n):
                equal[i] &= rows[b, i]
        else:
            for i in range(first, n):
                reached[i] |= equal[i] & rows[b, i]
                equal[i] &= ~rows[b, i]
    for i in range(first, n):
        reached[i] |= equal[i]


@njit(**_options)
def best_of_planes(
    planes, cells, indptr, n_codes, classes, ranks, least, first, last, found, found_ranks
):
    """As :func:`best_of_packed`, for bit planes: only those of the query's cells are read.

    ``cells[indptr[q]:indptr[q + 1]]`` are the cells of query ``q``; ``first`` and ``last`` count
    words of a plane.
    """
    n_queries, n_best = found.shape
    state, histogram, codes, code_ranks = _start(n_queries, n_best, least.shape[0])
    largest = 0
    for q in range(n_queries):
        largest = max(largest, indptr[q + 1] - indptr[q])
    n_bits = 1
    while (1 << n_bits) <= largest:
        n_bits += 1
    rows = np.zeros((2 * n_bits + 3, _PLANE_BLOCK), np.uint64)
    waits = np.empty(n_bits, np.bool_)
    reached = np.empty(_PLANE_BLOCK, np.uint64)
    equal = np.empty(_PLANE_BLOCK, np.uint64)
    for start in range(first, last, _PLANE_BLOCK):
        n = min(_PLANE_BLOCK, last - start)
        for q in range(n_queries):
            limit = least[state[q, 0] + 1]
            if limit >> n_bits:
                continue
            mine = cells[indptr[q] : indptr[q + 1]]
            _count_planes(planes, mine, start, n, n_bits, rows, waits)
            _reach(rows, n_bits, limit, 0, n, reached, equal)
            for i in range(n):
                if reached[i] != 0 and least[state[q, 0] + 1] > limit:
                    limit = least[state[q, 0] + 1]
                    _reach(rows, n_bits, limit, i, n, reached, equal)
                if reached[i] == 0:
                    continue
                _offer_word(
                    reached[i],
                    rows[:n_bits, i],
                    (start + i) * 64,
                    n_codes,
                    classes,
                    ranks,
                    n_best,
                    state[q],
                    histogram[q],
                    codes[q],
                    code_ranks[q],
                )
    for q in range(n_queries):
        _finish(n_best, state[q], codes[q], code_ranks[q], found[q], found_ranks[q])


@njit(inline="always", **_options)
def _offer_word(
    word, counters, code, n_codes, classes, ranks, n_best, state, histogram, codes, code_ranks
):
    """Offer the codes whose bits are set in a word, which begins at ``code``."""
    one = np.uint64(1)
    while word != 0:
        lowest = word & (~word + one)
        place = np.int64(_popcount(lowest - one))
        word ^= lowest
        if code + place >= n_codes:
            break
        count = np.int64(0)
        for b in range(counters.shape[0]):
            count |= np.int64((counters[b] >> np.uint64(place)) & one) << b
        rank = ranks[_class_of(classes, code + place), count]
        _offer(code + place, rank, n_best, state, histogram, codes, code_ranks)
