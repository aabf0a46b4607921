"""Warnings of skfly. Filter them by class, as any Python warning."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ANNOUNCED: set[str] = set()  # what is said once in a process


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
    """``max_features`` leaves out words of the text. Given once in a process."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn, pointing at the line that called skfly, whatever scikit-learn wraps around it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_cut(counts: NDArray[np.int64], max_features: int) -> None:
    """Say that ``max_features`` keeps only the first of these words; once in a process."""
    if "cut" in _ANNOUNCED:
        return
    _ANNOUNCED.add("cut")
    share = counts[max_features:].sum() / counts.sum()
    warn(
        f"max_features={max_features} keeps the most frequent of {len(counts):,} words; the other "
        f"{len(counts) - max_features:,}, {share:.1%} of the text, are unknown words now. "
        "max_features=None keeps all",
        VocabularyWarning,
    )


def _is_inside(module: str) -> bool:
    return module.partition(".")[0] in ("skfly", "sklearn")
