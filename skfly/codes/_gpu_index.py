"""A copy of the codes on a GPU, searched there."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skfly.codes._packed import CodeStore

__all__ = ["GpuIndex"]


class GpuIndex:
    """All codes on the current GPU, for searches of many queries at once.

    Parameters
    ----------
    store : CodeStore
    """

    at_once: ClassVar[bool] = True

    def __init__(self, store: CodeStore) -> None:
        from skfly.backends import get_backend

        backend: Any = get_backend("cupy")
        self._codes = backend.put_codes(store.packed(slice(None)))

    @property
    def nbytes(self) -> int:
        """Memory on the GPU."""
        return int(self._codes.nbytes)

    def pays(self, sizes: NDArray[Any]) -> bool:
        """Whether to search here: always."""
        return bool(len(sizes))

    def best(
        self,
        queries: NDArray[np.uint64],
        classes: Any,
        ranks: Any,
        least: Any,
        found: Any,
        found_ranks: Any,
    ) -> None:
        """Find the best of all codes; see ``InvertedIndex.best``."""
        self._codes.best(queries, classes, ranks, len(least) - 1, found, found_ranks)
