"""Numba kernels: pure functions on arrays that release the GIL.

Each works on one chunk (of sentences, words, bags or rows) and writes only what that chunk owns,
so chunks may run on any number of threads without atomics and give the same bits. There are no
bounds checks here: ``_numba.py`` checks what it passes. ``_base.py`` says what the arrays mean.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skfly._caching import OPTIONS
from skfly._intrinsics import prefetch, trailing_zeros
from skfly.engine._base import NEVER
from skfly.engine._checks import MOST_CELLS
from skfly.engine._numpy import LOG_OF_2, LOG_SERIES, ONE, ROOT_OF_HALF

_SERIES_0, _SERIES_1, _SERIES_2, _SERIES_3 = LOG_SERIES
_HIGH_LOG_OF_2, _LOW_LOG_OF_2 = LOG_OF_2
LAST_CELL = MOST_CELLS  # cells are numbered from 0 below this
_CACHE_LINE = 32  # drives
_NO_ROW = -1  # as the id of an unknown word
_EXACT_ROWS = 1 << 22  # below 2**31 each: their sum is below 2**53
COLUMNS = 112  # of a dense matrix multiplied at a time; a compile-time constant
_SIX, _LOW_SIX = np.uint64(6), np.uint64(63)
_NO_BIT, _ONE_BIT = np.uint64(0), np.uint64(1)
_SPARSE_FACTOR = 4  # with this many times fewer windows than cells, skip the loop over all cells


@njit(inline="always", **OPTIONS)
def _entering(word, inside):
    """Add a word to the window; return its row if it is new (a binary bag has it once).

    Unknown words (-1) are counted too, in the last entry of ``inside``, and have no row: a branch
    would make numba count references to the array.
    """
    inside[word] += 1
    return np.int64(word) if inside[word] == 1 else np.int64(_NO_ROW)


@njit(inline="always", **OPTIONS)
def _leaving(word, inside):
    inside[word] -= 1
    return np.int64(word) if inside[word] == 0 else np.int64(_NO_ROW)


@njit(inline="always", **OPTIONS)
def _fetch(drives, row):
    for m in range(0, drives.shape[1], _CACHE_LINE):
        prefetch(drives, row, m)


@njit(inline="always", **OPTIONS)
def _mask(row):
    """Return the bit mask for a row's drives: all ones, or zero for ``_NO_ROW``."""
    return np.int16(-1) if row >= 0 else np.int16(0)


@njit(inline="always", **OPTIONS)
def _move(total, drives, enters, leaves, as_target, as_context, activations):
    """Slide the window by one position, and return the largest activation.

    The target counts in the target block, not in the context block as in the sum over the window.
    This is a single pass. Rows are passed as numbers, not arrays: for an array that may be one of
    several, numba counts references, which takes as long as the sums.
    """
    of_enters, of_leaves = _mask(enters), _mask(leaves)
    of_target, of_context = _mask(as_target), _mask(as_context)
    enters, leaves = max(enters, 0), max(leaves, 0)
    as_target, as_context = max(as_target, 0), max(as_context, 0)
    best = np.int16(-32768)
    for m in range(total.shape[0]):
        moved = np.int16(
            total[m] + (drives[enters, m] & of_enters) - (drives[leaves, m] & of_leaves)
        )
        total[m] = moved
        activation = np.int16(
            moved + (drives[as_target, m] & of_target) - (drives[as_context, m] & of_context)
        )
        activations[m] = activation
        best = max(best, activation)
    return best


@njit(inline="always", **OPTIONS)
def _first_with(best, activations, order):
    """Return the first cell with this activation; ``order`` is ``LAST_CELL`` minus its number."""
    found = np.uint16(0)
    for m in range(activations.shape[0]):
        here, activation = order[m], activations[m]
        found = max(found, here if activation == best else np.uint16(0))
    return LAST_CELL - np.int64(found)


@njit(inline="always", **OPTIONS)
def _largest_below(limit, keys):
    best = np.int32(-2147483648)
    for m in range(keys.shape[0]):
        best = max(best, keys[m] if keys[m] < limit else np.int32(-2147483648))
    return best


