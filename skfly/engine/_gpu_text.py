"""Text on a GPU: tokens, the places of each word, and the winners of windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.engine import _gpu
from skfly.engine._gpu import Gpu, Lane

WARP = 32
PIECE = 1 << 18
"""Entries that go through a pinned buffer at a time."""

_BEGINS = np.uint32(1 << 31)  # marks the first token of a sentence
_SHARED_BYTES = 48 * 1024  # available to a block on every GPU by default
_MOST_WARPS = 8  # of a block, one a window
_ONE_BLOCK = 1024  # threads, where there is one block


def stride_of(n_cells: int) -> int:
    """Return the length of a row of drives: a whole number of warps.

    Examples
    --------
    >>> stride_of(400)
    416
    """
    return -(-n_cells // WARP) * WARP


def warps_for(n_ints: int) -> int:
    """Return how many warps with this many integers each fit in a block."""
    return max(1, min(_MOST_WARPS, _SHARED_BYTES // (4 * n_ints)))


def send_tokens(
    lane: Lane,
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    first: int,
    last: int,
    half: int,
) -> tuple[Any, int]:
    """Send the tokens that the windows ``first`` to ``last`` see; return how many come before."""
    low, high = max(0, first - half), min(len(ids), last + half)
    staged = lane.pinned("tokens", high - low, np.uint32)
    _write_tokens(staged, ids, offsets, low, high)
    tokens = lane.room("tokens", high - low, np.uint32)
    tokens.set(staged, stream=lane.stream)
    return tokens, first - low


def _write_tokens(
    out: NDArray[np.uint32],
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
) -> None:
    """Write the places ``low`` to ``high`` in the form that ``kernels.cu`` expects."""
    np.add(ids[low:high], 1, out=out.view(np.int32))
    starts = offsets[np.searchsorted(offsets, low) : np.searchsorted(offsets, high)] - low
    out[starts] |= _BEGINS


class Drives:
    """Drives on every GPU, in rows of a whole number of warps."""

    def __init__(self, gpus: list[Gpu], shape: tuple[int, int]) -> None:
        self.shape = shape
        self.stride = stride_of(shape[1])
        self._gpus = gpus
        self.arrays = [gpu.zeros((shape[0], self.stride), np.int16) for gpu in gpus]

    def on(self, gpu: Gpu) -> tuple[Any, int, int, int]:
        """Return the copy of a GPU with its stride, the number of words and that of cells."""
        array = self.arrays[self._gpus.index(gpu)]
        return array, self.stride, self.shape[0] // 2, self.shape[1]

    def spread(self) -> None:
        """Copy the first GPU's drives to the others."""
        if len(self._gpus) > 1:
            self._gpus[0].streams[0].synchronize()
        for gpu, array in zip(self._gpus[1:], self.arrays[1:], strict=True):
            source = self.arrays[0]
            with gpu.device:
                array.data.copy_from_device_async(source.data, source.nbytes, gpu.streams[0])


class SortedText:
    """The tokens around a run of windows on a GPU, and the places of each word among them."""

    def __init__(
        self,
        gpu: Gpu,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        run: tuple[int, int],
        half: int,
        n_words: int,
    ) -> None:
        self.gpu = gpu
        self.n_words = n_words
        self.low, self.high = max(0, run[0] - half), min(len(ids), run[1] + half)
        n = self.high - self.low
        self.tokens = gpu.room("tokens", max(1, n), np.uint32)[:n]
        low = self.low
        gpu.stream_in(
            self.tokens,
            lambda out, a, b: _write_tokens(out, ids, offsets, low + a, low + b),
            PIECE,
        )
        self.begins = gpu.zeroed("begins", n_words + 1, np.int32)
        following = gpu.room("next places", n_words, np.int32)
        self.places = gpu.room("places", max(1, n), np.int32)
        n_blocks = min(_gpu.BLOCKS, max(1, -(-n // _gpu.THREADS)))
        gpu.launch("count_words", n_blocks, self.tokens, n, self.begins)
        gpu.launch(
            "begin_words",
            1,
            self.begins,
            following,
            n_words,
            threads=_ONE_BLOCK,
            shared=4 * _ONE_BLOCK,
        )
        gpu.launch("sort_places", n_blocks, self.tokens, n, following, self.places)

    def send_winners(self, winners: NDArray[np.int32], run: tuple[int, int]) -> None:
        """Send the winners of the run; windows beyond it have none."""
        first, last = run[0] - self.low, run[1] - self.low
        self.winners = self.gpu.room("winners", max(1, self.tokens.size), np.int32)
        low = self.low

        def fill(out: NDArray[np.int32], a: int, b: int) -> None:
            out[:] = -1
            a_in, b_in = max(a, first), min(b, last)
            if a_in < b_in:
                out[a_in - a : b_in - a] = winners[low + a_in : low + b_in]

        self.gpu.stream_in(self.winners[: self.tokens.size], fill, PIECE)
        self.words = self.gpu.room("words", 2 * self.n_words, np.int32)

    def tally_winners(self, window: int, first: int, last: int, n_cells: int) -> None:
        """Count for the words ``first`` to ``last`` which cells won the windows they are in."""
        tally = self.gpu.room("tally", 2 * (last - first) * n_cells, np.int32)
        text = self.tokens, self.tokens.size, self.places, self.begins, self.winners
        given = *text, window, first, self.n_words, n_cells, tally, self.words
        self.gpu.launch("tally_winners", last - first, *given, shared=4 * (2 * n_cells + WARP))

    def find_top_cells(
        self, drives: Drives, run: tuple[int, int], window: int, truncate: bool, n_top: int
    ) -> None:
        """Find the most active cells of the windows of the run."""
        n_cells, gpu = drives.shape[1], self.gpu
        self.first, self.n_windows, self.n_top = run[0] - self.low, run[1] - run[0], n_top
        self.top = gpu.room("top", max(1, self.n_windows * n_top), np.int32)
        self.n_found = gpu.zeroed("number found", 1, np.int32)
        if not self.n_windows:
            return
        ints = window + 1 + n_cells  # of shared memory, for a warp
        warps = warps_for(ints)
        text = self.tokens, self.tokens.size
        windows = *text, self.first, self.n_windows, window, int(truncate)
        gpu.launch(
            "find_top_cells",
            -(-self.n_windows // warps),
            *drives.on(gpu),
            *windows,
            n_top,
            self.top,
            self.n_found,
            threads=WARP * warps,
            shared=4 * warps * ints,
        )

    def tally_top_cells(self, window: int, first: int, last: int, n_cells: int) -> None:
        """Count for the words ``first`` to ``last`` the top cells of the windows they are in."""
        tally = self.gpu.room("tally", (last - first) * n_cells, np.int32)
        text = self.tokens, self.tokens.size, self.places, self.begins, self.top, self.n_top
        given = *text, self.first, self.n_windows, window, first, n_cells, tally
        self.gpu.launch("tally_top_cells", last - first, *given, shared=4 * n_cells)
