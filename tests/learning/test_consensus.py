"""Consensus of a word's occurrences."""

import numpy as np

from skfly.backends import get_backend
from skfly.learning import BatchStream, count_consensus


def test_words_of_a_topic_agree_on_cells(topics_corpus):
    corpus, _ = topics_corpus
    # cell t answers to the words of topic t, cell 4 a little to everything
    synapses = np.zeros((80, 5), dtype=np.float32)
    for word in range(40):
        synapses[[word, 40 + word], word // 10] = 0.3
    synapses[:, 4] = 0.01
    stream = BatchStream(
        corpus, id_map=None, counts=corpus.vocabulary.counts, subsample=0, batch_size=500,
        block_size=4, seed=0,
    )  # fmt: skip
    counts = count_consensus(
        get_backend("numba"), synapses, stream, 0, window=5, truncate=True, n_active=2
    )
    # every occurrence names its topic's cell and the cell for everything
    expected = np.zeros((40, 5))
    expected[np.arange(40), np.arange(40) // 10] = corpus.vocabulary.counts
    expected[:, 4] = corpus.vocabulary.counts
    np.testing.assert_array_equal(counts, expected)
