"""Many codes in little memory, and the counts that search needs, taken from that form.

Two forms hold the same codes: :class:`PackedCodes`, a bit for each cell, and
:class:`ListedCodes`, the numbers of the active cells. :func:`smallest` takes the smaller one.
Both keep one column a code, so that the kernels read memory in order. Between modules, a few
codes travel as packed rows: ``uint64``, (n_codes, n_words), cell ``m`` in bit ``m % 64`` of word
``m // 64``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skfly.backends._checks import check_array, check_range
from skfly.codes._matrix import pack_codes

__all__ = [
    "CodeStore",
    "ListedCodes",
    "PackedCodes",
    "as_packed",
    "check_rows",
    "count_bits",
    "pack_rows",
    "smallest",
    "unpack_rows",
]

_ROWS_AT_A_TIME = 1 << 14
Packed = NDArray[np.uint64]


def _kernels() -> Any:
    """Import numba only when codes are searched."""
    from skfly.backends import _search_kernels

    return _search_kernels


def _plane_kernels() -> Any:
    from skfly.backends import _plane_kernels

    return _plane_kernels


class CodeStore:
    """What both forms have in common.

    Attributes
    ----------
    n_cells : int
        Width of the codes.
    columns : ndarray, (n, n_codes)
        The codes, one a column.
    sizes : ndarray of uint16 or uint32, (n_codes,)
        The number of ones of each code. If all have as many, it takes the memory of one number
        and is read-only.
    """

    form: ClassVar[str]
    n_cells: int
    columns: NDArray[Any]
    sizes: NDArray[Any]

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    @property
    def nbytes(self) -> int:
        """Memory of the codes."""
        return int(self.columns.nbytes + (0 if self.one_size is not None else self.sizes.nbytes))

    @property
    def one_size(self) -> int | None:
        """The number of ones, if it is kept once for all codes, or None."""
        return int(self.sizes[0]) if len(self) and self.sizes.strides == (0,) else None

    @property
    def n_words(self) -> int:
        """Words of 64 cells in a packed row."""
        return -(-self.n_cells // 64)

    def packed(self, rows: Any) -> Packed:
        """Return some codes as packed rows."""
        raise NotImplementedError

    def overlaps(self, query: Packed, first: int, last: int) -> NDArray[np.int32]:
        """Return how many cells the codes ``first`` to ``last`` share with a packed query."""
        raise NotImplementedError

    def sums(self, weights: NDArray[Any], first: int, last: int) -> NDArray[np.float64]:
        """Return the sums of weights, one a cell, over the cells of codes."""
        raise NotImplementedError

    def best(
        self, queries: Packed, table: Any, first: int, last: int, found: Any, ranks: Any
    ) -> None:
        """Find the best codes among ``first`` to ``last`` for packed queries.

        ``table`` is the kernel's ``classes, ranks, least``; the rows that are found, and their
        ranks, are written to ``found`` and ``ranks``.
        """
        raise NotImplementedError

    def fill_planes(self, first: int, last: int, planes: Packed) -> None:
        """Set the bits of codes in the planes of an inverted index."""
        raise NotImplementedError

    def take(self, rows: Any) -> CodeStore:
        """Return a new store with some of the codes."""
        return type(self)(self.columns[:, rows].copy(order="C"), self.n_cells)  # type: ignore[call-arg]

    def dense(self, dtype: Any = np.float32) -> NDArray[Any]:
        """Return all codes as a matrix of ones and zeros."""
        out = np.empty((len(self), self.n_cells), dtype=dtype)
        for start in range(0, len(self), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            out[part] = unpack_rows(self.packed(part), self.n_cells)
        return out

    def _weights(self, weights: Any) -> NDArray[np.float64]:
        """Return one weight a cell."""
        found = np.asarray(weights, dtype=np.float64)
        if found.shape != (self.n_cells,):
            raise ValueError(f"there must be {self.n_cells} weights; got shape {found.shape}")
        return found

    def _check_room(self, first: int, last: int, found: Any, ranks: Any) -> None:
        check_range(first, last, len(self))
        check_array("found", found, np.int64, (None, None), changed=True)
        check_array("ranks", ranks, np.int64, found.shape, changed=True)

    def _check_planes(self, first: int, last: int, planes: Any) -> None:
        check_range(first, last, len(self))
        shape = (self.n_cells, -(-len(self) // 64))
        check_array("planes", planes, np.uint64, shape, changed=True)

    def freeze(self) -> None:
        """Forbid changes."""
        self.columns.setflags(write=False)
        self.sizes.setflags(write=False)


class PackedCodes(CodeStore):
    """Codes as bits: cell ``m`` is bit ``m % 8`` of byte ``m // 8``.

    Examples
    --------
    >>> store = PackedCodes.from_rows(pack_rows(np.eye(3, 70)), 70)
    >>> store.columns.shape, store.sizes.tolist()
    ((9, 3), [1, 1, 1])
    """

    form = "packed"

    def __init__(self, columns: NDArray[np.uint8], n_cells: int) -> None:
        # kernels rely on it: they do not check bounds themselves
        check_array("codes", columns, np.uint8, (-(-n_cells // 8), None))
        if n_cells % 8 and (columns[-1] >> np.uint8(n_cells % 8)).any():
            raise ValueError(f"codes have ones beyond their {n_cells} cells")
        self.columns = columns
        self.n_cells = n_cells
        self.sizes = _count_sizes(columns, _size_type(n_cells))

    @classmethod
    def from_rows(cls, rows: Packed, n_cells: int) -> PackedCodes:
        """Return a store of packed rows."""
        return cls(np.ascontiguousarray(_as_bytes(rows, n_cells).T), n_cells)

    def packed(self, rows: Any) -> Packed:
        part = self.columns[:, rows]
        out = np.zeros((part.shape[1], 8 * self.n_words), dtype=np.uint8)
        out[:, : len(part)] = part.T
        return out.view("<u8").astype(np.uint64, copy=False)

    def overlaps(self, query: Packed, first: int, last: int) -> NDArray[np.int32]:
        check_range(first, last, len(self))
        out = np.empty(last - first, dtype=np.int32)
        bits, counts = self._query(query[None])
        _kernels().overlaps_of_packed(self.columns, bits[0], first, last, counts, out)
        return out

    def sums(self, weights: NDArray[Any], first: int, last: int) -> NDArray[np.float64]:
        check_range(first, last, len(self))
        out = np.empty(last - first, dtype=np.float64)
        tables = _byte_tables(self._weights(weights))
        _kernels().sums_of_packed(self.columns, tables, first, last, out)
        return out

    def best(
        self, queries: Packed, table: Any, first: int, last: int, found: Any, ranks: Any
    ) -> None:
        self._check_room(first, last, found, ranks)
        bits, counts = self._query(queries)
        _kernels().best_of_packed(self.columns, bits, *table, first, last, counts, found, ranks)

    def _query(self, queries: Packed) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return queries as bytes, and room for the overlaps with them."""
        queries = check_rows(queries, self.n_cells)
        bits = np.ascontiguousarray(_as_bytes(queries, self.n_cells))
        largest = int(count_bits(queries).max(initial=0))
        return bits, np.empty(_kernels().BLOCK, dtype=np.min_scalar_type(largest))

    def fill_planes(self, first: int, last: int, planes: Packed) -> None:
        self._check_planes(first, last, planes)
        _plane_kernels().planes_of_packed(self.columns, first, last, planes)

    def replace(self, rows: Any, codes: Packed) -> None:
        """Put packed rows in the place of codes."""
        self.columns[:, rows] = _as_bytes(codes, self.n_cells).T
        if not self.sizes.flags.writeable:
            self.sizes = self.sizes.copy()
        self.sizes[rows] = count_bits(codes)

    def append(self, codes: Packed) -> PackedCodes:
        """Return a new store with packed rows after its own."""
        added = _as_bytes(codes, self.n_cells).T
        return PackedCodes(np.concatenate([self.columns, added], axis=1), self.n_cells)


