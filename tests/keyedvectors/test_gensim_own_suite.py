"""gensim's own tests of ``KeyedVectors``, run against ``FlyKeyedVectors``.

They are imported from gensim and not changed. What they work on is: the vectors that they load
are thresholded to codes first. For each of 8,000 directions, one cell is on if the product of the
vector with it is above 0, and another one if it is not: so many that the order of the neighbours,
which gensim asserts, is that of the vectors. Vectors that the tests draw are thresholded at 0.
Left out are:

``test_distance``, ``test_similarity``, ``test_get_mean_vector``
    They assert floats that depend on gensim's own vectors.
``test_load_model_and_vocab_file_replace``, ``test_load_model_and_vocab_file_ignore``
    They assert that a vector is (.6, .6, .6), which is no code. ``test_files.py`` has the same
    tests on a file of codes.
``Gensim320Test``
    It opens a pickle of gensim 3.2. Our files hold no pickle, and gensim's are refused.
"""

import copy
import unittest
from functools import cache
from unittest import mock

import gensim.models
import gensim.models.keyedvectors
import gensim.test.test_keyedvectors as theirs
import numpy as np
import pytest
from gensim.test.utils import datapath

from skfly import FlyKeyedVectors

N_DIRECTIONS = 8_000
LEFT_OUT = {
    "test_distance",
    "test_similarity",
    "test_get_mean_vector",
    "test_load_model_and_vocab_file_replace",
    "test_load_model_and_vocab_file_ignore",
}


@cache
def codes_of_gensim():
    """Return gensim's vectors as codes."""
    dense = gensim.models.keyedvectors.KeyedVectors.load_word2vec_format(
        datapath("euclidean_vectors.bin"), binary=True
    )
    directions = np.random.default_rng(0).normal(size=(10, N_DIRECTIONS))
    above = dense.vectors @ directions > 0
    return FlyKeyedVectors.from_codes(
        dense.index_to_key, np.hstack([above, ~above]), counts=dense.expandos["count"]
    )


def thresholded(make):
    return lambda *args, **kwargs: (make(*args, **kwargs) > 0).astype(np.float32)


class _OnCodes(unittest.TestCase):
    """Puts our class and codes in the place of gensim's class and floats."""

    def setUp(self):
        for name, value in {
            "gensim.test.test_keyedvectors.KeyedVectors": FlyKeyedVectors,
            "gensim.models.KeyedVectors": FlyKeyedVectors,
            "gensim.test.test_keyedvectors.pseudorandom_weak_vector": thresholded(
                theirs.pseudorandom_weak_vector
            ),
            "numpy.random.randn": thresholded(np.random.randn),
        }.items():
            patch = mock.patch(name, value)
            patch.start()
            self.addCleanup(patch.stop)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # gensim forgets to close a file
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestKeyedVectorsOfGensim(_OnCodes, theirs.TestKeyedVectors):
    def setUp(self):
        self.vectors = copy.deepcopy(codes_of_gensim())
        _OnCodes.setUp(self)
        self.model_path = datapath("w2v_keyedvectors_load_test.modeldata")
        self.vocab_path = datapath("w2v_keyedvectors_load_test.vocab")


for _name in LEFT_OUT:
    assert hasattr(theirs.TestKeyedVectors, _name)
    setattr(TestKeyedVectorsOfGensim, _name, None)


class TestLoadWord2VecFormatOfGensim(_OnCodes, theirs.LoadWord2VecFormatTest):
    def verify_load2vec_binary_result(self, w2v_dict, binary_chunk_size, limit):
        codes = {word: [int(value > 4) for value in values] for word, values in w2v_dict.items()}
        super().verify_load2vec_binary_result(codes, binary_chunk_size, limit)


def test_nothing_of_gensim_is_forgotten():
    suites = {
        name
        for name, value in vars(theirs).items()
        if isinstance(value, type) and issubclass(value, unittest.TestCase)
    }

    assert suites == {"TestKeyedVectors", "LoadWord2VecFormatTest", "Gensim320Test"}
