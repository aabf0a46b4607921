"""The engine protocol: a few array functions, implemented with numpy, numba and CuPy.

Arrays, not words
-----------------
``synapses``
    ``(2V, K)`` float32, C order. Row ``i < V`` is word ``i`` as context, row ``V + i`` is word
    ``i`` as target; column ``m`` is Kenyon cell ``m``.
``ids``, ``offsets``
    Sentences. ``ids`` (int32) holds consecutive word ids, ``-1`` for an unknown word, which
    takes up a position but gives no input; sentence ``s`` is
    ``ids[offsets[s]:offsets[s + 1]]``.
``winners``
    int32, one entry per position of ``ids``: the cell that wins the window centred there, or
    ``-1`` if there is no window (nothing known in it; or cut off by the end of the sentence
    where ``truncate`` is false).
``drives``
    ``(2V, K)`` int16: what each row of the synapses adds to the activation of each cell.

Where arrays live
-----------------
Arrays of the size of the model (synapses, counts, increments, drives) stay where the engine
computes, and only the engine touches them: it makes them (``zeros``, ``new_drives``, ``put``),
changes them in place, and returns them as numpy arrays (``get``). On the CPU they are numpy
arrays themselves, and ``put`` and ``get`` copy nothing. Everything else is numpy everywhere.

Competition in whole numbers
----------------------------
The activation of cell ``m`` is the sum of ``max(W[i, m], floor)`` over the rows that a window
switches on. Float sums depend on the order of their terms, so a running sum, a vector unit and a
GPU would each disagree about near-ties. Every engine therefore adds integers,
``drives = rint(max(synapses, floor) * gain)``: integer addition is exact in any order, and the
same weights give the same winners and codes everywhere. In learning they have 16 bits, which
halves the memory traffic and doubles what a vector unit does at a time; :func:`drive_for`
chooses ``gain`` so that no sum over a window overflows. Bags of any length are added up in 64
bits (:func:`fixed_point_gain`). Ties go to the cell with the lowest number.

Count, then update
------------------
A training step counts, then updates. The engine counts: which cell wins each window, and how
often each word occurs in the windows of each cell (:class:`WindowCounts`). Integer counts have
the same sum in any order, across threads, devices and machines. The rule updates: its formula is
plain numpy, and an engine may provide a compiled method with the same name and arguments, which
the rule then calls instead (:func:`fused`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine._checks import check_array, check_whole

NEVER = 1e30
"""Placeholder for the log share of a word that never occurs; real ones are at most 0."""


class Drive(NamedTuple):
    """How to turn synapses into activations.

    ``gain`` scales synapses to integers. Synapses below ``floor`` count as ``floor``: 0 keeps
    only excitatory synapses, minus infinity keeps all.
    """

    gain: np.float32
    floor: np.float32


class Batch(NamedTuple):
    """Sentences: consecutive ``ids``, and where each sentence begins (``offsets``)."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Increment(NamedTuple):
    """The sums over one batch of windows, before rates are applied.

    ``overlap`` (float64, K): the sum over a cell's windows of their activation, by the rate of
    each word. ``words`` (int64, 2V) and ``cells`` (int64, (2, K)):
    how many entries were added to each row, and to each cell in the context and the target block.
    """

    overlap: NDArray[np.float64]
    words: NDArray[np.int64]
    cells: NDArray[np.int64]


class Counts(Protocol):
    """How often each word occurs in the windows of each cell, in one batch."""

    @property
    def cell_sizes(self) -> NDArray[np.int64]:
        """Number of windows that each cell won."""

    def add_to(self, sums: Any, rates: NDArray[np.float32], weights: Any) -> Increment:
        """Add the counts, times ``rates`` (one number per word), to ``sums`` in place.

        ``weights`` (synapses or drives, not changed) give the returned overlap, in their units.
        """


@dataclass(frozen=True)
class WindowCounts:
    """Counts of a batch whose winners are known, summed by the engine in one kernel."""

    engine: Engine
    winners: NDArray[np.int32]
    batch: Batch
    window: int
    n_cells: int

    @cached_property
    def cell_sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.winners[self.winners >= 0], minlength=self.n_cells)

    def add_to(self, sums: Any, rates: NDArray[np.float32], weights: Any) -> Increment:
        return self.engine.add_windows(
            sums, rates, weights, *self.batch, self.winners, self.window
        )

    def matrix(self, n_words: int) -> sparse.csr_array:
        """Return the counts themselves, (2V, K), whole numbers in float32."""
        sums = self.engine.zeros((2 * n_words, self.n_cells))
        self.add_to(sums, np.ones(n_words, dtype=np.float32), sums)
        return sparse.csr_array(self.engine.get(sums))


class Counter(Protocol):
    """Count the windows of a batch: an engine, or the workers of a cluster."""

    def count_windows(self, drives: Any, batch: Any, window: int, truncate: bool) -> Counts:
        """Assign each window to its winner, and count the words of each cell's windows."""

    def count_given(
        self, winners: NDArray[np.int32], batch: Any, window: int, n_cells: int
    ) -> Counts:
        """Count for given winners, one per position of the batch."""

    def count_top(
        self, counts: Any, drives: Any, batch: Any, window: int, truncate: bool, n_top: int
    ) -> int:
        """Add one to ``counts[i, m]`` for every word of every window and its most active cells.

        A word counts once per window, be it target, context or both. The ``n_top`` most active
        cells are counted. Return the number of windows.
        """

    def count_pairs(
        self, batch: Any, skipped: NDArray[np.bool_], reach: int, ordered: bool
    ) -> sparse.csr_array:
        """Count how often word ``j`` occurs at most ``reach`` words after word ``i``, (V, V).

        If not ``ordered``, a pair in either order is counted where ``i <= j``. ``skipped`` words
        take up a position but are not counted. Whole numbers (int32), with sorted columns.
        """


