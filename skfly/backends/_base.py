"""What a backend is: a few array functions, the same in numpy, numba and CuPy.

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

``drives``
    ``(2V, K)`` int16: what each row of the synapses adds to the activation of each cell.

Where arrays are
----------------
Arrays of the size of the model (synapses, counts, increments, drives) stay where the backend
computes, and only the backend touches them: it makes them (``zeros``, ``new_drives``, ``put``),
changes them in place, and gives them back as numpy arrays (``get``). On the CPU they are numpy
arrays themselves, and ``put`` and ``get`` copy nothing. Everything else is numpy everywhere.

Competition in whole numbers
----------------------------
The activation of cell ``m`` is the sum of ``max(W[i, m], floor)`` over the rows that a window
switches on. Float sums depend on the order of their terms, so a running sum, a vector unit and a
GPU would each disagree about near-ties. Every backend therefore adds integers,
``drives = rint(max(synapses, floor) * gain)``: integer addition is exact in any order, and the
same weights give the same winners and codes everywhere. In learning they have 16 bits, which
halves the memory to go through and doubles what a vector unit does at a time; :func:`drive_for`
chooses ``gain`` so that no sum over a window overflows. Bags of any length are added up in 64
bits (:func:`fixed_point_gain`). Ties go to the cell with the lowest number.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skfly.backends._checks import check_array, check_whole

__all__ = [
    "NEVER",
    "Backend",
    "Drive",
    "HebbianStep",
    "HostArrays",
    "Increment",
    "drive_for",
    "fixed_point_gain",
    "information_bound",
    "information_terms",
    "rows_of",
]


class Drive(NamedTuple):
    """What turns synapses into activations.

    ``gain`` makes integers of them. Synapses below ``floor`` count as ``floor``: 0 leaves only
    those that excite, minus infinity all.
    """

    gain: np.float32
    floor: np.float32


class Increment(NamedTuple):
    """What one batch of windows added, before rates are applied.

    ``overlap`` (float64, K): the sum over a cell's windows of their activation, by the rate of
    each word. ``words`` (int64, 2V) and ``cells`` (int64, (2, K)):
    how many entries each row, and each cell in the context and the target block, was given.
    """

    overlap: NDArray[np.float64]
    words: NDArray[np.int64]
    cells: NDArray[np.int64]


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

    def zeros(self, shape: tuple[int, int]) -> Any:
        """Return an array of float32 zeros where this backend computes."""
        ...

    def new_drives(self, shape: tuple[int, int]) -> Any:
        """Return an array for drives where this backend computes."""
        ...

    def put(self, array: NDArray[np.float32]) -> Any:
        """Return an array where this backend computes; it may be the same one."""
        ...

    def get(self, array: Any) -> NDArray[np.float32]:
        """Return an array of this backend as a numpy array; it may be the same one."""
        ...

    def scale(self, array: Any, factors: Any) -> None:
        """Multiply an array by a number, or by one for each cell, in place."""
        ...

    def clear_cells(self, counts: Any, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Set the columns ``cells`` to 0, and return how much each row had in them."""
        ...

    def set_drives(self, drives: Any, synapses: Any, drive: Drive) -> None:
        """Set ``drives`` to ``rint(max(synapses, floor) * gain)``; ``synapses`` may be numpy's."""
        ...

    def find_winners(
        self,
        drives: Any,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
    ) -> NDArray[np.int32]:
        """Return ``argmax_m <W_m, v>`` for the window ``v`` around each position."""
        ...

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
        """Add ``rates * v`` of every window to the column of its winner in ``sums``, in place.

        ``rates`` has one entry a word and serves both blocks. ``weights`` (synapses or drives,
        not changed) are for the overlap that is returned, in their units.
        """
        ...

    def information(
        self,
        synapses: Any,
        counts: Any,
        words: NDArray[np.float64],
        cells: NDArray[np.float64],
        shrinkage: float,
    ) -> float:
        """Set ``synapses`` to how much more often words come with a cell than at all.

        ``log((counts + a p) / ((cells + a) p))`` with ``a`` = ``shrinkage`` and ``p`` the share
        of a row in its block, ``words / sum(words)``: pointwise mutual information, shrunk as if
        every cell had ``a`` more words drawn from the whole text. Rows of words never seen are 0,
        ``counts + a p`` is taken as 1e-6 at least, and nothing excites a cell that has neither
        counts nor ``a``. ``synapses`` may be ``counts``. Returns
        ``max(W)``.
        """
        ...

    def information_drives(
        self,
        drives: Any,
        counts: Any,
        words: NDArray[np.float64],
        cells: NDArray[np.float64],
        shrinkage: float,
        drive: Drive,
        ids: NDArray[np.int32] | None = None,
    ) -> None:
        """Set ``drives`` from :meth:`information` without keeping the synapses.

        Where ``ids`` are given, only the rows of these words have to be set: a small batch need
        not pay for the whole vocabulary.
        """
        ...

    def hebbian_step(
        self,
        synapses: Any,
        increments: Any,
        overlap: NDArray[np.float64],
        learning_rate: float,
    ) -> HebbianStep:
        """Take one max-normalised Hebbian step, in place.

        With ``d`` = ``increments``, the sum of ``v / p`` over the windows that each cell won, and
        ``overlap_m = <W_m, d_m>``: ``dS_m = d_m - overlap_m W_m`` and
        ``W += learning_rate * dS / max|dS|``. ``increments`` is zeroed, ready for the next batch.
        """
        ...

    def count_top_cells(
        self,
        counts: Any,
        drives: Any,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
        n_top: int,
    ) -> int:
        """Add one to ``counts[i, m]`` for every word of every window and its most active cells.

        A word counts once in a window, be it target, context or both; ``n_top`` cells are taken.
        Returns the number of windows.
        """
        ...

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
        ...

    def squared_norms(self, synapses: Any) -> NDArray[np.float64]:
        """Return ``|W_m|^2`` of every cell."""
        ...


