"""The fixed-point rule: synapses are what a cell's windows say about words.

Two steps in turn, as in Lloyd's algorithm. Every window goes to the cell that responds most; then
every synapse is set anew from the windows that its cell has won:

    W[i, m] = log( (C[i, m] + a p_i) / ((C_m + a) p_i) )

with ``C[i, m]`` how often word ``i`` came in windows of cell ``m``, ``C_m`` their sum and ``p_i``
the share of the word in all windows: how much more often the word comes with this cell than at
all (pointwise mutual information). ``a`` (``shrinkage``) acts as if every cell had that many more
words drawn from the whole text, so that chance does not look like knowledge. Only synapses above
zero excite their cell. The activation of a cell is then the logarithm of how much likelier it
makes the words of the window; the energy is its mean over the windows' winners, negative. There
is no learning rate.

``C`` remembers about one epoch: it fades by ``1 - 1/n_batches`` before a batch is added. The
fading is one number for all of ``C`` (``_scale``), applied to what is added instead of to what is
there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend, drive_for, information_bound
from skfly.backends._checks import check_array
from skfly.learning._batches import Batch
from skfly.learning._report import Learned, StepReport

__all__ = ["FLOOR", "LloydRule"]

FLOOR = 0.0
"""Synapses below this do not count."""

# A cell begins from some windows, up to this many, which together are a small part of the first
# batch: those of a short text would be a blur of all of it.
_START_WINDOWS = 50
_START_SHARE = 50
_SMALLEST_SCALE = 1e-3


class LloydRule:
    """State and steps of the fixed-point rule.

    Parameters
    ----------
    backend : Backend
    n_words, n_cells : int
    window : int
    truncate : bool
    shrinkage : float
        ``a``.
    fading : float
        Share of ``C`` that is forgotten for each batch.
    restart_idle : bool
        Whether cells that win nothing for an epoch are started again.
    go_on_from : Learned, optional
        What :meth:`finish` returned. It is not changed.
    """

    def __init__(
        self,
        backend: Backend,
        n_words: int,
        n_cells: int,
        *,
        window: int,
        truncate: bool,
        shrinkage: float,
        fading: float,
        restart_idle: bool = True,
        go_on_from: Learned | None = None,
    ) -> None:
        self._backend = backend
        self._window = window
        self._truncate = truncate
        self._shrinkage = shrinkage
        self._fading = fading
        self._restart_idle = restart_idle
        self._scale = 1.0
        shape = (2 * n_words, n_cells)
        if go_on_from is None:
            self.counts = backend.zeros(shape)
            self._words = np.zeros(2 * n_words)
            self._cells = np.zeros((2, n_cells))
        else:
            counts, self._words, self._cells = _recover_counts(go_on_from)
            self.counts = backend.put(counts)
        self._drives = backend.new_drives(shape)
        self._won = np.zeros(n_cells, dtype=np.int64)
        self._idle: NDArray[np.bool_] = np.asarray(self._cells.sum(axis=0) == 0)

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
        """Give the windows of a batch to their winners."""
        a = self._shrinkage / self._scale
        drive = drive_for(information_bound(self._cells, a), self._window, FLOOR)
        self._backend.information_drives(
            self._drives, self.counts, self._words, self._cells, a, drive, batch.ids
        )
        winners = self._backend.find_winners(self._drives, *batch, self._window, self._truncate)
        self._scale *= 1.0 - self._fading  # to nothing, if a batch is all of the text
        if self._scale < _SMALLEST_SCALE:
            self._rescale()
        energy = -self._add(batch, winners) / max(float(drive.gain), 1e-300)
        report = StepReport.of(winners, len(self._won), energy)
        self._won += report.cell_sizes
        return report

    def end_epoch(self) -> None:
        """Clear cells that won nothing, to be started again.

        A cell that never wins would keep the mixture it began from, respond a little to
        everything, and blur every code.
        """
        if self._restart_idle:
            self._idle = self._won == 0
            if self._idle.any():
                self._words -= self._backend.clear_cells(self.counts, np.flatnonzero(self._idle))
                np.maximum(self._words, 0.0, out=self._words)
                self._cells[:, self._idle] = 0
        self._won[:] = 0
        self._rescale()

    def finish(self) -> Learned:
        """Return the synapses, and what is needed to go on. The counts are used up."""
        self._rescale()
        synapses = self.counts  # in place: they may be large
        largest = self._backend.information(
            synapses, self.counts, self._words, self._cells, self._shrinkage
        )
        state = {
            "words": self._words,
            "cells": self._cells,
            "shrinkage": np.array([self._shrinkage], dtype=np.float64),
        }
        return Learned(self._backend.get(synapses), largest, FLOOR, state)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return all that a step changes."""
        arrays: dict[str, NDArray[Any]] = {
            "counts": self._backend.get(self.counts),
            "words": self._words,
            "cells": self._cells,
            "won": self._won,
            "idle": self._idle.astype(np.int32),
        }
        return {"scale": self._scale}, arrays

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Be as the rule was that gave this state."""
        n_rows, n_cells = self.counts.shape
        check_array("counts", arrays["counts"], np.float32, (n_rows, n_cells))
        check_array("words", arrays["words"], np.float64, (n_rows,))
        check_array("cells", arrays["cells"], np.float64, (2, n_cells))
        check_array("won", arrays["won"], np.int64, (n_cells,))
        check_array("idle", arrays["idle"], np.int32, (n_cells,))
        self._scale = float(numbers["scale"])
        if not 0 < self._scale <= 1:
            raise ValueError(f"scale is {self._scale}")
        self.counts = None  # a GPU may not have room for both
        self.counts = self._backend.put(arrays["counts"])
        self._words, self._cells = arrays["words"], arrays["cells"]
        self._won, self._idle = arrays["won"], arrays["idle"].astype(np.bool_)

    def _rescale(self) -> None:
        """Bring the scale back to 1."""
        self._backend.scale(self.counts, np.float32(self._scale))
        self._words *= self._scale
        self._cells *= self._scale
        self._scale = 1.0

    def _add(self, batch: Batch, winners: NDArray[np.int32]) -> float:
        """Count the windows for their winners; returns the sum of their activations, in drives."""
        rates = np.full(len(self._words) // 2, 1.0 / self._scale, dtype=np.float32)
        added = self._backend.add_windows(
            self.counts, rates, self._drives, *batch, winners, self._window
        )
        self._words += added.words / self._scale
        self._cells += added.cells / self._scale
        return float(added.overlap.sum() * self._scale)


def _recover_counts(
    learned: Learned,
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """Return the counts that gave these synapses: the formula above, solved for ``C``."""
    words, cells = learned.state["words"].copy(), learned.state["cells"].copy()
    a = float(learned.state["shrinkage"][0])
    counts = np.exp(learned.synapses)
    for block, rows in enumerate((slice(None, len(words) // 2), slice(len(words) // 2, None))):
        share = (words[rows] / max(words[rows].sum(), 1e-300)).astype(np.float32)[:, None]
        counts[rows] *= share * (cells[block] + a).astype(np.float32)
        counts[rows] -= np.float32(a) * share
    np.maximum(counts, 0.0, out=counts)
    return counts, words, cells
