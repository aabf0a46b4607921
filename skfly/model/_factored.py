"""The compact form of a coder of synapses: responses to words, as factors of low rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Engine
from skfly.engine._checks import check_whole
from skfly.model._active import Active, top_of_scores
from skfly.model._coder import NO_CONSENSUS, rows_in_context
from skfly.model._factors import Factors


@dataclass(frozen=True, eq=False)
class FactoredCoder:
    """Cells that respond to words as context, as target and by themselves.

    Parameters
    ----------
    factors : Factors, (2V or 3V, K)
        Responses to words as context, then as target, then, if the model has codes by consensus,
        the consensus.
    n_words : int
    log_ratios : bool
        As in ``SynapseCoder``.
    """

    form: ClassVar[str] = "factored"

    factors: Factors
    n_words: int
    log_ratios: bool = False

    @property
    def n_cells(self) -> int:
        return self.factors.n_cells

    # Files

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return self.factors.arrays

    @property
    def numbers(self) -> dict[str, Any]:
        return {"log_ratios": self.log_ratios}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any], n_words: int
    ) -> Self:
        n_rows = len(arrays["rows"])
        if n_rows not in (2 * n_words, 3 * n_words):
            raise ValueError(f"there are {n_rows} rows for {n_words} words")
        return cls(Factors.from_arrays(arrays, n_rows), n_words, bool(numbers["log_ratios"]))

    def compact(self) -> Self:
        return self

    # Codes

    @cached_property
    def _has_consensus(self) -> bool:
        return len(self.factors.rows) == 3 * self.n_words

    def check_word_codes(self, word_codes: str) -> None:
        if word_codes == "consensus" and not self._has_consensus:
            raise ValueError(NO_CONSENSUS)

    def words(self, engine: Engine, ids: NDArray[np.int32], n_top: int, word_codes: str) -> Active:
        ids = check_whole("ids", ids, np.int32, 0, self.n_words - 1)
        self.check_word_codes(word_codes)
        return self._top(engine, self._first_row(word_codes) + ids, None, n_top)

    def mixtures(
        self, engine: Engine, weights: sparse.csr_array, n_top: int, word_codes: str
    ) -> Active:
        largest = max(float(weights.data.max(initial=0.0)), 1e-30)
        rows = self._first_row(word_codes if self._has_consensus else "synapses") + weights.indices
        return self._top(engine, rows, weights.indptr, n_top, weights.data / largest)

    def contexts(
        self,
        engine: Engine,
        targets: NDArray[np.int32],
        contexts: Sequence[NDArray[np.int32]],
        n_top: int,
    ) -> Active:
        rows, indptr = rows_in_context(targets, contexts, self.n_words)
        return self._top(engine, rows, indptr, n_top)

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        return self._top(engine, counts.indices, counts.indptr, n_top)

    def responses(self, engine: Engine, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self.factors.each(engine, ids).astype(np.float32)

    def strengths(
        self, cells: NDArray[np.integer[Any]], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        as_target = self.factors.columns(cells)[self.n_words : 2 * self.n_words]
        return as_target * (np.sqrt(counts)[:, None] if self.log_ratios else 1.0)

    def _first_row(self, word_codes: str) -> int:
        return self.n_words if word_codes == "synapses" else 2 * self.n_words

    def _top(
        self,
        engine: Engine,
        rows: NDArray[Any],
        indptr: NDArray[Any] | None,
        n_top: int,
        amounts: NDArray[Any] | None = None,
    ) -> Active:
        ends = np.arange(len(rows) + 1) if indptr is None else np.asarray(indptr, np.int64)
        given = np.ones(len(rows)) if amounts is None else amounts
        sums = self.factors.sums(engine, rows, given, ends).astype(np.float32)
        active = top_of_scores(engine, sums, n_top)
        active.cells[np.diff(ends) == 0] = -1
        return active
