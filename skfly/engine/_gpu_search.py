"""Packed codes on a GPU, and search for the nearest of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.engine._gpu import Gpu, Lane

_PIECE = 1 << 15  # 64-bit words of codes sent at a time
_CODES_A_BLOCK = 8192  # whose ranks fit in the shared memory of a block of threads
_FOUND = 1 << 20  # candidates of all queries kept at a time
_MOST_QUERIES = 1 << 12


class GpuCodes:
    """Codes on a GPU.

    Parameters
    ----------
    gpu : Gpu
    rows : ndarray of uint64, (n_codes, n_words)
        Packed codes.
    """

    def __init__(self, gpu: Gpu, rows: NDArray[np.uint64]) -> None:
        self._gpu = gpu
        self.n_codes, self.n_words = rows.shape
        self._columns = gpu.zeros((rows.size,), np.uint64)
        columns = np.ascontiguousarray(rows.T).reshape(-1)

        def fill(out: NDArray[Any], first: int, last: int) -> None:
            out[:] = columns[first:last]

        gpu.stream_in(self._columns, fill, _PIECE)

    @property
    def nbytes(self) -> int:
        """Memory on the GPU."""
        return int(self._columns.nbytes)

    def best(
        self,
        queries: NDArray[np.uint64],
        classes: NDArray[Any],
        ranks: NDArray[np.int64],
        n_ranks: int,
        found: NDArray[np.int64],
        found_ranks: NDArray[np.int64],
    ) -> None:
        """Find the nearest codes of each packed query, like the CPU kernels.

        A code of class ``c`` that shares ``o`` cells with a query has rank ``ranks[c, o]``, below
        ``n_ranks``; ``classes`` has one entry if all codes are in one class. Ids, best first and
        ties in order, and ranks are written to the last two arrays.
        """
        gpu, n_best = self._gpu, found.shape[1]
        n_blocks = -(-self.n_codes // _CODES_A_BLOCK)
        n_each = min(n_best, _CODES_A_BLOCK)
        step = max(1, min(_MOST_QUERIES, _FOUND // (n_blocks * n_each)))
        table = (
            gpu.send("classes", classes.astype(np.uint16)),
            int(len(classes) == 1),
            gpu.send("ranks", ranks.astype(np.int32)),
            ranks.shape[1],
            n_ranks,
        )
        gpu.wait()
        for number, first in enumerate(range(0, len(queries), step)):
            lane, last = gpu.lanes[number % 2], min(first + step, len(queries))
            lane.finish()
            staged = lane.pinned("queries", (last - first) * self.n_words, np.uint64)
            staged[:] = queries[first:last].reshape(-1)
            sent = lane.room("queries", staged.size, np.uint64)
            sent.set(staged, stream=lane.stream)
            size = (last - first) * n_blocks * n_each
            rows, their_ranks = (lane.room(name, size, np.int32) for name in ("found", "its rank"))
            codes = self._columns, self.n_codes, self.n_words
            given = *codes, sent, *table, _CODES_A_BLOCK, n_each, rows, their_ranks
            where = {"shared": 4 * (32 + _CODES_A_BLOCK), "stream": lane.stream}
            gpu.launch("best_codes", (n_blocks, last - first), *given, **where)
            _merge_then(lane, rows, their_ranks, found[first:last], found_ranks[first:last])
        for lane in gpu.lanes:
            lane.finish()


def _merge_then(lane: Lane, rows: Any, ranks: Any, found: Any, found_ranks: Any) -> None:
    """Merge the results of all blocks when the lane has finished."""
    staged = [lane.pinned(name, rows.size, np.int32) for name in ("rows back", "ranks back")]
    rows.get(stream=lane.stream, out=staged[0], blocking=False)
    ranks.get(stream=lane.stream, out=staged[1], blocking=False)

    def merge() -> None:
        n_queries, n_best = found.shape
        all_rows, all_ranks = (part.reshape(n_queries, -1) for part in staged)
        # blocks come in the order of the codes, so a stable sort keeps equal ones in it
        order = np.argsort(-all_ranks, axis=1, kind="stable")[:, :n_best]
        found[:] = np.take_along_axis(all_rows, order, axis=1)
        found_ranks[:] = np.take_along_axis(all_ranks, order, axis=1)

    lane.then(merge)
