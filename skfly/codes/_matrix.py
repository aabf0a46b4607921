"""The forms that codes come in: lists of active cells, CSR, packed bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

__all__ = ["codes_to_csr", "pack_codes", "spread_rows", "unpack_codes"]


def codes_to_csr(
    cells: NDArray[np.integer[Any]], n_cells: int, dtype: DTypeLike = np.float32
) -> sparse.csr_array:
    """Return active cells, one row a code, as a sparse matrix of ones.

    A row of -1 is a code with no active cell.

    Examples
    --------
    >>> codes_to_csr(np.array([[2, 0], [-1, -1]]), n_cells=3).toarray()
    array([[1., 0., 1.],
           [0., 0., 0.]], dtype=float32)
    """
    n_codes, hash_length = cells.shape
    present = cells[:, 0] >= 0 if hash_length else np.zeros(n_codes, dtype=bool)
    indptr = np.concatenate([[0], np.cumsum(np.where(present, hash_length, 0))])
    indices = np.sort(cells[present], axis=1).ravel()
    # scipy's own functions do not check it
    if len(indices) and (indices.min() < 0 or indices.max() >= n_cells):
        raise ValueError(f"cells must be numbers from 0 to {n_cells - 1}")
    index_type = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
    return sparse.csr_array(
        (
            np.ones(len(indices), dtype=dtype),
            indices.astype(index_type, copy=False),
            indptr.astype(index_type),
        ),
        shape=(n_codes, n_cells),
    )


def spread_rows(codes: sparse.csr_array, rows: NDArray[Any], n_rows: int) -> sparse.csr_array:
    """Return a matrix of ``n_rows`` rows, of which ``rows`` (rising) are those of ``codes``.

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


def pack_codes(codes: Any) -> NDArray[np.uint8]:
    """Return codes as bits, 8 cells a byte: cell ``m`` is bit ``m % 8`` of byte ``m // 8``.

    Examples
    --------
    >>> pack_codes(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1, 1]]))
    array([[1, 3]], dtype=uint8)
    """
    if not sparse.issparse(codes):
        return np.packbits(np.asarray(codes) != 0, axis=1, bitorder="little")
    codes = sparse.csr_array(codes)
    packed = np.zeros((codes.shape[0], -(-codes.shape[1] // 8)), dtype=np.uint8)
    on = codes.data != 0
    rows = np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))[on]
    cells = codes.indices[on]
    bits = np.left_shift(1, cells % 8).astype(np.uint8)
    np.bitwise_or.at(packed, (rows, cells // 8), bits)
    return packed


def unpack_codes(
    packed: NDArray[np.uint8], n_cells: int, dtype: DTypeLike = np.float32
) -> sparse.csr_array:
    """Return packed bits as a sparse matrix of ones, the inverse of :func:`pack_codes`.

    Examples
    --------
    >>> unpack_codes(np.array([[1, 3]], dtype=np.uint8), n_cells=10).indices
    array([0, 8, 9], dtype=int32)
    """
    bits = np.unpackbits(packed, axis=1, count=n_cells, bitorder="little")
    return sparse.csr_array(bits).astype(dtype)
