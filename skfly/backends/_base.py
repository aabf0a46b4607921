"""What a backend is: six array functions, the same in numpy, numba and CuPy.

Arrays, not words
-----------------
``synapses``
    ``(2V, K)`` float32, C order. Row ``i < V`` is word ``i`` as context, row ``V + i`` is word
    ``i`` as target; column ``m`` is Kenyon cell ``m``.
``ids``, ``offsets``
    Sentences. ``ids`` (int32) holds word ids one after another, ``-1`` for a gap (an unknown
    word: it takes a place and gives no input); sentence ``s`` is
    ``ids[offsets[s]:offsets[s + 1]]``.
``winners``
    int32, one entry a position of ``ids``: the cell that wins the window centred there, or ``-1``
    if there is no window (nothing known in it; or cut off by the end of the sentence where
    ``truncate`` is false).

Competition in fixed point
--------------------------
The activation of cell ``m`` is ``sum_i W[i, m]`` over the rows that a window switches on. Float
sums depend on the order of their terms, so a running sum, a vector unit and a GPU would each
disagree about near-ties. Every backend therefore adds the integers ``rint(synapses * gain)``:
integer addition is exact in any order, and the same weights give the same winners and codes
everywhere. ``gain`` (float32, one number a cell) also carries the cell's normalisation, so that
unnormalised sums can compete without a second copy of them; :func:`fixed_point_gain` chooses it
so that no 32-bit sum can overflow. Ties go to the cell with the lowest number.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Backend", "HebbianStep", "Increment", "fixed_point_gain"]


class Increment(NamedTuple):
    """What one batch added to the synapses, cell by cell (float64, length K).

    ``overlap`` is ``<W_m, d_m>`` with ``W`` from before the step and ``d`` what the batch adds;
    ``square`` is ``|d_m|^2``. Together they keep ``|W_m|^2`` up to date without a pass over ``W``,
    and ``overlap`` is the energy of the batch (ALGORITHM section 2).
    """

    overlap: NDArray[np.float64]
    square: NDArray[np.float64]


class HebbianStep(NamedTuple):
    """What one Hebbian step reports."""

    energy: float
    """``- sum_m <W_m, d_m> / |W_m|``, with ``W`` from before the step."""
    largest: float
    """``max|W|`` after the step."""


class Backend(Protocol):
    """The kernels. See the module's docstring for the arrays."""

    name: str
    n_threads: int

    def find_winners(
        self,
        synapses: NDArray[np.float32],
        gain: NDArray[np.float32],
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
    ) -> NDArray[np.int32]:
        """Return ``argmax_m <W_m, v>`` for the window ``v`` around each position."""
        ...

    def add_windows(
        self,
        sums: NDArray[np.float32],
        rates: NDArray[np.float32],
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        winners: NDArray[np.int32],
        window: int,
    ) -> Increment:
        """Add ``rates * v`` of every window to the column of its winner, in place.

        ``rates`` has one entry a word and serves both blocks.
        """
        ...

    def hebbian_step(
        self,
        synapses: NDArray[np.float32],
        increments: NDArray[np.float32],
        learning_rate: float,
    ) -> HebbianStep:
        """Take one max-normalised Hebbian step, in place.

        With ``d`` = ``increments``, the sum of ``v / p`` over the windows that each cell won:
        ``dS_m = d_m - <W_m, d_m> W_m`` and ``W += learning_rate * dS / max|dS|``.
        ``increments`` is zeroed, ready for the next batch.
        """
        ...

    def count_top_cells(
        self,
        counts: NDArray[np.float32],
        synapses: NDArray[np.float32],
        gain: NDArray[np.float32],
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
        n_top: int,
    ) -> int:
        """Add one to ``counts[target, m]`` for the ``n_top`` most active cells of every window.

        Returns the number of windows (those with a known target).
        """
        ...

    def top_cells(
        self,
        synapses: NDArray[np.float32],
        gain: NDArray[np.float32],
        rows: NDArray[np.int32],
        indptr: NDArray[np.int64],
        n_top: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the ``n_top`` most active cells of each bag of rows and their activations.

        Bag ``b`` switches on ``rows[indptr[b]:indptr[b + 1]]``. Cells come in order of falling
        activation (in fixed point). An empty bag gives ``-1`` everywhere.
        """
        ...

    def squared_norms(self, synapses: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return ``|W_m|^2`` of every cell."""
        ...


def fixed_point_gain(largest: float | NDArray[np.float64], n_terms: int) -> NDArray[np.float32]:
    """Return the factor that turns weights into integers whose sums fit 32 bits.

    Parameters
    ----------
    largest : float or array
        A bound on ``|W|``, of all cells or of each. A cell with bound 0 gets gain 0.
    n_terms : int
        The most weights that are ever added up.

    Examples
    --------
    >>> float(fixed_point_gain(1.0, 12)) == 2.0**26
    True
    """
    bits = 30 - max(int(n_terms) - 1, 1).bit_length()
    bound = np.asarray(largest, dtype=np.float64)
    safe = np.where(bound > 0, bound, 1.0)
    return np.where(bound > 0, 2.0**bits / safe, 0.0).astype(np.float32)