@njit(inline="always", **OPTIONS)
def _rank(activations, order, keys, top, t):
    """Write the most active cells of window ``t``, the first of ties first.

    A cell's activation and ``order`` are one number: the next cell has the next largest.
    """
    for m in range(activations.shape[0]):
        keys[m] = np.int32((np.int32(activations[m]) << 16) + np.int32(order[m]))
    best = np.int32(2147483647)
    for j in range(top.shape[1]):
        best = _largest_below(best, keys)
        top[t, j] = LAST_CELL - (best & LAST_CELL)


@njit(**OPTIONS)
def find_top_cells(drives, ids, offsets, window, truncate, first, last, order, top):
    """Find the most active cells of the windows in sentences ``first`` to ``last``.

    This keeps a running sum over the sentence: each step adds two rows, whatever the window's
    width. The cells of a position come by falling activation; -1 where there is no window.
    ``order`` (uint16) is ``LAST_CELL`` minus the number of each cell.
    """
    n_cells = drives.shape[1]
    n_top = top.shape[1]
    half = window // 2
    total = np.zeros(n_cells, np.int16)
    activations = np.empty(n_cells, np.int16)
    keys = np.empty(n_cells, np.int32)
    n_words = drives.shape[0] // 2
    inside = np.zeros(n_words + 1, np.int32)
    base = offsets[first]
    for s in range(first, last):
        start, stop = offsets[s], offsets[s + 1]
        for m in range(n_cells):
            total[m] = 0
        n_known = 0
        for t in range(start, min(stop, start + half)):
            enters = _entering(ids[t], inside)
            _move(total, drives, enters, _NO_ROW, _NO_ROW, _NO_ROW, activations)
            n_known += ids[t] >= 0
        for t in range(start, stop):
            enters, leaves = np.int64(_NO_ROW), np.int64(_NO_ROW)
            if t + half < stop:
                enters = _entering(ids[t + half], inside)
                n_known += ids[t + half] >= 0
            if t - half - 1 >= start:
                leaves = _leaving(ids[t - half - 1], inside)
                n_known -= ids[t - half - 1] >= 0
            # rows of the next step that are not in the cache
            if t + half + 1 < stop and ids[t + half + 1] >= 0:
                _fetch(drives, np.int64(ids[t + half + 1]))
            if t + 1 < stop and ids[t + 1] >= 0:
                _fetch(drives, np.int64(n_words + ids[t + 1]))
            target = np.int64(ids[t])
            # in the context block too if it occurs a second time within the window
            only_target = target >= 0 and inside[target] == 1
            as_target = n_words + target if target >= 0 else _NO_ROW
            as_context = target if only_target else _NO_ROW
            best = _move(total, drives, enters, leaves, as_target, as_context, activations)
            if n_known == 0 or (not truncate and (t - half < start or t + half >= stop)):
                for j in range(n_top):
                    top[t - base, j] = -1
            elif n_top == 1:
                top[t - base, 0] = _first_with(best, activations, order)
            else:
                _rank(activations, order, keys, top, t - base)
        for t in range(max(start, stop - half - 1), stop):
            inside[ids[t]] = 0


@njit(**OPTIONS)
def set_drives(drives, synapses, gain, floor, first, last):
    """``rint(max(synapses, floor) * gain)`` for the rows ``first`` to ``last``."""
    for i in range(first, last):
        for m in range(drives.shape[1]):
            drives[i, m] = np.int16(np.rint(max(synapses[i, m], floor) * gain))


@njit(inline="always", **OPTIONS)
def _threshold(activation, n_top):
    """Return a value that at most ``n_top`` activations exceed, and at least ``n_top`` reach.

    Bisection: each pass is one vectorised count over all cells.
    """
    n_cells = activation.shape[0]
    high = activation[0]
    low = activation[0]
    for m in range(n_cells):
        high = max(high, activation[m])
        low = min(low, activation[m])
    # the count above `high` is 0 <= n_top; narrow [low, high] to the smallest such value
    while low < high:
        # their sum or difference might overflow, and the loop never end
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        above = 0
        for m in range(n_cells):
            above += activation[m] > middle
        if above == n_top:
            return middle
        if above < n_top:
            high = middle
        else:
            low = middle + 1
    return high


