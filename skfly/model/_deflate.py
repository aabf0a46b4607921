"""Whole numbers and symmetric matrices in few bytes, for arrays that are seldom read.

Whole numbers of more than one byte become differences of neighbours, which are small where they
are sorted. Each is then one byte, and those that do not fit follow at the end. Bytes are coded by
how often they occur (Huffman): counts have no repetitions to find, and the search takes ten times
as long. So each byte takes at least a bit, and a damaged array cannot grow without bounds.

A symmetric matrix of float64 becomes the bytes of its upper triangle: the first byte of all its
numbers, then the second, and so on. Sums of float32 end in zeros.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 255  # what a byte says of numbers that do not fit it
_BYTES_PER_BYTE = 8  # at most, since each takes a bit
_TYPES = ("uint8", "uint16", "int32", "int64")
_SYMMETRIC = "float64"


def deflate(array: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return an array as fewer bytes; ``None`` for other types, and where it does not help.

    Examples
    --------
    >>> words = np.arange(0, 50_000, 7, dtype=np.uint16)
    >>> words.nbytes, deflate(words).nbytes
    (14286, 907)
    >>> bool((inflate(deflate(words), "uint16", words.shape) == words).all())
    True
    """
    if array.dtype.name == _SYMMETRIC:
        return _deflate_symmetric(array)
    if array.dtype.name not in _TYPES:
        return None
    numbers = np.ascontiguousarray(array).reshape(-1).view(f"u{array.itemsize}")
    if array.itemsize > 1:  # modulo their range, as the sums of inflate
        numbers = np.diff(numbers, prepend=numbers.dtype.type(0))
    small = np.minimum(numbers, _LARGE).astype(np.uint8)
    coder = zlib.compressobj(wbits=-zlib.MAX_WBITS, memLevel=9, strategy=zlib.Z_HUFFMAN_ONLY)
    parts = [coder.compress(part.data) for part in (small, numbers[small == _LARGE])]
    packed = np.frombuffer(b"".join([*parts, coder.flush()]), np.uint8)
    return packed if packed.nbytes < array.nbytes else None


def inflate(packed: NDArray[np.uint8], dtype: str, shape: Sequence[int]) -> NDArray[Any]:
    """Return the array of this type and shape that :func:`deflate` packed.

    Anything else raises ``ValueError``, and takes at most a hundred times the memory of
    ``packed``.
    """
    if dtype not in (*_TYPES, _SYMMETRIC) or packed.dtype != np.uint8 or not len(packed):
        raise ValueError("packed numbers are of another type")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f"{shape!r:.30} is not a shape")
    if dtype == _SYMMETRIC:
        return _inflate_symmetric(packed, shape)
    coder = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        found = coder.decompress(packed.data, _BYTES_PER_BYTE * len(packed))
    except zlib.error as error:
        raise ValueError(f"packed numbers cannot be read: {error}") from error
    n_numbers, unsigned = math.prod(shape), np.dtype(f"u{np.dtype(dtype).itemsize}")
    small = np.frombuffer(found, np.uint8)[:n_numbers]
    is_large = small == _LARGE
    n_bytes = n_numbers + int(np.count_nonzero(is_large)) * unsigned.itemsize
    if not coder.eof or coder.unused_data or len(found) != n_bytes:
        raise ValueError(f"there are not {n_numbers:,} packed numbers")
    numbers = small.astype(unsigned)
    numbers[is_large] = np.frombuffer(found, unsigned, offset=n_numbers)
    if unsigned.itemsize > 1:
        np.cumsum(numbers, dtype=unsigned, out=numbers)
    return numbers.view(dtype).reshape(shape)


def _deflate_symmetric(matrix: NDArray[np.float64]) -> NDArray[np.uint8] | None:
    numbers = np.ascontiguousarray(matrix).view(np.uint64)
    if numbers.ndim != 2 or not len(numbers) or not np.array_equal(numbers, numbers.T):
        return None
    triangle = np.concatenate([row[place:] for place, row in enumerate(numbers)])
    return deflate(triangle.view(np.uint8).reshape(-1, 8).T)


def _inflate_symmetric(packed: NDArray[np.uint8], shape: Sequence[int]) -> NDArray[np.float64]:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{shape!r:.30} is not the shape of a symmetric matrix")
    n = shape[0]
    planes = inflate(packed, "uint8", (8, n * (n + 1) // 2))
    triangle = np.ascontiguousarray(planes.T).view(np.float64)[:, 0]
    if not np.isfinite(triangle).all():
        raise ValueError("packed numbers contain nan or infinity")
    matrix = np.empty((n, n))
    start = 0
    for place in range(n):
        stop = start + n - place
        matrix[place, place:] = matrix[place:, place] = triangle[start:stop]
        start = stop
    return matrix
