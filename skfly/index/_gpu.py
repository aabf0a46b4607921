"""An index that keeps a copy of the codes on a GPU and searches them there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.index._bits import to_words
from skfly.index._packed import PackedIndex, Request


class GpuIndex(PackedIndex):
    """Codes in memory and on the current GPU, for searches of many queries at once.

    Searches of a part of the codes (``first`` and ``last``) run on the CPU. A pickle holds a
    :class:`PackedIndex`.

    Parameters
    ----------
    codes : sparse matrix or array-like, (n_codes, n_cells)
        Codes, packed codes or another index, as for :class:`PackedIndex`.
    n_cells : int, optional
        Width of packed codes.
    """

    def __init__(self, codes: Any, n_cells: int | None = None) -> None:
        from skfly.engine import get_engine

        super().__init__(codes, n_cells)
        backend: Any = get_engine("cupy")
        self._on_gpu = backend.put_codes(to_words(self.packed()))

    @property
    def nbytes(self) -> int:
        """Memory of the codes here and on the GPU, in bytes."""
        return super().nbytes + int(self._on_gpu.nbytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedIndex, (PackedIndex(self),)

    def _nearest(
        self, queries: NDArray[np.uint8], request: Request, n_jobs: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if (request.first, request.last) != (0, len(self)):
            return super()._nearest(queries, request, n_jobs)
        found, ranks = np.empty((2, len(queries), request.n), np.int64)
        classes, table, needed = request.ranking[:3]
        self._on_gpu.best(to_words(queries), classes, table, len(needed) - 1, found, ranks)
        return found, ranks
