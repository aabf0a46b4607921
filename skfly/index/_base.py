"""The protocol of an index."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Index(Protocol):
    """Search codes for the nearest ones, or for all that are similar enough.

    Both methods return ``(ids, scores)``; ``ids[i]`` and ``scores[i]`` belong to query ``i``. An
    id is the position of a code in the index. The most similar codes come first, ties in the
    order of their ids.

    Queries are a sparse matrix or array, (n_queries, n_cells), in which anything not zero counts
    as one, or packed as by :func:`skfly.codes.pack_codes`. ``measure`` is one of those that
    :func:`skfly.codes.similarity` explains. With ``skip_empty=True``, codes without ones are
    never returned, whatever the measure.

    See Also
    --------
    PackedIndex : Compares a query with every code; no preparation.
    InvertedIndex : Faster where codes have few ones, for twice the memory.
    GpuIndex : For many queries at a time.
    """

    def __len__(self) -> int:
        """Return the number of codes."""

    def search(
        self,
        queries: Any,
        n: int,
        *,
        measure: str = "cosine",
        skip_empty: bool = False,
        n_jobs: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the ``n`` nearest codes of each query, or all if there are fewer."""

    def within(
        self,
        queries: Any,
        least: float,
        *,
        measure: str = "cosine",
        skip_empty: bool = False,
        n_jobs: int | None = None,
    ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.float64]]]:
        """Return all codes whose similarity to a query is at least ``least``."""
