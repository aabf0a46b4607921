"""The loop over epochs and batches, the same for every rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skfly.learning._batches import Batch, BatchStream
from skfly.learning._report import Learned, StepReport

__all__ = ["History", "Monitor", "Position", "Rule", "train"]


class Rule(Protocol):
    """A learning rule: ids in, synapses out."""

    def start(self, batch: Batch, random: np.random.Generator) -> None: ...

    def step(self, batch: Batch, epoch: int) -> StepReport: ...

    def end_epoch(self) -> None: ...

    def finish(self) -> Learned: ...

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return all that a step changes: numbers of JSON's types, and arrays (not copies)."""
        ...

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Be as the rule was that gave this state."""
        ...


class Monitor(Protocol):
    """Told about progress."""

    def advance(self, amount: int, **details: float) -> None: ...


class History(NamedTuple):
    """What a training run tells.

    Windows in all, and for each epoch the mean energy of a window and the share of cells that
    won any.
    """

    n_windows: int
    energy: list[float]
    cells_used: list[float]

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> History:
        """Return the history whose fields were written."""
        history = cls(**content)
        if not isinstance(history.n_windows, int) or not 0 <= history.n_windows < 2**62:
            raise ValueError("n_windows is no count")
        return cls(
            history.n_windows,
            [float(energy) for energy in history.energy],
            [float(share) for share in history.cells_used],
        )


@dataclass
class Position:
    """How far a run is: epochs done, batches done of the next one, and the figures so far.

    ``windows``, ``energy`` and ``sizes`` (windows of each cell) are those of the epoch that is
    not at its end; ``history`` is that of the ones that are.
    """

    epoch: int = 0
    batch: int = 0
    windows: int = 0
    energy: float = 0.0
    sizes: list[int] = field(default_factory=list)
    history: History = field(default_factory=lambda: History(0, [], []))

    def add(self, report: StepReport) -> None:
        """Count one more batch."""
        self.batch += 1
        self.windows += report.n_windows
        self.energy += report.energy
        before = np.asarray(self.sizes or 0, dtype=np.int64)
        self.sizes = (before + report.cell_sizes).tolist()

    def end_epoch(self) -> None:
        """Move the figures of the epoch to the history."""
        n_windows, energy, cells_used = self.history
        self.history = History(
            n_windows + self.windows, [*energy, self.mean_energy], [*cells_used, self.cells_used]
        )
        self.epoch += 1
        self.batch, self.windows, self.energy, self.sizes = 0, 0, 0.0, []

    @property
    def mean_energy(self) -> float:
        return self.energy / max(self.windows, 1)

    @property
    def cells_used(self) -> float:
        return float(np.mean(np.asarray(self.sizes) > 0)) if self.sizes else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return this in JSON's types."""
        return asdict(self) | {"history": self.history._asdict()}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Position:
        """Return what :meth:`to_json` was called on."""
        position = cls(**content | {"history": History.from_json(content["history"])})
        counts = [position.epoch, position.batch, position.windows, *position.sizes]
        if not all(isinstance(count, int) and 0 <= count < 2**62 for count in counts):
            raise ValueError("a count of the position is no count")
        position.energy = float(position.energy)
        return position


def train(
    rule: Rule,
    stream: BatchStream,
    n_epochs: int,
    *,
    random: np.random.Generator,
    first_epoch: int = 0,
    monitor: Monitor | None = None,
    position: Position | None = None,
    on_batch: Callable[[Position], Any] | None = None,
    on_epoch: Callable[[History], bool] | None = None,
) -> History:
    """Start the rule from the first batch and go over the corpus ``n_epochs`` times.

    After each epoch, ``on_epoch`` is told the history so far; if it returns true, that was the
    last. Epochs are numbered from ``first_epoch`` for the random order of the corpus, so that
    learning that goes on from earlier learning does not repeat it. A run that was stopped goes on
    from its ``position``, which ``on_batch`` is told after every batch.
    """
    at = position or Position()
    while at.epoch < n_epochs:
        for batch in stream.epoch(first_epoch + at.epoch, at.batch):
            rule.start(batch, random)
            report = rule.step(batch, at.epoch)
            at.add(report)
            if monitor is not None:
                monitor.advance(
                    report.n_windows,
                    epoch=at.epoch + 1,
                    energy=at.mean_energy,
                    cells_used=at.cells_used,
                )
            if on_batch is not None:
                on_batch(at)
        rule.end_epoch()
        at.end_epoch()
        if on_epoch is not None and on_epoch(at.history):
            break
    return at.history
