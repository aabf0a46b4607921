"""BioHash: cells that have competed for vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.binarize import BioHash, RandExp
from skfly.binarize._biohash import synapse_change


def plain_change(W, X):
    """The formula, one vector at a time."""
    change = np.zeros_like(W)
    for x in X:
        m = max(range(len(W)), key=lambda m: W[m] @ x)
        change[m] += x - (W[m] @ x) * W[m]
    return change


@given(
    n_cells=st.integers(1, 9),
    n_features=st.integers(1, 9),
    n_vectors=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_a_batch_changes_synapses_by_the_formula(n_cells, n_features, n_vectors, seed):
    random = np.random.default_rng(seed)
    W, X = random.normal(size=(n_cells, n_features)), random.normal(size=(n_vectors, n_features))
    np.testing.assert_allclose(synapse_change(W, X), plain_change(W, X), atol=1e-12)


def test_fit_takes_such_steps_with_a_falling_rate():
    X = np.random.default_rng(0).normal(size=(7, 5)) + 1
    fitted = BioHash(4, 2, n_epochs=3, batch_size=3, learning_rate=0.1, random_state=0).fit(X)
    random = np.random.RandomState(0)
    W = random.standard_normal((4, 5)) / np.sqrt(5)
    for rate in (0.1, 0.1 * 2 / 3, 0.1 / 3):
        order = random.permutation(7)
        for batch in (order[:3], order[3:6], order[6:]):
            change = plain_change(W, X[batch] - X.mean(axis=0))
            W += rate * change / np.abs(change).max()
    np.testing.assert_allclose(fitted.components_, W)
    for vector, code in zip(X, fitted.transform(X).toarray(), strict=True):
        activations = W @ (vector - X.mean(axis=0))
        assert activations[code == 1].min() > activations[code == 0].max()


def test_neighbours_have_more_cells_in_common_than_by_random_synapses():
    random = np.random.default_rng(0)
    centres, labels = random.normal(size=(10, 30)), np.arange(400) % 10
    X = centres[labels] + 1.5 * random.normal(size=(400, 30))

    def precision(transformer):
        codes = transformer.fit(X).transform(X)
        overlap = (codes @ codes.T).toarray()
        np.fill_diagonal(overlap, -1)
        nearest = np.argsort(-overlap, axis=1, kind="stable")[:, :10]
        return (labels[nearest] == labels[:, None]).mean()

    learned = precision(BioHash(100, 4, random_state=0))
    assert learned > precision(RandExp(100, 4, random_state=0)) + 0.1


def test_learning_does_not_depend_on_the_scale():
    X = np.random.default_rng(0).normal(size=(20, 5))
    few = BioHash(8, 2, random_state=0).fit(X).components_
    np.testing.assert_allclose(BioHash(8, 2, random_state=0).fit(1024 * X).components_, few)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_cells": 10, "hash_length": 11}, "hash_length=11, but there are 10 cells"),
        ({"learning_rate": 0.0}, "learning_rate"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        BioHash(**params).fit([[1.0, 2.0]])
