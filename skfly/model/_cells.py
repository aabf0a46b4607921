"""What a Kenyon cell stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax


class KenyonCell(NamedTuple):
    """A Kenyon cell, how active it is, and the words that it stands for.

    ``words`` are pairs of a word and its probability, the likeliest first.
    """

    number: int
    activation: float
    words: list[tuple[str, float]]


def word_probabilities(strengths: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return the softmax of a cell's strengths, with a temperature in units of the strongest.

    Examples
    --------
    >>> word_probabilities(np.array([0.8, 0.9]), temperature=0.1).round(2)
    array([0.25, 0.75])
    """
    strongest = np.abs(strengths).max(initial=0.0)
    scaled = strengths / (temperature * strongest) if strongest > 0 else strengths
    found: NDArray[np.float64] = softmax(scaled)
    return found


def likeliest_words(
    probabilities: NDArray[np.float64], words: Sequence[str], n_words: int
) -> list[tuple[str, float]]:
    """Return the words with the largest probabilities, with their probabilities.

    Examples
    --------
    >>> likeliest_words(np.array([0.25, 0.75]), ["fly", "moth"], 1)
    [('moth', 0.75)]
    """
    few: Any = np.arange(len(probabilities))
    if 0 < n_words < len(few):  # sorting them all takes most of the time
        few = np.flatnonzero(probabilities >= np.partition(probabilities, -n_words)[-n_words])
    likeliest = few[np.argsort(-probabilities[few], kind="stable")[:n_words]]
    return [(words[i], float(probabilities[i])) for i in likeliest.tolist()]
