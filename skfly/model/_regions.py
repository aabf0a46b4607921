"""Names of regions: frequent words whose codes lie in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.model._layout import CellLayout
from skfly.model._names import is_stop_word

_FREQUENT = 2_000  # candidates for names: words that everyone knows
_N_WORDS = 3
_ALIKE = 4  # common initial letters: "plant" and "plants"


def name_regions(
    codes: sparse.csr_array, layout: CellLayout, words: Sequence[str], counts: NDArray[np.int64]
) -> list[str]:
    """Return for each region frequent words whose codes lie mostly in it.

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
    chosen = sparse.csr_array(codes[content])
    inside = chosen @ np.eye(n_regions)[layout.regions]
    shares = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1.0)
    scores = np.rint(1e6 * shares * np.log1p(counts[content])[:, None])
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
