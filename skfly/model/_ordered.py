"""A coder that reads word order: weights are complex, and position rotates the phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Engine
from skfly.engine._checks import check_array
from skfly.model._active import Active
from skfly.model._coder import Coder

_TOKENS_AT_A_TIME = 4096
_MIDDLE = 0.5  # the assumed place of a word whose place is unknown


def phase_responses(
    magnitudes: NDArray[np.float32], phases: NDArray[np.float32], places: NDArray[Any]
) -> NDArray[np.float32]:
    """Return how cells respond to words at places of a sentence, from 0 to 1.

    It is ``|W| + |arg(W conj(r))|`` with ``r = exp(i pi place)``.

    Parameters
    ----------
    magnitudes, phases : ndarray of float32, (n_tokens, n_cells)
        Of the weights ``W`` of each token's word.
    places : array-like, (n_tokens,)

    Examples
    --------
    >>> ones, zeros = np.ones((2, 1), np.float32), np.zeros((2, 1), np.float32)
    >>> phase_responses(ones, zeros, [0.0, 0.5]).ravel().round(2)
    array([1.  , 2.57], dtype=float32)
    """
    turned = np.abs(phases - np.float32(np.pi) * np.asarray(places, np.float32)[:, None])
    np.minimum(turned, np.abs(np.float32(2 * np.pi) - turned), out=turned)
    turned += magnitudes
    return turned


@dataclass(frozen=True, eq=False)
class PhaseCoder(Coder):
    """Cells whose response to a word depends on where in a sentence it stands.

    Parameters
    ----------
    magnitudes, phases : ndarray of float32, (V, K)
        Of the complex weights.

    Notes
    -----
    Words, contexts and bags have no places; their words are assumed to stand in the middle.
    """

    form: ClassVar[str] = "phases"
    magnitudes: NDArray[np.float32]
    phases: NDArray[np.float32]

    @property
    def n_words(self) -> int:
        return len(self.magnitudes)

    @property
    def n_cells(self) -> int:
        return int(self.magnitudes.shape[1])

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"magnitudes": self.magnitudes, "phases": self.phases}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any], n_words: int
    ) -> Self:
        """Return the coder with these arrays; raises ``ValueError`` if they do not fit."""
        if set(arrays) != {"magnitudes", "phases"} or numbers:
            raise ValueError(f"a {cls.form} coder has magnitudes and phases only")
        for name, array in arrays.items():
            check_array(name, array, np.float32, (n_words, arrays["phases"].shape[-1]))
        return cls(**arrays)

    def sequences(
        self, engine: Engine, sequences: Sequence[NDArray[np.int32]], n_top: int
    ) -> Active:
        """Return the cells of sentences: ids in order; -1 takes a place and gives no input."""
        del engine
        sums = np.zeros((len(sequences), self.n_cells))
        for rows, ids, places in _tokens(sequences):
            found = phase_responses(self.magnitudes[ids], self.phases[ids], places)
            np.add.at(sums, rows, found)
        return _top(sums, n_top)

    def words(self, engine: Engine, ids: NDArray[np.int32], n_top: int, _: str) -> Active:
        return _top(self.responses(engine, ids), n_top)

    def mixtures(self, engine: Engine, weights: sparse.csr_array, n_top: int, _: str) -> Active:
        return self.bags(engine, weights, n_top)

    def contexts(
        self,
        engine: Engine,
        targets: NDArray[np.int32],
        contexts: Sequence[NDArray[np.int32]],
        n_top: int,
    ) -> Active:
        bags = [
            np.append(context, target) for context, target in zip(contexts, targets, strict=True)
        ]
        rows = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
        ids = np.concatenate([*bags, np.zeros(0, np.int32)])
        known = ids >= 0
        counts = sparse.csr_array(
            (np.ones(known.sum(), np.float32), (rows[known], ids[known])),
            shape=(len(bags), self.n_words),
        )
        return self.bags(engine, counts, n_top)

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        used, columns = np.unique(counts.indices, return_inverse=True)
        compact = sparse.csr_array(
            (counts.data, columns, counts.indptr), shape=(counts.shape[0], len(used))
        )
        return _top(compact @ self.responses(engine, used).astype(np.float64), n_top)

    def responses(self, engine: Engine, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        del engine
        middle = np.full(len(ids), _MIDDLE)
        return phase_responses(self.magnitudes[ids], self.phases[ids], middle)

    def strengths(
        self, cells: NDArray[np.integer[Any]], _: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self.magnitudes[:, cells].astype(np.float64)


def _tokens(
    sequences: Sequence[NDArray[np.int32]],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]]:
    """Yield known tokens in chunks: the sentence of each, its id and its place."""
    lengths = np.array([len(ids) for ids in sequences], dtype=np.int64)
    rows = np.repeat(np.arange(len(sequences)), lengths)
    ids = np.concatenate([*sequences, np.zeros(0, np.int32)]).astype(np.int32)
    within = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = within / np.repeat(lengths, lengths)
    known = np.flatnonzero(ids >= 0)
    for start in range(0, len(known), _TOKENS_AT_A_TIME):
        part = known[start : start + _TOKENS_AT_A_TIME]
        yield rows[part], ids[part], places[part]


def _top(scores: NDArray[Any], n_top: int) -> Active:
    """Return the largest scores of each row; of equal ones, the first."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :n_top]
    activations = np.take_along_axis(scores, order, axis=1).astype(np.float64)
    cells = order.astype(np.int32)
    cells[~scores.any(axis=1)] = -1
    return Active(cells, activations)
