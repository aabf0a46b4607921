"""From a learned network to codes: the ``hash_length`` cells that respond most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.backends import Backend, Drive, fixed_point_gain
from skfly.codes._matrix import codes_to_csr

__all__ = ["Hasher", "consensus_scores"]

_TERMS = 12  # 64-bit sums are used here: this only sets the precision
_TIE_BREAK = 1e-4


@dataclass(frozen=True)
class Hasher:
    """Makes codes.

    Parameters
    ----------
    backend : Backend
    synapses : ndarray of float32, (2V, K)
    consensus : ndarray of float32, (V, K), or None
        Counts for codes of words by consensus; ``None``: codes of words from the synapses.
    hash_length : int
    dtype : dtype
        Of the codes.
    largest, floor : float
        A bound on the synapses, and the value below which they do not count.
    """

    backend: Backend
    synapses: NDArray[np.float32]
    consensus: NDArray[np.float32] | None
    hash_length: int
    dtype: Any = np.float32
    largest: float = 1.0
    floor: float = -np.inf

    @property
    def n_words(self) -> int:
        return len(self.synapses) // 2

    def bags(self, rows: NDArray[Any], indptr: NDArray[Any]) -> sparse.csr_array:
        """Return the codes of bags of synapse rows; see ``Backend.top_cells``."""
        return self._codes(self.synapses, self._drive, rows, indptr)

    def in_context(
        self, targets: NDArray[np.int32], contexts: Sequence[NDArray[np.int32]]
    ) -> sparse.csr_array:
        """Return the codes of words in context: target and context block both on.

        Ids of -1 give no input; a word of the context counts once.
        """
        bags = []
        for target, context in zip(targets, contexts, strict=True):
            around = np.unique(context[context >= 0])
            bags.append(np.append(around, self.n_words + target) if target >= 0 else around)
        indptr = np.cumsum([0, *map(len, bags)])
        return self.bags(np.concatenate([*bags, np.zeros(0, np.int32)]), indptr)

    def words(self, ids: NDArray[np.int32]) -> sparse.csr_array:
        """Return the static codes of words; an id of -1 has an empty one."""
        known = ids[ids >= 0]
        indptr = np.concatenate([[0], np.cumsum(ids >= 0)])
        as_target = self.n_words + known
        if self.consensus is None:
            return self._codes(self.synapses, self._drive, as_target, indptr)
        scores = consensus_scores(
            self.consensus[known],
            self.consensus.sum(axis=0),
            np.maximum(self.synapses[known] + self.synapses[as_target], self.floor),
        )
        drive = Drive(fixed_point_gain(2.0, _TERMS), np.float32(-np.inf))
        return self._codes(scores, drive, np.arange(len(known)), indptr)

    def sums(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return the sum of the words' codes for each row of word counts."""
        used, columns = np.unique(counts.indices, return_inverse=True)
        compact = sparse.csr_array(
            (counts.data, columns, counts.indptr), shape=(counts.shape[0], len(used))
        )
        return (compact @ self.words(used)).astype(self.dtype, copy=False)

    def most_active(
        self, rows: NDArray[Any], n_cells: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the most active cells of one bag of rows, and how active they are."""
        indptr = np.array([0, len(rows)])
        cells, values = self._top(self.synapses, self._drive, rows, indptr, n_cells)
        return cells[0], values[0] / max(float(self._drive.gain), 1e-300)

    @property
    def _drive(self) -> Drive:
        return Drive(fixed_point_gain(self.largest, _TERMS), np.float32(self.floor))

    def _codes(
        self,
        weights: NDArray[np.float32],
        drive: Drive,
        rows: NDArray[Any],
        indptr: NDArray[Any],
    ) -> sparse.csr_array:
        cells, values = self._top(weights, drive, rows, indptr, self.hash_length)
        cells[values[:, 0] == 0] = -1  # no cell responds
        return codes_to_csr(cells, weights.shape[1], self.dtype)

    def _top(
        self,
        weights: NDArray[np.float32],
        drive: Drive,
        rows: NDArray[Any],
        indptr: NDArray[Any],
        n_top: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return self.backend.top_cells(
            weights, drive, rows.astype(np.int32), indptr.astype(np.int64), n_top
        )


def consensus_scores(
    counts: NDArray[np.float32],
    cell_counts: NDArray[np.float32],
    fallback: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the score of each cell for words with these rows of counts, 1 for the best cell.

    The score is ``counts / cell_counts``: the share of the cell's appearances that belong to the
    word. Cells that never came up for a word are below 0, in the order of ``fallback`` (the
    word's synapses).

    Examples
    --------
    >>> counts = np.array([[4, 4, 0]], dtype=np.float32)
    >>> synapses = np.array([[0, 0, 0.5]], dtype=np.float32)
    >>> consensus_scores(counts, np.array([8, 16, 2], dtype=np.float32), synapses)
    array([[ 1.    ,  0.5   , -0.9999]], dtype=float32)
    """
    scores = np.divide(counts, cell_counts, out=np.zeros_like(counts), where=cell_counts > 0)
    best = scores.max(axis=1, keepdims=True)
    np.divide(scores, best, out=scores, where=best > 0)
    largest = np.abs(fallback).max(axis=1, keepdims=True)
    scores += _TIE_BREAK * np.divide(
        fallback, largest, out=np.zeros_like(fallback), where=largest > 0
    )
    np.subtract(scores, 1.0, out=scores, where=(counts == 0) & (best > 0))
    return scores
