"""A map of words, on which words whose codes share cells lie near each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from skfly._caching import can_cache
from skfly.index import PackedIndex
from skfly.model import CellLayout

_NEIGHBOURS = 10
_EPOCHS = 40
_REPELLED = 4  # points that repel a word, for each that attracts it
_SPREAD = 3.0  # of the blur that finds where most of a code lies, in places of the grid
_MARGIN = 0.03  # of the map, on each side
_ROWS_AT_A_TIME = 2048
_AMID = 5  # landmarks among which something is placed
# UMAP's curve of attraction and repulsion, for points that may touch
_A, _B = 1.577, 0.895


class WordMap(NamedTuple):
    """The places of words, from 0 to 1, and the region of each fingerprint."""

    points: NDArray[np.float32]
    regions: NDArray[np.int64]


def draw_map(codes: sparse.csr_array, layout: CellLayout) -> WordMap:
    """Lay out words by their codes: first by the place of their fingerprints, then by neighbours.

    The same codes give the same map.

    Parameters
    ----------
    codes : sparse array, (n_words, n_cells)
        Of the words.
    layout : CellLayout
        Of the cells.

    Returns
    -------
    map : WordMap
    """
    codes = sparse.csr_array(codes)
    n_words = codes.shape[0]
    points, regions = _by_fingerprint(codes, layout)
    if n_words > 2:
        n_near = min(_NEIGHBOURS + 1, n_words)
        near, scores = PackedIndex(codes).search(codes, n_near)
        _pull(points, near.astype(np.int64), scores.astype(np.float64), _EPOCHS)
    return WordMap(_scale(points).astype(np.float32), regions)


def _scale(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale points to 0 to 1; a few outliers are moved to the margin and do not shrink the rest.

    Examples
    --------
    >>> far = np.array([[-1e9, 0.0], *([[0.0, 0.0], [1.0, 1.0]] * 500)])
    >>> _scale(far).round(3)[:3].tolist()
    [[0.0, 0.03], [0.03, 0.03], [0.97, 0.97]]
    """
    if len(points) < 2:
        return np.full_like(points, 0.5)
    low, high = np.percentile(points, [0.2, 99.8], axis=0)
    scaled = np.divide(points - low, high - low, out=np.full_like(points, 0.5), where=high > low)
    inner = np.clip(scaled, 0.0, 1.0)
    beyond = scaled - inner
    beyond *= _MARGIN / (np.abs(beyond) + _MARGIN)
    placed: NDArray[np.float64] = _MARGIN + (1 - 2 * _MARGIN) * inner + beyond
    return placed


def _by_fingerprint(
    codes: sparse.csr_array, layout: CellLayout
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the place on the grid where most of each code lies, and its region."""
    places = np.stack(np.divmod(layout.places, layout.n_columns)[::-1], axis=1).astype(float)
    squares = ((places[:, None] - places) ** 2).sum(axis=2)
    blur = np.exp(-squares / (2 * _SPREAD**2))
    blur /= blur.sum(axis=0)
    of_region = np.eye(int(layout.regions.max(initial=0)) + 1)[layout.regions]
    of_region /= np.sqrt(of_region.sum(axis=0))
    points = np.zeros((codes.shape[0], 2))
    regions = np.zeros(codes.shape[0], np.int64)
    for start in range(0, codes.shape[0], _ROWS_AT_A_TIME):
        part = codes[start : start + _ROWS_AT_A_TIME]
        density = part @ blur
        weights = (density / np.maximum(density.max(axis=1, keepdims=True), 1e-12)) ** 8
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        points[start : start + part.shape[0]] = weights @ places
        regions[start : start + part.shape[0]] = (part @ of_region).argmax(axis=1)
    return points, regions


@njit(cache=can_cache(), nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _pull(points: Any, near: Any, scores: Any, n_epochs: int) -> None:
    """Move points to their neighbours and away from others, as UMAP does; on one thread."""
    n_points = len(points)
    state = np.uint64(88172645463325252)
    for epoch in range(n_epochs):
        step = 1.0 - epoch / n_epochs
        for i in range(n_points):
            for k in range(near.shape[1]):
                j = near[i, k]
                if j == i or j < 0 or scores[i, k] <= 0.0:
                    continue
                dx, dy = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
                square = dx * dx + dy * dy
                if square > 0.0:
                    pull = 2 * _A * _B * square ** (_B - 1) / (1 + _A * square**_B)
                    pull *= step * scores[i, k]
                    mx = min(max(pull * dx, -4.0), 4.0)
                    my = min(max(pull * dy, -4.0), 4.0)
                    points[i, 0] -= mx
                    points[i, 1] -= my
                    points[j, 0] += mx
                    points[j, 1] += my
                for _ in range(_REPELLED):
                    state ^= state << np.uint64(13)
                    state ^= state >> np.uint64(7)
                    state ^= state << np.uint64(17)
                    other = np.int64(state % np.uint64(n_points))
                    if other == i:
                        continue
                    dx, dy = points[i, 0] - points[other, 0], points[i, 1] - points[other, 1]
                    square = dx * dx + dy * dy
                    push = 2 * _B / ((0.001 + square) * (1 + _A * square**_B)) * step
                    points[i, 0] += min(max(push * dx, -4.0), 4.0)
                    points[i, 1] += min(max(push * dy, -4.0), 4.0)


def place_among(
    codes: sparse.csr_array, landmarks: sparse.csr_array, points: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Place codes among landmarks: each amid those that are most similar to it.

    Examples
    --------
    >>> landmarks = sparse.csr_array(np.eye(2, dtype=bool))
    >>> place_among(landmarks[[1]], landmarks, np.array([[0.0, 0.0], [0.5, 1.0]]))
    array([[0.5, 1. ]])
    """
    n_near = min(_AMID, landmarks.shape[0])
    if not codes.shape[0] or not n_near:
        return np.zeros((codes.shape[0], 2))
    near, scores = PackedIndex(landmarks).search(codes, n_near)
    # the nearest count by far the most: a place between distant landmarks would say nothing
    weights = np.maximum(scores, 0.0) ** 8
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    found: NDArray[np.float64] = (weights[:, :, None] * points[near].astype(float)).sum(axis=1)
    return found
