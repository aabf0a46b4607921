"""The same codes as ``FlyKeyedVectors`` and as gensim's own ``KeyedVectors`` of floats."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from skfly import FlyKeyedVectors

N_WORDS, N_CELLS = 60, 100
KINDS = ("few ones", "many ones", "any number of ones")


def codes_of(kind, n_words=N_WORDS, n_cells=N_CELLS, seed=0):
    """Random codes."""
    random = np.random.default_rng(seed)
    if kind == "any number of ones":
        share = random.uniform(0.1, 0.9, size=(n_words, 1))
        return (random.random((n_words, n_cells)) < share).astype(np.uint8)
    n_ones = {"few ones": 5, "many ones": 32}[kind]
    codes = np.zeros((n_words, n_cells), dtype=np.uint8)
    np.put_along_axis(codes, np.argsort(random.random(codes.shape), axis=1)[:, :n_ones], 1, axis=1)
    return codes


def gensim_of(words, codes, counts=None):
    kv = KeyedVectors(codes.shape[1])
    kv.add_vectors(words, codes.astype(np.float32))
    if counts is not None:
        kv.expandos["count"] = np.array(counts)
    return kv


@pytest.fixture(params=KINDS)
def codes(request):
    return codes_of(request.param)


@pytest.fixture
def words():
    return [f"w{i}" for i in range(N_WORDS)]


@pytest.fixture
def counts():
    return np.random.default_rng(1).integers(1, 30, size=N_WORDS)


@pytest.fixture
def wv(words, codes, counts):
    return FlyKeyedVectors.from_codes(words, codes, counts=counts)


@pytest.fixture
def kv(words, codes, counts):
    return gensim_of(words, codes, counts)


@pytest.fixture
def same_ranking():
    """Return a function that compares lists of (key, similarity), in which equals may differ."""

    def check(ours, theirs, atol=1e-6):
        assert len(ours) == len(theirs)
        expected = [similarity for _, similarity in theirs]
        np.testing.assert_allclose([s for _, s in ours], expected, atol=atol)
        if theirs:
            # of those that are as good as the last, either may have taken others
            limit = expected[-1] + atol
            assert {k for k, s in ours if s > limit} == {k for k, s in theirs if s > limit}

    return check
