r"""Comply's rule: ordered sentences with complex weights (an experiment from the literature).

Token :math:`l` of a sentence of :math:`L` words has the place :math:`p = l / L` and the root
:math:`r = e^{i \pi p}`. Cells compete for windows; the cell with the largest

.. math:: \sum_l |W_l| + |\arg(W_l \bar r_l)|

wins a window and decreases

.. math:: - \sum_l P_l |W_l| / |W_m| - \sum_l P_l |\arg(W_l \bar r_l)|

by steps of Adam, with :math:`P` the inverse count of a word. A sentence is coded by the same sum
over all its words (A. Figueroa et al., "Comply: Learning Sentences with Complex Weights inspired
by Fruit Fly Olfaction", 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly.engine import Batch
from skfly.engine._checks import check_array
from skfly.model import PhaseCoder, phase_responses
from skfly.rules._base import CorpusSize, Learned, Rule, Stage, StepReport, Task
from skfly.rules._windows import WindowSettings

__all__ = ["ComplyRule"]

_TOKENS_AT_A_TIME = 4096
_UNIT = 2.0**16  # responses are multiples of this, so that running sums are exact
_STEPS = 50  # an epoch
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8  # of Adam
_SMALLEST = 1e-6  # smallest magnitude with a phase


class Windows(NamedTuple):
    """The tokens of a batch: their ids and places, and the first and last of their windows."""

    ids: NDArray[np.int32]
    places: NDArray[np.float64]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    whole: NDArray[np.bool_]


class ComplyRule(Rule):
    """Complex weights that learn from windows of ordered words."""

    block_size = 64
    settings_type = WindowSettings

    def __init__(self, task: Task) -> None:
        self._task = task
        self.stages: tuple[Stage, ...] = (Stage("learning", "windows", task.n_epochs),)
        self._shape = (len(task.word_counts), task.n_cells)
        self._rates = 1.0 / np.maximum(task.word_counts, 1)
        self._weights: NDArray[np.complex64] | None = None
        if task.previous is not None:
            coder: Any = task.previous.coder
            self._weights = (coder.magnitudes * np.exp(1j * coder.phases)).astype(np.complex64)
        self._moments = np.zeros((2, len(task.word_counts), 2 * task.n_cells), dtype=np.float32)
        self._n_steps = 0

    @classmethod
    def resolve(cls, params: Mapping[str, Any], size: CorpusSize) -> WindowSettings:
        """Return the settings of a run."""
        auto = {
            "n_epochs": 5,
            "batch_size": max(1, -(-size.n_tokens // _STEPS)),
            "learning_rate": 0.02,
            "subsample": 0.0,
            "shrinkage": 0.0,
            "truncate_windows": True,
            "decorrelation": None,
        }
        return WindowSettings.resolve(params, auto, size)

    @classmethod
    def check_state(cls, state: Mapping[str, Any], n_words: int, n_cells: int) -> None:  # noqa: ARG003
        """Raise ``ValueError`` for any state: continuing needs none."""
        if state:
            raise ValueError(f"the rule keeps no state; got {sorted(state)!r:.60}")

    def step(self, batch: Any, _: int, epoch: int, random: np.random.Generator) -> StepReport:
        """Let the cells compete for the windows of a batch, and the winners learn."""
        if not isinstance(batch, Batch):
            raise TypeError("learning='comply' cannot learn on a cluster: use FlyHashVectorizer")
        if self._weights is None:
            self._weights = start_weights(self._shape, random)
        windows = _windows(batch, self._task.window, self._task.settings.truncate_windows)
        winners = self._winners(windows)
        energy = self._learn(windows, winners, epoch)
        won = winners[winners >= 0]
        return StepReport(len(won), energy, np.bincount(won, minlength=self._task.n_cells))

    def _winners(self, windows: Windows) -> NDArray[np.int64]:
        """Return the cell that wins the window around each token; -1 where there is none."""
        assert self._weights is not None
        magnitudes, phases = np.abs(self._weights), np.angle(self._weights)
        winners = np.full(len(windows.ids), -1)
        for part, first, end in _parts(windows):
            ids = windows.ids[first:end]
            found = phase_responses(magnitudes[ids], phases[ids], windows.places[first:end])
            found[ids < 0] = 0
            sums = np.zeros((len(ids) + 1, found.shape[1]))
            np.cumsum(np.rint(found * _UNIT), axis=0, out=sums[1:])
            scores = sums[windows.end[part] - first] - sums[windows.first[part] - first]
            won = windows.whole[part] & scores.any(axis=1)
            winners[part] = np.where(won, scores.argmax(axis=1), -1)
        return winners

    def _learn(self, windows: Windows, winners: NDArray[np.int64], epoch: int) -> float:
        assert self._weights is not None
        descent, energy = energy_descent(self._weights, self._rates, windows, winners)
        epochs_left = 1 - epoch / max(self._task.n_epochs, 1)
        rate = self._task.settings.learning_rate * epochs_left
        self._n_steps += 1
        step = descent.view(np.float32)
        first, second = self._moments
        first += np.float32(1 - _FIRST) * (step - first)
        second += np.float32(1 - _SECOND) * (step * step - second)
        scale = rate / (1 - _FIRST**self._n_steps)
        root = np.sqrt(second / np.float32(1 - _SECOND**self._n_steps))
        self._weights.view(np.float32)[...] += np.float32(scale) * first / (root + _TINY)
        return energy

    def finish(self, on_step: Callable[[int], Any] | None = None) -> Learned:  # noqa: ARG002
        """Return the weights as a coder."""
        assert self._weights is not None
        return Learned(PhaseCoder(np.abs(self._weights), np.angle(self._weights)), {})

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the weights and the moments of their steps."""
        if self._weights is None:
            return {"n_steps": 0}, {}
        weights = self._weights.view(np.float32)
        return {"n_steps": self._n_steps}, {"weights": weights, "moments": self._moments}

    def restore(self, _: int, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned."""
        self._n_steps = int(numbers["n_steps"])
        if not self._n_steps:
            return
        n_words, n_cells = self._shape
        check_array("weights", arrays["weights"], np.float32, (n_words, 2 * n_cells))
        check_array("moments", arrays["moments"], np.float32, (2, n_words, 2 * n_cells))
        self._weights = arrays["weights"].view(np.complex64)
        self._moments = arrays["moments"]


def start_weights(shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.complex64]:
    """Return Gaussian weights with phases from -pi to 0, away from those of all places."""
    real, imaginary = random.standard_normal((2, *shape), dtype=np.float32)
    weights: NDArray[np.complex64] = (real - 1j * np.abs(imaginary)).astype(np.complex64)
    return weights


def energy_descent(
    weights: NDArray[Any],
    rates: NDArray[np.float64],
    windows: Windows,
    winners: NDArray[np.int64],
) -> tuple[NDArray[Any], float]:
    """Return the direction in which the energy of some windows falls most, and the energy.

    Parameters
    ----------
    weights : ndarray of complex, (V, K)
    rates : ndarray of float64, (V,)
        ``P``.
    windows : Windows
    winners : ndarray of int64
        The winner of each window, -1 for none.

    Returns
    -------
    descent : ndarray of complex, (V, K)
        Its real and imaginary parts are minus the slopes along those of the weights.
    energy : float
    """
    n_cells = weights.shape[1]
    magnitudes = np.maximum(np.abs(weights), _SMALLEST)
    phases = np.angle(weights).ravel()
    tokens, owners = _pairs(windows, winners)
    ids = windows.ids[tokens]
    cells, each = ids.astype(np.int64) * n_cells + owners, rates[ids]
    turned = phases[cells] - np.pi * windows.places[tokens]
    turned = (turned + np.pi) % (2 * np.pi) - np.pi
    # sums of P over the windows that a cell won with a word, in total and signed by the phase
    along, turning = (
        np.bincount(cells, some, minlength=weights.size)
        .astype(magnitudes.dtype)
        .reshape(weights.shape)
        for some in (each, each * np.sign(turned))
    )
    norms = np.maximum(np.linalg.norm(magnitudes, axis=0), _SMALLEST)
    overlap = np.einsum("vk,vk->k", along, magnitudes)
    radial = along / norms - overlap / norms**3 * magnitudes
    descent = weights / magnitudes * (radial + 1j * (turning / magnitudes))
    return descent, -float((overlap / norms).sum() + each @ np.abs(turned))


def _windows(batch: Batch, window: int, truncate: bool) -> Windows:
    lengths = np.diff(batch.offsets)
    starts, ends = (np.repeat(edge, lengths) for edge in (batch.offsets[:-1], batch.offsets[1:]))
    places, half = np.arange(len(batch.ids)), window // 2
    whole = (places - half >= starts) & (places + half < ends)
    return Windows(
        batch.ids,
        (places - starts) / np.maximum(ends - starts, 1),
        np.maximum(places - half, starts),
        np.minimum(places + half + 1, ends),
        np.ones_like(whole) if truncate else whole,
    )


def _parts(windows: Windows) -> Iterator[tuple[slice, int, int]]:
    """Yield windows in chunks, each with the range of its tokens."""
    for start in range(0, len(windows.ids), _TOKENS_AT_A_TIME):
        part = slice(start, min(start + _TOKENS_AT_A_TIME, len(windows.ids)))
        yield part, int(windows.first[part].min()), int(windows.end[part].max())


def _pairs(
    windows: Windows, winners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the known tokens of every window that was won, and the winner for each."""
    won = np.flatnonzero(winners >= 0)
    sizes = (windows.end - windows.first)[won]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tokens = np.repeat(windows.first[won], sizes) + within
    known = windows.ids[tokens] >= 0
    return tokens[known], np.repeat(winners[won], sizes)[known]