class Engine(Counter, Protocol):
    """The kernels; the module's docstring describes the arrays. The first are for numpy's."""

    name: str

    @property
    def n_threads(self) -> int: ...

    def zeros(self, shape: tuple[int, int]) -> Any:
        """Return an array of float32 zeros on the engine's device."""
        return np.zeros(shape, np.float32)

    def new_drives(self, shape: tuple[int, int]) -> Any:
        """Return an array for drives on the engine's device."""
        return np.zeros(shape, np.int16)

    def put(self, array: NDArray[np.float32]) -> Any:
        """Move an array to the engine's device; it may be returned as is."""
        return array

    def put_drives(self, drives: NDArray[np.int16]) -> Any:
        """Move drives to the engine's device; they may be returned as is."""
        return drives

    def get(self, array: Any) -> NDArray[np.float32]:
        """Return an array of this engine as a numpy array, without a copy if possible."""
        found: NDArray[np.float32] = array
        return found

    def scale(self, array: Any, factors: Any) -> None:
        """Multiply an array in place by a number or by one factor per cell."""
        check_array("array", array, np.float32, (None, None), changed=True)
        array *= factors

    def clear_cells(self, counts: Any, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Set the columns ``cells`` to 0, and return the sum that each row loses."""
        check_array("counts", counts, np.float32, (None, None), changed=True)
        cells = check_whole("cells", cells, np.int64, 0, counts.shape[1] - 1)
        removed = np.zeros(len(counts))
        for cell in cells.tolist():  # in this order, on every engine
            removed += counts[:, cell]
            counts[:, cell] = 0
        return removed

    def count_windows(self, drives: Any, batch: Any, window: int, truncate: bool) -> WindowCounts:
        winners = self.find_winners(drives, batch[0], batch[1], window, truncate)
        return WindowCounts(self, winners, batch, window, drives.shape[1])

    def count_given(
        self, winners: NDArray[np.int32], batch: Any, window: int, n_cells: int
    ) -> WindowCounts:
        return WindowCounts(self, winners, batch, window, n_cells)

    def squared_norms(self, synapses: Any) -> NDArray[np.float64]:
        """Return ``|W_m|^2`` of every cell."""

    def set_drives(self, drives: Any, synapses: Any, drive: Drive) -> None:
        """Set ``drives`` to ``rint(max(synapses, floor) * gain)``; ``synapses`` may be numpy's."""

    def find_winners(
        self,
        drives: Any,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
    ) -> NDArray[np.int32]:
        """Return ``argmax_m <W_m, v>`` for the window ``v`` around each position."""

    def add_windows(
        self,
        sums: Any,
        rates: NDArray[np.float32],
        weights: Any,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        winners: NDArray[np.int32],
        window: int,
    ) -> Increment:
        """Add ``rates * v`` of every window to the column of its winner in ``sums``, in place."""

    def add_counts(self, left: sparse.csr_array, right: sparse.csr_array) -> sparse.csr_array:
        """Return the sum of counts, whose columns are in order if theirs are."""

    def multiply_sparse(
        self, matrix: sparse.csr_array, dense: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the product of a sparse and a dense matrix of float32.

        Each entry is summed in the order of the columns, so it does not depend on threads.
        """

    def sum_rows(
        self,
        weights: NDArray[np.int8] | NDArray[np.int16],
        rows: NDArray[np.int32],
        amounts: NDArray[np.float64],
        indptr: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the sum of each bag of rows, each row multiplied by its amount.

        Bag ``b`` is ``rows[indptr[b]:indptr[b + 1]]``. Amounts are whole numbers below ``2**19``:
        sums of up to ``2**19`` rows are then exact in doubles, in any order.
        """

    def top_cells(
        self,
        synapses: NDArray[np.float32],
        drive: Drive,
        rows: NDArray[np.int32],
        indptr: NDArray[np.int64],
        n_top: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the ``n_top`` most active cells of each bag of rows and their activations.

        Bag ``b`` switches on ``rows[indptr[b]:indptr[b + 1]]``. Cells come in order of falling
        activation (in fixed point). An empty bag gives ``-1`` everywhere. ``synapses`` are
        numpy's.
        """


def fused(engine: Engine, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Return the engine's method with the function's name, or the function if it has none."""
    found: Callable[..., Any] = getattr(engine, plain.__name__, plain)
    return found


def fixed_point_gain(largest: float, n_terms: int) -> np.float32:
    """Return the factor that turns weights into integers whose sums fit 32 bits.

    Parameters
    ----------
    largest : float
        A bound on ``|W|``. If it is 0, so is the gain.
    n_terms : int
        Maximum number of weights in a sum.

    Examples
    --------
    >>> float(fixed_point_gain(1.0, 12)) == 2.0**26
    True
    """
    bits = 30 - max(int(n_terms) - 1, 1).bit_length()
    return np.float32(2.0**bits / largest if largest > 0 else 0.0)


def drive_for(largest: float, window: int, floor: float) -> Drive:
    """Return the drive for windows of ``window`` words, given a bound on ``|W|``.

    Sums over ``window + 1`` rows, the most that are ever added, fit 16 bits.

    Examples
    --------
    >>> drive = drive_for(8.0, window=11, floor=0.0)
    >>> 12 * round(8.0 * float(drive.gain))
    32760
    """
    each = (2**15 - 1) / (window + 1) - 0.5
    return Drive(np.float32(each / largest if largest > 0 else 0.0), np.float32(floor))
