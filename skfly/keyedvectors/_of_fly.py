"""The vectors of a model's words."""

from __future__ import annotations

import numpy as np

from skfly.keyedvectors._gensim import FlyKeyedVectors
from skfly.model import FlyModel


def make_vectors(model: FlyModel) -> FlyKeyedVectors:
    """Return the codes of a model's words as new vectors."""
    words, counts = model.vocabulary.words, model.vocabulary.counts
    codes = model.word_codes()
    seen = np.flatnonzero((np.diff(codes.indptr) > 0) & (counts > 0))
    vectors = FlyKeyedVectors.from_codes(
        [words[i] for i in seen.tolist()],
        codes[seen],
        counts=counts[seen],
        hash_length=model.hash_length,
    )
    if model.settings.unknown_words == "spelling":
        vectors._spell = lambda word: model.words([word])
    return vectors
