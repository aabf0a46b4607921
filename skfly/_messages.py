"""Progress, on standard error, and warnings.

Filter the warnings by class, like any Python warning.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SECONDS_BETWEEN_LINES = 5.0
_SMALL = 300_000  # words
_LARGE_CUT = 0.1  # of the text, if nobody chose to cut it
_ANNOUNCED: set[str] = set()  # what is said once in a process


class Progress:
    """Show the stages of a fit with their progress, speed and remaining time.

    A bar on a terminal, plain lines elsewhere.

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
        self._steps = self._done = self._amount = 0
        self._began = self._shown = self._warm = 0.0

    @contextmanager
    def stage(
        self, label: str, unit: str, total: int | None = None, done: int = 0
    ) -> Iterator[Progress]:
        """Start a stage of ``total`` steps (batches), each of which handles some ``unit``.

        An interrupted run has ``done`` some of them already. Without a ``unit``, no speed is
        shown: where each step goes through the same words again, it would mislead.
        """
        self._label, self._unit, self._total = label, unit, total
        self._steps = self._done = done
        self._amount = 0
        self._began = self._shown = time.monotonic()
        if not self._enabled:
            yield self
            return
        if sys.stderr.isatty():
            with _rich_bar() as self._bar:
                self._task = self._bar.add_task(label, total=total, completed=done, rate="")
                try:
                    yield self
                finally:
                    self._bar = None
        else:
            yield self
        seconds = time.monotonic() - self._began
        handled = f"{_short(self._amount)} {self._unit} in " if self._unit else ""
        self._line(f"{handled}{seconds:.1f} s")

    def tell(self, label: str, text: str) -> None:
        """Print a line."""
        if self._enabled:
            self._label = label
            self._line(text)

    def advance(self, amount: int, **details: float) -> None:
        """Record that a step is done, which handled ``amount`` units."""
        self._steps += 1
        self._amount += amount
        if self._steps == self._done + 1:
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
        parts = [f"{_short(self._amount / seconds)} {self._unit}/s"] if self._unit else []
        if "cells_used" in details:
            parts.append(f"{details['cells_used']:.0%} of cells in use")
        return ", ".join(parts)

    def _so_far(self, **details: float) -> str:
        text = self._rate(**details)
        if not self._total:
            return text
        text = ", ".join(filter(None, [f"{self._steps / self._total:.0%}", text]))
        if self._steps == self._done + 1:  # it may have compiled kernels: no guide to the rest
            return text
        seconds = time.monotonic() - self._warm
        left = seconds * (self._total - self._steps) / (self._steps - self._done - 1)
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
    """Format a number briefly.

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


class SmallTextWarning(UserWarning):
    """The text is too small to learn word meanings from.

    Examples
    --------
    Hide it:

    >>> import warnings
    >>> from skfly import SmallTextWarning
    >>> warnings.filterwarnings("ignore", category=SmallTextWarning)
    """


class VocabularyWarning(UserWarning):
    """``max_features`` leaves out words: some, or by default over a tenth of the text.

    Given once in a process.
    """


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called skfly, also through scikit-learn's pipelines."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in (
            "skfly",
            "sklearn",
            "joblib",
        ):
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_cut(counts: NDArray[np.int64], max_features: int, *, is_default: bool) -> None:
    """Warn, once in a process, that ``max_features`` leaves out words."""
    share = counts[max_features:].sum() / counts.sum()
    if share <= (_LARGE_CUT if is_default else 0) or "cut" in _ANNOUNCED:
        return
    _ANNOUNCED.add("cut")
    warn(
        f"max_features={max_features} leaves out {len(counts) - max_features:,} of "
        f"{len(counts):,} words, {share:.1%} of the text; a larger value keeps more of them",
        VocabularyWarning,
    )


def warn_of_small_text(n_tokens: int) -> None:
    """Warn if a text of this many words is small."""
    if n_tokens < _SMALL:
        warn(
            f"learning from fewer than {_SMALL:,} words: expect topics but little word meaning; "
            "for meanings of English words, use the model 'en', which comes with skfly",
            SmallTextWarning,
        )
