"""The fixed-point rule: synapses are set from the windows that a cell wins.

Two steps in turn, as in Lloyd's algorithm. Every window goes to the cell that responds most; then
every synapse is set from the windows that its cell has won:

    W[i, m] = log( (C[i, m] + a p_i) / ((C_m + a) p_i) )

with ``C[i, m]`` how often word ``i`` came in windows of cell ``m``, ``C_m`` their sum and ``p_i``
the share of the word in all windows: how much more often the word occurs with this cell than
overall (pointwise mutual information). ``a`` (``shrinkage``) acts as if every cell had seen that
many more words drawn from the whole text, so that chance does not look like evidence. Only
synapses above zero excite their cell. The activation of a cell is then the logarithm of how much
more likely it makes the words of the window; the energy is minus its mean over the windows'
winners. There is no learning rate.

``C`` remembers about one epoch: it is multiplied by ``1 - 1/n_batches`` before a batch is added.
This decay is one number for all of ``C`` (``_scale``), applied to what is added instead of to
``C`` itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly.engine import Drive, drive_for, fused
from skfly.engine._base import NEVER
from skfly.engine._checks import check_array
from skfly.engine._numpy import fixed_point, log32
from skfly.rules._base import CorpusSize, Learned, StepReport, Task
from skfly.rules._windows import LEARNING, WindowRule

__all__ = [
    "InformationTerms",
    "LloydRule",
    "information",
    "information_bound",
    "information_drives",
    "information_terms",
]

_SHORT_TEXT = 10_000_000  # a shorter text gains from more epochs
_BATCHES_PER_EPOCH = 20
# The largest batch bounds memory for any corpus. Setting the synapses costs the same for a small
# batch as for a large one, so batches grow with the vocabulary: the cost per word stays the
# same.
_LARGEST_BATCH = 1 << 20
_BATCH_PER_WORD = 50
# A cell starts from some windows, at most this many, and all cells from a small part of the first
# batch: of a short text, more would be a blur of all of it.
_START_WINDOWS = 50
_START_SHARE = 50
_SMALLEST_SCALE = 1e-3
_NOTHING = 80.0  # stands in for the logarithm of the size of an empty cell, which nothing excites


class InformationTerms(NamedTuple):
    """The terms of the formula other than the counts."""

    prior: NDArray[np.float32]
    """``a p`` of every row, (2V,)."""
    own: NDArray[np.float32]
    """``log p`` of every row, (2V,)."""
    among: NDArray[np.float32]
    """``log(C + a)`` of every cell, as context and as target, (2, K)."""


def information_terms(
    words: NDArray[np.float64], cells: NDArray[np.float64], shrinkage: float
) -> InformationTerms:
    """Return the terms for the sums of counts over cells and over words."""
    blocks = words.reshape(2, -1)
    share = (blocks / np.maximum(blocks.sum(axis=1, keepdims=True), 1e-300)).ravel()
    own = np.log(share, out=np.full(len(share), NEVER), where=share > 0)
    raised = cells + shrinkage
    among = np.log(raised, out=np.full(cells.shape, _NOTHING), where=raised > 0)
    prior = shrinkage * share
    return InformationTerms(
        prior.astype(np.float32), own.astype(np.float32), among.astype(np.float32)
    )


def information(
    synapses: NDArray[np.float32], counts: NDArray[np.float32], terms: InformationTerms
) -> float:
    """Set ``synapses`` to how much more often words occur with a cell than overall.

    Rows of words never seen are 0, ``counts + a p`` is taken as 1e-6 at least, and nothing excites
    a cell that has neither counts nor ``a``. ``synapses`` may be ``counts``. Returns ``max(W)``.
    """
    prior, own, among = terms
    for block, rows in enumerate(np.split(np.arange(len(own)), 2)):
        raised = np.maximum(counts[rows] + prior[rows, None], np.float32(1e-6))
        found = log32(raised) - own[rows, None] - among[block]
        synapses[rows] = np.where(own[rows, None] < NEVER, found, np.float32(0))
    return float(synapses.max(initial=0.0))


def information_drives(
    drives: NDArray[np.int16],
    counts: NDArray[np.float32],
    terms: InformationTerms,
    drive: Drive,
    rows: NDArray[np.int64] | None = None,
) -> None:
    """Set ``drives`` from :func:`information` without keeping the synapses.

    Where ``rows`` are given, only these have to be set: a small batch need not pay for the whole
    vocabulary.
    """
    synapses = np.empty_like(counts)
    information(synapses, counts, terms)
    chosen: Any = slice(None) if rows is None else rows
    drives[chosen] = fixed_point(synapses[chosen], drive)


def information_bound(cells: NDArray[np.float64], shrinkage: float) -> float:
    """Return an upper bound of :func:`information`.

    A word cannot occur with a cell more often than it occurs at all, so ``W`` is at most
    ``log((sum(cells) + a) / (cells + a))``.

    Examples
    --------
    >>> round(information_bound(np.array([[10.0, 90.0], [10.0, 90.0]]), 0.0), 3)
    2.303
    """
    whole = cells.sum(axis=1, keepdims=True) + shrinkage
    ratio = np.divide(whole, cells + shrinkage, out=np.ones_like(cells), where=cells > 0)
    return float(np.log(ratio).max(initial=0.0))


class LloydRule(WindowRule):
    """The fixed-point rule."""

    block_size = 32
    floor = 0.0
    log_ratios = True

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        engine, n_cells = task.engine, task.n_cells
        self._set_information = fused(engine, information)
        self._set_drives = fused(engine, information_drives)
        self._shrinkage = task.settings.shrinkage
        self._fading = task.new_share / task.n_batches
        self._scale = 1.0
        if task.previous is None:
            self._counts = engine.zeros(self._shape)
            self._words = np.zeros(self._shape[0])
            self._cells = np.zeros((2, n_cells))
        else:
            counts, self._words, self._cells = _recover_counts(task.previous)
            self._counts = engine.put(counts)
        self._drives = engine.new_drives(self._shape)
        self._won = np.zeros(n_cells, dtype=np.int64)
        self._idle: NDArray[np.bool_] = np.asarray(self._cells.sum(axis=0) == 0)

    @staticmethod
    def _state_shapes(n_words: int, n_cells: int) -> dict[str, tuple[int, ...]]:
        return {"words": (2 * n_words,), "cells": (2, n_cells), "shrinkage": (1,)}

    @staticmethod
    def auto(size: CorpusSize) -> dict[str, Any]:
        """Return settings that depend on the length of the text.

        A short text cannot spare its frequent words, needs less shrinkage of rare ones and
        benefits from more epochs.

        Examples
        --------
        >>> small, large = (LloydRule.auto(CorpusSize(n, 20_000, 400)) for n in (10**5, 10**8))
        >>> small["subsample"] > large["subsample"], small["shrinkage"] < large["shrinkage"]
        (True, True)
        """
        share = (size.n_tokens / 1e7) ** 0.75
        batch = max(1, math.ceil(size.n_tokens / _BATCHES_PER_EPOCH))
        most = size.n_shards * max(_LARGEST_BATCH, _BATCH_PER_WORD * size.n_words)
        return {
            "n_epochs": 8 if size.n_tokens < _SHORT_TEXT else 4,
            "batch_size": min(batch, most),
            "learning_rate": 0.0,
            "subsample": 1e-4 / min(max(share, 1e-4), 1.0),
            "shrinkage": 10_000.0 * min(share, 1.0),
            "truncate_windows": True,
            # the second moments of a short text's evidence are mostly chance
            "decorrelation": max(0.05, 0.25 * min(share, 1.0)),
        }

    def _start(self, batch: Any, random: np.random.Generator) -> None:
        """Start the cells that need it from windows drawn at random from a batch.

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
        task = self._task
        self._add(task.counter.count_given(winners, batch, task.window, task.n_cells))
        self._idle[:] = False

    def _learn(self, batch: Any, epoch: int) -> StepReport:  # noqa: ARG002
        """Assign the windows of a batch to their winners."""
        task = self._task
        a = self._shrinkage / self._scale
        drive = drive_for(information_bound(self._cells, a), task.window, self.floor)
        terms = information_terms(self._words, self._cells, a)
        self._set_drives(self._drives, self._counts, terms, drive, self._rows(batch.ids))
        counts = task.counter.count_windows(
            self._drives, batch, task.window, task.settings.truncate_windows
        )
        self._scale *= 1.0 - self._fading  # to 0 if a batch is the whole text
        if self._scale < _SMALLEST_SCALE:
            self._rescale()
        energy = -self._add(counts) / max(float(drive.gain), 1e-300)
        self._won += counts.cell_sizes
        return StepReport(int(counts.cell_sizes.sum()), energy, counts.cell_sizes)

    def _rows(self, ids: Any) -> NDArray[np.int64] | None:
        """Return the rows of a batch's words; ``None`` (all) where the ids are not here."""
        if not isinstance(ids, np.ndarray):
            return None
        used = np.zeros(self._n_words + 1, dtype=np.bool_)  # the last is for unknown words, -1
        used[ids] = True
        words = np.flatnonzero(used[:-1])
        return np.concatenate([words, self._n_words + words])

    def end_epoch(self, stage: int) -> None:
        """Clear cells that won nothing, so that they start again.

        A cell that never wins would keep the mixture it started from, respond a little to
        everything, and blur every code. But a part of a stream may just lack its windows.
        """
        if stage != LEARNING:
            return
        if self._task.previous is None:
            self._idle = self._won == 0
            if self._idle.any():
                self._words -= self._engine.clear_cells(self._counts, np.flatnonzero(self._idle))
                np.maximum(self._words, 0.0, out=self._words)
                self._cells[:, self._idle] = 0
        self._won[:] = 0
        self._rescale()

    def _synapses(self) -> tuple[NDArray[np.float32], float, dict[str, NDArray[np.float64]]]:
        """Return the synapses, and the state to continue from. The counts are consumed."""
        self._rescale()
        terms = information_terms(self._words, self._cells, self._shrinkage)
        # in place: they may be large
        largest = self._set_information(self._counts, self._counts, terms)
        state = {
            "words": self._words,
            "cells": self._cells,
            "shrinkage": np.array([self._shrinkage], dtype=np.float64),
        }
        synapses = self._engine.get(self._counts)
        self._counts = None  # the consensus needs the memory
        return synapses, largest, state

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        arrays: dict[str, NDArray[Any]] = {
            "counts": self._engine.get(self._counts),
            "words": self._words,
            "cells": self._cells,
            "won": self._won,
            "idle": self._idle.astype(np.int32),
        }
        return {"scale": self._scale}, arrays

    def _restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        n_rows, n_cells = self._shape
        check_array("counts", arrays["counts"], np.float32, (n_rows, n_cells))
        check_array("words", arrays["words"], np.float64, (n_rows,))
        check_array("cells", arrays["cells"], np.float64, (2, n_cells))
        check_array("won", arrays["won"], np.int64, (n_cells,))
        check_array("idle", arrays["idle"], np.int32, (n_cells,))
        self._scale = float(numbers["scale"])
        if not 0 < self._scale <= 1:
            raise ValueError(f"scale is {self._scale}")
        self._counts = None  # a GPU may not have room for both
        self._counts = self._engine.put(arrays["counts"])
        self._words, self._cells = arrays["words"], arrays["cells"]
        self._won, self._idle = arrays["won"], arrays["idle"].astype(np.bool_)

    def _rescale(self) -> None:
        """Bring the scale back to 1."""
        self._engine.scale(self._counts, np.float32(self._scale))
        self._words *= self._scale
        self._cells *= self._scale
        self._scale = 1.0

    def _add(self, counts: Any) -> float:
        """Add the counts of a batch, and return the sum of the activations, in drives."""
        rates = np.full(self._n_words, 1.0 / self._scale, dtype=np.float32)
        added = counts.add_to(self._counts, rates, self._drives)
        self._words += added.words / self._scale
        self._cells += added.cells / self._scale
        return float(added.overlap.sum() * self._scale)


def _recover_counts(
    learned: Learned,
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """Return the counts behind these synapses: the formula above, solved for ``C``."""
    words, cells = learned.state["words"].copy(), learned.state["cells"].copy()
    a = float(learned.state["shrinkage"][0])
    counts = np.exp(learned.coder.synapses)  # type: ignore[attr-defined]
    for block, rows in enumerate((slice(None, len(words) // 2), slice(len(words) // 2, None))):
        share = (words[rows] / max(words[rows].sum(), 1e-300)).astype(np.float32)[:, None]
        counts[rows] *= share * (cells[block] + a).astype(np.float32)
        counts[rows] -= np.float32(a) * share
    np.maximum(counts, 0.0, out=counts)
    return counts, words, cells
