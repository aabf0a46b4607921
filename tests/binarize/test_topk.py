"""TopK: the largest features."""

import numpy as np
import pytest

from skfly.binarize import TopK


def test_the_largest_features_are_one_and_the_first_of_equal_ones():
    X = [[3.0, 1.0, 2.0, -9.0], [0.0, 0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(
        TopK(hash_length=2).fit_transform(X).toarray(), [[1, 0, 1, 0], [1, 1, 0, 0]]
    )


def test_centring():
    X = [[9.0, 0.0, 1.0], [9.0, 1.0, 0.0]]
    codes = TopK(hash_length=1, center=True).fit_transform(X)
    np.testing.assert_array_equal(codes.toarray(), [[0, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(("n_features", "n_ones"), [(3, 1), (25, 2), (300, 30)])
def test_a_tenth_of_the_features(n_features, n_ones):
    X = np.random.default_rng(0).normal(size=(4, n_features))
    np.testing.assert_array_equal(np.diff(TopK().fit_transform(X).indptr), n_ones)


def test_hash_length_may_be_changed_after_fit_but_not_beyond_the_features():
    top = TopK(hash_length=1).fit(np.ones((2, 4)))
    assert top.set_params(hash_length=4).transform(np.ones((1, 4))).nnz == 4
    with pytest.raises(ValueError, match="hash_length=5, but there are 4 cells"):
        top.set_params(hash_length=5).transform(np.ones((1, 4)))
    with pytest.raises(ValueError, match="hash_length=5, but there are 4 cells"):
        top.fit(np.ones((2, 4)))
