"""How similar two codes are, and which codes are nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["nearest", "overlap", "similarity"]

MEASURES = ("sokal-michener", "overlap", "cosine", "jaccard")


def overlap(left: Any, right: Any) -> NDArray[np.int64]:
    """Return the number of cells that each pair of rows has in common.

    Examples
    --------
    >>> overlap(np.array([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 0], [1, 0, 0]]))
    array([2, 0])
    """
    left, right = _binary(left), _binary(right)
    if left.shape != right.shape:
        raise ValueError(
            f"codes of shape {left.shape} and {right.shape} cannot be paired row by row"
        )
    return np.asarray(left.multiply(right).sum(axis=1)).ravel().astype(np.int64)


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

    Examples
    --------
    >>> left, right = np.array([[1, 1, 0, 0]]), np.array([[1, 0, 1, 0]])
    >>> [float(similarity(left, right, m)[0]) for m in MEASURES]
    [0.5, 1.0, 0.5, 0.3333333333333333]
    """
    both = overlap(left, right)
    return score(both, _sizes(left), _sizes(right), left.shape[1], measure)


def score(both: Any, n_left: Any, n_right: Any, n_cells: int, measure: str) -> NDArray[np.float64]:
    """Return the similarity of codes with ``n_left`` and ``n_right`` ones, ``both`` in common.

    Examples
    --------
    >>> score(np.array([2, 0]), 2, np.array([8, 0]), 10, "cosine")
    array([0.5, 0. ])
    """
    check_measure(measure)
    shared: NDArray[np.float64] = np.asarray(both, dtype=np.float64)
    if measure == "overlap":
        return shared
    n_left, n_right = np.asarray(n_left, np.float64), np.asarray(n_right, np.float64)
    either = n_left + n_right - shared
    if measure == "sokal-michener":
        return np.asarray((shared + n_cells - either) / n_cells)
    whole = np.sqrt(n_left * n_right) if measure == "cosine" else either
    shared, whole = np.broadcast_arrays(shared, whole)
    return np.asarray(np.divide(shared, whole, out=np.zeros(shared.shape), where=whole > 0))


def check_measure(measure: str) -> None:
    """Refuse what is not the name of a measure."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")


def nearest(
    queries: Any, codes: Any, n_nearest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each query, the rows of ``codes`` with the largest overlap, and the overlaps.

    Equal overlaps come in the order of ``codes``.

    Examples
    --------
    >>> codes = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> rows, counts = nearest(codes[:1], codes, 2)
    >>> rows, counts
    (array([[0, 1]]), array([[2, 1]]))
    """
    counts = (_binary(queries) @ _binary(codes).T).toarray().astype(np.int64)
    rows = np.argsort(-counts, axis=1, kind="stable")[:, :n_nearest]
    return rows, np.take_along_axis(counts, rows, axis=1)


def _binary(codes: Any) -> sparse.csr_array:
    codes = sparse.csr_array(codes)
    return (codes != 0).astype(np.int32)


def _sizes(codes: Any) -> NDArray[np.float64]:
    return np.asarray(_binary(codes).sum(axis=1)).ravel().astype(np.float64)
