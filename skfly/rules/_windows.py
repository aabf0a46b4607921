"""Rules whose cells compete for windows of text: the common part of ``hebbian`` and ``lloyd``.

Learning goes over the windows a few times; the winner of each learns from it. Then, if words get
their codes by consensus, one more pass counts it: the target row of a word seen a few times holds
little, but the windows in which it occurs, as target or as context, say more. Each window
activates some cells, and the word's code is made of the cells that are active most often, relative
to how often each cell is active at all. Last, lateral connections between the cells are learned
from the consensus.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skfly.engine import drive_for
from skfly.engine._checks import check_array
from skfly.model import SynapseCoder, keep_probabilities
from skfly.rules._base import CorpusSize, Learned, Rule, Stage, StepReport, Task
from skfly.rules._lateral import LATERAL_STEPS, learn_lateral

_ACTIVE_SHARE = 0.01  # of the cells take part in the consensus
_GROWTH = 1.1  # growth of the text before the lateral connections are learned again
_LATERAL_AT = "lateral_at"
LEARNING = 0


@dataclass(frozen=True)
class WindowSettings:
    """The settings of a run.

    Attributes
    ----------
    n_epochs : int
    batch_size : int
        Words (window centres) in a minibatch.
    learning_rate : float
        Initial learning rate of the Hebbian rule.
    subsample : float
        Threshold for leaving out frequent words at random; 0 keeps them all.
    shrinkage : float
        Words of the whole text that every cell is assumed to have seen besides its own.
    truncate_windows : bool
        Whether windows that cross the end of a sentence are cut instead of dropped.
    n_active : int
        Cells of each window that take part in the consensus.
    decorrelation : float or None
        How far lateral connections make the cells differ; ``None``: no connections.
    """

    n_epochs: int
    batch_size: int
    learning_rate: float
    subsample: float
    shrinkage: float
    truncate_windows: bool
    n_active: int
    decorrelation: float | None

    @classmethod
    def resolve(cls, params: Mapping[str, Any], auto: Mapping[str, Any], size: CorpusSize) -> Self:
        """Return the parameters with the rule's values in place of ``"auto"``."""
        defaults = {"n_active": max(1, round(_ACTIVE_SHARE * size.n_cells)), **auto}
        return cls(
            **{
                name: defaults[name] if params[name] == "auto" else params[name]
                for name in cls.__dataclass_fields__
            }
        )


