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


_PLANE_BLOCK = 128  # words of a plane whose counters are held at a time


@njit(inline="always", **_options)
def _add_plane(counters, n_counters, plane, n):
    """Add one bit to each of ``64 n`` counters, whose bits are in the rows of ``counters``."""
    for i in range(n):
        carry = plane[i]
        for b in range(n_counters):
            both = counters[b, i] & carry
            counters[b, i] ^= carry
            carry = both


@njit(inline="always", **_options)
def _full(a, b, c):
    """Add three bits: return their sum and carry."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@njit(inline="always", **_options)
def _add_seven(counters, n_counters, planes, cells, first, start, n):
    """Add seven planes at once: their sum has three bits, and one ripple carries it on."""
    p0 = planes[cells[first], start : start + n]
    p1 = planes[cells[first + 1], start : start + n]
    p2 = planes[cells[first + 2], start : start + n]
    p3 = planes[cells[first + 3], start : start + n]
    p4 = planes[cells[first + 4], start : start + n]
    p5 = planes[cells[first + 5], start : start + n]
    p6 = planes[cells[first + 6], start : start + n]
    c0, c1, c2 = counters[0], counters[1], counters[2]
    for i in range(n):
        s1, t1 = _full(p0[i], p1[i], p2[i])
        s2, t2 = _full(p3[i], p4[i], p5[i])
        s3, t3 = _full(s1, s2, p6[i])
        one, carry = s3 & c0[i], s3 ^ c0[i]
        c0[i] = carry
        u1, v1 = _full(t1, t2, t3)
        u2, v2 = _full(u1, one, c1[i])
        c1[i] = u2
        w, carry = _full(v1, v2, c2[i])
        c2[i] = w
        for b in range(3, n_counters):
            both = counters[b, i] & carry
            counters[b, i] ^= carry
            carry = both


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
    n_bits = 3
    while (1 << n_bits) <= largest:
        n_bits += 1
    counters = np.empty((n_bits, _PLANE_BLOCK), np.uint64)
    one = np.uint64(1)
    for start in range(first, last, _PLANE_BLOCK):
        n = min(_PLANE_BLOCK, last - start)
        for q in range(n_queries):
            counters[:, :n] = 0
            k = indptr[q]
            while k + 7 <= indptr[q + 1]:
                _add_seven(counters, n_bits, planes, cells, k, start, n)
                k += 7
            while k < indptr[q + 1]:
                _add_plane(counters, n_bits, planes[cells[k], start : start + n], n)
                k += 1
            for i in range(n):
                # the codes whose counter is at least `least`: compare from the highest bit on
                limit = least[state[q, 0] + 1]
                if limit >> n_bits:
                    continue
                above = np.uint64(0)
                equal = ~np.uint64(0)
                for b in range(n_bits - 1, -1, -1):
                    if (limit >> b) & 1:
                        equal &= counters[b, i]
                    else:
                        above |= equal & counters[b, i]
                        equal &= ~counters[b, i]
                above |= equal
                code = (start + i) * 64
                while above != 0 and code < n_codes:
                    lowest = above & (~above + one)
                    place = np.int64(_popcount(lowest - one))
                    above ^= lowest
                    if code + place >= n_codes:
                        break
                    count = np.int64(0)
                    for b in range(n_bits):
                        count |= np.int64((counters[b, i] >> np.uint64(place)) & one) << b
                    rank = ranks[_class_of(classes, code + place), count]
                    _offer(
                        code + place, rank, n_best, state[q], histogram[q], codes[q], code_ranks[q]
                    )
    for q in range(n_queries):
        _finish(n_best, state[q], codes[q], code_ranks[q], found[q], found_ranks[q])
