"""What every learning rule tells: of a step, and at its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Learned", "StepReport"]


class StepReport(NamedTuple):
    """Windows of a batch, their energy, and how many each cell won."""

    n_windows: int
    energy: float
    cell_sizes: NDArray[np.int64]

    @classmethod
    def of(cls, winners: NDArray[np.int32], n_cells: int, energy: float) -> StepReport:
        """Return the report for winners, one an entry (-1: no window).

        Winners that are elsewhere have counted themselves (``cell_sizes``).
        """
        sizes = getattr(winners, "cell_sizes", None)
        if sizes is None:
            sizes = np.bincount(winners[winners >= 0], minlength=n_cells)
        return cls(int(sizes.sum()), energy, sizes)


class Learned(NamedTuple):
    """The end of learning.

    ``synapses`` below ``floor`` do not count, ``largest`` is ``max|W|``, and ``state`` holds what
    the rule needs, beside the synapses, to go on.
    """

    synapses: NDArray[np.float32]
    largest: float
    floor: float
    state: dict[str, NDArray[np.float64]]
