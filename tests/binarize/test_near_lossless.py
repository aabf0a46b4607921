"""NearLossless: an autoencoder with binary codes."""

import numpy as np
import pytest

from skfly.binarize import NearLossless
from skfly.binarize._near_lossless import _step


@pytest.fixture(scope="module")
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(1500, 20)) @ random.normal(size=(20, 20)) / 4 + 1.0


def _lost(X, restored):
    return np.square(X - restored).sum() / np.square(X - X.mean(axis=0)).sum()


def test_restores_more_than_random_hyperplanes_do(X):
    learned = NearLossless(n_bits=40, n_epochs=20, random_state=0).fit(X)
    random = NearLossless(n_bits=40, n_epochs=1, learning_rate=1e-12, random_state=0).fit(X)
    codes = random.transform(X)
    signs = np.column_stack([codes, np.ones(len(X))])
    best_decoder = signs @ np.linalg.lstsq(signs, X, rcond=None)[0]
    lost = _lost(X, learned.inverse_transform(learned.transform(X)))
    assert lost < _lost(X, best_decoder)
    assert lost < 0.8 * _lost(X, random.inverse_transform(codes))


def test_bits_and_restored_vectors_are_those_of_the_formula(X):
    nlb = NearLossless(n_bits=12, random_state=0).fit(X)
    centred = X - X.mean(axis=0)
    bits = (centred @ nlb.components_.T > 0).astype(float)
    np.testing.assert_array_equal(nlb.transform(X), bits)
    restored = np.tanh(bits @ nlb.components_ + nlb.bias_) * nlb.scale_ + X.mean(axis=0)
    np.testing.assert_allclose(nlb.inverse_transform(bits), restored)


def test_what_is_lost_falls(X):
    losses = NearLossless(n_bits=40, random_state=0).fit(X).reconstruction_losses_
    assert len(losses) == 10
    assert losses[-1] < losses[0]
    nlb = NearLossless(n_bits=40, random_state=0).fit(X)
    # tails of the data, which learning cuts off, make the difference
    now = _lost(X, nlb.inverse_transform(nlb.transform(X)))
    assert now == pytest.approx(losses[-1], rel=0.1)


def test_regularization_makes_weights_orthogonal(X):
    def correlation(strength):
        W = NearLossless(n_bits=60, regularization=strength, random_state=0).fit(X).components_
        return np.square(W.T @ W - np.eye(20)).sum()

    assert correlation(30.0) < 0.2 * correlation(0.0)


def test_a_step_goes_down_the_gradient():
    random = np.random.default_rng(0)
    W, bias = random.normal(size=(6, 4)), random.normal(size=4)
    x = random.uniform(-1, 1, size=(5, 4))
    bits = (x @ W.T > 0) - 0.5

    def loss(W, bias):
        lost = np.square(np.tanh(bits @ W + bias) - x).sum() / 2
        return lost + 0.7 * np.square(W.T @ W - np.eye(4)).sum() / 2

    moved, moved_bias = W.copy(), bias.copy()
    _step(moved, moved_bias, x, 1.0, 0.7)
    for place in np.ndindex(W.shape):
        change = np.zeros_like(W)
        change[place] = 1e-6
        slope = (loss(W + change, bias) - loss(W - change, bias)) / 2e-6
        assert W[place] - moved[place] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    for i in range(4):
        change = np.eye(4)[i] * 1e-6
        slope = (loss(W, bias + change) - loss(W, bias - change)) / 2e-6
        assert bias[i] - moved_bias[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_equal_vectors():
    X = np.full((5, 3), 0.25)
    nlb = NearLossless(n_bits=8, random_state=0)
    np.testing.assert_allclose(nlb.inverse_transform(nlb.fit_transform(X)), X, atol=1.0)


def test_the_seed_decides(X):
    first, same, other = (
        NearLossless(16, n_epochs=1, random_state=seed).fit_transform(X) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_divergence_is_told(X):
    with pytest.raises(ValueError, match="learning diverged with learning_rate=10"):
        NearLossless(n_bits=40, learning_rate=10.0, random_state=0).fit(X)
