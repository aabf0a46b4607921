"""The GPU engine: CUDA kernels through CuPy, on one GPU or several.

It finds the same winners and codes as the CPU, bit for bit: activations and counts are integers,
and floats (synapses, drives) are computed by the same sequence of operations. Only the energy, a
sum of doubles in a different order, may differ in its last digits.

The first GPU holds the model. Every GPU has its own copy of the drives, takes its share of the
windows of a batch, and counts which cells won them; the counts are summed on the first, which
updates the model. Text goes through pinned buffers of bounded size, so little more memory is
needed than for the model (:func:`device_bytes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.engine import _checks, _gpu
from skfly.engine._base import Increment
from skfly.engine._gpu import Gpu, Lane, import_nccl
from skfly.engine._gpu_search import GpuCodes
from skfly.engine._gpu_text import (
    PIECE,
    WARP,
    Drives,
    SortedText,
    send_tokens,
    stride_of,
    warps_for,
)
from skfly.engine._numba import NumbaEngine

# windows counted at a time: batches of up to the default size are counted whole, so that floats
# are added in the same order as on the CPU
_LARGEST_BATCH = 1 << 21
_BATCH_PER_WORD = 64
_TALLY_BYTES = 1 << 23  # words whose counts are held at a time
_PARTS = 256  # runs of words whose overlaps are summed one by one
_ROW_CHUNKS = 32  # as in the numba engine, so that sums of squares have the same bits
_MOST_THREADS = 1024  # of a block
_TOP_ENTRIES = 1 << 21  # cells of windows that are held at a time


def device_bytes(n_rows: int, n_cells: int) -> int:
    """Return a bound on the memory that training needs on each GPU, beyond that of CUDA itself.

    It covers synapses, increments and drives, and buffers of a fixed size.

    Examples
    --------
    >>> device_bytes(2 * 20_000, 600) < 300e6
    True
    """
    n_words = n_rows // 2
    model = n_rows * (2 * 4 * n_cells + 2 * stride_of(n_cells))
    tokens = 3 * 4 * (_most_windows(n_words) + 8192)
    lanes = 2 * 2 * 4 * (PIECE + 8192)
    tallies = 2 * max(_TALLY_BYTES, 8 * n_cells) + _PARTS * 16 * n_cells
    vectors = 10 * 4 * (n_rows + n_cells)
    return model + tokens + lanes + tallies + vectors + (1 << 20)


class CupyEngine(NumbaEngine):
    """Kernels on GPUs, see ``kernels.cu``.

    Pairs of words are counted on the CPU, and their information is whitened by sparse products on
    the first GPU.

    Parameters
    ----------
    cupy : module
    numbers : sequence of int
        The GPUs; the first holds the model.
    """

    name = "cupy"

    def __init__(self, cupy: Any, numbers: Sequence[int]) -> None:
        super().__init__(None)
        self._gpus = [Gpu(cupy, number) for number in numbers]
        self._home = self._gpus[0]
        self._communicators: list[Any] = []
        self._nccl = import_nccl() if len(numbers) > 1 else None
        if self._nccl is not None:
            self._communicators = self._nccl.NcclCommunicator.initAll(list(numbers))

    def __repr__(self) -> str:
        return " and ".join(f"GPU {gpu.number} ({gpu.model})" for gpu in self._gpus)

    @property
    def n_threads(self) -> int:
        # the next batch is prepared while the GPU learns from the last one
        return max(2, super().n_threads)

    def check(self) -> None:
        """Raise an error if a GPU does not run the kernels."""
        for gpu in self._gpus:
            gpu.check()

    # Arrays

    def zeros(self, shape):
        return self._home.zeros(shape, np.float32)

    def new_drives(self, shape):
        return Drives(self._gpus, shape)

    def put_drives(self, drives):
        there = self.new_drives(drives.shape)
        n_rows = max(1, PIECE // there.stride)

        def fill(out, first, last):
            rows = out.reshape(-1, there.stride)
            rows[:, : drives.shape[1]] = drives[first // there.stride : last // there.stride]
            rows[:, drives.shape[1] :] = 0

        self._home.stream_in(there.arrays[0].reshape(-1), fill, n_rows * there.stride)
        there.spread()
        return there

    def put(self, array):
        home = self._home
        with home.device, home.streams[0]:
            there = home.cupy.empty(array.shape, np.float32)
        home.stream_in(there.reshape(-1), _filler(array), PIECE)
        return there

    def get(self, array):
        return self._home.fetch(array)

    def scale(self, array, factors):
        n_rows, n_cells = array.shape
        factors = np.broadcast_to(np.asarray(factors, np.float32), n_cells)
        sent = self._home.send("factors", factors)
        self._home.launch("scale_cells", _gpu.BLOCKS, array, sent, n_rows, n_cells)

    def clear_cells(self, counts, cells):
        home, (n_rows, n_cells) = self._home, counts.shape
        cells = _checks.check_whole("cells", cells, np.int64, 0, n_cells - 1)
        if not len(cells):
            return np.zeros(n_rows)
        sent = home.send("cells", cells.astype(np.int32))
        removed = home.room("removed", n_rows, np.float64)
        n_blocks = -(-n_rows // _gpu.THREADS)
        home.launch("clear_cells", n_blocks, counts, sent, len(cells), n_rows, n_cells, removed)
        return home.fetch(removed)

    def squared_norms(self, synapses):
        home, (n_rows, n_cells) = self._home, synapses.shape
        bounds = np.unique(np.linspace(0, n_rows, _ROW_CHUNKS + 1).astype(np.int64))
        n_parts = len(bounds) - 1
        squares = home.room("squares", n_parts * n_cells, np.float64)
        grid = (-(-n_cells // _gpu.THREADS), n_parts)
        home.launch("add_squares", grid, synapses, home.send("bounds", bounds), n_cells, squares)
        return np.sum(home.fetch(squares).reshape(n_parts, n_cells), axis=0)

    def multiply_sparse(self, matrix, dense):
        _checks.check_array("dense", dense, np.float32, (matrix.shape[1], None))
        matrix.check_format(full_check=True)
        home, n_columns = self._home, dense.shape[1]
        product = np.zeros((matrix.shape[0], n_columns), dtype=np.float32)
        if not matrix.nnz or not n_columns:
            return product
        n_threads = min(_MOST_THREADS, -(-n_columns // WARP) * WARP)
        there = home.room("dense", dense.size, np.float32)
        home.stream_in(there, _filler(np.ascontiguousarray(dense)), PIECE)
        for number, (first, last) in enumerate(_bag_runs(matrix.indptr, n_columns)):
            lane = home.lanes[number % 2]
            lane.finish()
            start, stop = matrix.indptr[first], matrix.indptr[last]
            terms = slice(start, stop)
            sent = [
                lane.send("ends", matrix.indptr[first : last + 1] - start, np.int32),
                lane.send("columns", matrix.indices[terms], np.int32),
                lane.send("terms", matrix.data[terms], np.float32),
            ]
            rows = lane.room("product", (last - first) * n_columns, np.float32)
            given = *sent, there, last - first, n_columns, rows
            where = {"threads": n_threads, "stream": lane.stream}
            home.launch("multiply_sparse", last - first, *given, **where)
            _fetch_then(lane, "product", rows, product[first:last].reshape(-1))
        for lane in home.lanes:
            lane.finish()
        return product

    # Drives

    def set_drives(self, drives, synapses, drive):
        home, n_cells = self._home, drives.shape[1]
        if not isinstance(synapses, np.ndarray):
            self._set_drives(drives, synapses, 0, drive)
        else:
            n_rows = max(1, PIECE // n_cells)
            room = home.room("rows", n_rows * n_cells, np.float32)
            for first in range(0, len(synapses), n_rows):
                part = synapses[first : first + n_rows]
                home.stream_in(room[: part.size], _filler(part), PIECE)
                self._set_drives(drives, room[: part.size].reshape(part.shape), first, drive)
        drives.spread()

    def _set_drives(self, drives, synapses, first, drive):
        n_rows, n_cells = synapses.shape
        rows = drives.arrays[0][first : first + n_rows]
        self._home.launch(
            "set_drives", _gpu.BLOCKS, rows, drives.stride, synapses, n_rows, n_cells, *drive
        )

    def information(self, synapses, counts, terms):
        largest = self._home.zeroed("largest", 1, np.int32)
        table = self._information_table(terms, counts.shape)
        self._home.launch("information", _gpu.BLOCKS, synapses, counts, *table, largest)
        return float(self._home.fetch(largest).view(np.float32)[0])

    def information_drives(self, drives, counts, terms, drive, rows=None):  # noqa: ARG002
        table = self._information_table(terms, counts.shape)
        out = drives.arrays[0], drives.stride
        self._home.launch("information_drives", _gpu.BLOCKS, *out, counts, *table, *drive)
        drives.spread()

    def _information_table(self, terms, shape):
        names = ("prior", "own", "among")
        sent = (self._home.send(name, term) for name, term in zip(names, terms, strict=True))
        return *sent, *shape

    # Learning

    def find_winners(self, drives, ids, offsets, window, truncate):
        _checks.check_cells(drives.shape[1])
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, drives.shape[0] // 2)
        winners = np.empty(len(ids), dtype=np.int32)
        warps = warps_for(window + 1)
        self._wait()
        lanes = [gpu.lanes[number] for number in range(2) for gpu in self._gpus]
        for number, (first, last) in enumerate(_runs(0, len(ids), PIECE)):
            lane = lanes[number % len(lanes)]
            lane.finish()
            tokens, n_before = send_tokens(lane, ids, offsets, first, last, window // 2)
            found = lane.room("winners", last - first, np.int32)
            windows = tokens, tokens.size, n_before, last - first, window, int(truncate)
            lane.gpu.launch(
                "find_winners",
                -(-(last - first) // warps),
                *drives.on(lane.gpu),
                *windows,
                found,
                threads=WARP * warps,
                shared=4 * warps * (window + 1),
                stream=lane.stream,
            )
            _fetch_then(lane, "winners", found, winners[first:last])
        for lane in lanes:
            lane.finish()
        return winners

    def add_windows(self, sums, rates, weights, ids, offsets, winners, window):
        home, (n_rows, n_cells) = self._home, sums.shape
        n_words = n_rows // 2
        _checks.check_array("rates", rates, np.float32, (n_words,))
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, n_words)
        winners = _checks.check_winners(winners, len(ids), n_cells)
        words = np.zeros(n_rows, dtype=np.int64)
        overlap = home.zeroed("overlap", n_cells, np.float64)
        cells = home.zeroed("cell totals", 2 * n_cells, np.int64)
        sent = home.send("rates", rates)
        n_tallied = max(1, _TALLY_BYTES // (2 * 4 * n_cells))
        for parts in self._shares(len(ids), _most_windows(n_words)):
            texts = [
                SortedText(gpu, ids, offsets, part, window // 2, n_words)
                for gpu, part in zip(self._gpus, parts, strict=True)
            ]
            for text, part in zip(texts, parts, strict=True):
                text.send_winners(winners, part)
            for first, last in _runs(0, n_words, n_tallied):
                for text in texts:
                    text.tally_winners(window, first, last, n_cells)
                tally = self._summed("tally", 2 * (last - first) * n_cells)
                self._add_tally(sums, sent, weights, tally, first, last, overlap, cells)
            for text in texts:
                words += text.gpu.fetch(text.words)
        totals = home.fetch(cells).reshape(2, n_cells)
        return Increment(home.fetch(overlap), words, totals)

    def _add_tally(self, sums, rates, weights, tally, first, last, overlap, cells):
        home, (n_rows, n_cells) = self._home, sums.shape
        overlaps = home.room("overlaps", _PARTS * n_cells, np.float64)
        parts = home.room("cell parts", 2 * _PARTS * n_cells, np.int32)
        columns = -(-n_cells // _gpu.THREADS)
        kernel, given = "add_tally_to_sums", (weights, n_cells)
        if isinstance(weights, Drives):
            kernel, given = "add_tally_to_counts", (weights.arrays[0], weights.stride)
        words = tally, first, last - first, n_rows // 2, n_cells
        home.launch(kernel, (columns, _PARTS), sums, rates, *given, *words, overlaps, parts)
        home.launch("add_parts", columns, overlaps, parts, _PARTS, n_cells, overlap, cells)

    def hebbian_step(self, synapses, increments, overlap, learning_rate):
        home, (n_rows, n_cells) = self._home, synapses.shape
        norms = np.sqrt(self.squared_norms(synapses))
        sent = home.send("overlap as float", overlap.astype(np.float32))
        largest = home.zeroed("largest", 2, np.int32)
        arrays, shape = (synapses, increments), (n_rows, n_cells)
        home.launch("hebbian_difference", _gpu.BLOCKS, *arrays, sent, *shape, largest[:1])
        most = float(home.fetch(largest[:1]).view(np.float32)[0])
        factor = np.float32(learning_rate / most if most > 0 else 0.0)
        home.launch("hebbian_apply", _gpu.BLOCKS, *arrays, factor, *shape, largest[1:])
        most = float(home.fetch(largest[1:]).view(np.float32)[0])
        energy = -np.divide(overlap, norms, out=np.zeros_like(overlap), where=norms > 0)
        return float(energy.sum()), most

    def count_top(self, counts, drives, batch, window, truncate, n_top):
        n_words, n_cells = counts.shape
        _checks.check_window(window)
        _checks.check_top(n_top, n_cells)
        ids, offsets = _checks.check_text(batch[0], batch[1], n_words)
        n_windows, n_tallied = 0, max(1, _TALLY_BYTES // (4 * n_cells))
        self._wait()
        for parts in self._shares(len(ids), max(1, _TOP_ENTRIES // n_top)):
            texts = [
                SortedText(gpu, ids, offsets, part, window // 2, n_words)
                for gpu, part in zip(self._gpus, parts, strict=True)
            ]
            for text, part in zip(texts, parts, strict=True):
                text.find_top_cells(drives, part, window, truncate, n_top)
            for first, last in _runs(0, n_words, n_tallied):
                for text in texts:
                    text.tally_top_cells(window, first, last, n_cells)
                tally = self._summed("tally", (last - first) * n_cells)
                added = counts, tally, first, last - first, n_cells
                self._home.launch("add_tally_to_consensus", _gpu.BLOCKS, *added)
            n_windows += sum(int(text.gpu.fetch(text.n_found)[0]) for text in texts)
        return n_windows

    # Hashing

    def top_cells(self, synapses, drive, rows, indptr, n_top):
        home, n_bags, n_cells = self._home, len(indptr) - 1, synapses.shape[1]
        _checks.check_array("synapses", synapses, np.float32, (None, None))
        _checks.check_top(n_top, n_cells)
        rows, indptr = _checks.check_bags(rows, indptr, len(synapses))
        cells = np.full((n_bags, n_top), -1, dtype=np.int32)
        values = np.zeros((n_bags, n_top), dtype=np.int64)
        if not len(rows):
            return cells, values
        weights, places = self._used_rows(synapses, rows)
        for number, (first, last) in enumerate(_bag_runs(indptr, n_top)):
            lane = home.lanes[number % 2]
            lane.finish()
            start, stop = indptr[first], indptr[last]
            staged = lane.pinned("rows", last - first + 1 + stop - start, np.int32)
            staged[: last - first + 1] = indptr[first : last + 1] - start
            staged[last - first + 1 :] = places[start:stop]
            sent = lane.room("rows", staged.size, np.int32)
            sent.set(staged, stream=lane.stream)
            size = (last - first) * n_top
            best, activations = lane.room("cells", size, "i4"), lane.room("values", size, "i8")
            bags = sent[last - first + 1 :], sent[: last - first + 1]
            given = weights, n_cells, *drive, *bags, n_top, best, activations
            where = {"threads": 128, "shared": 8 * n_cells, "stream": lane.stream}
            home.launch("top_of_bags", last - first, *given, **where)
            _fetch_then(lane, "cells", best, cells[first:last].reshape(-1))
            _fetch_then(lane, "values", activations, values[first:last].reshape(-1))
        for lane in home.lanes:
            lane.finish()
        return cells, values

    def _used_rows(self, synapses, rows):
        """Return the rows in use, on the GPU, and the position of each of ``rows`` among them."""
        is_used = np.zeros(len(synapses), dtype=np.bool_)
        is_used[rows] = True
        numbers = np.cumsum(is_used, dtype=np.int32) - 1
        used, n_cells = np.flatnonzero(is_used), synapses.shape[1]
        weights = self._home.room("weights", len(used) * n_cells, np.float32)

        def fill(out, first, last):
            whole = used[first // n_cells : last // n_cells]
            np.take(synapses, whole, axis=0, out=out.reshape(len(whole), n_cells), mode="clip")

        self._home.stream_in(weights, fill, max(1, PIECE // n_cells) * n_cells)
        return weights, numbers[rows]

    # Search

    def put_codes(self, rows: NDArray[np.uint64]) -> GpuCodes:
        """Return packed codes, (n_codes, n_words), on the first GPU."""
        return GpuCodes(self._home, rows)

    # Several GPUs

    def _shares(self, n_windows: int, most: int) -> Iterator[list[tuple[int, int]]]:
        """Yield a run of windows for each GPU until all windows are done."""
        n_gpus = len(self._gpus)
        for first, last in _runs(0, n_windows, most * n_gpus):
            edges = np.linspace(first, last, n_gpus + 1).astype(int).tolist()
            yield list(pairwise(edges))

    def _summed(self, name: str, size: int) -> Any:
        """Sum a buffer of counts over all GPUs into the first one's, and return it."""
        home = self._home
        total = home.room(name, size, np.int32)
        if self._nccl is not None:
            nccl, root = self._nccl, 0
            nccl.groupStart()
            for gpu, communicator in zip(self._gpus, self._communicators, strict=True):
                mine = gpu.room(name, size, np.int32).data.ptr
                kind = nccl.NCCL_INT32, nccl.NCCL_SUM
                communicator.reduce(mine, mine, size, *kind, root, gpu.streams[0].ptr)
            nccl.groupEnd()
            return total
        for gpu in self._gpus[1:]:
            gpu.streams[0].synchronize()
            theirs, copied = gpu.room(name, size, np.int32), home.room(f"{name} 2", size, np.int32)
            with home.device:
                copied.data.copy_from_device_async(theirs.data, copied.nbytes, home.streams[0])
            home.launch("add_tallies", _gpu.BLOCKS, total, copied, np.int64(size))
            home.streams[0].synchronize()  # before the other one counts again
        return total

    def _wait(self) -> None:
        for gpu in self._gpus:
            gpu.wait()


