"""The CPU engine: numba kernels on threads, bit for bit the same for any number of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from skfly._threads import n_threads_for, run_chunks
from skfly.engine import _checks, _kernels
from skfly.engine._base import Engine, Increment

# Floats are summed within chunks and then over chunks, so the number of chunks of words must not
# depend on the number of threads.
_WORD_CHUNKS = 32
_WORTH_THREADS = 1 << 18  # weights to process; fewer take about as long as starting a thread
_CONSENSUS_POSITIONS = 1 << 16  # positions whose top cells are kept at a time
_ROWS_IN_CACHE = 2048  # of a dense matrix, with as many columns as are multiplied at a time
_TERMS_AT_A_TIME = 16  # of a sum; for fewer, it is not worth returning to the sum
_MOST_INT32 = 2**31 - 1


class NumbaEngine(Engine):
    """Threaded kernels, see :mod:`skfly.engine._kernels`.

    Parameters
    ----------
    n_jobs : int or None
        Threads; ``None``: as many as numba is set to use when a kernel is called.
    """

    name = "numba"

    def __init__(self, n_jobs: int | None = 1) -> None:
        self._n_jobs = n_jobs

    @property
    def n_threads(self) -> int:
        return n_threads_for(self._n_jobs)

    def set_drives(self, drives, synapses, drive):
        _checks.check_model("drives", drives, np.int16, changed=True)
        _checks.check_array("synapses", synapses, np.float32, drives.shape)
        self._run_even(
            lambda first, last: _kernels.set_drives(drives, synapses, *drive, first, last),
            *synapses.shape,
        )

    def find_winners(self, drives, ids, offsets, window, truncate):
        _checks.check_model("drives", drives, np.int16)
        _checks.check_top(1, drives.shape[1])
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, len(drives) // 2)
        return self._top_of_windows(drives, ids, offsets, window, truncate, 1)[:, 0]

    def _top_of_windows(self, drives, ids, offsets, window, truncate, n_top):
        top = np.full((len(ids), n_top), -1, dtype=np.int32)
        if len(drives) == 0:
            return top  # the kernel reads the first row when there is nothing to add
        n_threads = self._threads_for(len(ids), drives.shape[1])
        order = (_kernels.LAST_CELL - np.arange(drives.shape[1])).astype(np.uint16)
        windows = drives, ids, offsets, window, truncate
        run_chunks(
            lambda first, last: _kernels.find_top_cells(
                *windows, first, last, order, top[offsets[first] : offsets[last]]
            ),
            _balanced(offsets, 8 * n_threads),
            n_threads,
        )
        return top

    def add_windows(self, sums, rates, weights, ids, offsets, winners, window):
        _checks.check_model("sums", sums, np.float32, changed=True)
        n_rows, n_cells = sums.shape
        _checks.check_array("rates", rates, np.float32, (n_rows // 2,))
        _checks.check_array("weights", weights, (np.float32, np.int16), sums.shape)
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, n_rows // 2)
        winners = _checks.check_winners(winners, len(ids), n_cells)
        order, begins = _sorted_positions(ids, len(rates))
        words = np.zeros(n_rows, dtype=np.int64)
        winners = np.where(winners < 0, n_cells, winners).astype(np.uint16)
        windows = offsets, winners, window // 2, order, begins, _sentence_numbers(offsets)

        def kernel(first, last):
            seen = np.zeros((2, n_cells + 1), np.int32)
            overlap, cells = np.zeros(n_cells), np.zeros((2, n_cells), np.int64)
            found = seen, overlap, words, cells
            _kernels.add_windows(sums, rates, weights, *windows, first, last, *found)
            return overlap, cells

        threads = self._threads_for(len(ids), window)
        parts = run_chunks(kernel, word_chunks(begins), threads)
        overlap = np.sum([overlap for overlap, _ in parts], axis=0)
        return Increment(overlap, words, np.sum([cells for _, cells in parts], axis=0))

    def information(self, synapses, counts, terms):
        _checks.check_model("synapses", synapses, np.float32, changed=True)
        _checks.check_array("counts", counts, np.float32, synapses.shape)
        _check_terms(terms, synapses.shape)
        largest = self._run_even(
            lambda first, last: _kernels.information(synapses, counts, *terms, first, last),
            *synapses.shape,
        )
        return float(max(largest))

    def information_drives(self, drives, counts, terms, drive, rows=None):
        _checks.check_model("drives", drives, np.int16, changed=True)
        _checks.check_array("counts", counts, np.float32, drives.shape)
        _check_terms(terms, drives.shape)
        if rows is None:
            rows = np.arange(len(drives))
        rows = _checks.check_whole("rows", rows, np.int64, 0, len(drives) - 1)
        self._run_even(
            lambda first, last: _kernels.information_drives(
                drives, counts, *terms, *drive, rows[first:last]
            ),
            len(rows),
            drives.shape[1],
        )

    def hebbian_step(self, synapses, increments, overlap, learning_rate):
        _checks.check_model("synapses", synapses, np.float32, changed=True)
        _checks.check_array("increments", increments, np.float32, synapses.shape, changed=True)
        _checks.check_array("overlap", overlap, np.float64, synapses.shape[1:])
        norms = np.sqrt(self.squared_norms(synapses))
        as_float = overlap.astype(np.float32)

        def difference(first, last):
            return _kernels.hebbian_difference(synapses, increments, as_float, first, last)

        largest = max(self._run_even(difference, *synapses.shape))
        factor = np.float32(learning_rate / largest if largest > 0 else 0.0)

        def apply(first, last):
            return _kernels.hebbian_apply(synapses, increments, factor, first, last)

        largest = max(self._run_even(apply, *synapses.shape))
        energy = -np.divide(overlap, norms, out=np.zeros_like(overlap), where=norms > 0)
        return float(energy.sum()), float(largest)

    def count_top(self, counts, drives, batch, window, truncate, n_top):
        _checks.check_model("drives", drives, np.int16)
        n_words, n_cells = len(drives) // 2, drives.shape[1]
        _checks.check_array("counts", counts, np.float32, (n_words, n_cells), changed=True)
        _checks.check_window(window)
        _checks.check_top(n_top, n_cells)
        ids, offsets = _checks.check_text(batch[0], batch[1], n_words)
        n_windows, n_blocks = 0, max(1, -(-len(ids) // _CONSENSUS_POSITIONS))
        for first, last in _balanced(offsets, n_blocks):
            start, stop = offsets[first], offsets[last]
            block, local = ids[start:stop], offsets[first : last + 1] - start
            top = self._top_of_windows(drives, block, local, window, truncate, n_top)
            arrays = (
                *_sorted_positions(block, len(counts)),
                local,
                _sentence_numbers(local),
            )

            def add(first, last, arrays=arrays, top=top):
                row = np.zeros(n_cells, np.int64)
                _kernels.add_top_cells(counts, *arrays, window // 2, top, row, first, last)

            threads = self._threads_for(len(block), drives.shape[1])
            run_chunks(add, _balanced(arrays[1], _WORD_CHUNKS), threads)
            n_windows += int((top[:, 0] >= 0).sum())
        return n_windows

    def top_cells(self, synapses, drive, rows, indptr, n_top):
        _checks.check_array("synapses", synapses, np.float32, (None, None))
        _checks.check_top(n_top, synapses.shape[1])
        rows, indptr = _checks.check_bags(rows, indptr, len(synapses))
        n_bags, n_threads = len(indptr) - 1, self._threads_for(len(rows), synapses.shape[1])
        cells = np.empty((n_bags, n_top), dtype=np.int32)
        values = np.empty((n_bags, n_top), dtype=np.int64)
        run_chunks(
            lambda first, last: _kernels.top_of_bags(
                synapses, *drive, rows, indptr, first, last, cells, values
            ),
            _balanced(indptr, 4 * n_threads),
            n_threads,
        )
        return cells, values

    def sum_rows(self, weights, rows, amounts, indptr):
        _checks.check_array("weights", weights, (np.int8, np.int16), (None, None))
        rows, indptr = _checks.check_bags(rows, indptr, len(weights))
        _checks.check_array("amounts", amounts, np.float64, (len(rows),))
        sums = np.zeros((len(indptr) - 1, weights.shape[1]))
        n_threads = self._threads_for(len(rows), weights.shape[1])
        run_chunks(
            lambda first, last: _kernels.sum_rows(
                weights, rows, amounts, indptr, first, last, sums
            ),
            _balanced(indptr, 4 * n_threads),
            n_threads,
        )
        return sums

    def count_pairs(self, batch, skipped, reach, ordered):
        text = *_checks.check_pairs(batch, skipped, reach), reach, ordered
        n_words = len(skipped)
        cut = _balanced(text[1], self._threads_for(len(text[0]), reach))  # sentences
        n_threads = len(cut)
        sizes = np.zeros((n_threads, n_words), dtype=np.int64)
        to_size = [(*text, *run, own) for run, own in zip(cut, sizes, strict=True)]
        run_chunks(_kernels.size_pairs, to_size, n_threads)
        ends = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))])
        places = ends[:-1] + np.cumsum(sizes, axis=0) - sizes
        others = np.empty(ends[-1], dtype=np.int32)
        to_gather = [(*text, *run, own, others) for run, own in zip(cut, places, strict=True)]
        run_chunks(_kernels.gather_pairs, to_gather, n_threads)
        counts, found = np.empty(len(others), np.int32), np.zeros(n_words, np.int32)

        def merge(first, last):
            tally = np.zeros(n_words, np.int32)
            bits = np.zeros(n_words // 64 + 1, np.uint64)
            groups = np.zeros(len(bits) // 64 + 1, np.uint64)
            stop = _kernels.merge_pairs(
                ends, first, last, others, tally, bits, groups, counts, found
            )
            return slice(ends[first], stop)

        used = run_chunks(merge, _balanced(ends, 4 * n_threads), n_threads)
        return _counts(
            np.concatenate([counts[part] for part in used] or [counts]),
            np.concatenate([others[part] for part in used] or [others]),
            found,
        )

    def add_counts(self, left, right):
        n_words, n_most = left.shape[0], left.nnz + right.nnz
        of_left, of_right = (
            _checks.check_bags(counts.indices, counts.indptr, n_words)[::-1]
            for counts in (left, right)
        )
        is_usual = left.dtype == right.dtype and left.dtype in (np.int32, np.int64)
        is_sorted = left.has_canonical_format and right.has_canonical_format
        if not (is_usual and is_sorted) or n_most > _MOST_INT32:
            return left + right
        sizes = np.empty(n_words, np.int32)
        chunks = _balanced(of_left[0] + of_right[0], self.n_threads)
        run_chunks(
            lambda first, last: _kernels.size_sums(*of_left, *of_right, first, last, sizes),
            chunks,
            self._threads_for(n_most, 1),
        )
        ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        columns, data = np.empty(ends[-1], np.int32), np.empty(ends[-1], left.dtype)
        run_chunks(
            lambda first, last: _kernels.add_sparse(
                *of_left, left.data, *of_right, right.data, ends, columns, data, first, last
            ),
            chunks,
            self._threads_for(n_most, 1),
        )
        return _counts(data, columns, sizes)

    def multiply_sparse(self, matrix, dense):
        _checks.check_array("dense", dense, np.float32, (matrix.shape[1], None))
        matrix.check_format(full_check=True)
        n_inner, n_columns = dense.shape
        width = _kernels.COLUMNS
        parts = [slice(start, start + width) for start in range(0, n_columns, width)]
        blocks = np.zeros((len(parts), n_inner, width), dtype=np.float32)
        for block, part in zip(blocks, parts, strict=True):
            block[:, : min(width, n_columns - part.start)] = dense[:, part]
        product = np.zeros((len(parts), matrix.shape[0], width), dtype=np.float32)
        n_at_a_time = max(n_inner, 1)
        if matrix.has_sorted_indices:
            worth = _TERMS_AT_A_TIME * n_inner * matrix.shape[0] // max(matrix.nnz, 1)
            n_at_a_time = min(n_at_a_time, max(_ROWS_IN_CACHE, worth))
        rows = matrix.indptr, matrix.indices, matrix.data
        run_chunks(
            lambda first, last: _kernels.multiply_sparse(
                *rows, blocks, first, last, n_at_a_time, product
            ),
            _balanced(matrix.indptr, 4 * self.n_threads),
            self._threads_for(matrix.nnz, n_columns),
        )
        found = np.empty((matrix.shape[0], n_columns), dtype=np.float32)
        for block, part in zip(product, parts, strict=True):
            found[:, part] = block[:, : min(width, n_columns - part.start)]
        return found

    def squared_norms(self, synapses):
        _checks.check_array("synapses", synapses, np.float32, (None, None))

        def kernel(first, last):
            square = np.zeros(synapses.shape[1])
            _kernels.add_squares(synapses, first, last, square)
            return square

        return np.sum(self._run_even(kernel, *synapses.shape), axis=0)

    def _run_even(self, kernel, n_items, n_cells):
        """Run a kernel on runs of items."""
        n_threads = self._threads_for(n_items, n_cells)
        return run_chunks(kernel, _even(n_items, _WORD_CHUNKS), n_threads)

    def _threads_for(self, n_positions: int, n_cells: int) -> int:
        """Return how many threads are worth starting for this much work."""
        return self.n_threads if n_positions * n_cells > _WORTH_THREADS else 1


def _check_terms(terms, shape):
    for name, term in zip(("prior", "own"), terms, strict=False):
        _checks.check_array(name, term, np.float32, shape[:1])
    _checks.check_array("among", terms[2], np.float32, (2, shape[1]))


def word_chunks(begins: np.ndarray) -> list[tuple[int, int]]:
    """Return the runs of words that :meth:`NumbaEngine.add_windows` adds up one by one."""
    return _balanced(begins, _WORD_CHUNKS)


def _sorted_positions(ids: np.ndarray, n_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the known positions, sorted by word and place, and the start of each word."""
    begins = np.zeros(n_words + 2, dtype=np.int64)
    order = np.empty(len(ids), dtype=np.int32)
    _kernels.sort_positions(ids, begins, order)
    return order[: begins[n_words]], begins[:-1]


