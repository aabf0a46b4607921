"""Consensus of the windows with a word."""

import numpy as np

from skfly.backends import get_backend
from skfly.learning import BatchStream, Learned, count_consensus


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
        get_backend("numba"),
        Learned(synapses, 0.3, 0.0, {}),
        stream,
        0,
        window=5,
        truncate=True,
        n_active=2,
    )
    # every window names its topic's cell and the cell for everything
    topics = np.repeat(np.eye(4), 10, axis=0)
    np.testing.assert_array_equal(counts[:, :4] > 0, topics)
    np.testing.assert_array_equal(counts[:, :4].sum(axis=1), counts[:, 4])
    # a word is in at least the windows around its occurrences, at most in five for each
    assert (counts[:, 4] >= corpus.vocabulary.counts).all()
    assert (counts[:, 4] <= 5 * corpus.vocabulary.counts).all()