@njit(inline="always", **OPTIONS)
def _collect_top(activation, n_top, cells):
    """Write the ``n_top`` most active cells, sorted by number; ties go to the lowest."""
    limit = _threshold(activation, n_top)
    above = 0
    for m in range(activation.shape[0]):
        above += activation[m] > limit
    at_limit = n_top - above
    n = 0
    for m in range(activation.shape[0]):
        if activation[m] > limit:
            cells[n] = m
            n += 1
        elif activation[m] == limit and at_limit > 0:
            cells[n] = m
            n += 1
            at_limit -= 1


@njit(inline="always", **OPTIONS)
def _sort_by_value(cells, values):
    """Sort by falling value, then by cell.

    This is Shell's sort: numba's sorts take seconds to compile.
    """
    gap = 1
    while gap < cells.shape[0]:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, cells.shape[0]):
            cell, value = cells[i], values[i]
            j = i
            while j >= gap and (
                values[j - gap] < value or (values[j - gap] == value and cells[j - gap] > cell)
            ):
                cells[j], values[j] = cells[j - gap], values[j - gap]
                j -= gap
            cells[j], values[j] = cell, value


@njit(**OPTIONS)
def sort_positions(ids, begins, order):
    """Write the known positions, sorted by word and place, and the start of each word.

    ``begins`` must hold zeros, two more than there are words.
    """
    for t in range(ids.shape[0]):
        if ids[t] >= 0:
            begins[ids[t] + 2] += 1
    for i in range(2, begins.shape[0]):
        begins[i] += begins[i - 1]
    # a word begins one entry further on here; correct once all its positions are written
    for t in range(ids.shape[0]):
        if ids[t] >= 0:
            order[begins[ids[t] + 1]] = t
            begins[ids[t] + 1] += 1


@njit(inline="always", **OPTIONS)
def _flush(sums, j, rate, seen, block, weights, overlap, cells):
    """Add counts to row ``j``, return their sum and set them to zero."""
    total = 0
    for m in range(sums.shape[1]):
        n = seen[block, m]
        if n > 0:
            added = rate * np.float32(n)
            sums[j, m] += added
            overlap[m] += np.float64(weights[j, m]) * np.float64(added)
            cells[block, m] += n
            total += n
            seen[block, m] = 0
    return total


@njit(inline="always", **OPTIONS)
def _flush_at(
    winners,
    order,
    begin,
    end,
    offsets,
    sentences,
    reach,
    sums,
    j,
    rate,
    seen,
    block,
    weights,
    overlap,
    cells,
):
    """Like ``_flush``, but visit only the counts of winners around given positions.

    (With a shared function for the update of a cell, numba's code is three times slower.)
    """
    total = 0
    for k in range(begin, end):
        t = np.int64(order[k])
        start, stop = offsets[sentences[t]], offsets[sentences[t] + 1]
        for c in range(max(start, t - reach), min(stop, t + reach + 1)):
            m = np.int64(winners[c])
            n = seen[block, m]
            if n > 0:
                added = rate * np.float32(n)
                sums[j, m] += added
                overlap[m] += np.float64(weights[j, m]) * np.float64(added)
                cells[block, m] += n
                total += n
                seen[block, m] = 0
    return total