def _sentence_numbers(offsets: np.ndarray) -> np.ndarray:
    """Return the sentence that each position belongs to."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))


def _even(n_items: int, n_chunks: int) -> list[tuple[int, int]]:
    """Cut ``range(n_items)`` into at most ``n_chunks`` non-empty runs of equal length."""
    bounds = np.unique(np.linspace(0, n_items, n_chunks + 1).astype(np.int64))
    return list(pairwise(bounds.tolist()))


def _balanced(offsets: np.ndarray, n_chunks: int) -> list[tuple[int, int]]:
    """Cut the items that ``offsets`` delimits into runs of about equal total length.

    Every item, even an empty one, falls into exactly one run.
    """
    last = len(offsets) - 1
    aims = offsets[0] + (offsets[-1] - offsets[0]) * np.arange(1, n_chunks) / n_chunks
    inner = np.searchsorted(offsets, aims, side="left")
    bounds = np.unique(np.concatenate([[0], np.minimum(inner, last), [last]]))
    return list(pairwise(bounds.tolist()))


def _counts(data: np.ndarray, columns: np.ndarray, sizes: np.ndarray) -> sparse.csr_array:
    """Return counts of pairs of words as a matrix with sorted columns."""
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int32)
    counts = sparse.csr_array((data, columns, ends), shape=(len(sizes), len(sizes)))
    counts.has_canonical_format = True
    return counts
