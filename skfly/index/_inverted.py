"""An inverted index: for each Kenyon cell, which codes have it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._threads import n_threads_for, run_chunks
from skfly.index._packed import PackedIndex, Request

_CODES_AT_A_TIME = 1 << 16  # whole words of 64 codes, so that threads do not share one


# For each code, this search reads a bit per cell of the query; one of packed codes reads a byte
# for each 8 cells of which the query has any. By measurement they break even here.
_MOST_ONES = 0.2


class InvertedIndex(PackedIndex):
    """Codes with a bit plane for each cell, in which bit ``i`` says whether code ``i`` has it.

    A search reads only the planes of the query's cells and adds them up 64 codes at a time. This
    is faster than :class:`PackedIndex` if codes have few ones, takes twice the memory, and gives
    the same results. Queries with many ones are compared with the packed codes.

    Parameters
    ----------
    codes : sparse matrix or array-like, (n_codes, n_cells)
        Codes, packed codes or another index, as for :class:`PackedIndex`.
    n_cells : int, optional
        Width of packed codes.
    n_jobs : int or None, default=None
        Threads that build the planes; ``None``: as many as numba is set to use.

    Attributes
    ----------
    planes : ndarray of uint64, (n_cells, ceil(n_codes / 64))

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.index import InvertedIndex
    >>> index = InvertedIndex(np.eye(3, 5))
    >>> index.planes.tolist()
    [[1], [2], [4], [0], [0]]
    """

    def __init__(self, codes: Any, n_cells: int | None = None, n_jobs: int | None = None) -> None:
        from skfly.index import _plane_kernels

        super().__init__(codes, n_cells)
        n_codes = len(self)
        self.planes = np.zeros((self.n_cells, -(-n_codes // 64)), dtype=np.uint64)
        tasks = [
            (self.columns, first, min(first + _CODES_AT_A_TIME, n_codes), self.planes)
            for first in range(0, n_codes, _CODES_AT_A_TIME)
        ]
        run_chunks(_plane_kernels.fill, tasks, n_threads_for(n_jobs))

    @property
    def nbytes(self) -> int:
        """Memory of the codes and the planes, in bytes."""
        return super().nbytes + int(self.planes.nbytes)

    def _run_kernel(
        self, queries: NDArray[np.uint8], request: Request
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        from skfly.index import _plane_kernels

        bits = np.unpackbits(queries, axis=1, count=self.n_cells, bitorder="little")
        if bits.mean() >= _MOST_ONES:
            return super()._run_kernel(queries, request)
        which, cells = np.nonzero(bits)
        indptr = np.searchsorted(which, np.arange(len(queries) + 1))
        ranking, floor, n, first, last = request
        found, ranks = np.empty((2, len(queries), n), np.int64)
        _plane_kernels.nearest(
            self.planes, cells, indptr, *ranking[:3], floor, first, last, found, ranks
        )
        return found, ranks
