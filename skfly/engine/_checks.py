"""Check the arguments of kernels, which do not check bounds themselves.

Whole arrays are checked once per call, never inside loops. Ids, offsets and rows of another
integer type, or not contiguous, are converted. Arrays of the size of the model are never copied:
wrong ones are rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 65_535
"""Cell numbers, and one value for "no cell", must fit 16 bits."""

_MOST_POSITIONS = 2**31 - 1


def check_array(
    name: str,
    array: Any,
    dtypes: type[Any] | Sequence[type[Any]],
    shape: Sequence[int | None],
    *,
    changed: bool = False,
) -> None:
    """Raise an error unless ``array`` has the dtype and shape and is in C order.

    ``None`` in a shape allows any length. ``changed`` means that the array will be written to.

    Examples
    --------
    >>> check_array("sums", np.zeros((2, 3), np.float32), np.float32, (2, None), changed=True)
    >>> check_array("sums", np.zeros((2, 3)), np.float32, (2, None))
    Traceback (most recent call last):
    ...
    TypeError: sums must be an array of float32; got float64
    """
    allowed = [np.dtype(dtype) for dtype in (dtypes if isinstance(dtypes, Sequence) else [dtypes])]
    if not isinstance(array, np.ndarray) or array.dtype not in allowed:
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        wanted = " or ".join(dtype.name for dtype in allowed)
        raise TypeError(f"{name} must be an array of {wanted}; got {found}")
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise ValueError(f"{name} must have shape ({wanted}); got {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be in C order: use np.ascontiguousarray")
    if changed and not array.flags.writeable:
        raise ValueError(f"{name} is read-only, but will be changed: pass a copy")


def check_model(name: str, array: Any, dtype: type[Any], *, changed: bool = False) -> None:
    """Raise an error unless there are two rows per word and one column per cell."""
    check_array(name, array, dtype, (None, None), changed=changed)
    if len(array) % 2:
        raise ValueError(f"{name} must have two rows for each word; got {len(array)}")
    check_cells(array.shape[1])


def check_cells(n_cells: int) -> None:
    """Raise an error if there are too many cells."""
    if n_cells > MOST_CELLS:
        raise ValueError(f"at most {MOST_CELLS:,} cells are possible; got {n_cells:,}")


def check_whole(name: str, numbers: Any, dtype: type[Any], least: int, most: int) -> NDArray[Any]:
    """Return integers as a contiguous array; raise an error if any is out of range.

    Examples
    --------
    >>> check_whole("ids", np.array([3, -1, 0]), np.int32, -1, 3)
    array([ 3, -1,  0], dtype=int32)
    >>> check_whole("ids", np.array([3, -1, 0]), np.int32, -1, 2)
    Traceback (most recent call last):
    ...
    ValueError: ids must be from -1 to 2; got 3
    """
    array: NDArray[Any] = np.asarray(numbers)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers; got {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {array.shape}")
    if len(array):
        smallest, largest = int(array.min()), int(array.max())
        if smallest < least or largest > most:
            wrong = smallest if smallest < least else largest
            raise ValueError(f"{name} must be from {least} to {most}; got {wrong}")
    whole: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype)
    # numba would compile another version of a kernel for read-only arrays
    return whole if whole.flags.writeable else whole.copy()


def check_text(
    ids: Any, offsets: Any, n_words: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return sentences in the form that kernels expect; see ``_base.py``."""
    if np.size(ids) > _MOST_POSITIONS:
        raise ValueError(f"at most {_MOST_POSITIONS:,} words fit one batch; got {len(ids):,}")
    return check_bags(ids, offsets, n_words, ("ids", "offsets"), least=-1)


def check_bags(
    rows: Any,
    indptr: Any,
    n_rows: int,
    names: tuple[str, str] = ("rows", "indptr"),
    least: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return bags of rows in the form that kernels expect."""
    rows = check_whole(names[0], rows, np.int32, least, n_rows - 1)
    offsets: NDArray[np.int64] = check_whole(names[1], indptr, np.int64, 0, len(rows))
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(rows):
        raise ValueError(f"{names[1]} must begin with 0 and end with {len(rows)}")
    if (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"{names[1]} must not decrease")
    return rows, offsets


def check_winners(winners: Any, n_positions: int, n_cells: int) -> NDArray[np.int32]:
    """Return the winner of each position, or -1."""
    found: NDArray[np.int32] = check_whole("winners", winners, np.int32, -1, n_cells - 1)
    if len(found) != n_positions:
        raise ValueError(f"expected {n_positions} winners, one per position; got {len(found)}")
    return found


def check_window(window: Any) -> None:
    """Raise an error unless the window is a number of words."""
    if not isinstance(window, Integral) or not 1 <= int(window) < _MOST_POSITIONS:
        raise ValueError(f"window must be a positive number of words; got {window!r}")


def check_top(n_top: Any, n_cells: int) -> None:
    """Raise an error unless ``n_top`` is between 1 and the number of cells."""
    if not isinstance(n_top, Integral) or not 1 <= int(n_top) <= n_cells:
        raise ValueError(f"n_top must be a number from 1 to {n_cells} cells; got {n_top!r}")


def check_pairs(
    batch: Any, skipped: Any, reach: Any
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return sentences whose pairs are to be counted; ``skipped`` words are unknown there."""
    if not isinstance(reach, Integral) or not 1 <= int(reach) <= _MOST_POSITIONS:
        raise ValueError(f"reach must be a number of words; got {reach!r}")
    check_array("skipped", skipped, np.bool_, (None,))
    ids, offsets = check_text(batch[0], batch[1], len(skipped))
    # the last entry is for id -1
    known = np.where(np.append(skipped, True)[ids], np.int32(-1), ids) if skipped.any() else ids
    return known, offsets


def check_range(first: Any, last: Any, n_items: int) -> None:
    """Raise an error unless ``first`` to ``last`` is a range of the items."""
    whole = isinstance(first, Integral) and isinstance(last, Integral)
    if not whole or not 0 <= first <= last <= n_items:
        raise ValueError(f"{first!r} to {last!r} is not a range of the {n_items} items")
