"""The published rule: the winner takes a small step towards the window.

For each window ``v`` with winner ``m``: ``dW_m = eps * (v/p - <W_m, v/p> W_m)``. As in the
authors' code, the sum of the bracket over a minibatch is divided by its largest absolute entry
before the step is taken, weights start as N(0, 0.02^2), and ``eps`` falls linearly over the
epochs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend, fixed_point_gain
from skfly.learning._batches import Batch
from skfly.learning._lloyd import word_weights
from skfly.learning._report import StepReport, normalize_cells

__all__ = ["HebbianRule", "inverse_frequencies"]

_INITIAL_STD = 0.02


def inverse_frequencies(counts: NDArray[np.int64], shrinkage: float = 0.0) -> NDArray[np.float32]:
    """Return ``1 / p_i``, with ``p_i`` the share of word ``i`` in the corpus; 0 if never seen.

    ``shrinkage`` is added to the counts first; the published rule has none.

    Examples
    --------
    >>> inverse_frequencies(np.array([3, 1, 0])).round(2)
    array([1.33, 4.  , 0.  ], dtype=float32)
    """
    return word_weights(counts, shrinkage) * np.float32(max(counts.sum(), 1))


class HebbianRule:
    """State and steps of the published rule.

    Parameters
    ----------
    backend : Backend
    n_words, n_cells : int
    weights : ndarray of float32
        ``1/p``, one number a word.
    window : int
    truncate : bool
    learning_rate : float
        ``eps`` at the start.
    n_epochs : int
        Epochs over which it falls to 0.
    start_from : ndarray of float32, optional
        ``W`` to go on from. It is changed in place.
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
        learning_rate: float,
        n_epochs: int,
        start_from: NDArray[np.float32] | None = None,
    ) -> None:
        self._backend = backend
        self._weights = weights
        self._window = window
        self._truncate = truncate
        self._learning_rate = learning_rate
        self._n_epochs = n_epochs
        self._started = start_from is not None
        shape = (2 * n_words, n_cells)
        self.weights = np.zeros(shape, np.float32) if start_from is None else start_from
        self._increments = np.zeros(shape, np.float32)
        self._largest = float(np.abs(self.weights).max(initial=0.0))

    def start(self, batch: Batch, random: np.random.Generator) -> None:  # noqa: ARG002
        """Draw the initial weights."""
        if self._started:
            return
        random.standard_normal(out=self.weights, dtype=np.float32)
        self.weights *= np.float32(_INITIAL_STD)
        self._largest = float(np.abs(self.weights).max())
        self._started = True

    def step(self, batch: Batch, epoch: int) -> StepReport:
        """Take one max-normalised step; ``epoch`` is the number of the epoch, from 0."""
        n_cells = self.weights.shape[1]
        gain = np.full(n_cells, fixed_point_gain(self._largest, self._window + 1), np.float32)
        winners = self._backend.find_winners(
            self.weights, gain, *batch, self._window, self._truncate
        )
        self._backend.add_windows(self._increments, self._weights, *batch, winners, self._window)
        rate = self._learning_rate * (1.0 - epoch / self._n_epochs)
        done = self._backend.hebbian_step(self.weights, self._increments, rate)
        self._largest = done.largest
        return StepReport.of(winners, n_cells, done.energy)

    def end_epoch(self) -> None:
        """Nothing to do between epochs."""

    def finish(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return ``W_m / |W_m|``, as it is used for hashing, and the norms."""
        return normalize_cells(self.weights, self._backend.squared_norms(self.weights))