class HostArrays:
    """The part of a backend that is the same wherever arrays are numpy's."""

    def zeros(self, shape: tuple[int, int]) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    def new_drives(self, shape: tuple[int, int]) -> NDArray[np.int16]:
        return np.zeros(shape, np.int16)

    def put(self, array: NDArray[np.float32]) -> NDArray[np.float32]:
        return array

    def get(self, array: NDArray[np.float32]) -> NDArray[np.float32]:
        return array

    def scale(self, array: NDArray[np.float32], factors: Any) -> None:
        check_array("array", array, np.float32, (None, None), changed=True)
        array *= factors

    def clear_cells(
        self, counts: NDArray[np.float32], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        check_array("counts", counts, np.float32, (None, None), changed=True)
        cells = check_whole("cells", cells, np.int64, 0, counts.shape[1] - 1)
        removed = np.zeros(len(counts))
        for cell in cells.tolist():  # in this order, on every backend
            removed += counts[:, cell]
            counts[:, cell] = 0
        return removed


def fixed_point_gain(largest: float, n_terms: int) -> np.float32:
    """Return the factor that turns weights into integers whose sums fit 32 bits.

    Parameters
    ----------
    largest : float
        A bound on ``|W|``. If it is 0, so is the gain.
    n_terms : int
        The most weights that are ever added up.

    Examples
    --------
    >>> float(fixed_point_gain(1.0, 12)) == 2.0**26
    True
    """
    bits = 30 - max(int(n_terms) - 1, 1).bit_length()
    return np.float32(2.0**bits / largest if largest > 0 else 0.0)


def drive_for(largest: float, window: int, floor: float) -> Drive:
    """Return the drive for windows of ``window`` words, given a bound on ``|W|``.

    Sums over the ``window + 1`` rows that are ever added up fit 16 bits.

    Examples
    --------
    >>> drive = drive_for(8.0, window=11, floor=0.0)
    >>> 12 * round(8.0 * float(drive.gain))
    32760
    """
    each = (2**15 - 1) / (window + 1) - 0.5
    return Drive(np.float32(each / largest if largest > 0 else 0.0), np.float32(floor))


NOTHING = 80.0
"""Taken for the logarithm of the size of a cell that has none, so that nothing excites it."""

NEVER = 1e30
"""Taken for the logarithm of the share of a word that never came; others are at most 0."""


def information_terms(
    words: NDArray[np.float64], cells: NDArray[np.float64], shrinkage: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return what :meth:`Backend.information` needs beside the counts.

    Returns
    -------
    prior, own : ndarray of float32, (2V,)
        ``a p`` and ``log p`` of every row.
    among : ndarray of float32, (2, K)
        ``log(C + a)`` of every cell, as context and as target.
    """
    blocks = words.reshape(2, -1)
    share = (blocks / np.maximum(blocks.sum(axis=1, keepdims=True), 1e-300)).ravel()
    own = np.log(share, out=np.full(len(share), NEVER), where=share > 0)
    raised = cells + shrinkage
    among = np.log(raised, out=np.full(cells.shape, NOTHING), where=raised > 0)
    prior = shrinkage * share
    return prior.astype(np.float32), own.astype(np.float32), among.astype(np.float32)


def rows_of(ids: NDArray[np.int32], n_words: int) -> NDArray[np.int64]:
    """Return the rows of some words, as context and as target.

    Examples
    --------
    >>> rows_of(np.array([2, 0, -1, 2], dtype=np.int32), n_words=3)
    array([0, 2, 3, 5])
    """
    used = np.zeros(n_words + 1, dtype=np.bool_)  # the last is for unknown words, -1
    used[ids] = True
    words = np.flatnonzero(used[:-1])
    return np.concatenate([words, n_words + words])


def information_bound(cells: NDArray[np.float64], shrinkage: float) -> float:
    """Return what :meth:`Backend.information` cannot exceed.

    A word cannot have come with a cell more often than at all, so ``W`` is at most
    ``log((sum(cells) + a) / (cells + a))``.

    Examples
    --------
    >>> round(information_bound(np.array([[10.0, 90.0], [10.0, 90.0]]), 0.0), 3)
    2.303
    """
    whole = cells.sum(axis=1, keepdims=True) + shrinkage
    ratio = np.divide(whole, cells + shrinkage, out=np.ones_like(cells), where=cells > 0)
    return float(np.log(ratio).max(initial=0.0))
