"""RandExp: random expansion, and the strongest cells win."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.binarize import RandExp


@given(
    n_cells=st.integers(1, 40),
    density=st.floats(0.01, 1.0),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_codes_have_exactly_hash_length_ones(n_cells, density, seed, data):
    hash_length = data.draw(st.integers(1, n_cells))
    X = np.random.default_rng(seed).integers(-1, 2, size=(5, 7))  # many equal sums
    codes = RandExp(n_cells, hash_length, density=density, random_state=seed).fit_transform(X)
    assert codes.shape == (5, n_cells)
    assert set(codes.data.tolist()) == {1.0}
    np.testing.assert_array_equal(np.diff(codes.indptr), hash_length)


def test_cells_with_the_largest_sums_win():
    X = np.random.default_rng(0).normal(size=(6, 30))
    expansion = RandExp(n_cells=50, hash_length=5, random_state=0).fit(X)
    synapses = expansion.components_.toarray()
    assert set(synapses.ravel()) == {0.0, 1.0}
    np.testing.assert_array_equal(synapses.sum(axis=1), 3)  # a tenth of 30
    for vector, code in zip(X, expansion.transform(X).toarray(), strict=True):
        sums = synapses @ (vector - X.mean(axis=0))
        assert sums[code == 1].min() > sums[code == 0].max()


def test_without_centring_the_sums_are_those_of_the_vectors():
    X = np.random.default_rng(0).normal(size=(6, 30)) + 1
    expansion = RandExp(n_cells=50, hash_length=5, center=False, random_state=0).fit(X)
    synapses = expansion.components_.toarray()
    for vector, code in zip(X, expansion.transform(X).toarray(), strict=True):
        assert (synapses @ vector)[code == 1].min() > (synapses @ vector)[code == 0].max()


def test_hash_length_may_be_changed_after_fit():
    X = np.random.default_rng(0).normal(size=(2, 8))
    expansion = RandExp(n_cells=20, hash_length=4, random_state=0).fit(X)
    few, more = expansion.transform(X), expansion.set_params(hash_length=6).transform(X)
    assert few.multiply(more).nnz == few.nnz == 8
    with pytest.raises(ValueError, match="hash_length=21, but there are 20 cells"):
        expansion.set_params(hash_length=21).transform(X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_cells": 10, "hash_length": 11}, "hash_length=11, but there are 10 cells"),
        ({"density": 0.0}, "density"),
        ({"hash_length": 0}, "hash_length"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        RandExp(**params).fit([[1.0, 2.0]])
