"""Numba kernels of :class:`InvertedIndex`, in addition to those in ``_kernels.py``.

``planes`` (n_cells, n_codes / 64) has one row per cell, with one bit per code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skfly._caching import OPTIONS
from skfly._intrinsics import popcount
from skfly.index._kernels import _finish, _offer, _start

_PLANE_BLOCK = 256  # words of a plane whose counters are held at a time


@njit(**OPTIONS)
def fill(columns, first, last, planes):
    """Set the bits of the codes ``first`` to ``last``; ``first`` begins a word."""
    for b in range(columns.shape[0]):
        for i in range(first, last):
            bits = np.int64(columns[b, i])
            own_bit = np.uint64(1) << np.uint64(i % 64)
            m = 8 * b
            while bits:
                if bits & 1:
                    planes[m, i // 64] |= own_bit
                bits >>= 1
                m += 1


# Rows are passed as numbers: making and dropping a slice takes as long as adding up a row.


@njit(**OPTIONS)
def _add_planes(planes, first, second, start, n, rows, total, carry):
    """Add two planes to a row of bits, and write what is carried to another row."""
    for i in range(n):
        a, b, c = rows[total, i], planes[first, start + i], planes[second, start + i]
        half = a ^ b
        rows[total, i] = half ^ c
        rows[carry, i] = (a & b) | (half & c)


@njit(**OPTIONS)
def _add_rows(rows, n, total, first, second, carry):
    """Add two rows to another as :func:`_add_planes` does; all four are different."""
    for i in range(n):
        a, b, c = rows[total, i], rows[first, i], rows[second, i]
        half = a ^ b
        rows[total, i] = half ^ c
        rows[carry, i] = (a & b) | (half & c)


@njit(**OPTIONS)
def _count_planes(planes, cells, start, n, n_bits, rows, waits):
    """Add up planes into ``64 n`` counters, whose bits are in the first rows.

    Two rows of the same value are added at a time, and their carry waits in the second
    ``n_bits`` rows for another of its value. The last of three spare rows is 0.
    """
    spare, zero = 2 * n_bits, 2 * n_bits + 2
    rows[:n_bits, :n] = 0
    waits[:] = False
    for k in range(0, len(cells), 2):
        carry = spare if n_bits == 1 or waits[1] else n_bits + 1
        if k + 1 < len(cells):
            _add_planes(planes, cells[k], cells[k + 1], start, n, rows, 0, carry)
        else:
            rows[spare + 1, :n] = planes[cells[k], start : start + n]
            _add_rows(rows, n, 0, spare + 1, zero, carry)
        b = 1
        while b < n_bits and waits[b]:
            waits[b] = False
            carried = carry
            carry = spare + b % 2 if b + 1 == n_bits or waits[b + 1] else n_bits + b + 1
            _add_rows(rows, n, b, n_bits + b, carried, carry)
            b += 1
        if b < n_bits:
            waits[b] = True
    carry = zero
    for b in range(1, n_bits):
        other = n_bits + b if waits[b] else zero
        if other != zero or carry != zero:
            _add_rows(rows, n, b, other, carry, spare + b % 2)
            carry = spare + b % 2


@njit(**OPTIONS)
def _mark_reached(rows, n_bits, limit, first, n, reached, equal):
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


@njit(**OPTIONS)
def nearest(planes, cells, indptr, classes, ranks, needed, floor, first, last, found, found_ranks):
    """Find the codes with the highest ranks, reading only the planes of the queries' cells.

    Like the kernel of the same name in ``_kernels.py``; ``cells[indptr[q]:indptr[q + 1]]`` are the
    cells of query ``q``.
    """
    n_queries, n_nearest = found.shape
    candidates = _start(n_queries, n_nearest, needed.shape[0], floor)
    state = candidates[0]
    n_bits = 1
    for q in range(n_queries):
        while (indptr[q + 1] - indptr[q]) >> n_bits:
            n_bits += 1
    rows = np.zeros((2 * n_bits + 3, _PLANE_BLOCK), np.uint64)
    waits = np.empty(n_bits, np.bool_)
    reached = np.empty(_PLANE_BLOCK, np.uint64)
    equal = np.empty(_PLANE_BLOCK, np.uint64)
    last_word = -(-last // 64)
    for start in range(first // 64, last_word, _PLANE_BLOCK):
        n = min(_PLANE_BLOCK, last_word - start)
        for q in range(n_queries):
            limit = needed[state[q, 0] + 1]
            if limit >> n_bits:
                continue
            own_cells = cells[indptr[q] : indptr[q + 1]]
            _count_planes(planes, own_cells, start, n, n_bits, rows, waits)
            _mark_reached(rows, n_bits, limit, 0, n, reached, equal)
            for i in range(n):
                if reached[i] != 0 and needed[state[q, 0] + 1] > limit:
                    limit = needed[state[q, 0] + 1]
                    _mark_reached(rows, n_bits, limit, i, n, reached, equal)
                word = reached[i]
                while word != 0:
                    lowest = word & (~word + np.uint64(1))
                    bit = np.int64(popcount(lowest - np.uint64(1)))
                    word ^= lowest
                    code = (start + i) * 64 + bit
                    if code < first or code >= last:
                        continue
                    overlap = np.int64(0)
                    for b in range(n_bits):
                        overlap |= np.int64((rows[b, i] >> np.uint64(bit)) & np.uint64(1)) << b
                    code_class = classes[code if classes.shape[0] > 1 else 0]
                    _offer(q, code, code_class, overlap, ranks, n_nearest, candidates)
    _finish(candidates, found, found_ranks)
