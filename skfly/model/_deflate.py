"""Whole numbers in few bytes, for arrays that are seldom read.

Numbers of more than one byte become differences of neighbours, which are small where they are
sorted. Each is then one byte, and those that do not fit follow at the end. Bytes are coded by how
often they occur (Huffman): counts have no repetitions to find, and the search takes ten times as
long. So each byte takes at least a bit, and a damaged array cannot grow without bounds.
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
_TYPES = ("uint8", "uint16", "int32")


def deflate(array: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return whole numbers as fewer bytes; ``None`` for other arrays, and where it does not help.

    Examples
    --------
    >>> words = np.arange(0, 50_000, 7, dtype=np.uint16)
    >>> words.nbytes, deflate(words).nbytes
    (14286, 907)
    >>> bool((inflate(deflate(words), "uint16", words.shape) == words).all())
    True
    """
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

    Anything else raises ``ValueError``, and takes at most forty times the memory of ``packed``.
    """
    if dtype not in _TYPES or packed.dtype != np.uint8 or not len(packed):
        raise ValueError("packed numbers are of another type")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f"{shape!r:.30} is not a shape")
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
