"""DenseFly: the signs of a random expansion."""

import itertools

import numpy as np
import pytest

from skfly.binarize import DenseFly, RandExp


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(6, 30)) + 1


@pytest.mark.parametrize("center", [True, False])
def test_bits_are_the_signs_of_the_sums_of_some_features(X, center):
    fly = DenseFly(n_bits=50, center=center, random_state=0).fit(X)
    synapses = fly.components_.toarray()
    np.testing.assert_array_equal(synapses.sum(axis=1), 3)  # a tenth of 30
    sums = (X - center * X.mean(axis=0)) @ synapses.T
    np.testing.assert_array_equal(fly.transform(X), sums > 0)


def test_the_expansion_is_that_of_randexp(X):
    same = RandExp(n_cells=50, hash_length=5, random_state=0).fit(X).components_
    assert (DenseFly(n_bits=50, random_state=0).fit(X).components_ != same).nnz == 0


@pytest.mark.parametrize(("n_bits", "n_groups"), [(12, 3), (11, 4), (5, 5), (7, 1)])
def test_the_pseudo_hash_has_the_signs_of_means_over_groups(X, n_bits, n_groups):
    fly = DenseFly(n_bits=n_bits, pseudo_hash_length=n_groups, random_state=0).fit(X)
    sums = (X - X.mean(axis=0)) @ fly.components_.toarray().T
    ends = [group * n_bits // n_groups for group in range(n_groups + 1)]
    expected = [
        [row[start:end].mean() > 0 for start, end in itertools.pairwise(ends)] for row in sums
    ]
    hashes = fly.pseudo_hash(X)
    assert hashes.dtype == np.uint8
    np.testing.assert_array_equal(hashes, expected)
    packed = fly.set_params(packed=True).pseudo_hash(X)
    np.testing.assert_array_equal(packed[:, 0], np.packbits(hashes, 1, "little")[:, 0])


def test_no_more_groups_than_cells(X):
    fly = DenseFly(n_bits=10, pseudo_hash_length=11).fit(X)
    with pytest.raises(ValueError, match="pseudo_hash_length=11, but there are 10 cells"):
        fly.pseudo_hash(X)
