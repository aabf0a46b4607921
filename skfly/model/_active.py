"""Active cells: the largest of the activations, and codes as sparse matrices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from skfly._threads import run_chunks, single_threaded_blas
from skfly.engine import Drive, Engine, fixed_point_gain
from skfly.engine._checks import check_array

_UNIT = Drive(fixed_point_gain(2.0, 12), np.float32(-np.inf))
_LITTLE_WORK = (
    25_000_000  # products of two numbers; for fewer, a loop takes less than preparing BLAS
)
_MOST_INT32 = np.iinfo(np.int32).max


class Active(NamedTuple):
    """The most active cells of some inputs, by falling activation; -1 where there is none."""

    cells: NDArray[np.int32]
    activations: NDArray[np.float64]


def top_of_scores(
    engine: Engine, scores: NDArray[np.float32], n_top: int, *, to_unit: bool = True
) -> Active:
    """Return the cells with the largest scores in each row.

    With ``to_unit``, rows are divided by their largest absolute score, in place; otherwise
    scores must lie between -2 and 2. Equal ones go to the cell with the lowest number.
    """
    if to_unit:
        largest = np.abs(scores).max(axis=1, keepdims=True, initial=0.0)
        np.divide(scores, largest, out=scores, where=largest > 0)
    each = np.arange(len(scores) + 1, dtype=np.int32)
    cells, values = engine.top_cells(scores, _UNIT, each[:-1], each.astype(np.int64), n_top)
    return Active(cells, values / float(_UNIT.gain))


def multiply_whole(
    engine: Engine, left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply matrices of integers whose sums are exact in double precision.

    So neither the order of a sum nor the number of threads matters.
    """
    check_array("right", right, np.float64, (None, None))
    check_array("left", left, np.float64, (None, len(right)))
    if left.size * right.shape[1] <= _LITTLE_WORK:
        return np.asarray(np.einsum("ij,jk->ik", left, right))
    out = np.empty((len(left), right.shape[1]))
    edges = np.linspace(0, len(left), engine.n_threads + 1).astype(int).tolist()
    with single_threaded_blas():
        run_chunks(
            lambda first, last: np.matmul(left[first:last], right, out=out[first:last]),
            pairwise(edges),
            engine.n_threads,
        )
    return out


def codes_to_csr(
    cells: NDArray[np.integer[Any]], n_cells: int, dtype: DTypeLike = np.float32
) -> sparse.csr_array:
    """Return active cells, one row per code, as a sparse matrix of ones.

    A row of -1 is a code with no active cell.

    Examples
    --------
    >>> codes_to_csr(np.array([[2, 0], [-1, -1]]), n_cells=3).toarray()
    array([[1., 0., 1.],
           [0., 0., 0.]], dtype=float32)
    """
    n_codes, hash_length = cells.shape
    present = cells[:, 0] >= 0 if hash_length else np.zeros(n_codes, dtype=bool)
    index_type = np.int32 if cells.size <= _MOST_INT32 else np.int64
    indptr = np.zeros(n_codes + 1, index_type)
    np.cumsum(np.where(present, hash_length, 0), out=indptr[1:])
    indices = np.sort(cells[present], axis=1).ravel().astype(index_type, copy=False)
    # scipy's own functions do not check it
    if len(indices) and (indices.min() < 0 or indices.max() >= n_cells):
        raise ValueError(f"cells must be numbers from 0 to {n_cells - 1}")
    return sparse.csr_array(
        (np.ones(len(indices), dtype=dtype), indices, indptr), shape=(n_codes, n_cells)
    )


def spread_rows(codes: sparse.csr_array, rows: NDArray[Any], n_rows: int) -> sparse.csr_array:
    """Return a matrix of ``n_rows`` rows with ``codes`` at ``rows`` (rising), else zeros.

    Examples
    --------
    >>> spread_rows(sparse.csr_array(np.array([[1, 0], [1, 1]])), np.array([0, 2]), 3).toarray()
    array([[1, 0],
           [0, 0],
           [1, 1]])
    """
    lengths = np.zeros(n_rows + 1, dtype=codes.indptr.dtype)
    lengths[1 + rows] = np.diff(codes.indptr)
    return sparse.csr_array(
        (codes.data, codes.indices, np.cumsum(lengths, dtype=lengths.dtype)),
        shape=(n_rows, codes.shape[1]),
    )


def stack(parts: Iterable[sparse.csr_array]) -> sparse.csr_array:
    """Stack matrices vertically, with 32-bit indices wherever they fit.

    Many estimators of scikit-learn accept no others. Parts are consumed one at a time; the memory
    needed is that of the result plus at most an eighth.

    Examples
    --------
    >>> part = sparse.csr_array(np.eye(2))
    >>> both = stack([part, part])
    >>> both.shape, both.indices.dtype, both.indptr.dtype
    ((4, 2), dtype('int32'), dtype('int32'))
    """
    remaining = iter(parts)
    first = next(remaining)
    n_columns = first.shape[1]
    second = next(remaining, None)
    if second is None:
        if first.nnz <= _MOST_INT32:
            first.indices = first.indices.astype(np.int32, copy=False)
            first.indptr = first.indptr.astype(np.int32, copy=False)
        return first
    data, indices = _Growing(first.dtype), _Growing(np.int32)
    lengths = _Growing(np.int64)
    lengths.extend(np.zeros(1, np.int64))
    for part in chain([first, second], remaining):
        data.extend(part.data)
        indices.extend(part.indices)
        lengths.extend(np.diff(part.indptr))
    del first, second, part
    indptr = lengths.finish()
    np.cumsum(indptr, out=indptr)
    stacked = (data.finish(), indices.finish(), indptr)
    if indptr[-1] <= _MOST_INT32:  # before scipy sees them: it would make them 64-bit
        stacked = (*stacked[:2], indptr.astype(np.int32))
    return sparse.csr_array(stacked, shape=(len(indptr) - 1, n_columns))


class _Growing:
    """An array to append to; it grows in place if the system allows it."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._array: NDArray[Any] = np.empty(0, dtype)
        self._n_used = 0

    def extend(self, values: NDArray[Any]) -> None:
        n_needed = self._n_used + len(values)
        if n_needed > len(self._array):
            self._array.resize(n_needed + n_needed // 8, refcheck=False)
        self._array[self._n_used : n_needed] = values
        self._n_used = n_needed

    def finish(self) -> NDArray[Any]:
        self._array.resize(self._n_used, refcheck=False)
        return self._array
