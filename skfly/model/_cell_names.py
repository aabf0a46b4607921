"""Names of Kenyon cells: the words that set each apart from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

__all__ = ["name_cells"]


def name_cells(
    strengths: Iterable[NDArray[np.float64]],
    words: Sequence[str],
    n_words: int,
    stop_words: Iterable[str] = ENGLISH_STOP_WORDS,
) -> list[tuple[str, ...]]:
    """Return the words to name each cell by, the strongest first.

    Stop words and single characters are left out, and a word only counts where it excites the
    cell. A cell may have fewer words than asked for, or none. Equally strong words come in the
    order of the vocabulary.

    Parameters
    ----------
    strengths : iterable of ndarray, (n_words_of_the_vocabulary,)
        How much each word stands for a cell, one array per cell.
    words : sequence of str
    n_words : int
    stop_words : iterable of str
        By default scikit-learn's English ones.

    Examples
    --------
    >>> strengths = [np.array([0.9, 0.5, 0.0, 0.7]), np.array([0.9, -0.1, 0.0, 0.0])]
    >>> name_cells(strengths, ["the", "bank", "fly", "river"], n_words=2)
    [('river', 'bank'), ()]
    """
    without = frozenset(stop_words)
    usable = np.array([len(word) > 1 and word not in without for word in words], dtype=bool)
    names = []
    for strength in strengths:
        kept = np.where(usable & (strength > 0), strength, 0.0)
        strongest = np.argsort(-kept, kind="stable")[:n_words]
        names.append(tuple(words[i] for i in strongest.tolist() if kept[i] > 0))
    return names
