"""Names of cells and regions: the words that set each apart from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from skfly.model._layout import CellLayout

_FREQUENT = 2_000  # candidates for names: words that everyone knows
_N_WORDS = 3
_ALIKE = 4  # common initial letters: "plant" and "plants"
_MORE_STOP_WORDS = frozenset(
    """ain aren couldn did didn does doesn doing don hadn hasn haven isn just ll re shouldn ve
    wasn weren won wouldn became called early include includes including known later like made
    make makes making new said say says than then use used uses using way well""".split()  # noqa: SIM905
)


def is_stop_word(word: str) -> bool:
    """Return whether a word says little: an English function word, a number or a symbol.

    Examples
    --------
    >>> [word for word in ["the", "river", "<NUM>", "1984", "of"] if not is_stop_word(word)]
    ['river']
    """
    lower = word.lower()
    return (
        lower in ENGLISH_STOP_WORDS
        or lower in _MORE_STOP_WORDS
        or (len(lower) < 3 and lower.isascii())
        or not any(letter.isalpha() for letter in lower)
        or lower == "<num>"
    )


def content_words(words: Sequence[str], order: NDArray[Any], n_words: int) -> list[int]:
    """Return the first words, in this order, that are not stop words.

    If all are, the first ones are returned.
    """
    found: list[int] = []
    for i in order.tolist():
        if not is_stop_word(words[i]):
            found.append(i)
            if len(found) == n_words:
                break
    return found or order[:n_words].tolist()


def distinctive_words(candidates: Iterable[Sequence[str]], n_words: int) -> list[tuple[str, ...]]:
    """Return, strongest first, those words of each cell that few other cells have.

    Examples
    --------
    >>> distinctive_words([["water", "river"], ["water", "lake"], ["water", "tap"]], 1)
    [('river',), ('lake',), ('tap',)]
    """
    listed = [list(words) for words in candidates]
    often = Counter(word for words in listed for word in words)
    names = []
    for words in listed:
        # the rank among the cell's words, made worse by every other cell that has the word
        ranked = sorted(range(len(words)), key=lambda i: ((i + 2) * often[words[i]], i))
        names.append(tuple(words[i] for i in sorted(ranked[:n_words])))
    return names


def name_regions(
    codes: sparse.csr_array, layout: CellLayout, words: Sequence[str], counts: NDArray[np.int64]
) -> list[str]:
    """Return for each region frequent words whose codes lie mostly in it and are like the others.

    Parameters
    ----------
    codes : sparse array, (n_words, n_cells)
    layout : CellLayout
    words : list of str
    counts : ndarray, (n_words,)

    Examples
    --------
    >>> layout = CellLayout(1, 2, np.arange(2), np.arange(2))
    >>> codes = sparse.csr_array(np.array([[1, 0], [0, 1], [0, 1]]))
    >>> name_regions(codes, layout, ["plant", "bank", "banks"], np.array([9, 8, 7]))
    ['plant', 'bank']
    """
    content = [
        i
        for i in np.argsort(-counts, kind="stable").tolist()
        if counts[i] > 0
        and words[i].isalpha()
        and len(words[i]) > 2
        and not is_stop_word(words[i])
    ][:_FREQUENT]
    n_regions = int(layout.regions.max(initial=0)) + 1
    if not content:
        return [""] * n_regions
    chosen = sparse.csr_array(codes[content]).astype(np.float64)
    inside = chosen @ np.eye(n_regions)[layout.regions]
    shares = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1.0)
    # what the words of a region have in common: a name is a typical one of them
    common = chosen.T @ shares**3
    common /= np.maximum(np.sqrt((common**2).sum(axis=0)), 1e-12)
    typical = chosen @ common / np.sqrt(np.maximum(chosen.sum(axis=1), 1.0))[:, None]
    scores = np.rint(1e6 * typical * shares * np.log1p(counts[content])[:, None])
    return [
        ", ".join(_different([words[content[i]] for i in best[score[best] > 0].tolist()]))
        for score in scores.T
        for best in [np.argsort(-score, kind="stable")[: 8 * _N_WORDS]]
    ]


def _different(words: Sequence[str]) -> list[str]:
    """Return the first words, only one of those with the same beginning."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(word[:_ALIKE], word)
    return list(found.values())[:_N_WORDS]
