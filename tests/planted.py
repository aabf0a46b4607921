"""A hand-made corpus with planted topics."""

import numpy as np

from skfly.text import EncodedCorpus, Vocabulary

N_TOPICS = 4
WORDS_PER_TOPIC = 10


def plant(n_sentences=400, length=8, seed=0):
    """Sentences each made of the words of one of four topics; the topic of each sentence."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(N_TOPICS, size=n_sentences)
    words = rng.integers(WORDS_PER_TOPIC, size=(n_sentences, length))
    ids = (topics[:, None] * WORDS_PER_TOPIC + words).astype(np.int32)
    n_words = N_TOPICS * WORDS_PER_TOPIC
    offsets = np.arange(n_sentences + 1, dtype=np.int64) * length
    vocabulary = Vocabulary(
        [f"topic{i // WORDS_PER_TOPIC}word{i % WORDS_PER_TOPIC}" for i in range(n_words)],
        np.bincount(ids.ravel(), minlength=n_words),
    )
    return EncodedCorpus(ids.ravel(), offsets, offsets, vocabulary), topics
