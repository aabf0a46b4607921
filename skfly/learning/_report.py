"""What the learning rules have in common: the report of a step, and the end of learning."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["StepReport", "normalize_cells"]


class StepReport(NamedTuple):
    """Windows of a batch, their energy, and how many each cell won."""

    n_windows: int
    energy: float
    cell_sizes: NDArray[np.int64]

    @classmethod
    def of(cls, winners: NDArray[np.int32], n_cells: int, energy: float) -> StepReport:
        sizes = np.bincount(winners[winners >= 0], minlength=n_cells)
        return cls(int(sizes.sum()), energy, sizes)


def normalize_cells(
    weights: NDArray[np.float32], squares: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Bring every cell's weights to length 1, in place; return them and the lengths they had.

    A cell without any weight stays as it is.
    """
    norms = np.sqrt(squares)
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    weights *= inverse.astype(np.float32)
    return weights, norms
