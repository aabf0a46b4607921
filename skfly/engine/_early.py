"""The engine for codes until there is enough to do to load compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skfly._threads import Kernels, n_threads_for, run_chunks
from skfly.engine import _checks
from skfly.engine._base import Engine
from skfly.engine._numpy import NumpyEngine

KERNELS = Kernels("skfly.engine._kernels")
_ROWS_AT_A_TIME = 128  # so that the cache holds them


class EarlyEngine(NumpyEngine):
    """Codes by numpy, and by another engine once it is worth loading: the same bits.

    Parameters
    ----------
    n_jobs : int or None
        Threads; ``None``: as many as numba is set to use, or would be.
    load : callable
        Returns the other engine.
    """

    name = "early"

    def __init__(self, n_jobs: int | None, load: Callable[[], Engine]) -> None:
        self._n_jobs, self._load = n_jobs, load

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        return n_threads_for(self._n_jobs)

    @cached_property
    def _later(self) -> Engine:
        return self._load()

    def _is_early(self, n_numbers: int) -> bool:
        return not KERNELS.are_worth_loading(n_numbers)

    def sum_rows(self, weights, rows, amounts, indptr):
        early = self._is_early(len(rows) * np.shape(weights)[-1])
        sum_rows = super().sum_rows if early else self._later.sum_rows
        return sum_rows(weights, rows, amounts, indptr)

    def top_cells(self, synapses, drive, rows, indptr, n_top):
        if not self._is_early(len(rows) * np.shape(synapses)[-1]):
            return self._later.top_cells(synapses, drive, rows, indptr, n_top)
        if len(rows) != len(indptr) - 1 or (np.diff(indptr) != 1).any():
            return super().top_cells(synapses, drive, rows, indptr, n_top)
        _checks.check_array("synapses", synapses, np.float32, (None, None))
        _checks.check_top(n_top, synapses.shape[1])
        rows, _ = _checks.check_bags(rows, indptr, len(synapses))
        parts = [rows[at : at + _ROWS_AT_A_TIME] for at in range(0, len(rows), _ROWS_AT_A_TIME)]

        def top(part):
            units = np.maximum(synapses[part], drive.floor)
            units *= drive.gain
            return _top(np.rint(units, out=units), n_top)

        found = run_chunks(top, [(part,) for part in parts], self.n_threads)
        empty = np.empty((0, n_top))
        cells, values = (np.concatenate(some) for some in zip(*found, (empty, empty), strict=True))
        return cells.astype(np.int32), values.astype(np.int64)


def _top(units: NDArray[np.float32], n_top: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the columns of the largest numbers of each row, and these; ties by column.

    Examples
    --------
    >>> cells, values = _top(np.array([[1, 3, 2, 3, 1], [0, 0, 0, 5, 0]], np.float32), 3)
    >>> cells.tolist(), values.tolist()
    ([[1, 3, 2], [3, 0, 1]], [[3.0, 3.0, 2.0], [5.0, 0.0, 0.0]])
    """
    place = units.shape[1] - n_top
    least = np.partition(units, place, axis=1)[:, place, None]
    chosen = units >= least
    more = np.flatnonzero(np.count_nonzero(chosen, axis=1) > n_top)
    if len(more):
        ties = units[more] == least[more]
        room = n_top - np.count_nonzero(units[more] > least[more], axis=1, keepdims=True)
        chosen[more] &= ~ties | (np.cumsum(ties, axis=1) <= room)
    cells = np.flatnonzero(chosen).reshape(-1, n_top) % units.shape[1]
    values = np.take_along_axis(units, cells, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(cells, order, axis=1), np.take_along_axis(values, order, axis=1)
