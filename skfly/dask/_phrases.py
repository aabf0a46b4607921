"""Phrases of a corpus on a cluster: workers count pairs of words, and join the chosen ones."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.dask._rounds import ShardedCorpus, in_a_tree
from skfly.dask._shards import IN_MEMORY, Shard
from skfly.text import (
    N_PASSES,
    PhraseJoiner,
    count_neighbors,
    join_corpus,
    pairs_above,
    phrases_to_list,
)

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def learn_shard_phrases(corpus: ShardedCorpus) -> None:
    """Join the phrases of a corpus, by the rule of :func:`skfly.text.learn_phrases`."""
    passes: list[list[tuple[str, str]]] = []
    client = corpus.client
    for _ in range(N_PASSES if corpus.shards else 0):
        columns = {word: i for i, word in enumerate(corpus.vocabulary.words)}
        sent = client.scatter([columns], hash=False)[0]
        parts = [client.submit(_count, shard, sent, pure=False) for shard in corpus.shards]
        keys, counts = client.gather(in_a_tree(client, _add, parts))
        passes.append(pairs_above(corpus.vocabulary, keys, counts))
        chosen = client.scatter([passes[-1]], hash=False)[0]
        corpus.hold([client.submit(_join, s, chosen, pure=False) for s in corpus.shards])
    corpus.text_params = corpus.text_params | {"phrases": phrases_to_list(passes)}


def _count(shard: Shard, columns: dict[str, int]) -> Pairs:
    words = shard.corpus.vocabulary.words
    numbers = np.array([columns[word] for word in words], dtype=np.int64)
    return count_neighbors(shard.corpus, numbers, len(columns))


def _add(*parts: Pairs) -> Pairs:
    return reduce(_add_two, parts)


def _add_two(one: Pairs, other: Pairs) -> Pairs:
    keys, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    np.add.at(counts, place, np.concatenate([one[1], other[1]]))
    return keys, counts


def _join(shard: Shard, pairs: Any) -> Shard:
    joiner = PhraseJoiner([pairs])
    return Shard(shard.number, join_corpus(shard.corpus, joiner, max_memory=IN_MEMORY))
