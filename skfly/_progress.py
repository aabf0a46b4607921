"""Progress of long work: a bar on a terminal, plain lines elsewhere, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Shows the stages of a fit: how far, how fast, how long it will take.

    Parameters
    ----------
    enabled : bool
        Whether to show anything.
    """

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._bar: Any = None
        self._task: Any = None
        self._label = self._unit = ""
        self._total: int | None = None
        self._steps = self._amount = 0
        self._began = self._shown = self._warm = 0.0

    @contextmanager
    def stage(self, label: str, unit: str, total: int | None = None) -> Iterator[Progress]:
        """Begin a stage of ``total`` steps (batches), each of which handles some ``unit``."""
        self._label, self._unit, self._total = label, unit, total
        self._steps = self._amount = 0
        self._began = self._shown = time.monotonic()
        if not self._enabled:
            yield self
            return
        if sys.stderr.isatty():
            with _rich_bar() as self._bar:
                self._task = self._bar.add_task(label, total=total, rate="")
                try:
                    yield self
                finally:
                    self._bar = None
        else:
            yield self
        seconds = time.monotonic() - self._began
        self._line(f"{_short(self._amount)} {self._unit} in {seconds:.1f} s")

    def tell(self, label: str, text: str) -> None:
        """Say something in a line of its own."""
        if self._enabled:
            self._label = label
            self._line(text)

    def advance(self, amount: int, **details: float) -> None:
        """Tell that one more step is done, which handled ``amount`` units."""
        self._steps += 1
        self._amount += amount
        if self._steps == 1:
            self._warm = time.monotonic()
        if not self._enabled:
            return
        if self._bar is not None:
            self._bar.update(self._task, advance=1, rate=self._rate(**details))
        elif time.monotonic() - self._shown > _SECONDS_BETWEEN_LINES:
            self._shown = time.monotonic()
            self._line(self._so_far(**details))

    def _rate(self, **details: float) -> str:
        seconds = max(time.monotonic() - self._began, 1e-9)
        parts = [f"{_short(self._amount / seconds)} {self._unit}/s"]
        if "cells_used" in details:
            parts.append(f"{details['cells_used']:.0%} of cells in use")
        return ", ".join(parts)

    def _so_far(self, **details: float) -> str:
        text = self._rate(**details)
        if not self._total:
            return text
        text = f"{self._steps / self._total:.0%}, {text}"
        if self._steps == 1:  # it may have compiled kernels, and tells nothing of the others
            return text
        seconds = time.monotonic() - self._warm
        left = seconds * (self._total - self._steps) / (self._steps - 1)
        return f"{text}, {left:.0f} s left"

    def _line(self, text: str) -> None:
        print(f"skfly: {self._label}: {text}", file=sys.stderr, flush=True)  # noqa: T201


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}"),
        console=Console(stderr=True),
        transient=True,
    )


def _short(number: float) -> str:
    """Return a number as people say it.

    Examples
    --------
    >>> _short(1234567), _short(56789), _short(12)
    ('1.2M', '57k', '12')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:  # what would be rounded to 1000 of the smaller
            digits = 1 if number < 9.95 * size else 0
            return f"{number / size:.{digits}f}{letter}"
    return f"{number:.0f}"
