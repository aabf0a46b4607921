"""Compact forms of large matrices: rows of few-bit numbers, and low-rank factors.

A matrix ``W`` with a row for each word and a column for each cell is kept as ``A @ B`` with a few
hundred directions. ``A`` is rotated at random among these directions, which leaves the product
unchanged and makes its numbers alike, so that a few bits each are enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from skfly.engine import Engine
from skfly.engine._checks import check_array, check_cells
from skfly.model._active import multiply_whole

_STEPS = {3: 0.65, 4: 0.355}  # best for 7 and 15 levels of standard normal numbers
_FACTOR_BITS = 3  # more directions help more than finer numbers
_LARGEST_CELL = 2**15 - 1
_LARGEST_AMOUNT = 2**19 - 1  # so that sums are exact, see Engine.sum_rows
_LARGEST_SUM = 2.0**20
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True, eq=False)
class PackedRows:
    """Rows of few-bit integers in a range symmetric about 0; unpacked as they are read.

    Parameters
    ----------
    packed : ndarray of uint8, (n_rows, ceil(n_bits * n_columns / 8))
        The bits of one number after the other, highest first; each number is stored plus
        ``2 ** (n_bits - 1)``.
    n_columns : int
    n_bits : int, default=4

    Examples
    --------
    >>> rows, scales = PackedRows.quantise(np.array([[0.3, -0.2, 0.0], [0.0, 0.0, 0.0]]))
    >>> rows[[0, 1]]
    array([[ 4, -3,  0],
           [ 0,  0,  0]], dtype=int8)
    >>> (rows[:1] * scales[0]).round(1)
    array([[ 0.3, -0.2,  0. ]])
    >>> rows.packed.nbytes
    4
    """

    packed: NDArray[np.uint8]
    n_columns: int
    n_bits: int = 4

    @classmethod
    def quantise(cls, rows: Any, n_bits: int = 4) -> tuple[Self, NDArray[np.float64]]:
        """Return rows with a few bits per number, and the unit of each row."""
        rows = np.asarray(rows, np.float64)
        steps = _STEPS[n_bits] * np.sqrt((rows**2).mean(axis=1, keepdims=True)) + 1e-300
        largest = 2 ** (n_bits - 1) - 1
        whole = np.clip(np.rint(rows / steps), -largest, largest)
        squares = (whole**2).sum(axis=1)
        best = np.divide(
            (rows * whole).sum(axis=1), squares, out=np.zeros(len(rows)), where=squares > 0
        )
        shifted = (whole + largest + 1).astype(np.uint8)
        bits = np.unpackbits(shifted[:, :, None], axis=2)[:, :, 8 - n_bits :]
        packed = np.packbits(bits.reshape(len(rows), -1), axis=1)
        return cls(packed, rows.shape[1], n_bits), best

    @classmethod
    def check(cls, name: str, packed: Any, n_rows: int, n_columns: int, n_bits: int = 4) -> Self:
        """Return the rows that an array holds; raises like ``check_array``."""
        array = np.asarray(packed)
        check_array(name, array, np.uint8, (n_rows, -(-n_columns * n_bits // 8)))
        return cls(array, n_columns, n_bits)

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.packed), self.n_columns

    def __getitem__(self, ids: Any) -> NDArray[np.int8]:
        packed, n_bits = self.packed[ids], self.n_bits
        if n_bits == 4:  # several times as fast as single bits
            halves = np.empty((len(packed), 2 * packed.shape[1]), dtype=np.int8)
            halves[:, 0::2], halves[:, 1::2] = packed >> 4, packed & 15
            halves -= 8
            return np.ascontiguousarray(halves[:, : self.n_columns])
        bits = np.unpackbits(packed, axis=1, count=n_bits * self.n_columns)
        found = np.full((len(packed), self.n_columns), -(1 << (n_bits - 1)), dtype=np.int8)
        for place in range(n_bits):
            found += bits[:, place::n_bits].astype(np.int8) << (n_bits - 1 - place)
        return found


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """The rows of a matrix, followed by more; neither is copied.

    Examples
    --------
    >>> rows = JoinedRows(np.eye(2, dtype=np.int8), np.array([[5, 6]], np.int8))
    >>> rows[[2, 0]].tolist(), len(rows)
    ([[5, 6], [1, 0]], 3)
    """

    first: NDArray[np.int8] | PackedRows | JoinedRows
    more: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.first) + len(self.more)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.more.shape[1]

    def __getitem__(self, ids: Any) -> NDArray[np.int8]:
        ids = np.arange(len(self))[ids] if isinstance(ids, slice) else np.asarray(ids)
        is_first = ids < len(self.first)
        found = np.empty((len(ids), self.more.shape[1]), np.int8)
        found[is_first] = self.first[ids[is_first]]
        found[~is_first] = self.more[ids[~is_first] - len(self.first)]
        return found


def unpack_used(
    rows: PackedRows | JoinedRows, ids: NDArray[Any]
) -> tuple[NDArray[np.int8], NDArray[Any]]:
    """Return the rows that are used, and the place of each id among them."""
    used, places = np.unique(ids, return_inverse=True)
    return rows[used], places


def random_turn(n: int) -> NDArray[np.float64]:
    """Return a fixed rotation of ``n`` dimensions."""
    turned: NDArray[np.float64] = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    return turned


@dataclass(frozen=True, eq=False)
class Factors:
    """A matrix with a row per word and a column per cell, as a product.

    Parameters
    ----------
    rows : PackedRows, (n_rows, rank)
    scales : ndarray of float32, (n_rows,)
        The unit of each row.
    cells : ndarray of int16, (rank, n_cells)

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> matrix = np.outer([1.0, 2.0, 0.0], [3.0, 0.0, -3.0, 1.0])
    >>> factors = Factors.of(matrix, rank=1)
    >>> sums = factors.sums(get_engine("numpy"), np.array([0, 1]), np.ones(2), np.array([0, 2]))
    >>> sums.round(2)
    array([[ 9.,  0., -9.,  3.]])
    """

    rows: PackedRows
    scales: NDArray[np.float32]
    cells: NDArray[np.int16]

    @classmethod
    def of(cls, matrix: NDArray[Any], rank: int, importance: NDArray[Any] | None = None) -> Self:
        """Return the factors that are closest to a matrix.

        Parameters
        ----------
        matrix : ndarray, (n_rows, n_cells)
        rank : int
        importance : ndarray, (n_rows,), optional
            How much each row counts.
        """
        products = np.zeros((matrix.shape[1], matrix.shape[1]))
        for part in gen_batches(max(len(matrix), 1), _ROWS_AT_A_TIME):
            some = matrix[part].astype(np.float64)
            if importance is not None:
                some *= importance[part, None]
            products += some.T @ some
        rank = min(rank, *matrix.shape)
        directions = np.linalg.eigh(products)[1][:, ::-1][:, :rank] @ random_turn(rank)
        largest = max(float(np.abs(directions).max(initial=0.0)), 1e-30) / _LARGEST_CELL
        packed, scales = [], []
        for part in gen_batches(max(len(matrix), 1), _ROWS_AT_A_TIME):
            rows, units = PackedRows.quantise(
                matrix[part].astype(np.float64) @ directions, _FACTOR_BITS
            )
            packed.append(rows.packed)
            scales.append(units * largest)
        return cls(
            PackedRows(np.concatenate(packed), rank, _FACTOR_BITS),
            np.concatenate(scales).astype(np.float32),
            np.ascontiguousarray(np.rint(directions.T / largest).astype(np.int16)),
        )

    @property
    def n_cells(self) -> int:
        return int(self.cells.shape[1])

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"rows": self.rows.packed, "scales": self.scales, "cells": self.cells}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_rows: int) -> Self:
        """Return the factors with these arrays; raises ``ValueError`` if they do not fit."""
        rank, n_cells = np.shape(arrays["cells"])
        check_cells(n_cells)
        cells, scales = np.asarray(arrays["cells"]), np.asarray(arrays["scales"])
        check_array("cells", cells, np.int16, (rank, n_cells))
        check_array("scales", scales, np.float32, (n_rows,))
        rows = PackedRows.check("rows", arrays["rows"], n_rows, rank, _FACTOR_BITS)
        return cls(rows, scales, cells)

    def sums(
        self,
        engine: Engine,
        rows: NDArray[Any],
        amounts: NDArray[Any],
        indptr: NDArray[Any],
        largest_amount: float = 1.0,
    ) -> NDArray[np.float64]:
        """Return the sum of each bag of rows, each row times its amount, for all cells.

        All sums are of whole numbers that doubles hold exactly.
        """
        unit = largest_amount / _LARGEST_AMOUNT
        whole = np.rint(amounts.astype(np.float64) * self._relative_scales[rows] / unit)
        np.clip(whole, -_LARGEST_AMOUNT, _LARGEST_AMOUNT, out=whole)
        sums = engine.sum_rows(*unpack_used(self.rows, rows), whole, np.asarray(indptr, np.int64))
        largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True, initial=0.0), 1.0)
        product = multiply_whole(engine, np.rint(sums * (_LARGEST_SUM / largest)), self._cells)
        product *= largest * (unit * self._largest_scale / _LARGEST_SUM)
        return product

    def each(self, engine: Engine, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Return single rows of the matrix."""
        return self.sums(engine, rows, np.ones(len(rows)), np.arange(len(rows) + 1))

    def columns(self, cells: NDArray[Any]) -> NDArray[np.float64]:
        """Return some columns of the matrix."""
        chosen = self.cells[:, cells].astype(np.float64)
        found = np.empty((len(self.rows), len(cells)))
        for part in gen_batches(max(len(self.rows), 1), _ROWS_AT_A_TIME):
            found[part] = (self.rows[part] @ chosen) * self.scales[part, None]
        return found

    @cached_property
    def _largest_scale(self) -> float:
        return max(float(self.scales.max(initial=0.0)), 1e-300)

    @cached_property
    def _relative_scales(self) -> NDArray[np.float64]:
        return self.scales.astype(np.float64) / self._largest_scale

    @cached_property
    def _cells(self) -> NDArray[np.float64]:
        return self.cells.astype(np.float64)
