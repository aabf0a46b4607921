"""Tasks of the workers: count the windows of their shards, in whole numbers.

A task depends only on its arguments (shard, seed, epoch, batch, drives), and sums of whole numbers
do not depend on their order: a task that runs again because its worker died gives the same
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import Batch, Increment, get_engine
from skfly.fit import LONGEST_PIECE, BatchStream
from skfly.text import (
    EncodedCorpus,
    TextAnalyzer,
    Vocabulary,
    count_documents,
    encode_documents,
    join_corpus,
    sample_pieces,
)

_LARGEST_EXACT = 1 << 24  # whole number that float32 counts up to
IN_MEMORY = 1 << 62
_MOST_COLUMNS = 2**31 - 1


class Shard:
    """A part of the corpus: in the memory of a worker, or a directory that workers can read."""

    def __init__(self, number: int, where: EncodedCorpus | str) -> None:
        self.number = number
        self._path = where if isinstance(where, str) else None
        self._corpus = None if isinstance(where, str) else where

    @property
    def corpus(self) -> EncodedCorpus:
        if self._corpus is None:
            assert self._path is not None
            self._corpus = EncodedCorpus.load(self._path)
        return self._corpus

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._path is not None:
            state["_corpus"] = None  # each process maps the files itself
        return state


class Description(NamedTuple):
    """Description of a shard before training."""

    n_words: int
    n_sentences: int
    n_documents: int
    longest_sentence: int
    fingerprint: str
    text_params: dict[str, Any]


@dataclass(eq=False)
class Plan:
    """Settings that all shards of a run share."""

    words: list[str]
    counts: NDArray[np.int64]
    subsample: float
    n_batches: int
    block_size: int
    seed: int
    backend: str
    n_threads: int


@dataclass
class Counted:
    """Nonzero counts of how often rows occurred with cells.

    ``lengths`` says how many cells each row has, ``cells`` which, and ``counts`` how often.
    ``occurrences`` of each word and ``cell_sizes`` (windows of each cell) are for the whole batch.
    ``n_bytes`` is what was sent so far to make the sum.
    """

    lengths: NDArray[Any]
    cells: NDArray[Any]
    counts: NDArray[Any]
    occurrences: NDArray[Any]
    cell_sizes: NDArray[Any]
    n_bytes: int = 0

    @classmethod
    def of(cls, matrix: sparse.csr_array, occurrences: NDArray[Any], cell_sizes: Any) -> Counted:
        lengths = np.diff(matrix.indptr)
        return cls._packed([lengths, matrix.indices, matrix.data, occurrences, cell_sizes], 0)

    @classmethod
    def _packed(cls, arrays: list[Any], n_bytes: int) -> Counted:
        lengths, cells, counts, occurrences, cell_sizes = map(_small, arrays)
        return cls(lengths, cells, counts, occurrences, cell_sizes, n_bytes)

    def matrix(self, n_cells: int) -> sparse.csr_array:
        ends = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        parts = (self.counts.astype(np.int64), self.cells.astype(np.int64), ends)
        return sparse.csr_array(parts, shape=(len(self.lengths), n_cells))

    def add_to(
        self, sums: NDArray[np.float32], rates: NDArray[np.float32], weights: Any
    ) -> Increment:
        """Do what ``add_windows`` does for the batch with these counts, bit for bit."""
        from skfly.engine._numba import word_chunks

        n_words, n_cells = len(rates), sums.shape[1]
        # the kernel takes each word as context, then as target
        by_turns = np.arange(2 * n_words).reshape(2, n_words).T.ravel()
        matrix = self.matrix(n_cells)[by_turns]
        cells, counts, ends = matrix.indices.astype(np.int64), matrix.data, matrix.indptr
        rows = np.repeat(by_turns, np.diff(ends))
        block, word = np.divmod(rows, n_words)
        added = rates[word] * counts.astype(np.float32)
        sums[rows, cells] += added
        overlaps = np.asarray(weights[rows, cells], dtype=np.float64) * added.astype(np.float64)
        begins = np.concatenate([[0], np.cumsum(self.occurrences, dtype=np.int64)])
        parts = [
            np.bincount(
                cells[ends[2 * first] : ends[2 * last]],
                weights=overlaps[ends[2 * first] : ends[2 * last]],
                minlength=n_cells,
            )
            for first, last in word_chunks(begins)
        ]
        of_cells = np.bincount(block * n_cells + cells, weights=counts, minlength=2 * n_cells)
        of_rows = np.bincount(rows, weights=counts, minlength=2 * n_words)
        return Increment(
            np.sum(parts, axis=0),
            of_rows.astype(np.int64),
            of_cells.reshape(2, n_cells).astype(np.int64),
        )

    @property
    def nbytes(self) -> int:
        arrays = (self.lengths, self.cells, self.counts, self.occurrences, self.cell_sizes)
        return sum(int(array.nbytes) for array in arrays)

    def __add__(self, other: Counted) -> Counted:
        total = self.matrix(_MOST_COLUMNS) + other.matrix(_MOST_COLUMNS)
        total.sort_indices()
        arrays = [
            np.diff(total.indptr),
            total.indices,
            total.data,
            self.occurrences.astype(np.int64) + other.occurrences,
            self.cell_sizes.astype(np.int64) + other.cell_sizes,
        ]
        return self._packed(arrays, self.n_bytes + other.n_bytes)


def _small(array: Any) -> NDArray[Any]:
    """Return whole numbers in the smallest type that holds them."""
    array = np.asarray(array)
    small: NDArray[Any] = array.astype(np.min_scalar_type(int(array.max(initial=0))))
    return small


def encode_shard(documents: Any, number: int, text_params: dict[str, Any]) -> Shard:
    """Encode the documents of a partition."""
    try:
        analyzer = TextAnalyzer(**text_params)
        corpus = encode_documents(
            list(documents), analyzer=analyzer, max_memory=IN_MEMORY, n_jobs=1
        )
    except Exception as error:  # notes do not come back from a worker
        message = f"partition {number} (the first is 0) cannot be read: {error}"
        raise ValueError(message) from error
    return Shard(number, corpus)


def open_shard(path: str, number: int, text_params: dict[str, Any]) -> Shard:
    """Open the directory of an encoded corpus; phrases of the model are joined."""
    shard = Shard(number, path)
    try:
        corpus = shard.corpus  # is checked
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{error}; fit takes a Dask Bag or Series of documents, or a list of directories of "
            "encoded corpora that every worker can read"
        ) from None
    analyzer = TextAnalyzer(**text_params)
    if analyzer.phrases is None or corpus.text_params.get("phrases") == text_params["phrases"]:
        return shard
    return Shard(number, join_corpus(corpus, analyzer.phrases, max_memory=IN_MEMORY))


def describe(shard: Shard) -> Description:
    corpus = shard.corpus
    return Description(
        corpus.n_words,
        corpus.n_sentences,
        corpus.n_documents,
        corpus.longest_sentence,
        corpus.fingerprint(),
        corpus.text_params,
    )


def count_words(shard: Shard) -> dict[str, int]:
    words = shard.corpus.vocabulary
    return dict(zip(words.words, words.counts.tolist(), strict=True))


def count_documents_with(shard: Shard) -> dict[str, int]:
    """Return in how many documents of a shard each of its words occurs."""
    counts = count_documents(shard.corpus)
    return dict(zip(shard.corpus.vocabulary.words, counts.tolist(), strict=True))


def add_word_counts(*parts: dict[str, int]) -> dict[str, int]:
    total = dict(parts[0])
    for part in parts[1:]:
        for word, count in part.items():
            total[word] = total.get(word, 0) + count
    return total


def pieces_of_shard(
    shard: Shard, columns: dict[str, int], n_words: int, most_words: int, seed: int
) -> sparse.csr_array:
    """Return documents of a shard as counts of the words that have a column."""
    words = shard.corpus.vocabulary.words
    id_map = np.array([columns.get(word, -1) for word in words], dtype=np.int32)
    return sample_pieces(
        shard.corpus,
        id_map,
        n_words,
        longest=LONGEST_PIECE,
        most_words=most_words,
        seed=seed + shard.number,
    )


def add_counted(*parts: Counted) -> Counted:
    """Return the sum, and the bytes sent to compute it."""
    total = reduce(Counted.__add__, parts)
    total.n_bytes = sum(part.n_bytes + part.nbytes for part in parts)
    return total


_STREAMS: WeakKeyDictionary[Shard, tuple[Plan, BatchStream]] = WeakKeyDictionary()


def _batch(shard: Shard, plan: Plan, epoch: int, number: int) -> Batch:
    """Return a batch of a shard, without words if it has fewer batches."""
    known = _STREAMS.get(shard)
    if known is None or known[0] is not plan:
        corpus = shard.corpus
        stream = BatchStream(
            corpus,
            id_map=Vocabulary(dict.fromkeys(plan.words)).encode(corpus.vocabulary.words),
            counts=plan.counts,
            subsample=plan.subsample,
            n_batches=plan.n_batches,
            block_size=plan.block_size,
            seed=plan.seed + shard.number,
        )
        known = _STREAMS[shard] = (plan, stream)
    nothing = Batch(np.zeros(0, np.int32), np.zeros(1, np.int64))
    return known[1].batch(epoch, number) or nothing


def n_positions(shard: Shard, plan: Plan, at: tuple[int, int]) -> int:
    return len(_batch(shard, plan, *at).ids)


def count_windows(
    shard: Shard, plan: Plan, at: tuple[int, int], drives: Any, window: int, truncate: bool
) -> Counted:
    """Count the windows of a batch for their winners."""
    batch = _batch(shard, plan, *at)
    engine = get_engine(plan.backend, plan.n_threads)
    counts = engine.count_windows(engine.put_drives(drives), batch, window, truncate)
    return _counted(counts, batch, len(drives) // 2)


def count_given(
    shard: Shard,
    plan: Plan,
    at: tuple[int, int],
    winners: NDArray[np.int32],
    shape: tuple[int, int],
    window: int,
) -> Counted:
    """Count the windows of a batch for given winners."""
    batch = _batch(shard, plan, *at)
    engine = get_engine(plan.backend, plan.n_threads)
    return _counted(engine.count_given(winners, batch, window, shape[1]), batch, shape[0] // 2)


def count_top(
    shard: Shard,
    plan: Plan,
    at: tuple[int, int],
    drives: Any,
    window: int,
    truncate: bool,
    n_top: int,
) -> Counted:
    """Count the most active cells of a batch's windows for their words."""
    batch = _batch(shard, plan, *at)
    n_rows, n_cells = drives.shape
    _check_exact(batch)
    engine = get_engine(plan.backend, plan.n_threads)
    counts = engine.zeros((n_rows // 2, n_cells))
    there = engine.put_drives(drives)
    n_windows = engine.count_top(counts, there, batch, window, truncate, n_top)
    matrix = sparse.csr_array(engine.get(counts))
    return Counted.of(matrix, np.zeros(0, dtype=np.int64), [n_windows])


def count_pairs(
    shard: Shard,
    plan: Plan,
    at: tuple[int, int],
    skipped: NDArray[np.bool_],
    reach: int,
    ordered: bool,
) -> Counted:
    """Count the pairs of words of a batch."""
    batch = _batch(shard, plan, *at)
    engine = get_engine(plan.backend, plan.n_threads)
    counts = engine.count_pairs(batch, skipped, reach, ordered)
    return Counted.of(counts, np.zeros(0, dtype=np.int64), [len(batch.ids)])


def _check_exact(batch: Batch) -> None:
    if len(batch.ids) >= _LARGEST_EXACT:
        raise ValueError(
            f"a shard has {len(batch.ids):,} words in one batch, more than can be counted "
            "exactly: choose a smaller batch_size, or more shards"
        )


def _counted(counts: Any, batch: Batch, n_words: int) -> Counted:
    _check_exact(batch)
    known = batch.ids[batch.ids >= 0]
    return Counted.of(
        counts.matrix(n_words), np.bincount(known, minlength=n_words), counts.cell_sizes
    )