def _most_windows(n_words: int) -> int:
    """Return the number of windows to count at a time."""
    return max(_LARGEST_BATCH, _BATCH_PER_WORD * n_words)


def _runs(first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of at most ``most`` that make up ``range(first, last)``."""
    for start in range(first, last, most):
        yield start, min(start + most, last)


def _bag_runs(indptr: NDArray[np.int64], n_top: int) -> Iterator[tuple[int, int]]:
    """Yield runs of bags with a bounded number of rows and of results."""
    first, n_bags, most = 0, len(indptr) - 1, max(1, PIECE // n_top)
    while first < n_bags:
        last = int(np.searchsorted(indptr, indptr[first] + PIECE, side="right")) - 1
        last = min(max(last, first + 1), first + most, n_bags)
        yield first, last
        first = last


def _filler(array: NDArray[np.float32]) -> Callable[[NDArray[Any], int, int], None]:
    """Return a function that writes a part of an array to a buffer; see :meth:`Gpu.stream_in`."""
    flat = array.reshape(-1)

    def fill(out: NDArray[Any], first: int, last: int) -> None:
        out[:] = flat[first:last]

    return fill


def _fetch_then(lane: Lane, name: str, array: Any, out: NDArray[Any]) -> None:
    """Copy an array to ``out`` when the lane reaches it."""
    staged = lane.pinned(f"{name} back", array.size, array.dtype)
    array.get(stream=lane.stream, out=staged, blocking=False)
    lane.then(lambda: np.copyto(out, staged))
