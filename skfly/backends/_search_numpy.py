"""The search kernels formula by formula: the reference that the compiled ones are tested against.

Here codes are plain 0/1 matrices with one row a code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_codes", "overlaps", "planes", "sums"]


def overlaps(codes: NDArray[Any], query: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many cells each code shares with a query.

    Examples
    --------
    >>> overlaps(np.array([[1, 1, 0], [0, 0, 1]]), np.array([1, 1, 1]))
    array([2, 1])
    """
    return np.asarray(codes.astype(np.int64) @ query.astype(np.int64))


def sums(codes: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sum of weights over the cells of each code.

    Examples
    --------
    >>> sums(np.array([[1, 1, 0], [0, 0, 1]]), np.array([0.5, 1.0, 2.0]))
    array([1.5, 2. ])
    """
    return np.asarray(codes.astype(np.float64) @ weights)


def best_codes(
    codes: NDArray[Any], query: NDArray[Any], scores: NDArray[np.float64], n_best: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes with the best scores, equal ones by their place, and their overlaps.

    Examples
    --------
    >>> codes = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]])
    >>> best_codes(codes, codes[0], np.array([1.0, 0.0, 0.5]), 2)
    (array([0, 2]), array([2, 1]))
    """
    best = np.argsort(-np.round(scores, 12), kind="stable")[:n_best]
    return best, overlaps(codes[best], query)


def planes(codes: NDArray[Any]) -> NDArray[np.uint64]:
    """Return one row of bits for each cell: which codes have it.

    Examples
    --------
    >>> planes(np.array([[1, 0], [1, 0], [0, 1]])).tolist()
    [[3], [4]]
    """
    n_codes, n_cells = codes.shape
    bits = np.zeros((n_cells, -(-n_codes // 64) * 64), dtype=bool)
    bits[:, :n_codes] = codes.T != 0
    packed = np.packbits(bits, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)
