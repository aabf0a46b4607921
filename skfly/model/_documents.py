"""The coder of documents: a second group of cells, learned from whole documents.

A document is the tf-idf vector ``x`` of its words, of unit length and with logarithms of counts.
A cell's response is ``x @ weights``, standardised by its mean and deviation over documents: how
this document differs from others. Both are folded into the coder's arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._model_file import under
from skfly.engine import Engine
from skfly.engine._checks import check_array, check_cells
from skfly.model._active import Active, top_of_scores
from skfly.model._factors import Factors

_TFIDF_UNIT = 2.0**-10
_LARGEST_AMOUNT = 2**19 - 1  # so that sums are exact, see Engine.sum_rows
_LARGEST_TFIDF = 128.0  # of a word in a compact coder
_FACTORS = "factors."
_LARGEST_RANK, _SMALLEST_RANK, _RANK_PER_CELL = 384, 32, 0.45
_LARGEST_WEIGHT = 127
_ACTIVATIONS_AT_A_TIME = 1 << 22


@dataclass(frozen=True, eq=False)
class DocumentCoder:
    """Cells that respond to documents.

    All sums are of whole numbers and exact in any order, so a document has the same code on every
    machine and in any batch.

    Parameters
    ----------
    weights : ndarray of int8 or Factors, (V, K)
        How each word excites or inhibits each cell; factors in a compact model, int16 in older
        files.
    scales : ndarray of float32, (K,)
        The unit of each cell's weights.
    thresholds : ndarray of float32, (K,)
        Subtracted from the responses: each cell's mean over the training documents.
    idf : ndarray of float32, (V,)
        Inverse document frequencies.

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> weights = np.array([[1, 0, -1], [0, 2, 0]])
    >>> coder = DocumentCoder.from_weights(weights, thresholds=[0.5, 0.5, 0.5], idf=[1.0, 1.0])
    >>> documents = sparse.csr_array([[3, 0], [0, 1], [0, 0]])
    >>> coder.activations(get_engine("numpy"), documents)
    array([[ 0.5, -0.5, -1.5],
           [-0.5,  1.5, -0.5],
           [ 0. ,  0. ,  0. ]], dtype=float32)
    """

    weights: NDArray[np.int8] | NDArray[np.int16] | Factors
    scales: NDArray[np.float32]
    thresholds: NDArray[np.float32]
    idf: NDArray[np.float32]

    @classmethod
    def from_weights(cls, weights: Any, thresholds: Any, idf: Any) -> Self:
        """Return the coder with these weights, rounded to whole numbers."""
        weights = np.asarray(weights, np.float32)
        largest = np.abs(weights).max(axis=0, initial=0.0)
        scales = (largest / np.float32(_LARGEST_WEIGHT)).astype(np.float32)
        whole = np.divide(weights, scales, out=np.zeros_like(weights), where=scales > 0)
        return cls(
            np.rint(whole, out=whole).astype(np.int8),
            scales,
            np.asarray(thresholds, np.float32),
            np.asarray(idf, np.float32),
        )

    @cached_property
    def n_words(self) -> int:
        return len(self.idf)

    @cached_property
    def n_cells(self) -> int:
        return len(self.thresholds)

    @property
    def is_sensitive(self) -> bool:
        """Whether any word moves any cell."""
        if isinstance(self.weights, Factors):
            return bool(self.weights.scales.any())
        return bool(self.weights.any())

    # Files

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        found = {"scales": self.scales, "thresholds": self.thresholds, "idf": self.idf}
        if isinstance(self.weights, Factors):
            return found | {_FACTORS + name: a for name, a in self.weights.arrays.items()}
        return found | {"weights": self.weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_words: int) -> Self:
        """Return the coder with these arrays; raises ``ValueError`` if they do not fit."""
        if "weights" not in arrays:
            weights = Factors.from_arrays(under(_FACTORS, arrays), n_words)
            return cls(weights, *_check_rest(arrays, n_words, weights.n_cells))
        given = np.asarray(arrays["weights"])
        n_cells = given.shape[-1]
        check_cells(n_cells)
        check_array("weights", given, (np.int8, np.int16), (n_words, n_cells))
        return cls(given, *_check_rest(arrays, n_words, n_cells))

    def compact(self) -> Self:
        """Return the coder with its weights as factors of low rank."""
        if isinstance(self.weights, Factors):
            return self
        factors = Factors.of(self.weights * self.scales, _rank(self.n_cells), self._importance)
        return replace(self, weights=factors, scales=np.ones_like(self.scales))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # Cells and codes

    @property
    def _importance(self) -> NDArray[np.float32]:
        """The influence of each word: its idf times the root of the share of documents with it."""
        having = np.exp(1.0 - self.idf)  # about the share of documents that have a word
        importance: NDArray[np.float32] = self.idf * np.sqrt(having)
        return importance

    def strengths(self, cells: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return how much each word stands for each cell, (V, n_cells)."""
        if isinstance(self.weights, Factors):
            columns = self.weights.columns(cells)
        else:
            columns = self.weights[:, cells].astype(np.float64)
        return columns * self._importance[:, None]

    def activations(self, engine: Engine, counts: sparse.csr_array) -> NDArray[np.float32]:
        """Return the activation of every cell for documents, one row of word counts each.

        A document without known words, or with none that a cell responds to, has zeros.
        """
        amounts = np.rint(tfidf(counts, self.idf) / _TFIDF_UNIT)
        np.minimum(amounts, _LARGEST_AMOUNT, out=amounts)
        squares = np.add.reduceat(np.append(amounts**2, 0.0), counts.indptr[:-1])
        squares[np.diff(counts.indptr) == 0] = 1.0
        sums = self._sums(engine, counts, amounts)
        silent = ~sums.any(axis=1)
        sums /= np.sqrt(np.maximum(squares, 1.0))[:, None]
        sums *= self.scales
        sums -= self.thresholds
        sums[silent] = 0.0
        return sums.astype(np.float32)

    def _sums(
        self, engine: Engine, counts: sparse.csr_array, amounts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if isinstance(self.weights, Factors):
            return self.weights.sums(
                engine, counts.indices, amounts, counts.indptr, _LARGEST_TFIDF / _TFIDF_UNIT
            )
        return engine.sum_rows(self.weights, counts.indices, amounts, counts.indptr)

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        """Return the most active cells of documents, one row of word counts each.

        A cell that responds less than to an average document has a negative activation.
        """
        n_rows = counts.shape[0]
        cells = np.empty((n_rows, n_top), dtype=np.int32)
        activations = np.empty((n_rows, n_top))
        step = max(1, _ACTIVATIONS_AT_A_TIME // self.n_cells)
        for part in (slice(start, start + step) for start in range(0, n_rows, step)):
            found = self.activations(engine, counts[part])
            cells[part] = top_of_scores(engine, found.copy(), n_top).cells
            activations[part] = np.take_along_axis(found, cells[part], axis=1)
            cells[part][~found.any(axis=1)] = -1
        return Active(cells, activations)


def _rank(n_cells: int) -> int:
    """Return the number of directions of a compact coder."""
    return min(_LARGEST_RANK, max(round(_RANK_PER_CELL * n_cells), _SMALLEST_RANK))


def _check_rest(
    arrays: Mapping[str, NDArray[Any]], n_words: int, n_cells: int
) -> list[NDArray[np.float32]]:
    """Return the arrays of a coder other than its weights."""
    lengths = {"scales": n_cells, "thresholds": n_cells, "idf": n_words}
    given = [np.asarray(arrays[name]) for name in lengths]
    for (name, length), array in zip(lengths.items(), given, strict=True):
        check_array(name, array, np.float32, (length,))
    return given


def tfidf(counts: sparse.csr_array, idf: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the weight of every entry of word counts: ``(1 + log count) * idf``."""
    weights: NDArray[np.float64] = 1.0 + np.log(counts.data.astype(np.float64))
    weights *= idf[counts.indices]
    return weights
