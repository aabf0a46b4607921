"""Minibatches of sentences from a corpus, in a new random order every epoch.

Blocks of neighbouring sentences are shuffled, not single windows: reading stays nearly
sequential, and nothing the size of the corpus is held in memory. Each batch has its own random
stream, seeded by seed, epoch and batch number, so results do not depend on threads or on where a
run was resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from skfly.engine import Batch
from skfly.model import keep_probabilities
from skfly.text import EncodedCorpus

_DRAWN_AT_A_TIME = 1 << 16


class BatchStream:
    """The batches of a corpus.

    Parameters
    ----------
    corpus : EncodedCorpus
    id_map : ndarray of int32 or None
        Model id of each of the corpus's word ids, -1 for words the model does not know.
        ``None``: both are the same.
    counts : ndarray of int64
        Occurrences of the model's words, for subsampling.
    subsample : float
        Threshold of :func:`keep_probabilities`; 0 keeps every word. A dropped word leaves no gap,
        as in word2vec; an unknown word does.
    batch_size : int, optional
        Words in a batch, before subsampling. Batches of an epoch are of about equal size.
    n_batches : int, optional
        Batches of an epoch, instead of ``batch_size``.
    block_size : int
        Neighbouring sentences that stay together.
    seed : int
    ahead : bool
        Whether a thread prepares the next batch during training on the current one.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        *,
        id_map: NDArray[np.int32] | None,
        counts: NDArray[np.int64],
        subsample: float,
        batch_size: int | None = None,
        n_batches: int | None = None,
        block_size: int,
        seed: int,
        ahead: bool = False,
    ) -> None:
        self._ahead = ahead
        self._corpus = corpus
        # the last entry is for id -1
        self._id_map = None if id_map is None else np.append(id_map, np.int32(-1))
        self._keep: NDArray[np.float32] | None = None
        if subsample > 0:
            # the last entry is for id -1
            self._keep = np.append(keep_probabilities(counts, subsample), np.float32(1))
        self._seed = seed
        self._block_size = block_size
        self._block_lengths = corpus.block_lengths(block_size)
        # at most one batch per block, so that none is empty
        if n_batches is None:
            assert batch_size is not None
            n_batches = -(-corpus.n_words // batch_size)
        self.n_batches = max(1, min(n_batches, len(self._block_lengths)))

    def epoch(self, number: int, first: int = 0) -> Iterator[Batch]:
        """Yield the batches of epoch ``number``, from batch ``first`` on."""
        batches = self._epoch(number, first)
        if not self._ahead:
            yield from batches
            return
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(next, batches, None)
            while (batch := coming.result()) is not None:
                coming = pool.submit(next, batches, None)
                yield batch

    def batch(self, epoch: int, number: int) -> Batch | None:
        """Return one batch of an epoch; ``None`` if the epoch has fewer."""
        return next(self._epoch(epoch, number), None)

    def _epoch(self, number: int, first: int) -> Iterator[Batch]:
        order = self._random(number, 0).permutation(len(self._block_lengths))
        ends = np.cumsum(self._block_lengths[order])
        aims = ends[-1:] * np.arange(1, self.n_batches) / self.n_batches
        cuts = np.searchsorted(ends, aims, side="left") + 1
        bounds = np.concatenate([[0], cuts, [len(order)]])
        filled = np.flatnonzero(np.diff(bounds) > 0)  # the others are no batches
        for batch in filled[first:].tolist():
            blocks = order[bounds[batch] : bounds[batch + 1]]
            yield self._gather(blocks, self._random(number, 1 + batch))

    def _random(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=key))

    def _gather(self, blocks: NDArray[np.int64], random: np.random.Generator) -> Batch:
        corpus = self._corpus
        size, last = self._block_size, corpus.n_sentences
        parts = [corpus.block(s, min(s + size, last)) for s in (blocks * size).tolist()]
        ids = np.concatenate([ids for ids, _ in parts])
        lengths = np.concatenate([lengths for _, lengths in parts])
        del parts
        if self._id_map is not None:
            ids = self._id_map[ids]
        if self._keep is not None:
            kept = np.empty(len(ids), dtype=np.bool_)
            for start in range(0, len(ids), _DRAWN_AT_A_TIME):
                part = ids[start : start + _DRAWN_AT_A_TIME]
                chances = random.random(len(part), dtype=np.float32)
                kept[start : start + len(part)] = chances < self._keep[part]
            ids = ids[kept]
            ends = np.cumsum(lengths)
            lengths = np.add.reduceat(kept, ends - lengths, dtype=np.int64)
            lengths = lengths[lengths > 0]
        return Batch(ids, np.concatenate([[0], np.cumsum(lengths)]))