class WindowRule(Rule):
    """Stages, consensus and lateral connections of a rule that learns from windows.

    A subclass has the class attributes below, ``auto`` (its settings by the size of the text) and
    the steps of learning: ``_start``, ``_learn``, ``_synapses``, ``_state`` and
    ``_restore``.
    """

    settings_type = WindowSettings
    floor: ClassVar[float]
    """Synapses below this are ignored."""
    log_ratios: ClassVar[bool]
    """Whether synapses are logarithms of ratios, which are large for words seen a few times."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._engine = task.engine
        self._n_words = len(task.word_counts)
        self._shape = (2 * self._n_words, task.n_cells)
        consensus = [Stage("consensus", "windows", 1)] if task.consensus else []
        self.stages = (Stage("learning", "windows", task.n_epochs), *consensus)
        # set when learning has ended
        self._learned: tuple[NDArray[np.float32], float, dict[str, Any]] | None = None
        self._consensus: Any = None
        self._drives: Any = None

    @staticmethod
    @abstractmethod
    def _state_shapes(n_words: int, n_cells: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the arrays that ``_synapses`` returns besides the synapses."""

    @staticmethod
    @abstractmethod
    def auto(size: CorpusSize) -> dict[str, Any]:
        """Return the settings for a text of this size."""

    @classmethod
    def resolve(cls, params: Mapping[str, Any], size: CorpusSize) -> WindowSettings:
        return WindowSettings.resolve(params, cls.auto(size), size)

    @classmethod
    def check_state(cls, state: Mapping[str, Any], n_words: int, n_cells: int) -> None:
        shapes = cls._state_shapes(n_words, n_cells) | {_LATERAL_AT: (1,)}
        if set(state) != set(shapes):
            raise ValueError(f"the state must be {sorted(shapes)}; got {sorted(state)!r:.60}")
        for name, shape in shapes.items():
            check_array(name, state[name], np.float64, shape)

    def step(self, batch: Any, stage: int, epoch: int, random: np.random.Generator) -> StepReport:
        if stage == LEARNING:
            self._start(batch, random)
            return self._learn(batch, epoch)
        n_windows = self._task.counter.count_top(
            self._consensus,
            self._drives,
            batch,
            self._task.window,
            self._task.settings.truncate_windows,
            min(self._task.settings.n_active, self._task.n_cells),
        )
        return StepReport(n_windows, 0.0, np.zeros(self._task.n_cells, dtype=np.int64))

    def end_stage(self, stage: int) -> None:
        if stage == LEARNING:
            self._learned = self._synapses()
            if self._task.consensus:
                self._begin_consensus(self._engine.zeros((self._n_words, self._task.n_cells)))

    def _begin_consensus(self, counts: Any) -> None:
        assert self._learned is not None
        synapses, largest, _ = self._learned
        self._consensus = counts
        if self._drives is None:
            self._drives = self._engine.new_drives(self._shape)
        drive = drive_for(largest, self._task.window, self.floor)
        self._engine.set_drives(self._drives, synapses, drive)

    def finish(self, on_step: Callable[[int], Any] | None = None) -> Learned:
        assert self._learned is not None
        task, (synapses, largest, state) = self._task, self._learned
        consensus = None
        if task.consensus:
            consensus = self._engine.get(self._consensus)
            if task.previous is not None:
                consensus += task.previous.coder.consensus  # type: ignore[attr-defined]
        lateral, at = self._connect(consensus, on_step)
        subsample = task.settings.subsample
        coder = SynapseCoder(
            synapses,
            consensus=consensus,
            lateral=lateral,
            weights=keep_probabilities(task.word_counts, subsample) if subsample > 0 else None,
            largest=largest,
            floor=self.floor,
            log_ratios=self.log_ratios,
        )
        return Learned(coder, state | {_LATERAL_AT: np.array([at], dtype=np.float64)})

    def _connect(
        self, consensus: NDArray[np.float32] | None, on_step: Callable[[int], Any] | None
    ) -> tuple[NDArray[np.float32] | None, float]:
        """Return the lateral connections, and the number of words when they were learned."""
        n_tokens, previous = self._task.n_tokens, self._task.previous
        if self.finishing_steps:
            assert consensus is not None
            decorrelation, n_threads = self._task.settings.decorrelation, self._engine.n_threads
            return learn_lateral(consensus, decorrelation, on_step, n_threads), n_tokens
        if previous is None or consensus is None or self._task.settings.decorrelation is None:
            return None, n_tokens
        return previous.coder.lateral, float(previous.state[_LATERAL_AT][0])  # type: ignore[attr-defined]

    @property
    def finishing_steps(self) -> int:
        task = self._task
        if not task.consensus or task.settings.decorrelation is None:
            return 0
        at = 0.0 if task.previous is None else float(task.previous.state[_LATERAL_AT][0])
        return LATERAL_STEPS if task.n_tokens >= _GROWTH * at else 0

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        if self._learned is None:
            return self._state()
        synapses, largest, state = self._learned
        arrays = {f"state.{name}": array for name, array in state.items()}
        arrays |= {"synapses": synapses, "consensus": self._engine.get(self._consensus)}
        return {"largest": largest}, arrays

    def restore(
        self, stage: int, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> None:
        if stage == LEARNING:
            self._restore(numbers, arrays)
            return
        n_words, n_cells = self._n_words, self._task.n_cells
        check_array("consensus", arrays["consensus"], np.float32, (n_words, n_cells))
        check_array("synapses", arrays["synapses"], np.float32, self._shape)
        state = {
            name.removeprefix("state."): array
            for name, array in arrays.items()
            if name.startswith("state.")
        }
        self.check_state(state | {_LATERAL_AT: np.zeros(1)}, n_words, n_cells)
        self._learned = arrays["synapses"], float(numbers["largest"]), state
        self._begin_consensus(self._engine.put(arrays["consensus"]))

    # The steps of learning

    @abstractmethod
    def _start(self, batch: Any, random: np.random.Generator) -> None:
        """Initialise the cells that have not started."""

    @abstractmethod
    def _learn(self, batch: Any, epoch: int) -> StepReport:
        """Learn from a batch."""

    @abstractmethod
    def _synapses(self) -> tuple[NDArray[np.float32], float, dict[str, NDArray[np.float64]]]:
        """Return the synapses, ``max|W|``, and the state to continue from."""

    @abstractmethod
    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that a step changes."""

    @abstractmethod
    def _restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore what :meth:`_state` returned."""
