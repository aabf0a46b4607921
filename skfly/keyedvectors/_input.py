"""Checks of the codes, keys and vectors that users pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.index._bits import as_matrix, count_ones, pack_codes

KEY_TYPES = (str, int, np.integer)


def pack_checked(codes: Any, n_cells: int | None = None) -> tuple[NDArray[np.uint8], int]:
    """Return codes packed, and their width; raise ``ValueError`` if they are not ones and zeros.

    Examples
    --------
    >>> pack_checked([[1, 0, 1]])
    (array([[5]], dtype=uint8), 3)
    """
    matrix = as_matrix(codes)
    values = matrix.data if sparse.issparse(matrix) else matrix
    if values.dtype.kind not in "biuf":
        raise ValueError(f"codes must be ones and zeros; got values of type {values.dtype}")
    if not is_binary(values):
        wrong = values[(values != 0) & (values != 1)].ravel()[0]
        raise ValueError(
            f"codes must be ones and zeros; got {wrong:g}: FlyKeyedVectors.from_dense makes codes "
            "of dense vectors"
        )
    if n_cells is not None and matrix.shape[1] != n_cells:
        raise ValueError(f"codes must be {n_cells} cells wide; got {matrix.shape[1]}")
    return pack_codes(matrix), int(matrix.shape[1])


def is_binary(values: NDArray[Any]) -> bool:
    """Return whether there are only ones and zeros."""
    return values.dtype == bool or bool(((values == 0) | (values == 1)).all())


def check_hash_length(packed: NDArray[np.uint8], hash_length: int | None) -> None:
    """Raise ``ValueError`` if a packed code has neither ``hash_length`` ones nor none at all."""
    if hash_length is None:
        return
    sizes = count_ones(packed).sum(axis=1, dtype=np.int64)
    wrong = sizes[(sizes != hash_length) & (sizes != 0)]
    if len(wrong):
        raise ValueError(f"codes must have {hash_length} ones (or none); got one with {wrong[0]}")


def check_keys(keys: Sequence[Any], n_codes: int) -> list[Any]:
    """Return keys as a list; raise an error for a wrong number, wrong types and duplicates."""
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
            raise ValueError(f"the word {key!r} occurs twice; each can have only one code")
        seen.add(key)
    return keys


def as_vector(value: Any, n_cells: int) -> NDArray[Any]:
    """Return a vector or a sparse row as an array of the right width, or raise an error."""
    if sparse.issparse(value):
        value = value.toarray()
        value = value[0] if value.ndim == 2 and len(value) == 1 else value
    vector: NDArray[Any] = np.asarray(value)
    if vector.shape != (n_cells,):
        raise ValueError(f"a query must be {n_cells} cells wide; got shape {vector.shape}")
    if vector.dtype.kind not in "biuf":
        raise TypeError(f"a query must be numbers; got {vector.dtype}")
    if not np.isfinite(vector).all():
        raise ValueError("a query must be finite numbers; got infinity or nan")
    return vector