@njit(**OPTIONS)
def add_windows(
    sums,
    rates,
    weights,
    offsets,
    winners,
    half,
    order,
    begins,
    sentences,
    first,
    last,
    seen,
    overlap,
    words,
    cells,
):
    """Add the windows' inputs to their winners, for the rows of words ``first`` to ``last``.

    This goes word by word instead of window by window: an occurrence at ``t`` is context of the
    windows centred at ``t - half`` to ``t + half``, so the winners around ``t`` say which cells of
    this word's row to increase (a window without a winner has the number of cells in ``winners``).
    Counts are integers that stay in the first-level cache, each row is written once, and no two
    chunks share a row. ``seen`` is a buffer of zeros with a row for contexts and one for targets,
    and one column more than there are cells, for windows without a winner.
    """
    n_words = rates.shape[0]
    n_cells = sums.shape[1]
    for i in range(first, last):
        begin, end = begins[i], begins[i + 1]
        if begin == end:
            continue
        counted = np.int64(-1)  # the last window that already counted this word (binary bag)
        for k in range(begin, end):
            t = np.int64(order[k])
            start, stop = offsets[sentences[t]], offsets[sentences[t] + 1]
            high = min(stop - 1, t + half)
            for c in range(max(start, t - half, counted + 1), high + 1):
                seen[0, winners[c]] += 1
            repeated = k + 1 < end and order[k + 1] <= high
            if t > counted and not repeated:
                seen[0, winners[t]] -= 1  # there it is only the target
            seen[1, winners[t]] += 1
            counted = high
        seen[0, n_cells] = seen[1, n_cells] = 0
        few = (end - begin) * (2 * half + 1) <= n_cells // _SPARSE_FACTOR
        for block in range(2):
            j = i + block * n_words
            if few:
                words[j] = _flush_at(
                    winners,
                    order,
                    begin,
                    end,
                    offsets,
                    sentences,
                    half if block == 0 else 0,
                    sums,
                    j,
                    rates[i],
                    seen,
                    block,
                    weights,
                    overlap,
                    cells,
                )
            else:
                words[j] = _flush(sums, j, rates[i], seen, block, weights, overlap, cells)


@njit(**OPTIONS)
def _log(value):
    """``log32`` of the reference, operation by operation."""
    given = np.float32(value)
    bits = np.int32(given.view(np.int32) + np.int32(ONE - ROOT_OF_HALF))
    exponent = np.float32((bits >> 23) - 127)
    mantissa = np.int32((bits & 0x007FFFFF) + ROOT_OF_HALF)
    f = mantissa.view(np.float32) - np.float32(1)
    s = f / (np.float32(2) + f)
    z = s * s
    series = z * (_SERIES_0 + z * (_SERIES_1 + z * (_SERIES_2 + z * _SERIES_3)))
    return exponent * _LOW_LOG_OF_2 + s * (np.float32(2) + series) + exponent * _HIGH_LOG_OF_2


@njit(**OPTIONS)
def information(synapses, counts, prior, own, among, first, last):
    """``log((counts + a p) / ((cells + a) p))`` for the rows ``first`` to ``last``."""
    largest = np.float32(0)
    for i in range(first, last):
        row = synapses[i]
        block = 0 if i < counts.shape[0] // 2 else 1
        known = own[i] < NEVER
        for m in range(counts.shape[1]):
            value = _log(max(counts[i, m] + prior[i], np.float32(1e-6))) - own[i] - among[block, m]
            row[m] = value if known else np.float32(0)
        for m in range(counts.shape[1]):
            largest = max(largest, row[m])
    return largest


@njit(**OPTIONS)
def information_drives(drives, counts, prior, own, among, gain, floor, rows):
    """``information`` of some rows, as drives."""
    for i in rows:
        row = drives[i]
        block = 0 if i < counts.shape[0] // 2 else 1
        known = own[i] < NEVER
        for m in range(counts.shape[1]):
            value = _log(max(counts[i, m] + prior[i], np.float32(1e-6))) - own[i] - among[block, m]
            row[m] = np.int16(np.rint(max(value if known else np.float32(0), floor) * gain))


@njit(**OPTIONS)
def add_top_cells(counts, order, begins, offsets, sentences, half, top, row, first, last):
    """Add the cells in ``top`` to the words of their windows, for the words ``first`` to ``last``.

    ``row`` is a buffer with a zero for each cell.
    """
    n_top = top.shape[1]
    for i in range(first, last):
        if begins[i] == begins[i + 1]:
            continue
        counted = np.int64(-1)  # windows up to here have this word already
        for k in range(begins[i], begins[i + 1]):
            t = np.int64(order[k])
            start, stop = offsets[sentences[t]], offsets[sentences[t] + 1]
            high = min(stop - 1, t + half)
            for c in range(max(start, t - half, counted + 1), high + 1):
                if top[c, 0] >= 0:
                    for j in range(n_top):
                        row[top[c, j]] += 1
            counted = high
        for m in range(counts.shape[1]):
            counts[i, m] += np.float32(row[m])
            row[m] = 0


