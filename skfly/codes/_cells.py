"""What a Kenyon cell stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

__all__ = ["KenyonCell", "describe_cell"]


class KenyonCell(NamedTuple):
    """A Kenyon cell, how active it is, and the words that it stands for.

    ``words`` are pairs of a word and its probability, the likeliest first.
    """

    number: int
    activation: float
    words: list[tuple[str, float]]


def describe_cell(
    cell: int,
    activation: float,
    responses: NDArray[Any],
    words: Sequence[str],
    n_words: int,
    temperature: float,
) -> KenyonCell:
    """Return a cell with its ``n_words`` likeliest words.

    A word's probability is the softmax over the cell's ``responses`` to words as targets, with a
    temperature in units of the strongest.

    Examples
    --------
    >>> describe_cell(7, 1.5, np.array([0.1, 0.9]), ["fly", "moth"], 1, temperature=0.1).words
    [('moth', 0.99986...)]
    """
    as_target: NDArray[np.float64] = responses.astype(np.float64)
    strongest = np.abs(as_target).max(initial=0.0)
    chances = softmax(as_target / (temperature * strongest) if strongest > 0 else as_target)
    likeliest = np.argsort(-chances, kind="stable")[:n_words]
    return KenyonCell(cell, activation, [(words[i], float(chances[i])) for i in likeliest])
