"""What users give as codes, checked and packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.codes import count_bits, pack_rows, unpack_rows

__all__ = [
    "KEY_TYPES",
    "Item",
    "as_items",
    "as_vector",
    "check_hash_length",
    "check_keys",
    "check_packed",
    "is_binary",
    "pack_checked",
    "unpack_one",
]

KEY_TYPES = (str, int, np.integer)
_HOW_TO_BINARIZE = "codes are made of vectors by FlyKeyedVectors.from_dense"


class Item(NamedTuple):
    """One of the things that a query is made of: a key or a vector, and its weight."""

    what: Any
    weight: float


def pack_checked(codes: Any, n_cells: int | None = None) -> tuple[NDArray[np.uint64], int]:
    """Return codes as packed rows, and their width; refuse what is not ones and zeros.

    Examples
    --------
    >>> pack_checked([[1, 0, 1]])
    (array([[5]], dtype=uint64), 3)
    """
    if sparse.issparse(codes):
        matrix: Any = sparse.csr_array(codes)
        values = matrix.data
    else:
        matrix = values = _as_matrix(codes)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"codes must be ones and zeros; got values of type {values.dtype}")
    if not is_binary(values):
        wrong = values[(values != 0) & (values != 1)].ravel()[0]
        raise ValueError(f"codes must be ones and zeros; got {wrong:g}: {_HOW_TO_BINARIZE}")
    if n_cells is not None and matrix.shape[1] != n_cells:
        raise ValueError(f"codes must be {n_cells} cells wide; got {matrix.shape[1]}")
    return pack_rows(matrix), int(matrix.shape[1])


def is_binary(values: Any) -> bool:
    """Whether there are only ones and zeros."""
    values = np.asarray(values)
    return values.dtype == bool or bool(((values == 0) | (values == 1)).all())


def check_packed(codes: Any, n_cells: int) -> NDArray[np.uint64]:
    """Return codes that are packed already, in bytes or words, as packed rows."""
    codes = np.asarray(codes)
    widths = {"uint8": -(-n_cells // 8), "uint64": -(-n_cells // 64)}
    expected = widths.get(str(codes.dtype))
    if codes.ndim != 2 or expected is None or codes.shape[1] != expected:
        raise ValueError(
            f"packed codes of {n_cells} cells must be a matrix of {widths['uint8']} uint8 or "
            f"{widths['uint64']} uint64 a row; got {codes.dtype} of shape {codes.shape}"
        )
    if codes.dtype == np.uint8:
        padded = np.zeros((len(codes), widths["uint64"] * 8), dtype=np.uint8)
        padded[:, :expected] = codes
        codes = padded.view("<u8").astype(np.uint64, copy=False)
    if n_cells % 64 and (codes[:, -1] >> np.uint64(n_cells % 64)).any():
        raise ValueError(f"packed codes have ones beyond their {n_cells} cells")
    return np.asarray(codes, dtype=np.uint64)


def check_hash_length(codes: NDArray[np.uint64], hash_length: int | None) -> None:
    """Refuse packed codes that have neither ``hash_length`` ones nor none at all."""
    if hash_length is None:
        return
    sizes = count_bits(codes)
    wrong = sizes[(sizes != hash_length) & (sizes != 0)]
    if len(wrong):
        raise ValueError(f"codes must have {hash_length} ones (or none); got one with {wrong[0]}")


def check_keys(keys: Sequence[Any], n_codes: int) -> list[Any]:
    """Return keys as a list; refuse a wrong number of them, wrong types and duplicates."""
    if isinstance(keys, str):
        raise ValueError("expected a list of words, got a single str; pass [word]")
    keys = list(keys)
    if len(keys) != n_codes:
        raise ValueError(f"{len(keys)} words and {n_codes} codes; each word needs one")
    seen = set()
    for key in keys:
        if not isinstance(key, KEY_TYPES):
            raise TypeError(f"words must be str (or int); got {key!r}")
        if key in seen:
            raise ValueError(f"the word {key!r} comes twice; each may have one code")
        seen.add(key)
    return keys


def as_vector(value: Any, n_cells: int) -> NDArray[Any]:
    """Return a vector or a sparse row as an array, if it has the right width."""
    if sparse.issparse(value):
        value = value.toarray()
        value = value[0] if value.ndim == 2 and len(value) == 1 else value
    value = np.asarray(value)
    if value.shape != (n_cells,):
        raise ValueError(f"a query must be {n_cells} cells wide; got shape {value.shape}")
    if value.dtype.kind not in "biuf":
        raise TypeError(f"a query must be numbers; got {value.dtype}")
    if not np.isfinite(value).all():
        raise ValueError("a query must be finite numbers; got infinity or nan")
    return np.asarray(value)


def as_items(value: Any, weight: float) -> list[Item]:
    """Return what ``positive`` or ``negative`` of a query says, in gensim's many forms."""
    if value is None:
        return []
    if isinstance(value, KEY_TYPES):
        return [Item(value, weight)]
    if sparse.issparse(value):
        value = [value] if value.ndim == 1 else list(value.toarray())
    elif isinstance(value, np.ndarray):
        value = [value] if value.ndim == 1 else list(value)
    items = []
    for entry in value:
        if isinstance(entry, (*KEY_TYPES, np.ndarray)) or sparse.issparse(entry):
            items.append(Item(entry, weight))
        else:
            items.append(Item(entry[0], float(entry[1])))
    return items


def unpack_one(code: NDArray[np.uint64], n_cells: int, dtype: Any) -> NDArray[Any]:
    """Return one packed code as a vector."""
    return np.asarray(unpack_rows(code[None], n_cells)[0], dtype=dtype)


def _as_matrix(codes: Any) -> NDArray[Any]:
    try:
        matrix = np.asarray(codes)
    except ValueError:  # numpy's word for rows of several widths is "inhomogeneous"
        found = f"rows of widths {sorted({np.size(row) for row in codes})}"
    else:
        if matrix.ndim == 2:
            return matrix
        found = f"shape {matrix.shape}"
    raise ValueError(f"codes must be a matrix with one row a code, all of one width; got {found}")