@njit(**OPTIONS)
def hebbian_difference(synapses, increments, overlap, first, last):
    """``dS = d - <W, d> W`` in place of ``d``; returns its largest absolute entry."""
    largest = np.float32(0)
    for i in range(first, last):
        for m in range(synapses.shape[1]):
            increments[i, m] -= overlap[m] * synapses[i, m]
            largest = max(largest, abs(increments[i, m]))
    return largest


@njit(**OPTIONS)
def hebbian_apply(synapses, increments, factor, first, last):
    """``W += factor * dS``, ``dS = 0``; returns ``max|W|``."""
    largest = np.float32(0)
    for i in range(first, last):
        for m in range(synapses.shape[1]):
            synapses[i, m] += factor * increments[i, m]
            increments[i, m] = 0
            largest = max(largest, abs(synapses[i, m]))
    return largest


@njit(**OPTIONS)
def add_squares(synapses, first, last, square):
    """``|W_m|^2`` over the rows ``first`` to ``last``."""
    for i in range(first, last):
        for m in range(synapses.shape[1]):
            square[m] += np.float64(synapses[i, m]) * np.float64(synapses[i, m])


@njit(**OPTIONS)
def sum_rows(weights, rows, amounts, indptr, first, last, sums):
    """Add the rows of the bags ``first`` to ``last``, each times its amount, to ``sums``."""
    for b in range(first, last):
        total = sums[b]
        for k in range(indptr[b], indptr[b + 1]):
            row = weights[rows[k]]
            amount = amounts[k]
            for m in range(weights.shape[1]):
                total[m] += amount * row[m]


@njit(**OPTIONS)
def top_of_bags(synapses, gain, floor, rows, indptr, first, last, cells, values):
    """Find the most active cells of the bags ``first`` to ``last``, by falling activation."""
    n_cells = synapses.shape[1]
    n_top = cells.shape[1]
    activation = np.empty(n_cells, np.int64)
    part = np.empty(n_cells, np.float64)
    for b in range(first, last):
        if indptr[b] == indptr[b + 1]:
            cells[b, :] = -1
            values[b, :] = 0
            continue
        activation[:] = 0
        for start in range(indptr[b], indptr[b + 1], _EXACT_ROWS):
            # sums of whole numbers in double precision: exact like those of integers, and faster
            part[:] = 0
            for k in range(start, min(start + _EXACT_ROWS, indptr[b + 1])):
                row = synapses[rows[k]]
                for m in range(n_cells):
                    part[m] += np.rint(max(row[m], floor) * gain)
            for m in range(n_cells):
                activation[m] += np.int64(part[m])
        _collect_top(activation, n_top, cells[b])
        for j in range(n_top):
            values[b, j] = activation[cells[b, j]]
        _sort_by_value(cells[b], values[b])


@njit(inline="always", **OPTIONS)
def _pair(before, after, ordered):
    """Return the row and the column in which a pair is counted."""
    if ordered or before <= after:
        return before, after
    return after, before


@njit(**OPTIONS)
def size_pairs(ids, offsets, reach, ordered, first, last, sizes):
    """Count the pairs of each row in the sentences ``first`` to ``last``."""
    for s in range(first, last):
        for p in range(offsets[s], offsets[s + 1]):
            if ids[p] < 0:
                continue
            for q in range(p + 1, min(p + reach + 1, offsets[s + 1])):
                if ids[q] >= 0:
                    row, _ = _pair(ids[p], ids[q], ordered)
                    sizes[row] += 1


@njit(**OPTIONS)
def gather_pairs(ids, offsets, reach, ordered, first, last, places, others):
    """Write the columns of the pairs of some sentences to the positions of their rows."""
    for s in range(first, last):
        for p in range(offsets[s], offsets[s + 1]):
            if ids[p] < 0:
                continue
            for q in range(p + 1, min(p + reach + 1, offsets[s + 1])):
                if ids[q] >= 0:
                    row, column = _pair(ids[p], ids[q], ordered)
                    others[places[row]] = column
                    places[row] += 1


