"""The loop over epochs and batches, the same for every rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from skfly.learning._batches import Batch, BatchStream
from skfly.learning._report import Learned, StepReport

__all__ = ["History", "Monitor", "Rule", "train"]


class Rule(Protocol):
    """A learning rule: ids in, synapses out."""

    def start(self, batch: Batch, random: np.random.Generator) -> None: ...

    def step(self, batch: Batch, epoch: int) -> StepReport: ...

    def end_epoch(self) -> None: ...

    def finish(self) -> Learned: ...


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


def train(
    rule: Rule,
    stream: BatchStream,
    n_epochs: int,
    *,
    random: np.random.Generator,
    first_epoch: int = 0,
    monitor: Monitor | None = None,
    on_epoch: Callable[[Rule, History], bool] | None = None,
) -> History:
    """Start the rule from the first batch and go over the corpus ``n_epochs`` times.

    After each epoch, ``on_epoch`` is told the history so far; if it returns true, that was the
    last. Epochs are numbered from ``first_epoch`` for the random order of the corpus, so that
    learning that goes on from earlier learning does not repeat it.
    """
    history = History(0, [], [])
    n_windows = 0
    for epoch in range(n_epochs):
        windows, energy, sizes = 0, 0.0, np.zeros(1, dtype=np.int64)
        for batch in stream.epoch(first_epoch + epoch):
            rule.start(batch, random)
            report = rule.step(batch, epoch)
            windows += report.n_windows
            energy += report.energy
            sizes = sizes + report.cell_sizes
            if monitor is not None:
                monitor.advance(
                    report.n_windows,
                    epoch=epoch + 1,
                    energy=energy / max(windows, 1),
                    cells_used=float(np.mean(sizes > 0)),
                )
        rule.end_epoch()
        n_windows += windows
        history.energy.append(energy / max(windows, 1))
        history.cells_used.append(float(np.mean(sizes > 0)))
        if on_epoch is not None and on_epoch(rule, history._replace(n_windows=n_windows)):
            break
    return history._replace(n_windows=n_windows)
