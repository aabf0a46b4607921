"""Coders turn word ids into active cells: learned arrays behind one small protocol.

Every learning rule produces a coder. There are several kinds; ``FlyModel.load`` finds each by the
name that model files give it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Engine
from skfly.model._active import Active

NO_CONSENSUS = (
    "word_codes='consensus', but the model was fitted with 'synapses' and has no consensus: "
    "set word_codes='synapses', or fit again"
)


class Coder(Protocol):
    """The response of cells to words, words in context and bags of words.

    A coder is immutable and may be used from many threads. If it also has ``sequences(engine, ids,
    n_top)``, which takes the ids of each text in order, its model reads documents in order instead
    of as bags.
    """

    form: ClassVar[str]

    @property
    def n_words(self) -> int: ...

    @property
    def n_cells(self) -> int: ...

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The learned arrays, by name."""

    @property
    def numbers(self) -> dict[str, Any]:
        """Everything else, as JSON can hold it; by default, nothing."""
        return {}

    def compact(self) -> Coder:
        """Return a coder with nearly the same codes in a fraction of the memory, if it has one."""
        return self

    def check_word_codes(self, word_codes: str) -> None:  # noqa: ARG002
        """Raise ``ValueError`` if words have no codes of this kind; by default, all have one."""
        return

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any], n_words: int
    ) -> Self:
        """Return the coder with these arrays; raises ``ValueError`` if they do not fit."""

    def words(self, engine: Engine, ids: NDArray[np.int32], n_top: int, word_codes: str) -> Active:
        """Return the cells of words, whose ids are known."""

    def mixtures(
        self, engine: Engine, weights: sparse.csr_array, n_top: int, word_codes: str
    ) -> Active:
        """Return the cells of mixtures of words, one row of weights each."""

    def contexts(
        self,
        engine: Engine,
        targets: NDArray[np.int32],
        contexts: Sequence[NDArray[np.int32]],
        n_top: int,
    ) -> Active:
        """Return the cells of words in context; an id of -1 gives no input."""

    def bags(self, engine: Engine, counts: sparse.csr_array, n_top: int) -> Active:
        """Return the cells of bags of words, one row of word counts each."""

    def responses(self, engine: Engine, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the response of every cell to some words."""

    def strengths(
        self, cells: NDArray[np.integer[Any]], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return how much each word, given its count, stands for each cell, (V, n_cells)."""


def rows_in_context(
    targets: NDArray[np.int32], contexts: Sequence[NDArray[np.int32]], n_words: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows that words in their contexts switch on, and where each begins.

    A word has one row as context and, ``n_words`` further on, one as target.

    Examples
    --------
    >>> rows_in_context(np.array([2, -1]), [np.array([1, 0, 1]), np.array([-1, 2])], 3)
    (array([0, 1, 5, 2]), array([0, 3, 4]))
    """
    bags = []
    for target, context in zip(targets, contexts, strict=True):
        around = np.unique(context[context >= 0])  # a word of the context counts once
        bags.append(np.append(around, n_words + target) if target >= 0 else around)
    return np.concatenate([*bags, np.zeros(0, np.int32)]), np.cumsum([0, *map(len, bags)])
