"""The coder of rules in which cells compete for windows: synapses, consensus, lateral map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Drive, Engine, fixed_point_gain, get_engine
from skfly.engine._checks import check_array, check_cells, check_whole
from skfly.model._active import Active, multiply_whole, top_of_scores
from skfly.model._coder import NO_CONSENSUS, Coder, rows_in_context
from skfly.model._factored import FactoredCoder
from skfly.model._factors import Factors

_TERMS = 12  # 64-bit sums are used here: this only sets the precision
_TIE_BREAK = 1e-4
# Synapses and lateral connections are rounded to multiples of these: sums of their products are
# then exact in double precision, in any order, and every machine makes the same codes.
_SYNAPSE_UNIT = 2.0**-12
_LATERAL_UNIT = 2.0**-14
_ROWS_AT_A_TIME = 4096
_COMPACT_RANK = 1024


@dataclass(frozen=True, eq=False)
class SynapseCoder(Coder):
    """Cells with learned synapses from words as context and as target.

    Parameters
    ----------
    synapses : ndarray of float32, (2V, K)
    consensus : ndarray of float32, (V, K), or None
        How often each cell was among the most active in windows with the word.
    lateral : ndarray of float32, (K, K), or None
        The map between the cells; ``None``: they do not act on one another.
    weights : ndarray of float32, (V,), or None
        How much each word counts as context; ``None``: all the same.
    largest, floor : float
        A bound on the synapses, and the value below which they do not count.
    log_ratios : bool
        Whether synapses are logarithms of ratios, which are large for words seen a few times.
    """

    form: ClassVar[str] = "synapses"

    synapses: NDArray[np.float32]
    consensus: NDArray[np.float32] | None = None
    lateral: NDArray[np.float32] | None = None
    weights: NDArray[np.float32] | None = None
    largest: float = 1.0
    floor: float = -np.inf
    log_ratios: bool = False

    @cached_property
    def n_words(self) -> int:
        return len(self.synapses) // 2

    @cached_property
    def n_cells(self) -> int:
        return int(self.synapses.shape[1])

    # Files

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        named = {
            "synapses": self.synapses,
            "consensus": self.consensus,
            "lateral": self.lateral,
            "weights": self.weights,
        }
        return {name: array for name, array in named.items() if array is not None}

    @property
    def numbers(self) -> dict[str, Any]:
        floor = None if np.isneginf(self.floor) else self.floor  # JSON has no infinity
        return {"largest": self.largest, "floor": floor, "log_ratios": self.log_ratios}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any], n_words: int
    ) -> Self:
        n_cells = arrays["synapses"].shape[-1]
        check_cells(n_cells)
        shapes = {
            "synapses": (2 * n_words, n_cells),
            "consensus": (n_words, n_cells),
            "lateral": (n_cells, n_cells),
            "weights": (n_words,),
        }
        given = {name: np.asarray(arrays[name]) for name in shapes if name in arrays}
        for name, array in given.items():
            check_array(name, array, np.float32, shapes[name])
        largest, floor = float(numbers["largest"]), numbers["floor"]
        if not 0 <= largest < np.inf or floor not in (None, 0):
            raise ValueError(f"largest is {largest} and floor {floor!r:.30}")
        return cls(
            **given,
            largest=largest,
            floor=-np.inf if floor is None else 0.0,
            log_ratios=bool(numbers["log_ratios"]),
        )

    def compact(self) -> FactoredCoder:
        """Return the responses to words as factors; learning cannot continue from these."""
        engine, n_rows = get_engine("numba"), len(self.synapses)
        ids = np.arange(self.n_words)
        responses = self._responses_of(engine, np.arange(n_rows))
        if self.consensus is not None:
            own = (
                self._word_scores(ids)
                if self.lateral is None
                else self._connect(engine, self._evidence(ids, "consensus"))
            )
            # lengths do not matter to word codes, so they should not matter to the factors
            lengths = np.sqrt((own**2).sum(axis=1, keepdims=True))
            typical = np.sqrt((responses**2).sum(axis=1).mean())
            np.divide(own * typical, lengths, out=own, where=lengths > 0)
            responses = np.concatenate([responses, own])
        factors = Factors.of(responses, min(_COMPACT_RANK, self.n_cells))
        return FactoredCoder(factors, self.n_words, self.log_ratios)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # Codes

    def check_word_codes(self, word_codes: str) -> None:
        if word_codes == "consensus" and self.consensus is None:
            raise ValueError(NO_CONSENSUS)

    def words(self, engine: Engine, ids: NDArray[np.int32], n_top: int, word_codes: str) -> Active:
        ids = check_whole("ids", ids, np.int32, 0, self.n_words - 1)
        each = np.arange(len(ids) + 1)
        if word_codes == "synapses":
            return self._top_rows(engine, self.n_words + ids, each, n_top)
        self.check_word_codes(word_codes)
        if self.lateral is None:
            scores = self._word_scores(ids)
        else:
            scores = self._connect(engine, self._evidence(ids, word_codes))
        return top_of_scores(engine, scores, n_top, to_unit=self.lateral is not None)

    def mixtures(
        self, engine: Engine, weights: sparse.csr_array, n_top: int, word_codes: str
    ) -> Active:
        used, columns = np.unique(weights.indices, return_inverse=True)
        compact = sparse.csr_array(
            (weights.data, columns, weights.indptr), shape=(weights.shape[0], len(used))
        )
        mixed = np.asarray(compact @ self._evidence(used, word_codes), np.float32)
        return top_of_scores(engine, self._connect(engine, mixed), n_top)

    def contexts(
        self,
        engine: Engine,
        targets: NDArray[np.int32],
        contexts: Sequence[NDArray[np.int32]],
        n_top: int,
    ) -> Active:
        rows, indptr = rows_in_context(targets, contexts, self.n_words)
        return self._top_rows(engine, rows, indptr, n_top)

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        return self._top_rows(engine, counts.indices, counts.indptr, n_top)

    def responses(self, engine: Engine, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        responses = self._responses_to(engine, ids)
        found: NDArray[np.float32] = np.maximum(responses[ids], self._drive.floor)
        return found

    def strengths(
        self, cells: NDArray[np.integer[Any]], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        as_target = self.synapses[self.n_words :]
        floor = np.float32(self.floor)
        if self.lateral is None:
            found = np.maximum(as_target[:, cells], floor)
        else:
            lateral = self.lateral[:, cells]
            found = np.empty((self.n_words, len(cells)), dtype=np.float32)
            for start in range(0, self.n_words, _ROWS_AT_A_TIME):
                part = slice(start, start + _ROWS_AT_A_TIME)
                found[part] = np.maximum(as_target[part], floor) @ lateral
        evidence_of_words = np.sqrt(counts)[:, None] if self.log_ratios else 1.0
        return np.asarray((found * evidence_of_words).astype(np.float64))

    def _top_rows(
        self, engine: Engine, rows: NDArray[Any], indptr: NDArray[Any], n_top: int
    ) -> Active:
        rows = check_whole("rows", rows, np.int32, 0, len(self.synapses) - 1)
        return _top(engine, self._responses_to(engine, rows), self._drive, rows, indptr, n_top)

    @cached_property
    def _drive(self) -> Drive:
        if self.lateral is None:
            return Drive(fixed_point_gain(self.largest, _TERMS), np.float32(self.floor))
        spread = float(np.abs(self.lateral).sum(axis=0).max(initial=0.0))
        return Drive(fixed_point_gain(self.largest * spread, _TERMS), np.float32(-np.inf))

    def _responses_to(self, engine: Engine, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Return an array, (2V, K), in which the responses to these rows of the synapses are set.

        They are cached, since the next text will have many of the same words. Two threads may
        compute the same rows at once; they write the same numbers.
        """
        if self.lateral is None and self.weights is None:
            return self.synapses
        known, responses = self._known_responses
        new = np.unique(rows[~known[rows]])
        if len(new):
            responses[new] = self._responses_of(engine, new)
            known[new] = True
        return responses

    def _responses_of(self, engine: Engine, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Return the responses to some rows, which must rise."""
        found = np.maximum(self.synapses[rows], np.float32(self.floor))
        if self.weights is not None:
            n_context = int(np.searchsorted(rows, self.n_words))
            found[:n_context] *= self.weights[rows[:n_context], None]
        return self._connect(engine, found)

    @cached_property
    def _known_responses(self) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        known = np.zeros(len(self.synapses), dtype=np.bool_)
        return known, np.empty_like(self.synapses, subok=False)

    def _connect(self, engine: Engine, responses: NDArray[np.float32]) -> NDArray[np.float32]:
        """Let the cells act on one another."""
        if self.lateral is None:
            return responses
        connected = np.empty_like(responses)
        for start in range(0, len(responses), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            whole = np.rint(responses[part].astype(np.float64) / _SYNAPSE_UNIT)
            product = multiply_whole(engine, whole, self._lateral_units)
            connected[part] = product * (_SYNAPSE_UNIT * _LATERAL_UNIT)
        return connected

    @cached_property
    def _lateral_units(self) -> NDArray[np.float64]:
        assert self.lateral is not None
        units: NDArray[np.float64] = np.rint(self.lateral / _LATERAL_UNIT).astype(np.float64)
        return units

    def _evidence(self, ids: NDArray[Any], word_codes: str) -> NDArray[np.float32]:
        """Return the evidence for words: the consensus, or the synapses."""
        if word_codes == "synapses" or self.consensus is None:
            as_target: NDArray[np.float32] = self.synapses[self.n_words + ids]
            return np.maximum(as_target, np.float32(self.floor))
        counts = self.consensus[ids]
        found = evidence(counts, self._cell_counts)
        never = counts.sum(axis=1) == 0
        found[never] = self._both_synapses(ids[never])
        return found

    def _word_scores(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        assert self.consensus is not None
        return consensus_scores(self.consensus[ids], self._cell_counts, self._both_synapses(ids))

    @cached_property
    def _cell_counts(self) -> NDArray[np.float32]:
        assert self.consensus is not None
        sums: NDArray[np.float32] = self.consensus.sum(axis=0)
        return sums

    @property
    def cell_counts(self) -> NDArray[np.float32] | None:
        """Sums of the consensus over words."""
        return None if self.consensus is None else self._cell_counts

    def _both_synapses(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """Return the synapses of words, as context and as target together."""
        both: NDArray[np.float32] = np.maximum(
            self.synapses[ids] + self.synapses[self.n_words + ids], self.floor
        )
        return both


def _top(
    engine: Engine,
    weights: NDArray[np.float32],
    drive: Drive,
    rows: NDArray[Any],
    indptr: NDArray[Any],
    n_top: int,
) -> Active:
    cells, values = engine.top_cells(weights, drive, rows, indptr, n_top)
    return Active(cells, values / max(float(drive.gain), 1e-300))


def keep_probabilities(counts: NDArray[np.int64], threshold: float) -> NDArray[np.float32]:
    """Return the probability of keeping each word, by word2vec's rule of subsampling.

    ``min(1, sqrt(t / f) + t / f)`` for a word of frequency ``f`` and threshold ``t``.

    Examples
    --------
    >>> keep_probabilities(np.array([98, 2]), threshold=0.02).round(2)
    array([0.16, 1.  ], dtype=float32)
    """
    frequency = counts / max(counts.sum(), 1)
    ratio = threshold / np.maximum(frequency, np.finfo(float).tiny)
    kept: NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return kept.astype(np.float32)


def evidence(
    counts: NDArray[np.float32], cell_counts: NDArray[np.float32], log_dtype: Any = np.float64
) -> NDArray[np.float32]:
    """Return the evidence of the consensus: the logarithm of counts over those by chance.

    Parameters
    ----------
    counts : ndarray of float32, (n_words, n_cells)
        How often each cell came up for each word.
    cell_counts : ndarray of float32, (n_cells,)
        How often each cell came up for all words.
    log_dtype : dtype
        The type of the logarithms. The last bit of one depends on the processor, so those of
        codes have more digits than are kept.

    Returns
    -------
    evidence : ndarray of float32, (n_words, n_cells)
        0 where a cell came up less often than by chance.

    Examples
    --------
    >>> counts = np.array([[6, 2], [0, 0]], dtype=np.float32)
    >>> evidence(counts, np.array([10, 30], dtype=np.float32)).round(2)
    array([[1.1, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    share = cell_counts / max(float(cell_counts.sum(dtype=np.float64)), 1.0)
    expected = counts.sum(axis=1, keepdims=True) * share
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=expected > 0)
    logarithm: NDArray[Any] = np.log(np.maximum(ratio, 1.0, out=ratio), dtype=log_dtype)
    return logarithm.astype(np.float32, copy=False)


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
