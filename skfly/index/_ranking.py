"""The order of similarities, as integers that kernels can compare."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Ranking(NamedTuple):
    """The possible similarities of codes to a query, ordered as integers.

    A code of class ``c`` (the codes of one size) that shares ``o`` cells with the query has rank
    ``ranks[c, o]``, from 0 for the least similar. ``needed[r]`` is the smallest overlap that can
    reach rank ``r``; ``overlaps[r]`` and ``sizes[r]`` are an example of a code with that rank.
    ``classes`` has one entry if all codes are in one class. Ranks below ``floor`` are those of
    codes to be left out.
    """

    classes: NDArray[Any]
    ranks: NDArray[np.int64]
    needed: NDArray[np.int64]
    overlaps: NDArray[np.int64]
    sizes: NDArray[np.int64]
    floor: int


def rank(
    classes: NDArray[Any],
    sizes: NDArray[np.int64],
    scores: NDArray[np.float64],
    skip_empty: bool,
) -> Ranking:
    """Rank the similarities that codes can have to a query.

    Parameters
    ----------
    classes : ndarray of uint16
        The class of each code, or one entry if there is only one class.
    sizes : ndarray of int64, (n_classes,)
        The number of ones of the codes of each class, rising.
    scores : ndarray of float64, (n_classes, n_overlaps)
        The similarity of a code of a class that shares 0, 1, ... cells with the query.
    skip_empty : bool
        Whether codes without ones are left out.

    Examples
    --------
    >>> ranking = rank(np.zeros(1, np.uint16), np.array([2]), np.array([[0.0, 0.5, 1.0]]), False)
    >>> ranking.ranks.tolist(), ranking.needed[:3].tolist()
    ([[0, 1, 2]], [0, 1, 2])
    """
    possible = np.arange(scores.shape[1]) <= sizes[:, None]
    # equal scores should be equal however they were rounded
    values = np.round(scores[possible], 12)
    floor = int(skip_empty and sizes[0] == 0)
    if floor:
        values[0] = -np.inf
    _, example, ranks = np.unique(values, return_index=True, return_inverse=True)
    table = np.zeros(possible.shape, dtype=np.int64)
    table[possible] = ranks.ravel()
    class_of, overlap_of = np.nonzero(possible)
    needed = np.full(len(example) + 1, np.iinfo(np.int64).max)
    np.minimum.at(needed, ranks.ravel(), overlap_of)
    needed = np.minimum.accumulate(needed[::-1])[::-1].copy()
    return Ranking(classes, table, needed, overlap_of[example], sizes[class_of[example]], floor)
