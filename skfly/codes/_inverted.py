"""An inverted index over Kenyon cells: for each cell, which codes have it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skfly.backends._threads import run_chunks
from skfly.codes._packed import CodeStore, check_rows, unpack_rows

__all__ = ["InvertedIndex"]

_CODES_A_CHUNK = 1 << 16


class InvertedIndex:
    """A bit plane for each cell, in which bit ``i`` says whether code ``i`` has it.

    A search reads the planes of the query's cells only, and adds them up 64 codes at a time. The
    result is exact. The planes take as much memory again as packed codes.

    Parameters
    ----------
    store : CodeStore
    n_threads : int

    Examples
    --------
    >>> from skfly.codes import PackedCodes, pack_rows
    >>> index = InvertedIndex(PackedCodes.from_rows(pack_rows(np.eye(3, 5)), 5))
    >>> index.planes.tolist()
    [[1], [2], [4], [0], [0]]
    """

    at_once: ClassVar[bool] = False  # queries are shared out to threads

    def __init__(self, store: CodeStore, n_threads: int = 1) -> None:
        self.n_cells = store.n_cells
        self.n_codes = len(store)
        self.planes = np.zeros((store.n_cells, -(-len(store) // 64)), dtype=np.uint64)
        run_chunks(
            lambda first: store.fill_planes(
                first, min(first + _CODES_A_CHUNK, self.n_codes), self.planes
            ),
            [(first,) for first in range(0, self.n_codes, _CODES_A_CHUNK)],
            n_threads,
        )

    @property
    def nbytes(self) -> int:
        """Memory of the planes."""
        return int(self.planes.nbytes)

    def pays(self, sizes: NDArray[Any]) -> bool:
        """Whether a search here is faster than one over packed codes.

        Here it costs a bit of each code for each of the query's cells, there a byte for each 8
        cells of which the query has any; measured, they break even at about a fifth of all cells.
        """
        return bool(sizes.mean() * 5 < self.n_cells) if len(sizes) else False

    def best(
        self,
        queries: NDArray[np.uint64],
        classes: Any,
        ranks: Any,
        least: Any,
        found: Any,
        found_ranks: Any,
    ) -> None:
        """Find the best of all codes, as the kernel ``best_of_planes`` does."""
        from skfly.backends import _plane_kernels as kernels

        which, cells = np.nonzero(unpack_rows(check_rows(queries, self.n_cells), self.n_cells))
        indptr = np.searchsorted(which, np.arange(len(queries) + 1))
        kernels.best_of_planes(
            self.planes,
            cells,
            indptr,
            self.n_codes,
            classes,
            ranks,
            least,
            0,
            self.planes.shape[1],
            found,
            found_ranks,
        )
