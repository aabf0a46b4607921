"""The kernels of :class:`PackedIndex` in numpy, for the first queries of a process."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.index._bits import count_ones

BLOCK = 0  # codes whose overlaps are held in a buffer: none is needed here


def overlaps(
    columns: NDArray[np.uint8],
    query: NDArray[np.uint8],
    first: int,
    last: int,
    counts: NDArray[Any],  # noqa: ARG001
    out: NDArray[np.int32],
) -> None:
    """Write the overlaps of the codes ``first`` to ``last`` with a query."""
    out[:] = 0
    for byte in np.flatnonzero(query):
        out += count_ones(columns[byte, first:last] & query[byte])


def weighted_sums(
    columns: NDArray[np.uint8],
    tables: NDArray[np.float64],
    first: int,
    last: int,
    out: NDArray[np.float64],
) -> None:
    """Write, for the codes ``first`` to ``last``, the sum of weights over their cells."""
    out[:] = 0
    for table, column in zip(tables, columns, strict=True):
        out += table[column[first:last]]


def nearest(
    columns: NDArray[np.uint8],
    queries: NDArray[np.uint8],
    classes: NDArray[Any],
    ranks: NDArray[np.int64],
    needed: NDArray[np.int64],  # noqa: ARG001
    floor: int,
    first: int,
    last: int,
    counts: NDArray[Any],
    found: NDArray[np.int64],
    found_ranks: NDArray[np.int64],
) -> None:
    """Find the codes with the highest ranks among ``first`` to ``last`` for packed queries."""
    shared = np.empty(last - first, np.int32)
    of_codes = classes[first:last] if len(classes) > 1 else 0
    for row, query in enumerate(queries):
        overlaps(columns, query, first, last, counts, shared)
        reached = ranks[of_codes, shared]
        best = np.argsort(-reached, kind="stable")[: found.shape[1]]
        found[row] = first + best
        found_ranks[row] = np.where(reached[best] < floor, -1, reached[best])
