"""The interface of learning rules.

A rule is one class in one file. It derives settings from the size of a text, goes over the text
in one or more stages, and turns its counts into the arrays of a model. :mod:`skfly.fit` handles
the loop over stages, epochs and batches, checkpoints and progress.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Counter, Engine
from skfly.model import Coder


class CorpusSize(NamedTuple):
    """The size of a text, on which ``"auto"`` settings may depend."""

    n_tokens: int
    n_words: int
    n_cells: int
    n_shards: int = 1


class Stage(NamedTuple):
    """A part of a rule's work: ``n_epochs`` passes; ``unit`` is for progress messages."""

    label: str
    unit: str
    n_epochs: int


class StepReport(NamedTuple):
    """The windows of a batch, their energy, and how many each cell won.

    ``cell_sizes`` is empty, and the energy 0, where cells do not compete for windows.
    """

    n_windows: int
    energy: float
    cell_sizes: NDArray[np.int64]


@dataclass(frozen=True)
class Learned:
    """The result of a rule: a coder, and the state needed to continue later."""

    coder: Coder
    state: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Task:
    """The task of a rule, and its resources.

    Attributes
    ----------
    engine : Engine
        Compute backend.
    counter : Counter
        Counts windows: the engine itself, or the workers of a cluster.
    n_cells, window : int
    word_counts : ndarray of int64
        Occurrences of the model's words in all text so far.
    n_tokens : int
        Words of all text so far, including unknown ones.
    settings : Any
        What the rule's ``resolve`` returned.
    n_epochs : int
        Passes of the first stage.
    n_batches : int
        Batches of an epoch.
    new_share : float
        Share of this text in all text so far.
    consensus : bool
        Whether words get their codes from the windows they occur in.
    previous : Learned or None
        Continue from here. It is not changed.
    alike : callable or None
        ``alike(words)`` tells how alike each word is spelled to some, whose ids are given: a
        sparse array of shape (V, n), between 0 and 1.
    """

    engine: Engine
    counter: Counter
    n_cells: int
    window: int
    word_counts: NDArray[np.int64]
    n_tokens: int
    settings: Any
    n_epochs: int
    n_batches: int
    new_share: float
    consensus: bool
    previous: Learned | None = None
    alike: Callable[[NDArray[np.int64]], sparse.csr_array] | None = None


class Rule(Protocol):
    """A learning rule: takes batches, returns a coder."""

    block_size: ClassVar[int]
    """Neighbouring sentences that stay together in the random order of the text."""

    settings_type: ClassVar[type[Any]]
    """The type of what :meth:`resolve` returns, whose fields are numbers."""

    stages: tuple[Stage, ...]

    @property
    def finishing_steps(self) -> int:
        """How often ``on_step`` of :meth:`finish` is called, at most."""
        return 0

    def __init__(self, task: Task) -> None: ...

    @classmethod
    def resolve(cls, params: Mapping[str, Any], size: CorpusSize) -> Any:
        """Return the settings of a run: a frozen dataclass with no ``"auto"`` left."""

    @classmethod
    def restore_settings(cls, content: Mapping[str, Any]) -> Any:
        """Restore the settings that ``asdict`` returned; wrong ones raise ``ValueError``."""
        settings = cls.settings_type(**content)
        for field in fields(settings):
            value = getattr(settings, field.name)
            if isinstance(value, bool) or field.type == "bool":
                fits = isinstance(value, bool) and field.type == "bool"
            elif value is None:
                fits = field.type == "float | None"
            else:
                number = int if field.type == "int" else int | float
                fits = isinstance(value, number) and 0 <= value < 2**63
            if not fits:
                raise ValueError(f"{field.name} is {value!r:.30}")
        return settings

    @classmethod
    def check_state(cls, state: Mapping[str, Any], n_words: int, n_cells: int) -> None:
        """Raise ``ValueError`` or ``TypeError`` if this is not a ``Learned.state`` of the rule."""

    def step(self, batch: Any, stage: int, epoch: int, random: np.random.Generator) -> StepReport:
        """Learn from one batch."""

    def end_epoch(self, stage: int) -> None:  # noqa: ARG002
        """Finish an epoch; by default, do nothing."""
        return

    def end_stage(self, stage: int) -> None:  # noqa: ARG002
        """Finish a stage; by default, do nothing."""
        return

    def finish(self, on_step: Callable[[int], Any] | None = None) -> Learned:
        """Turn the counts into a coder. The rule cannot be used afterwards."""

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that a step changes: JSON values, and arrays (not copies)."""

    def restore(
        self, stage: int, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> None:
        """Restore what :meth:`state` returned in a stage."""


@runtime_checkable
class Growing(Protocol):
    """A rule that can continue with a larger vocabulary."""

    @classmethod
    def grow(cls, state: Mapping[str, Any], n_words: int) -> dict[str, NDArray[Any]]:
        """Return a ``Learned.state`` for a vocabulary with more words appended."""
