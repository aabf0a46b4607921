"""The coder of rules in which cells compete for words: word vectors, and cells among them.

A word is a vector of a few hundred whole numbers, a cell a direction among these vectors, and the
activation of a cell is their scalar product. A text is the sum of its words' vectors, with more
weight on rare words, and a word in context lies between its own vector and that of the words
around it. All of them go through the same two matrices, so their codes can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._threads import single_threaded_blas
from skfly.engine import Engine
from skfly.engine._checks import check_array, check_cells, check_whole
from skfly.model._active import Active, multiply_whole, top_of_scores
from skfly.model._coder import Coder
from skfly.model._factors import JoinedRows, PackedRows, random_turn, unpack_used

_LARGEST_ENTRY = 127
_LARGEST_CELL = 2**15 - 1
# All sums are of whole numbers that doubles hold exactly, so every machine makes the same codes.
_AMOUNT_UNIT = 2.0**-14
_LARGEST_AMOUNT = 2**19 - 1
_LENGTH = 2.0**20
_ROWS_AT_A_TIME = 4096
_LONG_SHARE = 14  # a code with more than one cell in this many is a long one


@dataclass(frozen=True, eq=False)
class WhitenedCoder(Coder):
    """Cells that respond to directions among the vectors of words.

    Parameters
    ----------
    vectors : ndarray of int8 or PackedRows, (V, r)
        The words, packed in a compact model; only their directions count. A word that was never
        seen has zeros.
    weights : ndarray of float32, (V,)
        How much a word counts in a text.
    cells : ndarray of int16, (r, K)
        The cells.
    long_cells : ndarray of int16, (r, K), optional
        The cells of codes with many ones, see :meth:`at_length`.

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> vectors = np.array([[1.0, 0.0], [0.9, 0.3], [0.0, 1.0]])
    >>> coder = WhitenedCoder.from_floats(vectors, np.ones(3), np.eye(2))
    >>> coder.words(get_engine("numpy"), np.array([0, 2]), 1).cells.ravel()
    array([0, 1], dtype=int32)
    """

    form: ClassVar[str] = "whitened"

    vectors: NDArray[np.int8] | PackedRows | JoinedRows
    weights: NDArray[np.float32]
    cells: NDArray[np.int16]
    long_cells: NDArray[np.int16] | None = None

    @classmethod
    def from_floats(cls, vectors: Any, weights: Any, cells: Any, long_cells: Any = None) -> Self:
        """Return the coder with these matrices, rounded to whole numbers."""
        vectors = np.asarray(vectors, np.float32)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
        lengths = np.sqrt((vectors**2).sum(axis=1))
        whole = np.divide(
            vectors * np.float32(_LARGEST_ENTRY),
            largest,
            out=np.zeros_like(vectors),
            where=largest > 0,
        )
        # each word's vector counts as one of length 1 / _LARGEST_ENTRY
        shrunk = np.divide(largest[:, 0], lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return cls(
            np.rint(whole).astype(np.int8),
            (np.asarray(weights, np.float32) * shrunk).astype(np.float32),
            _whole_cells(cells),
            None if long_cells is None else _whole_cells(long_cells),
        )

    @cached_property
    def n_words(self) -> int:
        return len(self.vectors)

    @cached_property
    def n_cells(self) -> int:
        return int(self.cells.shape[1])

    # Files

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        vectors = self.vectors.packed if isinstance(self.vectors, PackedRows) else self.vectors[:]
        arrays = {"vectors": vectors, "weights": self.weights, "cells": self.cells}
        return arrays if self.long_cells is None else arrays | {"long_cells": self.long_cells}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], _: Mapping[str, Any], n_words: int
    ) -> Self:
        rank, n_cells = np.shape(arrays["cells"])
        check_cells(n_cells)
        vectors, weights, cells = (
            np.asarray(arrays[name]) for name in ("vectors", "weights", "cells")
        )
        packed = vectors.dtype == np.uint8
        if not packed:
            check_array("vectors", vectors, np.int8, (n_words, rank))
        check_array("weights", weights, np.float32, (n_words,))
        check_array("cells", cells, np.int16, (rank, n_cells))
        long_cells = None
        if "long_cells" in arrays:
            long_cells = np.asarray(arrays["long_cells"])
            check_array("long_cells", long_cells, np.int16, (rank, n_cells))
        if packed:
            rows = PackedRows.check("vectors", vectors, n_words, rank)
            return cls(rows, weights, cells, long_cells)
        return cls(vectors, weights, cells, long_cells)

    def compact(self) -> Self:
        """Return the coder with 4 bits for each number of the word vectors."""
        if isinstance(self.vectors, PackedRows):
            return self
        turn = random_turn(self.vectors.shape[1])
        turned = self.vectors[:].astype(np.float64) @ turn
        vectors, _ = PackedRows.quantise(turned)
        long_cells = None if self.long_cells is None else _whole_cells(turn.T @ self.long_cells)
        cells = _whole_cells(turn.T @ self.cells)
        compact = type(self)(vectors, self.weights, cells, long_cells)
        # the vectors are shorter now, but should count as much as before
        weights = self.weights * (compact._lengths / self._lengths)
        return replace(compact, weights=weights.astype(np.float32))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # Codes

    def at_length(self, n_top: int) -> WhitenedCoder:
        """Return the coder for codes with ``n_top`` ones.

        Cells that competed for words make good short codes. In long codes, cells that learned
        to share words keep more of the vectors.
        """
        if self.long_cells is None or n_top * _LONG_SHARE <= self.n_cells:
            return self
        return self._long

    @cached_property
    def _long(self) -> WhitenedCoder:
        assert self.long_cells is not None
        return replace(self, cells=self.long_cells, long_cells=None)

    def words(self, engine: Engine, ids: NDArray[np.int32], n_top: int, _: str = "") -> Active:
        ids = check_whole("ids", ids, np.int32, 0, self.n_words - 1)
        return top_of_scores(engine, self.responses(engine, ids), n_top)

    def mixtures(
        self, engine: Engine, weights: sparse.csr_array, n_top: int, _: str = ""
    ) -> Active:
        activations = self._activations(engine, self._mixed(engine, weights)[1])
        return top_of_scores(engine, activations, n_top)

    def with_mixtures(self, engine: Engine, parts: Iterable[sparse.csr_array]) -> WhitenedCoder:
        """Return the coder with additional words: mixtures of those that it has.

        In a text they count as much as the rarest words, times the square root of the
        mixture's largest weight, which for :class:`Spelling` is a cosine.

        Parameters
        ----------
        engine : Engine
        parts : iterable of sparse array, (n_mixtures, V)
            The weights, some mixtures at a time.
        """
        vectors = [np.zeros((0, len(self.cells)), np.int8)]
        amounts = [self.weights]
        for weights in parts:
            largest, sums = self._mixed(engine, weights)
            top = np.abs(sums).max(axis=1, keepdims=True, initial=0.0)
            whole = np.rint(sums * (_LARGEST_ENTRY / np.maximum(top, 1.0)))
            lengths = np.sqrt(np.maximum((whole**2).sum(axis=1), 1.0))
            vectors.append(whole.astype(np.int8))
            amounts.append((np.sqrt(largest) * _LARGEST_ENTRY / lengths).astype(np.float32))
        rows = JoinedRows(self.vectors, np.concatenate(vectors))
        coder = WhitenedCoder(rows, np.concatenate(amounts), self.cells)
        coder.__dict__["_cells"] = self._cells
        return coder

    def _mixed(
        self, engine: Engine, weights: sparse.csr_array
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the largest weight of each mixture, and the mixtures."""
        largest = np.zeros(weights.shape[0])
        if weights.nnz:
            largest[:] = weights.max(axis=1).toarray().ravel()  # scipy 1.12 has a column here
        # weights of any size, scaled so that the largest of each mixture is 1
        each = np.repeat(np.maximum(largest, 1e-30), np.diff(weights.indptr))
        shares = weights.data / each
        return largest, self._sums(engine, weights.indices, shares, weights.indptr, self._lengths)

    def contexts(
        self,
        engine: Engine,
        targets: NDArray[np.int32],
        contexts: Sequence[NDArray[np.int32]],
        n_top: int,
    ) -> Active:
        known = [np.unique(context[context >= 0]) for context in contexts]
        rows = np.concatenate([*known, np.zeros(0, np.int32)])
        indptr = np.cumsum([0, *map(len, known)])
        around = self._sums(engine, rows, np.ones(len(rows)), indptr, self.weights)
        own = np.zeros_like(around)
        own[targets >= 0] = self.vectors[targets[targets >= 0]]
        both = _of_equal_length(around) + _of_equal_length(own)
        return top_of_scores(engine, self._activations(engine, both), n_top)

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        often = np.sqrt(counts.data)
        sums = self._sums(engine, counts.indices, often, counts.indptr, self.weights)
        active = top_of_scores(engine, self._activations(engine, sums), n_top)
        active.cells[np.diff(counts.indptr) == 0] = -1
        return active

    def responses(self, engine: Engine, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self._activations(engine, self.vectors[ids].astype(np.float64))

    def strengths(
        self, cells: NDArray[np.integer[Any]], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        chosen = self.cells[:, cells].astype(np.float64)
        found = np.empty((self.n_words, len(cells)))
        with single_threaded_blas():  # for a few cells, threads cost more than they save
            for start in range(0, self.n_words, _ROWS_AT_A_TIME):
                part = slice(start, start + _ROWS_AT_A_TIME)
                found[part] = self.vectors[part].astype(np.float64) @ chosen
        found *= self._lengths[:, None]
        # a word seen only a few times may lie anywhere
        return found * np.log1p(counts)[:, None]

    @property
    def word_weights(self) -> NDArray[np.float32]:
        """How much each word counts in a text, independent of the length of its vector."""
        found: NDArray[np.float32] = self.weights / self._lengths
        return found

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        """The factor that brings each word to the same length."""
        squares = np.empty(self.n_words)
        for start in range(0, self.n_words, _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            squares[part] = (self.vectors[part].astype(np.float64) ** 2).sum(axis=1)
        lengths: NDArray[np.float64] = np.sqrt(np.maximum(squares, 1.0))
        return (_LARGEST_ENTRY / lengths).astype(np.float32)

    def _sums(
        self,
        engine: Engine,
        rows: NDArray[Any],
        amounts: NDArray[Any],
        indptr: NDArray[Any],
        weights: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Return the sums of vectors, each times its amount and its word's weight."""
        whole = np.rint(amounts.astype(np.float64) * weights[rows] / _AMOUNT_UNIT)
        np.minimum(whole, _LARGEST_AMOUNT, out=whole)
        vectors = self.vectors
        if not isinstance(vectors, np.ndarray):
            vectors, rows = unpack_used(vectors, rows)
        return engine.sum_rows(vectors, rows, whole, indptr)

    def _activations(self, engine: Engine, inputs: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the activation of every cell for vectors of whole numbers; zeros for zeros."""
        activations = np.empty((len(inputs), self.n_cells), dtype=np.float32)
        for start in range(0, len(inputs), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            activations[part] = multiply_whole(engine, _of_equal_length(inputs[part]), self._cells)
        return activations

    @cached_property
    def _cells(self) -> NDArray[np.float64]:
        return self.cells.astype(np.float64)


def _whole_cells(cells: Any) -> NDArray[np.int16]:
    """Return cells as whole numbers; only their proportions matter."""
    cells = np.ascontiguousarray(cells)
    strongest = max(float(np.abs(cells).max(initial=0.0)), 1e-30)
    whole: NDArray[np.int16] = np.rint(cells * cells.dtype.type(_LARGEST_CELL / strongest)).astype(
        np.int16
    )
    return whole


def _of_equal_length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale vectors to whole numbers of about the same length; zeros stay zeros.

    Examples
    --------
    >>> (_of_equal_length(np.array([[3.0, 4.0], [0.0, 0.0]])) / _LENGTH).round(5)
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    # the squares of these are exact
    scaled = np.rint(vectors * (_LENGTH / np.maximum(largest, 1.0)))
    lengths = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    found: NDArray[np.float64] = np.rint(scaled * (_LENGTH / np.maximum(lengths, 1.0)))
    return found
