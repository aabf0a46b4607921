"""Codes as packed bits.

A packed code is a row of bytes: cell ``m`` is bit ``m % 8`` of byte ``m // 8``. As 64-bit words
(``uint64``) it is the same bits, with cell ``m`` in bit ``m % 64`` of word ``m // 64``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

_CELLS_AT_A_TIME = 1 << 20  # unpacked at a time, one byte each


def _count_by_table(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    return np.asarray(bits.sum(axis=1, dtype=np.uint8)[values])


# numpy has it since version 2
count_ones: Callable[[Any], NDArray[np.uint8]] = getattr(np, "bitwise_count", _count_by_table)


def pack_codes(codes: Any) -> NDArray[np.uint8]:
    """Pack codes into bits, 8 cells per byte.

    Parameters
    ----------
    codes : sparse matrix or array-like, (n_codes, n_cells)
        Anything not zero counts as one.

    Returns
    -------
    packed : ndarray of uint8, (n_codes, ceil(n_cells / 8))
        Cell ``m`` is bit ``m % 8`` of byte ``m // 8``.

    Examples
    --------
    >>> pack_codes(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1, 1]]))
    array([[1, 3]], dtype=uint8)
    """
    codes = as_matrix(codes)
    packed = np.empty((codes.shape[0], -(-codes.shape[1] // 8)), dtype=np.uint8)
    for part, rows in pack_parts(codes):
        packed[part] = rows
    return packed


def unpack_codes(
    packed: NDArray[np.uint8], n_cells: int, dtype: DTypeLike = np.float32
) -> sparse.csr_array:
    """Unpack bits into a sparse matrix of ones, the inverse of :func:`pack_codes`.

    Parameters
    ----------
    packed : ndarray of uint8, (n_codes, ceil(n_cells / 8))
    n_cells : int
        Width of the codes.
    dtype : dtype, default=numpy.float32
        Type of the ones.

    Returns
    -------
    codes : sparse array in CSR format, (n_codes, n_cells)

    Examples
    --------
    >>> unpack_codes(np.array([[1, 3]], dtype=np.uint8), n_cells=10).indices
    array([0, 8, 9], dtype=int32)
    """
    bits = np.unpackbits(packed, axis=1, count=n_cells, bitorder="little")
    return sparse.csr_array(bits).astype(dtype)


def as_matrix(codes: Any) -> Any:
    """Return codes as a CSR array or a two-dimensional array, or raise ``ValueError``."""
    if sparse.issparse(codes):
        return sparse.csr_array(codes.reshape(1, -1) if codes.ndim == 1 else codes)
    try:
        matrix = np.asarray(codes)
    except ValueError:  # numpy's word for rows of several widths is "inhomogeneous"
        found = f"rows of widths {sorted({np.size(row) for row in codes})}"
    else:
        if matrix.ndim == 2:
            return matrix
        found = f"shape {matrix.shape}"
    raise ValueError(f"codes must be a matrix with one row a code, all of one width; got {found}")


def pack_parts(codes: Any) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
    """Yield a matrix of codes in packed parts, so that little of it is unpacked at a time."""
    n_codes, n_cells = codes.shape
    step = max(1, _CELLS_AT_A_TIME // max(1, n_cells))
    for start in range(0, n_codes, step):
        part = slice(start, min(start + step, n_codes))
        rows = codes[part]
        if sparse.issparse(rows):
            on = rows.data != 0
            at = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[on]
            bits = np.zeros(rows.shape, dtype=bool)
            bits[at, rows.indices[on]] = True
        else:
            bits = rows != 0
        yield part, np.packbits(bits, axis=1, bitorder="little")


def as_packed(codes: Any, n_cells: int, *, packed_only: bool = False) -> NDArray[np.uint8]:
    """Return codes as packed rows of bytes, or raise ``ValueError`` if they do not fit.

    Packed codes, in bytes or 64-bit words, are recognised by their type and width. Anything else
    is taken as a matrix with one column per cell, or rejected with ``packed_only``.

    Examples
    --------
    >>> as_packed(np.array([[5]], dtype=np.uint64), 9)
    array([[5, 0]], dtype=uint8)
    >>> as_packed([[1, 0, 1, 0, 0, 0, 0, 0, 0]], 9)
    array([[5, 0]], dtype=uint8)
    """
    n_bytes, n_words = -(-n_cells // 8), -(-n_cells // 64)
    widths = {np.dtype(np.uint8): n_bytes, np.dtype(np.uint64): n_words}
    if isinstance(codes, np.ndarray) and codes.shape[1:] == (widths.get(codes.dtype),):
        rows = np.ascontiguousarray(codes, codes.dtype.newbyteorder("<")).view(np.uint8)
        unused = rows[:, n_bytes - 1] >> np.uint8(n_cells % 8) if n_cells % 8 else 0
        if np.any(unused) or rows[:, n_bytes:].any():
            raise ValueError(f"packed codes have ones beyond their {n_cells} cells")
        return np.ascontiguousarray(rows[:, :n_bytes])
    matrix = as_matrix(codes)
    if packed_only or matrix.dtype.kind not in "biuf" or matrix.shape[1] != n_cells:
        raise ValueError(
            f"codes must be {n_cells} cells wide, or packed codes of {n_bytes} uint8 or {n_words} "
            f"uint64 a row; got {matrix.dtype} of shape {matrix.shape}"
        )
    return pack_codes(matrix)


def to_words(packed: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return packed codes as rows of 64-bit words.

    Examples
    --------
    >>> to_words(np.array([[5]], dtype=np.uint8)).tolist()
    [[5]]
    """
    n_codes, n_bytes = packed.shape
    padded = np.zeros((n_codes, -(-n_bytes // 8) * 8), dtype=np.uint8)
    padded[:, :n_bytes] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)


def pack_rows(codes: Any) -> NDArray[np.uint64]:
    """Pack codes into 64-bit words; anything not zero counts as one.

    Examples
    --------
    >>> pack_rows(np.array([[1, 0, 1]])).tolist()
    [[5]]
    """
    return to_words(pack_codes(codes))


def unpack_rows(packed: NDArray[Any], n_cells: int) -> NDArray[np.uint8]:
    """Unpack rows of bytes or 64-bit words into a matrix of ones and zeros.

    Examples
    --------
    >>> unpack_rows(np.array([[5]], dtype=np.uint64), 4).tolist()
    [[1, 0, 1, 0]]
    """
    return np.unpackbits(as_packed(packed, n_cells), axis=1, count=n_cells, bitorder="little")