@njit(**OPTIONS)
def merge_pairs(places, first, last, others, tally, words, groups, counts, sizes):
    """Count equal columns in the rows ``first`` to ``last``, in place; return where they end.

    ``others`` gets the distinct columns of each row, in order, and ``counts`` how often each
    occurred. A bit in ``words`` marks a column, and a bit in ``groups`` a nonzero word of 64 such
    bits: reading them in order needs no sort. Like ``tally``, they must be zero, and are again
    afterwards.
    """
    n_found = places[first]
    for i in range(first, last):
        start = n_found
        for k in range(places[i], places[i + 1]):
            column = np.uint64(others[k])
            tally[column] += 1
            word = column >> _SIX
            words[word] |= _ONE_BIT << (column & _LOW_SIX)
            groups[word >> _SIX] |= _ONE_BIT << (word & _LOW_SIX)
        for g in range(groups.shape[0]):
            group, groups[g] = groups[g], _NO_BIT
            while group:
                word = np.uint64(g) << _SIX | trailing_zeros(group)
                group &= group - _ONE_BIT
                bits, words[word] = words[word], _NO_BIT
                while bits:
                    column = word << _SIX | trailing_zeros(bits)
                    bits &= bits - _ONE_BIT
                    others[n_found] = column  # never beyond the input already read
                    counts[n_found] = tally[column]
                    tally[column] = 0
                    n_found += 1
        sizes[i] = n_found - start
    return n_found


@njit(**OPTIONS)
def size_sums(left_ends, left, right_ends, right, first, last, sizes):
    """Count the columns in either of two sparse matrices, in the rows ``first`` to ``last``.

    Columns are sorted. The loop has no branch, which processors could not predict.
    """
    for i in range(first, last):
        j, k, n_both = left_ends[i], right_ends[i], 0
        while j < left_ends[i + 1] and k < right_ends[i + 1]:
            column, other = left[j], right[k]
            j += column <= other
            k += other <= column
            n_both += column == other
        sizes[i] = left_ends[i + 1] - left_ends[i] + right_ends[i + 1] - right_ends[i] - n_both


@njit(**OPTIONS)
def add_sparse(
    left_ends, left, left_data, right_ends, right, right_data, ends, columns, data, first, last
):
    """Write the sum of two sparse matrices, in the rows ``first`` to ``last``."""
    for i in range(first, last):
        j, k, n = left_ends[i], right_ends[i], ends[i]
        while j < left_ends[i + 1] and k < right_ends[i + 1]:
            column, other = left[j], right[k]
            of_left, of_right = column <= other, other <= column
            columns[n] = min(column, other)
            data[n] = left_data[j] * of_left + right_data[k] * of_right
            j += of_left
            k += of_right
            n += 1
        for rest in range(j, left_ends[i + 1]):
            columns[n], data[n] = left[rest], left_data[rest]
            n += 1
        for rest in range(k, right_ends[i + 1]):
            columns[n], data[n] = right[rest], right_data[rest]
            n += 1


@njit(**OPTIONS)
def multiply_sparse(ends, columns, data, dense, first, last, n_at_a_time, product):
    """Add the rows ``first`` to ``last`` of a product; ``dense`` is (blocks, rows, ``COLUMNS``).

    As many rows of ``dense`` as fit in a cache are read at a time, which needs sorted columns.
    Each pass adds four terms in order, so that each sum is read and written less often.
    """
    places = np.empty(last - first, np.int64)
    for b in range(dense.shape[0]):
        block = dense[b]
        places[:] = ends[first:last]
        for limit in range(n_at_a_time, block.shape[0] + n_at_a_time, n_at_a_time):
            for i in range(first, last):
                k, stop = places[i - first], ends[i + 1]
                total = product[b, i]
                while k + 3 < stop and columns[k + 3] < limit:
                    row0, row1, row2, row3 = (
                        columns[k],
                        columns[k + 1],
                        columns[k + 2],
                        columns[k + 3],
                    )
                    value0, value1, value2, value3 = data[k], data[k + 1], data[k + 2], data[k + 3]
                    for c in range(COLUMNS):
                        total[c] = (
                            ((total[c] + value0 * block[row0, c]) + value1 * block[row1, c])
                            + value2 * block[row2, c]
                        ) + value3 * block[row3, c]
                    k += 4
                while k < stop and columns[k] < limit:
                    row, value = columns[k], data[k]
                    for c in range(COLUMNS):
                        total[c] += value * block[row, c]
                    k += 1
                places[i - first] = k
