"""From a learned network to codes: the ``hash_length`` cells that respond most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.backends import Backend, Drive, fixed_point_gain
from skfly.backends._checks import check_whole
from skfly.codes._lateral import evidence
from skfly.codes._matrix import codes_to_csr

__all__ = ["Hasher", "consensus_scores"]

_TERMS = 12  # 64-bit sums are used here: this only sets the precision
_TIE_BREAK = 1e-4
# Synapses and lateral connections are taken as multiples of these: sums of their products are then
# exact in double precision, in any order, and every machine makes the same codes.
_SYNAPSE_UNIT = 2.0**-12
_LATERAL_UNIT = 2.0**-14
_ROWS_AT_A_TIME = 4096
_SCORES_DRIVE = Drive(fixed_point_gain(2.0, _TERMS), np.float32(-np.inf))


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
    lateral : ndarray of float32, (K, K), or None
        The map between the cells; ``None``: they do not act on one another.
    weights : ndarray of float32, (V,), or None
        How much each word counts as context; ``None``: all the same.
    cell_counts : ndarray of float32, (K,), or None
        Sums of the consensus over words; ``None``: they are taken.
    """

    backend: Backend
    synapses: NDArray[np.float32]
    consensus: NDArray[np.float32] | None
    hash_length: int
    dtype: Any = np.float32
    largest: float = 1.0
    floor: float = -np.inf
    lateral: NDArray[np.float32] | None = None
    weights: NDArray[np.float32] | None = None
    cell_counts: NDArray[np.float32] | None = None

    @property
    def n_words(self) -> int:
        return len(self.synapses) // 2

    def bags(self, rows: NDArray[Any], indptr: NDArray[Any]) -> sparse.csr_array:
        """Return the codes of bags of synapse rows; see ``Backend.top_cells``."""
        rows = check_whole("rows", rows, np.int32, 0, len(self.synapses) - 1)
        responses, places = self._responses(rows)
        return self._codes(responses, self._drive, places, indptr)

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
        ids = check_whole("ids", ids, np.int32, -1, self.n_words - 1)
        known = ids[ids >= 0]
        indptr = np.concatenate([[0], np.cumsum(ids >= 0)])
        if self.consensus is None:
            return self.bags(self.n_words + known, indptr)
        if self.lateral is None:
            scores = consensus_scores(
                self.consensus[known], self._cell_counts, self._synapses_of(known)
            )
        else:
            scores = _to_unit(self._connect(self._evidence(known)))
        return self._codes(scores, _SCORES_DRIVE, np.arange(len(known)), indptr)

    def mixtures(self, weights: sparse.csr_array) -> sparse.csr_array:
        """Return the codes of mixtures of words, one row of weights each.

        An empty row has an empty code.
        """
        used, columns = np.unique(weights.indices, return_inverse=True)
        compact = sparse.csr_array(
            (weights.data, columns, weights.indptr), shape=(weights.shape[0], len(used))
        )
        scores = _to_unit(self._connect(np.asarray(compact @ self._evidence(used), np.float32)))
        n_mixtures = weights.shape[0]
        return self._codes(scores, _SCORES_DRIVE, np.arange(n_mixtures), np.arange(n_mixtures + 1))

    def _evidence(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """Return what is known of words: the consensus; without one, the synapses."""
        if self.consensus is None:
            as_target: NDArray[np.float32] = self.synapses[self.n_words + ids]
            return np.maximum(as_target, np.float32(self.floor))
        counts = self.consensus[ids]
        found = evidence(counts, self._cell_counts)
        never = counts.sum(axis=1) == 0
        found[never] = self._synapses_of(ids[never])
        return found

    @cached_property
    def _cell_counts(self) -> NDArray[np.float32]:
        if self.cell_counts is not None:
            return self.cell_counts
        assert self.consensus is not None
        sums: NDArray[np.float32] = self.consensus.sum(axis=0)
        return sums

    def _synapses_of(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """Return the synapses of words, as context and as target together."""
        both: NDArray[np.float32] = np.maximum(
            self.synapses[ids] + self.synapses[self.n_words + ids], self.floor
        )
        return both

    def responses(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Return how every cell responds to each of some synapse rows."""
        responses, places = self._responses(rows)
        found: NDArray[np.float32] = np.maximum(responses[places], self._drive.floor)
        return found

    def responses_to_targets(self, cells: Any) -> NDArray[np.float32]:
        """Return how a cell, or each of several, responds to each word as a target."""
        if self.lateral is None:
            return np.maximum(self.synapses[self.n_words :, cells], np.float32(self.floor))
        lateral = self.lateral[:, cells]
        out = np.empty((self.n_words, *lateral.shape[1:]), dtype=np.float32)
        for start in range(0, self.n_words, _ROWS_AT_A_TIME):
            stop = min(start + _ROWS_AT_A_TIME, self.n_words)
            synapses = self.synapses[self.n_words + start : self.n_words + stop]
            out[start:stop] = np.maximum(synapses, np.float32(self.floor)) @ lateral
        return out

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
        responses, places = self._responses(rows)
        indptr = np.array([0, len(rows)])
        cells, values = self._top(responses, self._drive, places, indptr, n_cells)
        return cells[0], values[0] / max(float(self._drive.gain), 1e-300)

    @cached_property
    def _drive(self) -> Drive:
        if self.lateral is None:
            return Drive(fixed_point_gain(self.largest, _TERMS), np.float32(self.floor))
        spread = float(np.abs(self.lateral).sum(axis=0).max(initial=0.0))
        return Drive(fixed_point_gain(self.largest * spread, _TERMS), np.float32(-np.inf))

    def _responses(
        self, rows: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.integer[Any]]]:
        """Return an array with the responses to some synapse rows, and their places in it."""
        if self.lateral is None and self.weights is None:
            return self.synapses, rows
        new = np.unique(rows[~self._has_response[rows]])
        if len(new) == 0:
            return self._known_responses, rows
        responses = np.maximum(self.synapses[new], self.floor)
        if self.weights is not None:
            n_context = int(np.searchsorted(new, self.n_words))
            responses[:n_context] *= self.weights[new[:n_context], None]
        self._known_responses[new] = self._connect(responses)
        self._has_response[new] = True
        return self._known_responses, rows

    @cached_property
    def _known_responses(self) -> NDArray[np.float32]:
        """Responses that were computed already: the words of one text come again in the next."""
        return np.empty_like(self.synapses, subok=False)

    @cached_property
    def _has_response(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.synapses), dtype=np.bool_)

    def _connect(self, responses: NDArray[np.float32]) -> NDArray[np.float32]:
        """Let the cells act on one another."""
        if self.lateral is None:
            return responses
        connected = np.empty_like(responses)
        for start in range(0, len(responses), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            whole = np.rint(responses[part].astype(np.float64) / _SYNAPSE_UNIT)
            connected[part] = (whole @ self._lateral_units) * (_SYNAPSE_UNIT * _LATERAL_UNIT)
        return connected

    @cached_property
    def _lateral_units(self) -> NDArray[np.float64]:
        assert self.lateral is not None
        units: NDArray[np.float64] = np.rint(self.lateral / _LATERAL_UNIT).astype(np.float64)
        return units

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
        return self.backend.top_cells(weights, drive, rows, indptr, n_top)


def _to_unit(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Divide each row by its largest absolute entry, in place."""
    largest = np.abs(scores).max(axis=1, keepdims=True, initial=0.0)
    np.divide(scores, largest, out=scores, where=largest > 0)
    return scores


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
