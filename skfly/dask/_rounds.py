"""Rounds of learning on the shards of a Dask cluster.

Rules, schedules, checkpoints and callbacks are those of one machine, and run where ``fit`` was
called. Only counting is done elsewhere: :class:`ShardCounter` lets the workers go over their
windows (:mod:`skfly.dask._shards`) and adds up the whole numbers that they return, as one batch
with all the windows would have them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.dask._shards import (
    Counted,
    Description,
    Plan,
    add_counted,
    add_word_counts,
    count_documents_with,
    count_given,
    count_pairs,
    count_top,
    count_windows,
    count_words,
    describe,
    encode_shard,
    n_positions,
    open_shard,
    pieces_of_shard,
)
from skfly.text import TextAnalyzer, Vocabulary

_BRANCHES = 4  # of the trees that sums are taken in
_ATTEMPTS = 5  # at a round whose data died with its worker


class Traffic(NamedTuple):
    """Bytes that a run sent.

    ``down`` is one copy of all drives that were sent to the workers, each of which gets one;
    ``up`` is all counts that workers sent, to each other and back.
    """

    n_rounds: int = 0
    down: int = 0
    up: int = 0


class ShardedCorpus(AbstractContextManager["ShardedCorpus"]):
    """The parts of a corpus on a cluster that training needs.

    Parameters
    ----------
    client : distributed.Client
    source : Bag, Series or list of paths
    analyzer : TextAnalyzer
    n_threads : int or None
        Of each task; ``None``: the cluster's threads, shared by the shards.
    backend : str
        That of the workers.
    """

    def __init__(
        self, client: Any, source: Any, analyzer: TextAnalyzer, n_threads: int | None, backend: str
    ) -> None:
        self.client = client
        self.hold(_submit_shards(client, source, analyzer))
        total = sum(client.nthreads().values())
        self.n_threads = n_threads or max(1, total // max(self.n_shards, 1))
        self.backend = backend
        self.traffic = Traffic()

    def hold(self, shards: list[Any]) -> None:
        """Take these shards as the corpus."""
        client = self.client
        told = client.gather([client.submit(describe, s, pure=False) for s in shards])
        filled = [i for i, about in enumerate(told) if about.n_words]
        self.shards = [shards[i] for i in filled]
        self.about: list[Description] = [told[i] for i in filled]
        self.n_words = sum(about.n_words for about in told)
        self.n_documents = sum(about.n_documents for about in told)
        self.n_sentences = sum(about.n_sentences for about in told)
        self.longest_sentence = max((about.longest_sentence for about in told), default=0)
        self.text_params = told[0].text_params if told else {}
        self.vocabulary = self._merge_words()

    @property
    def n_shards(self) -> int:
        return len(self.shards)

    def fingerprint(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for about in self.about:
            digest.update(about.fingerprint.encode())
        return digest.hexdigest()

    def pieces(
        self, id_map: NDArray[np.int32], n_words: int, most_words: int, seed: int
    ) -> sparse.csr_array:
        """Return documents of all shards, or a sample, as counts of the model's words."""
        known = np.flatnonzero(id_map >= 0).tolist()
        columns = {self.vocabulary.words[i]: int(id_map[i]) for i in known}
        sent = self.client.scatter(columns, hash=False)
        parts = [
            self.client.submit(
                pieces_of_shard,
                shard,
                sent,
                n_words,
                max(1, most_words * about.n_words // self.n_words),
                seed,
                pure=False,
            )
            for shard, about in zip(self.shards, self.about, strict=True)
        ]
        return sparse.vstack(self.client.gather(parts), "csr")

    def document_counts(self) -> NDArray[np.int64]:
        """Return in how many documents of all shards each word occurs."""
        total = self._sum_over_words(count_documents_with)
        return np.array([total[word] for word in self.vocabulary.words], dtype=np.int64)

    def __exit__(self, *_: object) -> None:
        self.shards = []  # Dask forgets what no one holds

    def _merge_words(self) -> Vocabulary:
        if not self.shards:
            return Vocabulary([])
        counts = self._sum_over_words(count_words)
        return Vocabulary(counts, list(counts.values()))

    def _sum_over_words(self, task: Any) -> dict[str, int]:
        parts = [self.client.submit(task, s, pure=False) for s in self.shards]
        total: dict[str, int] = self.client.gather(in_a_tree(self.client, add_word_counts, parts))
        return total


def _submit_shards(client: Any, source: Any, analyzer: TextAnalyzer) -> list[Any]:
    if hasattr(source, "to_delayed"):
        if getattr(source, "ndim", 1) != 1:
            raise ValueError("expected one column of documents; pass one, e.g. X['text']")
        from dask.delayed import delayed

        parts = np.ravel(np.array(source.to_delayed(), dtype=object)).tolist()
        encode = delayed(encode_shard)
        params = analyzer.given
        return list(client.compute([encode(p, i, params) for i, p in enumerate(parts)]))
    if not isinstance(source, Sequence) or isinstance(source, str | bytes):
        raise TypeError(
            "expected a Dask Bag or Series of documents, or a list of directories of encoded "
            f"corpora; got {type(source).__name__}. Documents become a Bag with "
            "dask.bag.from_sequence(documents)"
        )
    wrong = [type(path).__name__ for path in source if not isinstance(path, str | os.PathLike)]
    if wrong:
        raise TypeError(f"expected directories of encoded corpora, got a list with {wrong[0]}")
    return [
        client.submit(open_shard, str(Path(path).absolute()), i, analyzer.given, pure=False)
        for i, path in enumerate(source)
    ]


def in_a_tree(client: Any, add: Any, parts: list[Any]) -> Any:
    """Return the sum of futures, added a few at a time on the workers."""
    while len(parts) > 1:
        parts = [
            client.submit(add, *parts[i : i + _BRANCHES], pure=False)
            for i in range(0, len(parts), _BRANCHES)
        ]
    return parts[0]


class Round:
    """The batches that the shards take together; their ids stay on the workers."""

    def __init__(self, stream: ShardStream, at: tuple[int, int]) -> None:
        self.stream = stream
        self.at = at
        self._lengths: list[int] | None = None

    @property
    def ids(self) -> Round:
        """Stand-in for the ids, of which only the number is known here."""
        return self

    @property
    def lengths(self) -> list[int]:
        """Words of each shard's batch."""
        if self._lengths is None:
            self._lengths = self.stream.run(n_positions, self.at)
        return self._lengths

    def __len__(self) -> int:
        return sum(self.lengths)


class ShardStream:
    """Batches that workers create; the parameters are those of :class:`BatchStream`."""

    def __init__(
        self,
        corpus: ShardedCorpus,
        *,
        id_map: NDArray[np.int32],
        counts: NDArray[np.int64],
        subsample: float,
        batch_size: int,
        block_size: int,
        seed: int,
        ahead: bool = False,  # noqa: ARG002
    ) -> None:
        self._corpus = corpus
        n_blocks = max(-(-about.n_sentences // block_size) for about in corpus.about)
        self.n_batches = max(1, min(-(-corpus.n_words // batch_size), n_blocks))
        words = [""] * len(counts)
        for i in np.flatnonzero(id_map >= 0).tolist():
            words[id_map[i]] = corpus.vocabulary.words[i]
        words = [word or f"\0{i}" for i, word in enumerate(words)]  # never seen
        self._plan = Plan(
            words,
            counts,
            subsample,
            self.n_batches,
            block_size,
            seed,
            corpus.backend,
            corpus.n_threads,
        )
        self._sent: tuple[Any, Any] | None = None
        self._last_task: Any = None
        self._sent_plan: Any = None

    def epoch(self, number: int, first: int = 0) -> Iterator[Round]:
        """Yield the rounds of an epoch."""
        for batch in range(first, self.n_batches):
            yield Round(self, (number, batch))

    @property
    def n_words(self) -> int:
        return len(self._plan.words)

    def run(self, task: Any, at: tuple[int, int], *args: Any) -> list[Any]:
        """Run a task for each shard and return the results."""
        gather = self._corpus.client.gather
        return list(self._attempt(lambda: gather(self._submit(task, at, args, None))))

    def total(
        self, task: Any, at: tuple[int, int], *args: Any, drives: Any = None, each: Any = None
    ) -> Counted:
        """Return the sum of a task's counts over all shards.

        ``drives`` are sent to the workers; ``each`` holds an argument of its own for every shard.
        """
        client = self._corpus.client
        if task is not count_top or self._last_task is not count_top:
            self._sent = None  # learning changes drives in place; counting the consensus does not
        self._last_task = task

        def once() -> Counted:
            parts = self._submit(task, at, args, drives, each)
            total: Counted = client.gather(in_a_tree(client, add_counted, parts))
            return total

        counted: Counted = self._attempt(once)
        rounds, down, up = self._corpus.traffic
        sent = counted.n_bytes + counted.nbytes
        self._corpus.traffic = Traffic(rounds + 1, down, up + sent)
        counted.cell_sizes = counted.cell_sizes.astype(np.int64)
        return counted

    def _submit(
        self, task: Any, at: tuple[int, int], args: Any, drives: Any, each: Any = None
    ) -> list[Any]:
        client = self._corpus.client
        if self._sent_plan is None:
            self._sent_plan = self._scatter(self._plan)
        given: list[Any] = []
        if drives is not None:
            if self._sent is None or self._sent[0] is not drives:
                self._sent = (drives, self._scatter(drives.copy()))
                traffic = self._corpus.traffic
                self._corpus.traffic = traffic._replace(down=traffic.down + drives.nbytes)
            given = [self._sent[1]]
        return [
            client.submit(
                task,
                shard,
                self._sent_plan,
                at,
                *given,
                *([] if each is None else [each[i]]),
                *args,
                pure=False,
            )
            for i, shard in enumerate(self._corpus.shards)
        ]

    def _scatter(self, value: Any) -> Any:
        """Send a value to one worker, from which the others fetch it.

        Not ``broadcast=True``: that never returns if a worker dies at the wrong moment.
        """
        return self._corpus.client.scatter([value], hash=False)[0]

    def _attempt(self, once: Any) -> Any:
        """Run a round, and again if a worker dies with the data sent for it."""
        from distributed import KilledWorker

        for attempt in range(_ATTEMPTS):
            try:
                return once()
            except (CancelledError, KilledWorker, OSError) as error:
                if attempt == _ATTEMPTS - 1 or self._corpus.client.status != "running":
                    raise
                lost = error
                self._sent = self._sent_plan = None
        raise AssertionError(lost)


class ShardCounter:
    """Counts the windows of rounds on the workers."""

    def count_windows(self, drives: Any, batch: Round, window: int, truncate: bool) -> Counted:
        return batch.stream.total(count_windows, batch.at, window, truncate, drives=drives)

    def count_given(
        self, winners: NDArray[np.int32], batch: Round, window: int, n_cells: int
    ) -> Counted:
        each = np.split(winners, np.cumsum(batch.lengths)[:-1])
        shape = (2 * batch.stream.n_words, n_cells)
        return batch.stream.total(count_given, batch.at, shape, window, each=each)

    def count_top(
        self, counts: Any, drives: Any, batch: Round, window: int, truncate: bool, n_top: int
    ) -> int:
        counted = batch.stream.total(count_top, batch.at, window, truncate, n_top, drives=drives)
        rows = np.repeat(np.arange(len(counts)), counted.lengths)
        counts[rows, counted.cells] += counted.counts.astype(np.float32)
        return int(counted.cell_sizes[0])

    def count_pairs(
        self, batch: Round, skipped: NDArray[np.bool_], reach: int, ordered: bool
    ) -> sparse.csr_array:
        counted = batch.stream.total(count_pairs, batch.at, skipped, reach, ordered)
        return counted.matrix(len(skipped))
