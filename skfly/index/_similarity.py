"""Compare codes row by row, and find the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.index._packed import PackedIndex, check_measure, score


def overlap(left: Any, right: Any) -> NDArray[np.int64]:
    """Return the number of cells that each pair of rows has in common.

    Examples
    --------
    >>> overlap(np.array([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 0], [1, 0, 0]]))
    array([2, 0])
    """
    return _count_pairs(left, right)[0]


def similarity(left: Any, right: Any, measure: str = "sokal-michener") -> NDArray[np.float64]:
    """Return the similarity of each pair of rows.

    Parameters
    ----------
    left, right : sparse matrix or array, (n_pairs, n_cells)
        Codes; anything not zero counts as one.
    measure : {"sokal-michener", "overlap", "cosine", "jaccard"}
        With ``n11`` cells on in both and ``n00`` in neither: ``(n11 + n00) / n_cells`` (the
        measure of the paper), ``n11``, ``n11 / sqrt(n1 * n2)``, or ``n11`` over the number of
        cells on in either. Pairs with an empty code have cosine and Jaccard 0.

    Returns
    -------
    similarities : ndarray of float64, (n_pairs,)

    Examples
    --------
    >>> left, right = np.array([[1, 1, 0, 0]]), np.array([[1, 0, 1, 0]])
    >>> [similarity(left, right, m).item() for m in ("sokal-michener", "overlap", "cosine")]
    [0.5, 1.0, 0.5]
    """
    check_measure(measure)
    shared, n_left, n_right = _count_pairs(left, right)
    return score(shared, n_left, n_right, np.shape(left)[1], measure)


def nearest(
    queries: Any, codes: Any, n_nearest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the codes that share the most cells with each query.

    Codes are packed first: to search the same codes repeatedly, build a
    :class:`~skfly.index.PackedIndex`.

    Parameters
    ----------
    queries : sparse matrix or array-like, (n_queries, n_cells)
    codes : sparse matrix or array-like, (n_codes, n_cells)
        In both, anything not zero counts as one.
    n_nearest : int
        How many codes to return for each query; at most as many as there are.

    Returns
    -------
    rows : ndarray of int64, (n_queries, n_nearest)
        Rows of ``codes`` with the largest overlap, ties in the order of ``codes``.
    overlaps : ndarray of int64, (n_queries, n_nearest)
        The number of cells in common.

    Examples
    --------
    >>> codes = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> rows, overlaps = nearest(codes[:1], codes, 2)
    >>> rows, overlaps
    (array([[0, 1]]), array([[2, 1]]))
    """
    ids, scores = PackedIndex(codes).search(queries, n_nearest, measure="overlap")
    return ids, scores.astype(np.int64)


def _count_pairs(left: Any, right: Any) -> tuple[NDArray[np.int64], ...]:
    """Return, for each pair of rows, the number of common ones, and of ones in each."""
    left, right = (sparse.csr_array(codes) != 0 for codes in (left, right))
    if left.shape != right.shape:
        raise ValueError(
            f"codes of shape {left.shape} and {right.shape} cannot be paired row by row"
        )
    counted = left.multiply(right), left, right
    return tuple(np.asarray(codes.sum(axis=1, dtype=np.int64)).ravel() for codes in counted)
