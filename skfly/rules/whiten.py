"""The rule of pairs: cells compete for words, each described by the words around it.

One pass over the text counts pairs of neighbouring words (``near``, in order) and pairs some words
apart (``wide``, without the most frequent words, which occur with everything). Counts become
information, information is whitened, and cells compete for the resulting word vectors
(:mod:`skfly.rules._whitening` has the formulas). Counts are whole numbers that add up over
batches, parts of a stream and machines, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._threads import single_threaded_blas
from skfly.engine import Engine
from skfly.model import WhitenedCoder
from skfly.rules._base import CorpusSize, Learned, Rule, Stage, StepReport, Task
from skfly.rules._whitening import find_cells, find_contexts, lean_on_spelling, word_vectors

__all__ = ["PairCounts", "WhitenRule", "WhitenSettings"]

_BATCH = 1 << 22  # words: what bounds memory beside the counts themselves
_FREQUENT_SHARE = 200  # one word in this many is left out of the wide pairs,
_MOST_FREQUENT = 100  # but at most so many
_COMMON_WORDS = 20_000  # the most frequent, among which cells compete; more make them worse
_LEANED_ON = 50_000  # the most frequent, on whose spelling others lean
_SPELLING_WEIGHT = 40  # occurrences, with a million words of text
_LARGEST_RANK = 300
_RANK_PER_CELL = 0.6
_SHORT_TEXT_RANK = 70  # of a million words
_FEWEST_DIRECTIONS = 8
_PASSES = 4
_RARE = 5e-4  # frequency of a word that counts half in a text
_KINDS = ("near", "wide")
_NAMES = {
    kind: [f"{kind}.{part}" for part in ("counts", "large", "words", "ends")] for kind in _KINDS
}
_MOST_INT32 = 2**31 - 1
_MOST_PAIRS = 1 << 27
_LARGE = 255


@dataclass(frozen=True)
class WhitenSettings:
    """The settings of a run.

    Attributes
    ----------
    n_epochs : int
        Passes over the text: 1, since counts do not change.
    batch_size : int
        Words that are counted at a time.
    subsample : float
        Threshold for leaving out frequent words at random; 0 keeps them all.
    rank : int
        Numbers in the vector of a word.
    decorrelation : float
        ``d``, how far the cells are made to differ.
    max_pairs : int
        Different pairs of a kind that are kept.
    spelling_weight : float
        Occurrences that the spelling of a word counts for.
    """

    n_epochs: int
    batch_size: int
    subsample: float
    rank: int
    decorrelation: float
    max_pairs: int = _MOST_PAIRS
    spelling_weight: float = 0.0


class PairCounts:
    """A sum of counts of pairs, in parts that are merged once they have similar sizes.

    Parameters
    ----------
    first : sparse array, (V, V)
    engine : Engine
        Adds them up.
    most : int
        Number of different pairs to keep. If there are more, the rarest are dropped until a
        quarter of the space is free.
    """

    def __init__(self, first: sparse.csr_array, engine: Engine, most: int = _MOST_PAIRS) -> None:
        self._parts = [first]
        self._most = most
        self._engine = engine

    def add(self, counts: sparse.csr_array) -> None:
        """Add counts, stored in 32 bits if they fit."""
        if counts.dtype != np.int32 and int(counts.data.max(initial=0)) <= _MOST_INT32:
            counts = counts.astype(np.int32)
        parts = self._parts
        parts.append(counts)
        while len(parts) > 1 and parts[-2].nnz < 2 * parts[-1].nnz:
            parts.append(self._sum(parts.pop(), parts.pop()))
        if sum(part.nnz for part in parts) > self._most and self.total().nnz > self._most:
            self._parts = [_most_common(self.total(), self._most - self._most // 4)]

    def total(self) -> sparse.csr_array:
        """Return the sum."""
        while len(self._parts) > 1:
            self._parts.append(self._sum(self._parts.pop(), self._parts.pop()))
        return self._parts[0]

    def _sum(self, left: sparse.csr_array, right: sparse.csr_array) -> sparse.csr_array:
        if not left.nnz or not right.nnz:
            return left if left.nnz else right
        if int(left.data.max(initial=0)) + int(right.data.max(initial=0)) > _MOST_INT32:
            left, right = left.astype(np.int64), right.astype(np.int64)
        return self._engine.add_counts(left, right)


def _most_common(counts: sparse.csr_array, most: int) -> sparse.csr_array:
    """Drop the rarest pairs until at most ``most`` are left; equal counts are dropped together.

    Examples
    --------
    >>> counts = sparse.csr_array([[5, 1, 2], [1, 2, 0], [7, 0, 1]])
    >>> [_most_common(counts, most).data.tolist() for most in (7, 5, 3)]
    [[5, 1, 2, 1, 2, 7, 1], [5, 2, 2, 7], [5, 7]]
    """
    if counts.nnz <= most:
        return counts
    dropped = int(np.partition(counts.data, counts.nnz - most - 1)[counts.nnz - most - 1])
    return _kept(counts, counts.data > dropped)


class WhitenRule(Rule):
    """The rule of pairs."""

    block_size = 4096  # the order of sentences does not matter
    settings_type = WhitenSettings
    finishing_steps = _PASSES

    def __init__(self, task: Task) -> None:
        self._task = task
        n_words = len(task.word_counts)
        self.stages: tuple[Stage, ...] = (Stage("counting", "words", 1),)
        self._reach = {"near": 1, "wide": max(1, round(0.75 * (task.window - 1)))}
        # Half of them are left out already here, which saves most of the pairs. The others are
        # chosen at the end, so that a stream in parts gives the same result as the whole.
        frequent = _most_frequent(task.word_counts, _n_frequent(n_words) // 2)
        self._skipped = {"near": np.zeros(n_words, dtype=np.bool_), "wide": frequent}
        state = {} if task.previous is None else task.previous.state
        self._restore_counts(state)

    @classmethod
    def resolve(cls, params: Mapping[str, Any], size: CorpusSize) -> WhitenSettings:
        """Return the settings of a run.

        A short text cannot support many directions, nor can few cells.

        Examples
        --------
        >>> params = {"batch_size": "auto", "subsample": "auto", "decorrelation": "auto"}
        >>> sizes = [CorpusSize(n_tokens, 20_000, 400) for n_tokens in (10**6, 10**8)]
        >>> [WhitenRule.resolve(params, size).rank for size in sizes]
        [70, 240]
        """
        by_text = _SHORT_TEXT_RANK * (size.n_tokens / 1e6) ** 0.5
        rank = round(min(_LARGEST_RANK, _RANK_PER_CELL * size.n_cells, by_text))
        # a text of a few words has fewer topics than words
        fewest = min(_FEWEST_DIRECTIONS, max(size.n_words // 4, min(size.n_words, 2), 1))
        given = {name: value for name, value in params.items() if value != "auto"}
        decorrelation = given.get("decorrelation", 1.0)
        return WhitenSettings(
            n_epochs=1,
            batch_size=given.get("batch_size", size.n_shards * _BATCH),
            subsample=given.get("subsample", 0.0),
            rank=max(min(rank, size.n_words), fewest),
            decorrelation=0.0 if decorrelation is None else decorrelation,
            max_pairs=given.get("max_pairs", _MOST_PAIRS),
            spelling_weight=given.get(
                "spelling_weight", _SPELLING_WEIGHT * (size.n_tokens / 1e6) ** 0.5
            ),
        )

    @classmethod
    def check_state(cls, state: Mapping[str, Any], n_words: int, n_cells: int) -> None:  # noqa: ARG003
        """Raise ``ValueError`` if these are not counts of pairs."""
        expected = {name for kind in _KINDS for name in _NAMES[kind]}
        if set(state) != expected:
            raise ValueError(f"the state must be {sorted(expected)}; got {sorted(state)!r:.60}")
        for kind in _KINDS:
            _from_arrays(kind, state, n_words)

    @classmethod
    def grow(cls, state: Mapping[str, Any], n_words: int) -> dict[str, NDArray[Any]]:
        """Return the state for a vocabulary with more words appended."""
        grown = dict(state)
        for kind in _KINDS:
            *_, ends = _NAMES[kind]
            more = np.full(n_words + 1 - len(state[ends]), state[ends][-1])
            grown[ends] = np.concatenate([state[ends], more])
        return grown

    def step(self, batch: Any, *_: Any) -> StepReport:
        """Count the pairs of a batch."""
        for kind in _KINDS:
            counts = self._task.counter.count_pairs(
                batch, self._skipped[kind], self._reach[kind], kind == "near"
            )
            self._counts[kind].add(counts)
        return StepReport(len(batch.ids), 0.0, np.zeros(0, dtype=np.int64))

    def finish(self, on_step: Callable[[int], Any] | None = None) -> Learned:
        """Turn the counts into word vectors and cells."""
        task = self._task
        near, wide = (self._counts.pop(kind).total() for kind in _KINDS)
        state = _to_arrays("near", near) | _to_arrays("wide", wide)
        _leave_out(wide, _most_frequent(task.word_counts, _n_frequent(len(task.word_counts))))
        by_frequency = np.argsort(-task.word_counts, kind="stable")
        common = np.sort(by_frequency[:_COMMON_WORDS])
        # one thread each: the result does not depend on how many there are
        with single_threaded_blas():
            contexts, of_others = find_contexts(near, wide, common)
            del near, wide
            vectors = word_vectors(
                contexts, of_others, common, task.settings.rank, _PASSES, task.engine, on_step
            )
            del contexts, of_others
            weight = task.settings.spelling_weight
            if weight and task.alike is not None:
                others = np.sort(by_frequency[:_LEANED_ON])
                vectors = lean_on_spelling(
                    vectors, task.word_counts, task.alike(others), others, weight, task.engine
                )
            cells, long_cells = find_cells(
                vectors[by_frequency[:_COMMON_WORDS]],
                task.n_cells,
                task.settings.decorrelation,
                task.engine,
            )
        frequency = task.word_counts / max(task.n_tokens, 1)
        coder = WhitenedCoder.from_floats(
            vectors,
            _RARE / (_RARE + frequency),
            cells.T,
            None if long_cells is None else long_cells.T,
        )
        return Learned(coder, state)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the counts."""
        arrays = [_to_arrays(kind, self._counts[kind].total()) for kind in _KINDS]
        return {}, {name: array for some in arrays for name, array in some.items()}

    def restore(self, _: int, __: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned."""
        self.check_state(arrays, len(self._task.word_counts), self._task.n_cells)
        self._restore_counts(arrays)

    def _restore_counts(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        n_words, most = len(self._task.word_counts), self._task.settings.max_pairs
        self._counts = {
            kind: PairCounts(_from_arrays(kind, arrays, n_words), self._task.engine, most)
            for kind in _KINDS
        }


def _n_frequent(n_words: int) -> int:
    """Return how many words are left out of the wide pairs."""
    return min(n_words // _FREQUENT_SHARE, _MOST_FREQUENT)


def _most_frequent(counts: NDArray[np.int64], n_words: int) -> NDArray[np.bool_]:
    """Return which words are the ``n_words`` most frequent; ties go to the first."""
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[np.argsort(-counts, kind="stable")[:n_words]] = True
    return chosen


def _leave_out(pairs: sparse.csr_array, words: NDArray[np.bool_]) -> None:
    """Remove the pairs of some words, in place."""
    pairs.data[np.repeat(words, np.diff(pairs.indptr)) | words[pairs.indices]] = 0
    pairs.eliminate_zeros()


def _kept(pairs: sparse.csr_array, kept: NDArray[np.bool_]) -> sparse.csr_array:
    ends = np.concatenate([[0], np.cumsum(kept)])[pairs.indptr].astype(pairs.indptr.dtype)
    return sparse.csr_array((pairs.data[kept], pairs.indices[kept], ends), shape=pairs.shape)


def _to_arrays(kind: str, counts: sparse.csr_array) -> dict[str, NDArray[Any]]:
    """Return counts in few bytes: most are small, and only a few are large.

    ``large`` holds, in order, the counts for which ``counts`` says 255.
    """
    small = np.minimum(counts.data, _LARGE).astype(np.uint8)
    words = counts.indices.astype(np.uint16 if counts.shape[0] <= 1 << 16 else np.int32)
    large = counts.data[small == _LARGE].astype(np.int64)
    arrays = small, large, words, counts.indptr.astype(np.int64)
    return dict(zip(_NAMES[kind], arrays, strict=True))


def _from_arrays(kind: str, arrays: Mapping[str, NDArray[Any]], n_words: int) -> sparse.csr_array:
    """Return counts of pairs (none without arrays); invalid ones raise ``ValueError``."""
    if not arrays:
        return sparse.csr_array((n_words, n_words), dtype=np.int32)
    small, large, words, ends = (np.asarray(arrays[name]) for name in _NAMES[kind])
    types: list[tuple[type[Any], ...]] = [
        (np.uint8,),
        (np.int64,),
        (np.uint16, np.int32),
        (np.int64,),
    ]
    for array, allowed in zip((small, large, words, ends), types, strict=True):
        if array.dtype not in allowed or array.ndim != 1:
            raise ValueError(f"the counts of the {kind} pairs have the wrong types")
    is_large = small == _LARGE
    if len(large) != is_large.sum() or large.min(initial=_LARGE) < _LARGE:
        raise ValueError(f"the large counts of the {kind} pairs do not match")
    fits = large.max(initial=0) <= _MOST_INT32
    data = small.astype(np.int32 if fits else np.int64)
    data[is_large] = large
    words = words.astype(np.int32)
    if ends.shape != (n_words + 1,) or ends[0] != 0 or (np.diff(ends) < 0).any():
        raise ValueError(f"the ends of the {kind} pairs do not fit {n_words} words")
    if not len(data) == len(words) == ends[-1] or data.min(initial=1) < 1:
        raise ValueError(f"the counts of the {kind} pairs are not valid counts")
    if words.min(initial=0) < 0 or words.max(initial=0) >= max(n_words, 1):
        raise ValueError(f"the {kind} pairs contain words that do not exist")
    if len(words) <= _MOST_INT32:  # otherwise scipy would widen the words to the type of the ends
        ends = ends.astype(np.int32)
    return sparse.csr_array((data, words, ends), shape=(n_words, n_words))
