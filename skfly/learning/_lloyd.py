"""The fixed-point rule: each cell becomes the weighted mean of the windows it wins.

Given the winners, the energy ``E = - sum <W_m, v * g> / |W_m|`` is smallest at
``W_m = S_m / |S_m|`` with ``S_m`` the sum of ``v * g`` over the windows that ``m`` won: Lloyd's
step of spherical k-means. There is no learning rate. ``S`` remembers about one epoch: it fades by
``1 - 1/n_batches`` before each batch.

The fading is one number for all of ``S`` (``_scale``), applied to what is added instead of to what
is there, and the norms are kept up to date from each batch's increments: no batch costs a pass
over ``V x K`` numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend, fixed_point_gain
from skfly.learning._batches import Batch
from skfly.learning._report import StepReport, normalize_cells

__all__ = ["LloydRule", "word_weights"]

_START_WINDOWS = 50  # for each cell, if the first batch has many more
_START_SHARE = 10
_SMALLEST_SCALE = 1e-3


def word_weights(counts: NDArray[np.int64], shrinkage: float) -> NDArray[np.float32]:
    """Return ``g_i = 1 / (count_i + shrinkage)``; 0 for a word that was never seen.

    Without shrinkage this is the ``1/p`` of the paper up to a factor. With it, a word seen a few
    times does not outvote everything else.

    Examples
    --------
    >>> word_weights(np.array([90, 0]), shrinkage=10)
    array([0.01, 0.  ], dtype=float32)
    """
    with np.errstate(divide="ignore"):
        weights = 1.0 / (counts + shrinkage)
    return np.where(counts > 0, weights, 0.0).astype(np.float32)


class LloydRule:
    """State and steps of the fixed-point rule.

    Parameters
    ----------
    backend : Backend
    n_words, n_cells : int
    weights : ndarray of float32
        ``g``, one number a word.
    window : int
    truncate : bool
    fading : float
        Share of ``S`` that is forgotten before each batch.
    restart_idle : bool
        Whether cells that win nothing for an epoch are started again.
    start_from : ndarray of float32, optional
        ``S`` to go on from. It is changed in place.
    """

    def __init__(
        self,
        backend: Backend,
        n_words: int,
        n_cells: int,
        *,
        weights: NDArray[np.float32],
        window: int,
        truncate: bool,
        fading: float,
        restart_idle: bool = True,
        start_from: NDArray[np.float32] | None = None,
    ) -> None:
        self._backend = backend
        self._weights = weights
        self._window = window
        self._truncate = truncate
        self._fading = fading
        self._restart_idle = restart_idle
        self._scale = 1.0
        shape = (2 * n_words, n_cells)
        self.sums = np.zeros(shape, np.float32) if start_from is None else start_from
        self._squares = backend.squared_norms(self.sums)
        self._idle = self._squares == 0
        self._won = np.zeros(n_cells, dtype=np.int64)

    def start(self, batch: Batch, random: np.random.Generator) -> None:
        """Begin the cells that need it from windows drawn at random from a batch.

        At first that is every cell; later, the cells that won nothing for an epoch.
        """
        cells = np.flatnonzero(self._idle)
        if not len(cells):
            return
        n_positions = len(batch.ids)
        n_each = min(_START_WINDOWS, max(1, n_positions // (_START_SHARE * len(cells))))
        drawn = random.permutation(n_positions)[: n_each * len(cells)]
        winners = np.full(n_positions, -1, dtype=np.int32)
        winners[drawn] = np.resize(cells, len(drawn))
        self._add(batch, winners)
        self._idle[:] = False

    def step(self, batch: Batch, epoch: int) -> StepReport:  # noqa: ARG002
        """Find the winners of a batch and move them."""
        self._scale *= 1.0 - self._fading
        if self._scale < _SMALLEST_SCALE:
            self._rescale()
        gain = fixed_point_gain(np.sqrt(self._squares), self._window + 1)
        winners = self._backend.find_winners(self.sums, gain, *batch, self._window, self._truncate)
        norms = np.sqrt(self._squares)
        overlap = self._add(batch, winners)
        # the unit of S cancels in <W_m, S_m> except for the scale of what was added
        energy = -np.divide(overlap, norms, out=np.zeros_like(norms), where=norms > 0)
        report = StepReport.of(winners, len(norms), float(energy.sum() * self._scale))
        self._won += report.cell_sizes
        return report

    def end_epoch(self) -> None:
        """Clear cells that won nothing, to be started again, and round off the epoch.

        A cell that never wins would keep the mixture it began from, respond a little to
        everything, and blur every code.
        """
        if self._restart_idle:
            self._idle = self._won == 0
            self.sums[:, self._idle] = 0
        self._won[:] = 0
        self._rescale()

    def _rescale(self) -> None:
        """Bring the scale back to 1 and take the norms afresh, so that no rounding piles up."""
        self.sums *= np.float32(self._scale)
        self._scale = 1.0
        self._squares = self._backend.squared_norms(self.sums)

    def finish(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return ``W_m = S_m / |S_m|`` (in the place of ``S``) and the norms ``|S_m|``."""
        self._rescale()
        return normalize_cells(self.sums, self._squares)

    def _add(self, batch: Batch, winners: NDArray[np.int32]) -> NDArray[np.float64]:
        rates = self._weights * np.float32(1.0 / self._scale)
        added = self._backend.add_windows(self.sums, rates, *batch, winners, self._window)
        self._squares += 2 * added.overlap + added.square
        return added.overlap
