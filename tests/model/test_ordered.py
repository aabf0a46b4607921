"""A coder that reads order: complex weights, and places that turn the phase."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from skfly.model import FlyModel, ModelSettings, PhaseCoder
from skfly.text import Vocabulary

V, K = 6, 5


def make_weights(seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(V, K)) + 1j * random.normal(size=(V, K))


def make_coder(seed=0):
    weights = make_weights(seed)
    return PhaseCoder(np.abs(weights).astype(np.float32), np.angle(weights).astype(np.float32))


def plain_scores(weights, sentence):
    """The formula, one token and one cell at a time."""
    scores = np.zeros(K)
    for place, word in enumerate(sentence):
        root = np.exp(1j * np.pi * place / len(sentence))
        if word >= 0:
            for cell in range(K):
                weight = weights[word, cell]
                scores[cell] += abs(weight) + abs(np.angle(weight * np.conj(root)))
    return scores


@given(
    sentences=st.lists(st.lists(st.integers(-1, V - 1), max_size=8), max_size=5),
    seed=st.integers(0, 99),
)
def test_cells_of_sentences_are_those_of_the_formula(sentences, seed):
    ids = [np.array(sentence, dtype=np.int32) for sentence in sentences]
    cells, activations = make_coder(seed).sequences(None, ids, 3)
    for sentence, found, values in zip(sentences, cells, activations, strict=True):
        expected = plain_scores(make_weights(seed), sentence)
        if max(sentence, default=-1) < 0:
            assert found.tolist() == [-1, -1, -1]
        else:
            np.testing.assert_allclose(values, np.sort(expected)[::-1][:3], rtol=1e-5)
            np.testing.assert_allclose(values, expected[found], rtol=1e-5)


def test_many_tokens_are_taken_some_at_a_time(monkeypatch):
    ids = [np.arange(V, dtype=np.int32), np.array([3, 3, 1], dtype=np.int32)]
    whole = make_coder().sequences(None, ids, K)
    monkeypatch.setattr("skfly.model._ordered._TOKENS_AT_A_TIME", 2)
    np.testing.assert_allclose(make_coder().sequences(None, ids, K).activations, whole.activations)


def test_without_places_words_stand_in_the_middle():
    coder, weights = make_coder(), make_weights()
    middle = np.abs(weights) + np.abs(np.angle(weights * np.conj(np.exp(0.5j * np.pi))))
    np.testing.assert_allclose(coder.responses(None, np.arange(V)), middle, rtol=1e-5)
    counts = sparse.csr_array([[2, 0, 1, 0, 0, 0], [0] * V])
    cells, activations = coder.bags(None, counts, 2)
    expected = 2 * middle[0] + middle[2]
    np.testing.assert_allclose(activations[0], np.sort(expected)[::-1][:2], rtol=1e-5)
    assert cells[1].tolist() == [-1, -1]
    alone = coder.words(None, np.array([2]), 1, "consensus").cells
    assert alone.tolist() == [[middle[2].argmax()]]
    around = coder.contexts(None, np.array([0, -1]), [np.array([0, 2]), np.array([-1])], 2)
    np.testing.assert_array_equal(around.cells, cells)
    np.testing.assert_array_equal(coder.mixtures(None, counts, 2, "consensus").cells, cells)


@pytest.fixture
def model():
    vocabulary = Vocabulary(["ripe", "fruit", "smells", "sweet", "to", "flies"], np.ones(V, int))
    return FlyModel(vocabulary, make_coder(), ModelSettings(hash_length=2))


def test_documents_are_read_in_order(model):
    texts = [
        "ripe fruit smells sweet",
        "sweet smells fruit ripe",
        "unknown",
        "Ripe fruit smells sweet",
    ]
    codes = model.documents(texts)
    assert np.diff(codes.indptr).tolist() == [2, 2, 0, 2]
    assert (codes[[0]] != codes[[3]]).nnz == 0
    expected = plain_scores(make_weights(), [0, 1, 2, 3]).argsort()[::-1][:2]
    assert sorted(codes[[0]].indices.tolist()) == sorted(expected.tolist())
    turned = plain_scores(make_weights(), [3, 2, 1, 0]).argsort()[::-1][:2]
    assert sorted(codes[[1]].indices.tolist()) == sorted(turned.tolist())


def test_more_documents_than_are_read_at_a_time(model, monkeypatch):
    texts = ["ripe fruit", "sweet flies", "to flies", "fruit"]
    whole = model.documents(texts)
    monkeypatch.setattr("skfly.model._model._ORDERED_TEXTS", 2)
    assert (model.documents(texts) != whole).nnz == 0
    assert model.documents([]).shape == (0, K)


def test_files(model, tmp_path):
    model.save(tmp_path / "model.skfly")
    read = FlyModel.load(tmp_path / "model.skfly")
    assert (read.documents(["ripe fruit"]) != model.documents(["ripe fruit"])).nnz == 0
    arrays = model.coder.arrays
    with pytest.raises(ValueError, match="magnitudes and phases only"):
        PhaseCoder.from_arrays({"phases": arrays["phases"]}, {}, V)
    with pytest.raises(ValueError, match="phases"):
        PhaseCoder.from_arrays(arrays | {"phases": arrays["phases"][:2]}, {}, V)


def test_cells_have_words(model):
    [cell] = model.cells("ripe fruit", n_cells=1, n_words=3)
    strongest = np.abs(make_weights()[:, cell.number]).argmax()
    assert cell.words[0][0] == model.vocabulary.words[strongest]
