"""ITQ: rotated principal components."""

import faiss
import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from skfly.binarize import ITQ, PCAH
from skfly.binarize._itq import improve_rotation, random_rotation


@pytest.fixture(scope="module")
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(2000, 24)) @ random.normal(size=(24, 24)) + 3.0


def test_the_rotation_is_orthogonal(X):
    rotation = ITQ(n_bits=16, random_state=0).fit(X).rotation_
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(16), atol=1e-12)


def test_the_loss_falls_in_every_iteration(X):
    losses = ITQ(n_bits=16, n_iter=30, random_state=0).fit(X).quantization_losses_
    assert len(losses) == 31
    assert (np.diff(losses) < 0).all()


def test_the_loss_is_the_mean_square_distance_to_the_signs(X):
    itq = ITQ(n_bits=16, n_iter=5, random_state=0).fit(X)
    turned = PCA(16).fit_transform(X) @ itq.rotation_
    signs = np.where(turned > 0, 1, -1)
    loss = np.square(signs - turned).sum(axis=1).mean()
    assert itq.quantization_losses_[-1] == pytest.approx(loss, rel=1e-9)
    np.testing.assert_array_equal(itq.transform(X), turned > 0)


def test_loses_less_than_without_the_rotation(X):
    pcah, itq = PCAH(n_bits=16).fit(X), ITQ(n_bits=16, random_state=0).fit(X)
    lost = [np.square(X - t.inverse_transform(t.transform(X))).mean() for t in (pcah, itq)]
    assert lost[1] < lost[0]


def test_a_step_is_the_best_rotation_for_the_present_signs(X):
    V = PCA(16).fit_transform(X)
    start = random_rotation(16, np.random.RandomState(0))
    expected, _ = orthogonal_procrustes(V, np.sign(V @ start))
    np.testing.assert_allclose(improve_rotation(V, start, 1)[0], expected, atol=1e-9)


def test_finds_the_corners_of_a_turned_cube():
    random = np.random.default_rng(0)
    corners = random.choice([-1.0, 1.0], size=(2000, 8))
    hidden = random_rotation(8, np.random.RandomState(1))
    X = (corners + 0.2 * random.normal(size=corners.shape)) @ hidden
    codes = ITQ(random_state=0).fit_transform(X)
    # each bit is one side of the cube, or its opposite
    agree = np.abs((2.0 * codes - 1).T @ corners) / len(X)
    assert (agree.max(axis=1) > 0.99).all()


# faiss takes another rotation than the best one in each step (U V instead of U V', as its source
# has it), so it may only lose more; on data without corners both end close to each other.
class TestBesideFaiss:
    def test_rotation(self, X):
        V = PCA(16).fit_transform(X)
        V /= np.linalg.norm(V, axis=1, keepdims=True)
        matrix = faiss.ITQMatrix(16)
        matrix.train(V.astype(np.float32))
        theirs = matrix.apply(V.astype(np.float32))
        _, losses = improve_rotation(V, random_rotation(16, np.random.RandomState(0)), 50)
        assert losses[-1] <= _loss(theirs)
        assert losses[-1] == pytest.approx(_loss(theirs), rel=0.01)

    def test_whole_transform(self, X):
        centred = X - X.mean(axis=0)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)  # as faiss does
        theirs = faiss.ITQTransform(24, 16, True)
        theirs.train(X.astype(np.float32))
        itq = ITQ(n_bits=16, random_state=0).fit(centred)
        loss = _loss(theirs.apply(X.astype(np.float32)))
        assert itq.quantization_losses_[-1] <= loss
        assert itq.quantization_losses_[-1] == pytest.approx(loss, rel=0.01)


def _loss(turned):
    return np.square(np.sign(turned) - turned).sum(axis=1).mean()


def test_the_seed_decides(X):
    first, same, other = (ITQ(random_state=s, n_iter=3).fit_transform(X) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()
