"""The published rule: the winner takes a small step towards the window.

For each window ``v`` with winner ``m``: ``dW_m = eps * (v/p - <W_m, v/p> W_m)``. As in the
authors' code, the sum of the bracket over a minibatch is divided by its largest absolute entry
before the step is taken, weights start as N(0, 0.02^2), and ``eps`` falls linearly over the
epochs. For hashing, each cell's weights are normalised to length 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend, drive_for
from skfly.backends._checks import check_array
from skfly.learning._batches import Batch
from skfly.learning._report import Learned, StepReport

__all__ = ["FLOOR", "HebbianRule", "inverse_frequencies"]

FLOOR = -np.inf
"""All synapses count, those that inhibit too."""

_INITIAL_STD = 0.02


def inverse_frequencies(counts: NDArray[np.int64], shrinkage: float = 0.0) -> NDArray[np.float32]:
    """Return ``1 / p_i``, with ``p_i`` the share of word ``i`` in the corpus; 0 if never seen.

    ``shrinkage`` is added to the counts first; the published rule has none.

    Examples
    --------
    >>> inverse_frequencies(np.array([3, 1, 0])).round(2)
    array([1.33, 4.  , 0.  ], dtype=float32)
    """
    total = float(max(counts.sum(), 1))
    inverse: NDArray[np.float64] = np.divide(
        total, counts + shrinkage, out=np.zeros(len(counts)), where=counts > 0
    )
    return inverse.astype(np.float32)


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
    go_on_from : Learned, optional
        What :meth:`finish` returned. It is not changed.
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
        go_on_from: Learned | None = None,
    ) -> None:
        self._backend = backend
        self._weights = weights
        self._window = window
        self._truncate = truncate
        self._learning_rate = learning_rate
        self._n_epochs = n_epochs
        self._started = False
        self._shape = (2 * n_words, n_cells)
        self._increments = backend.zeros(self._shape)
        self._drives = backend.new_drives(self._shape)
        if go_on_from is not None:
            self._begin(go_on_from.synapses * go_on_from.state["norms"].astype(np.float32))

    def _begin(self, synapses: NDArray[np.float32]) -> None:
        self._largest = float(np.abs(synapses).max(initial=0.0))
        self.synapses = self._backend.put(synapses)
        self._started = True

    def start(self, batch: Batch, random: np.random.Generator) -> None:  # noqa: ARG002
        """Draw the initial weights."""
        if self._started:
            return
        synapses = random.standard_normal(self._shape, dtype=np.float32)
        synapses *= np.float32(_INITIAL_STD)
        self._begin(synapses)

    def step(self, batch: Batch, epoch: int) -> StepReport:
        """Take one max-normalised step; ``epoch`` is the number of the epoch, from 0."""
        drive = drive_for(self._largest, self._window, FLOOR)
        self._backend.set_drives(self._drives, self.synapses, drive)
        winners = self._backend.find_winners(self._drives, *batch, self._window, self._truncate)
        added = self._backend.add_windows(
            self._increments, self._weights, self.synapses, *batch, winners, self._window
        )
        rate = self._learning_rate * (1.0 - epoch / self._n_epochs)
        done = self._backend.hebbian_step(self.synapses, self._increments, added.overlap, rate)
        self._largest = done.largest
        return StepReport.of(winners, self._shape[1], done.energy)

    def end_epoch(self) -> None:
        """Nothing to do between epochs."""

    def finish(self) -> Learned:
        """Return the synapses, each cell's of length 1, and the lengths they had."""
        norms = np.sqrt(self._backend.squared_norms(self.synapses))
        inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        self._backend.scale(self.synapses, inverse.astype(np.float32))
        synapses = self._backend.get(self.synapses)
        largest = float(np.abs(synapses).max(initial=0.0))
        return Learned(synapses, largest, FLOOR, {"norms": norms})

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return all that a step changes."""
        return {"largest": self._largest}, {"synapses": self._backend.get(self.synapses)}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Be as the rule was that gave this state."""
        check_array("synapses", arrays["synapses"], np.float32, self._shape)
        self._begin(arrays["synapses"])
        self._largest = float(numbers["largest"])
