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

from skfly.engine import drive_for, fused
from skfly.engine._checks import check_array
from skfly.rules._base import CorpusSize, StepReport, Task
from skfly.rules._windows import WindowRule

__all__ = ["HebbianRule", "hebbian_step", "inverse_frequencies"]

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


def hebbian_step(
    synapses: NDArray[np.float32],
    increments: NDArray[np.float32],
    overlap: NDArray[np.float64],
    learning_rate: float,
) -> tuple[float, float]:
    """Take one max-normalised Hebbian step, in place.

    With ``d`` = ``increments``, the sum of ``v / p`` over the windows that each cell won, and
    ``overlap_m = <W_m, d_m>``: ``dS_m = d_m - overlap_m W_m`` and
    ``W += learning_rate * dS / max|dS|``. ``increments`` is zeroed, ready for the next batch.

    Returns
    -------
    energy : float
        ``- sum_m <W_m, d_m> / |W_m|``, with ``W`` from before the step.
    largest : float
        ``max|W|`` after the step.
    """
    norms = np.sqrt(np.einsum("im,im->m", synapses, synapses, dtype=np.float64))
    step = increments - overlap.astype(np.float32) * synapses
    increments[...] = 0
    largest = np.abs(step).max(initial=0.0)
    if largest > 0:
        synapses += np.float32(learning_rate / largest) * step
    energy = -np.divide(overlap, norms, out=np.zeros_like(overlap), where=norms > 0)
    return float(energy.sum()), float(np.abs(synapses).max(initial=0.0))


class HebbianRule(WindowRule):
    """The published rule."""

    block_size = 1  # small minibatches must mix sentences from many places in the corpus
    floor = -np.inf  # inhibitory synapses count too
    log_ratios = False

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        engine, previous = task.engine, task.previous
        self._take_step = fused(engine, hebbian_step)
        self._rates = inverse_frequencies(task.word_counts, task.settings.shrinkage)
        self._increments = engine.zeros(self._shape)
        self._drives = engine.new_drives(self._shape)
        self._weights: Any = None
        if previous is not None:
            norms = previous.state["norms"].astype(np.float32)
            self._begin(previous.coder.synapses * norms)  # type: ignore[attr-defined]

    @staticmethod
    def _state_shapes(n_words: int, n_cells: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG004
        return {"norms": (n_cells,)}

    @staticmethod
    def auto(size: CorpusSize) -> dict[str, Any]:  # noqa: ARG004
        """Return the settings of the paper."""
        return {
            "n_epochs": 15,
            "batch_size": 10_000,
            "learning_rate": 4e-4,
            "subsample": 0.0,
            "shrinkage": 0.0,
            "truncate_windows": False,
            "decorrelation": None,
        }

    def _begin(self, weights: NDArray[np.float32]) -> None:
        self._largest = float(np.abs(weights).max(initial=0.0))
        self._weights = self._engine.put(weights)

    def _start(self, batch: Any, random: np.random.Generator) -> None:  # noqa: ARG002
        """Draw the initial weights."""
        if self._weights is None:
            weights = random.standard_normal(self._shape, dtype=np.float32)
            weights *= np.float32(_INITIAL_STD)
            self._begin(weights)

    def _learn(self, batch: Any, epoch: int) -> StepReport:
        task = self._task
        drive = drive_for(self._largest, task.window, self.floor)
        self._engine.set_drives(self._drives, self._weights, drive)
        counts = task.counter.count_windows(
            self._drives, batch, task.window, task.settings.truncate_windows
        )
        added = counts.add_to(self._increments, self._rates, self._weights)
        rate = task.settings.learning_rate * (1.0 - epoch / task.n_epochs)
        energy, self._largest = self._take_step(
            self._weights, self._increments, added.overlap, rate
        )
        return StepReport(int(counts.cell_sizes.sum()), energy, counts.cell_sizes)

    def _synapses(self) -> tuple[NDArray[np.float32], float, dict[str, NDArray[np.float64]]]:
        """Return the weights, normalised to length 1 per cell, and their original lengths."""
        norms = np.sqrt(self._engine.squared_norms(self._weights))
        inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        self._engine.scale(self._weights, inverse.astype(np.float32))
        synapses = self._engine.get(self._weights)
        self._increments = self._weights = None  # the consensus needs the memory
        return synapses, float(np.abs(synapses).max(initial=0.0)), {"norms": norms}

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"largest": self._largest}, {"synapses": self._engine.get(self._weights)}

    def _restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_array("synapses", arrays["synapses"], np.float32, self._shape)
        self._begin(arrays["synapses"])
        self._largest = float(numbers["largest"])
