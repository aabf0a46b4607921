"""What every learning rule tells: of a step, and at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly.backends._checks import check_array

__all__ = ["Learned", "StepReport", "check_state"]


class StepReport(NamedTuple):
    """Windows of a batch, their energy, and how many each cell won."""

    n_windows: int
    energy: float
    cell_sizes: NDArray[np.int64]

    @classmethod
    def of(cls, winners: NDArray[np.int32], n_cells: int, energy: float) -> StepReport:
        """Return the report for winners, one an entry (-1: no window).

        Winners that are elsewhere have counted themselves (``cell_sizes``).
        """
        sizes = getattr(winners, "cell_sizes", None)
        if sizes is None:
            sizes = np.bincount(winners[winners >= 0], minlength=n_cells)
        return cls(int(sizes.sum()), energy, sizes)


class Learned(NamedTuple):
    """The end of learning.

    ``synapses`` below ``floor`` do not count, ``largest`` is ``max|W|``, and ``state`` holds what
    the rule needs, beside the synapses, to go on.
    """

    synapses: NDArray[np.float32]
    largest: float
    floor: float
    state: dict[str, NDArray[np.float64]]


_STATES: dict[str, Callable[[int, int], dict[str, tuple[int, ...]]]] = {
    "lloyd": lambda n_words, n_cells: {
        "words": (2 * n_words,),
        "cells": (2, n_cells),
        "shrinkage": (1,),
    },
    "hebbian": lambda n_words, n_cells: {"norms": (n_cells,)},  # noqa: ARG005
}


def check_state(rule: str, state: Mapping[str, Any], n_words: int, n_cells: int) -> None:
    """Refuse what is not the state of a rule.

    Examples
    --------
    >>> check_state("hebbian", {"norms": np.ones(3)}, 2, 3)
    >>> check_state("hebbian", {"norms": np.ones(4)}, 2, 3)
    Traceback (most recent call last):
    ...
    ValueError: norms must have shape (3); got (4,)
    """
    if rule not in _STATES:
        raise ValueError(f"there is no rule {rule!r:.30}")
    shapes = _STATES[rule](n_words, n_cells)
    if set(state) != set(shapes):
        raise ValueError(
            f"the state of {rule} must be {sorted(shapes)}; got {sorted(state)!r:.60}"
        )
    for name, shape in shapes.items():
        check_array(name, state[name], np.float64, shape)