class ListedCodes(CodeStore):
    """Codes of one length as the sorted numbers of their cells; an empty one has ``n_cells``.

    Examples
    --------
    >>> store = ListedCodes.from_rows(pack_rows(np.array([[0, 1, 1], [0, 0, 0]])), 3)
    >>> store.columns.tolist(), store.sizes.tolist()
    ([[1, 3], [2, 3]], [2, 0])
    """

    form = "cells"

    def __init__(self, columns: NDArray[Any], n_cells: int) -> None:
        # kernels rely on it: they do not check bounds themselves
        check_array("codes", columns, _cell_type(n_cells), (None, None))
        for start in range(0, columns.shape[1], _ROWS_AT_A_TIME):
            part = columns[:, start : start + _ROWS_AT_A_TIME]
            if not _are_cells(part, n_cells):
                raise ValueError(f"codes are not rising numbers of cells below {n_cells}")
        self.columns = columns
        self.n_cells = n_cells
        some = columns[0] < n_cells if len(columns) else np.zeros(columns.shape[1], dtype=bool)
        self.sizes = _one_if_equal(some.astype(_size_type(n_cells)) * len(columns))

    @classmethod
    def from_rows(cls, rows: Packed, n_cells: int) -> ListedCodes:
        """Return a store of packed rows, which must all have as many ones, or none."""
        sizes = count_bits(rows)
        length = int(sizes.max(initial=0))
        columns = np.full((length, len(rows)), n_cells, dtype=_cell_type(n_cells))
        for start in range(0, len(rows), _ROWS_AT_A_TIME):
            part = rows[start : start + _ROWS_AT_A_TIME]
            which, cells = np.nonzero(unpack_rows(part, n_cells))
            some = np.unique(which) + start
            columns[:, some] = cells.reshape(len(some), length).T
        return cls(columns, n_cells)

    def packed(self, rows: Any) -> Packed:
        cells = self.columns[:, rows].T
        out: Packed = np.zeros((len(cells), self.n_words), dtype=np.uint64)
        at = np.arange(len(cells))
        for column in cells.T:
            cell = column.astype(np.int64)
            on = cell < self.n_cells
            out[at[on], cell[on] // 64] |= np.uint64(1) << (cell[on] % 64).astype(np.uint64)
        return out

    def overlaps(self, query: Packed, first: int, last: int) -> NDArray[np.int32]:
        check_range(first, last, len(self))
        out = np.empty(last - first, dtype=np.int32)
        active, counts = self._active(query[None])
        _kernels().overlaps_of_cells(self.columns, active[0], first, last, counts, out)
        return out

    def sums(self, weights: NDArray[Any], first: int, last: int) -> NDArray[np.float64]:
        check_range(first, last, len(self))
        out = np.empty(last - first, dtype=np.float64)
        padded = np.append(self._weights(weights), 0.0)
        _kernels().sums_of_cells(self.columns, padded, first, last, out)
        return out

    def best(
        self, queries: Packed, table: Any, first: int, last: int, found: Any, ranks: Any
    ) -> None:
        self._check_room(first, last, found, ranks)
        active, counts = self._active(queries)
        _kernels().best_of_cells(self.columns, active, *table, first, last, counts, found, ranks)

    def fill_planes(self, first: int, last: int, planes: Packed) -> None:
        self._check_planes(first, last, planes)
        _plane_kernels().planes_of_cells(self.columns, first, last, planes)

    def _active(self, queries: Packed) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return 1 or 0 for each cell, 0 for the one that stands for none, and room for counts."""
        queries = check_rows(queries, self.n_cells)
        active = np.pad(unpack_rows(queries, self.n_cells), ((0, 0), (0, 1)))
        return active, np.empty(_kernels().BLOCK, dtype=np.min_scalar_type(len(self.columns)))


def pack_rows(codes: Any) -> Packed:
    """Return a matrix of codes as packed rows; anything not zero counts as one.

    Examples
    --------
    >>> pack_rows(np.array([[1, 0, 1]])).tolist()
    [[5]]
    """
    packed = pack_codes(codes)
    n_codes, n_bytes = packed.shape
    padded = np.zeros((n_codes, -(-n_bytes // 8) * 8), dtype=np.uint8)
    padded[:, :n_bytes] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)


def check_rows(rows: Any, n_cells: int) -> Packed:
    """Return packed rows; refuse what is not of the width that cells need."""
    found: NDArray[np.uint64] = np.asarray(rows)
    n_words = -(-n_cells // 64)
    if found.dtype != np.uint64 or found.ndim != 2 or found.shape[1] != n_words:
        raise ValueError(
            f"packed codes of {n_cells} cells must be a matrix of {n_words} uint64 a row; got "
            f"{found.dtype} of shape {found.shape}"
        )
    if n_cells % 64 and (found[:, -1] >> np.uint64(n_cells % 64)).any():
        raise ValueError(f"packed codes have ones beyond their {n_cells} cells")
    return found


def unpack_rows(rows: Packed, n_cells: int) -> NDArray[np.uint8]:
    """Return packed rows as a matrix of ones and zeros, the inverse of :func:`pack_rows`.

    Examples
    --------
    >>> unpack_rows(np.array([[5]], dtype=np.uint64), 4).tolist()
    [[1, 0, 1, 0]]
    """
    return np.unpackbits(_as_bytes(rows, n_cells), axis=1, count=n_cells, bitorder="little")


def count_bits(rows: Packed) -> NDArray[np.int64]:
    """Return the number of ones in each packed row.

    Examples
    --------
    >>> count_bits(np.array([[5], [0]], dtype=np.uint64)).tolist()
    [2, 0]
    """
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(rows).sum(axis=1, dtype=np.int64))
    as_bytes = _as_bytes(rows, 64 * rows.shape[1])
    return np.asarray(_ones_of_bytes(as_bytes).sum(axis=1, dtype=np.int64))


def smallest(store: CodeStore) -> CodeStore:
    """Return the codes in the form that takes less memory; both can be searched.

    Lists of cells need codes of one length (or empty ones).

    Examples
    --------
    >>> few = PackedCodes.from_rows(pack_rows(np.eye(5, 400)), 400)
    >>> type(smallest(few)).__name__
    'ListedCodes'
    """
    if isinstance(store, ListedCodes) or not len(store):
        return store
    lengths = np.unique(store.sizes[store.sizes > 0])
    listed = lengths.sum() * _cell_type(store.n_cells)().itemsize
    if len(lengths) == 1 and listed < len(store.columns):
        return ListedCodes.from_rows(store.packed(slice(None)), store.n_cells)
    store.sizes = _one_if_equal(store.sizes)
    return store


def as_packed(store: CodeStore) -> PackedCodes:
    """Return the codes as bits, in which single codes can be changed."""
    if isinstance(store, PackedCodes):
        return store
    return PackedCodes.from_rows(store.packed(slice(None)), store.n_cells)


def _byte_tables(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sum of weights for each byte of a code and each value that it may have."""
    n_bytes = -(-len(weights) // 8)
    padded = np.zeros((n_bytes, 8))
    padded.ravel()[: len(weights)] = weights
    values = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.ascontiguousarray(padded @ values.T.astype(np.float64))


def _as_bytes(rows: Packed, n_cells: int) -> NDArray[np.uint8]:
    """Return packed rows as bytes, as many as the cells need."""
    as_bytes = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return as_bytes[:, : -(-n_cells // 8)]


def _ones_of_bytes(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(values))
    table = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)
    return np.asarray(table.astype(np.uint8)[values])


def _count_sizes(columns: NDArray[np.uint8], dtype: Any) -> NDArray[Any]:
    """Return the number of ones in each column; room for all is taken only if they differ."""
    n_codes = columns.shape[1]
    sizes = np.broadcast_to(_ones_of_bytes(columns[:, :1]).sum(axis=0, dtype=dtype), n_codes)
    for start in range(0, n_codes, _ROWS_AT_A_TIME):
        part = columns[:, start : start + _ROWS_AT_A_TIME]
        found = np.zeros(part.shape[1], dtype)
        for row in part:
            found += _ones_of_bytes(row)
        if not sizes.flags.writeable and (found != sizes[0]).any():
            sizes = sizes.copy()
        if sizes.flags.writeable:
            sizes[start : start + len(found)] = found
    return sizes


def _one_if_equal(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return sizes that take the memory of one if they are all equal."""
    if len(sizes) and (sizes == sizes[0]).all():
        return np.broadcast_to(sizes[:1].copy(), sizes.shape)
    return sizes


def _are_cells(columns: NDArray[Any], n_cells: int) -> bool:
    """Whether each code has rising numbers of cells, or ``n_cells`` only."""
    if not len(columns):
        return True
    is_empty = columns[0] == n_cells
    rises = (columns[1:] > columns[:-1]).all(axis=0)
    ends = columns[-1] < n_cells
    return bool(np.where(is_empty, (columns == n_cells).all(axis=0), rises & ends).all())


def _size_type(n_cells: int) -> type[np.uint16] | type[np.uint32]:
    return np.uint16 if n_cells < 1 << 16 else np.uint32


def _cell_type(n_cells: int) -> type[np.uint16] | type[np.uint32]:
    """Return a type that holds the number of a cell, and ``n_cells`` itself."""
    return np.uint16 if n_cells < 1 << 16 else np.uint32
