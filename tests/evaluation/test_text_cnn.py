"""The TextCNN: words to numbers without PyTorch; the network where it is installed."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

from skfly.evaluation import LabelledTexts, TextCNNClassifier, document_classification
from skfly.evaluation._text_cnn import embedding

VECTORS = {"fly": [3.0, 4.0], "moth": [0.0, 10.0], "NASA": [5.0, 0.0]}


def test_all_vectors_have_one_mean_length():
    rows = embedding(VECTORS, list(VECTORS))
    assert not rows[0].any()
    assert np.linalg.norm(rows[1:], axis=1).mean() == pytest.approx(5.0)
    np.testing.assert_allclose(rows[2] / rows[1][1], [0, 2.5], rtol=1e-6)
    assert not embedding({"zero": [0.0, 0.0]}, ["zero"]).any()


def test_codes_of_a_fly_have_it_too(fitted):
    words = list(fitted.vocabulary_)
    rows = embedding(fitted, words)[1:]
    np.testing.assert_array_equal(rows > 0, fitted.hash_words(words).toarray() > 0)
    assert np.linalg.norm(rows, axis=1).mean() == pytest.approx(5.0, rel=1e-5)


def test_documents_become_rows_of_numbers():
    cnn = TextCNNClassifier(VECTORS, kernel_sizes=(2, 3), max_words=4)
    cnn._ids = {"fly": 1, "moth": 2, "NASA": 3}
    rows = cnn._sequences(["Fly, moth NASA nasa fly fly", "", "a moth"])
    assert rows.tolist() == [[1, 2, 3, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert cnn._sequences(["fly"]).tolist() == [[1, 0, 0]]  # as wide as the widest filter


def test_a_clone_has_the_same_vectors_still_fitted(fitted):
    cnn = TextCNNClassifier(fitted, n_filters=7, random_state=1)
    copy = clone(cnn)
    assert copy is not cnn
    assert copy.vectors is fitted
    assert copy.get_params() == cnn.get_params()
    assert "vectors__random_state" not in cnn.get_params()


def test_without_pytorch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "skfly.evaluation._torch_text_cnn", raising=False)
    with pytest.raises(ImportError, match=r'pip install "skfly\[torch\]"'):
        TextCNNClassifier(VECTORS).fit(["fly", "moth"], ["a", "b"])


# With PyTorch


@pytest.fixture
def torch():
    pytest.importorskip("skorch")
    return pytest.importorskip("torch")


def test_responses_are_those_of_a_convolution(torch):
    from skfly.evaluation._torch_text_cnn import TextCNN

    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 6)).astype(np.float32)
    vectors[0] = 0
    cnn = TextCNN(vectors, 3, (2, 4), 5, 0.5).eval()
    ids = torch.from_numpy(random.integers(0, 20, size=(7, 9)))
    found = [
        torch.relu(layer(cnn.vectors[ids].transpose(1, 2))).amax(dim=2) for layer in cnn.filters
    ]
    expected = cnn.output(torch.cat(found, dim=1))
    torch.testing.assert_close(cnn(ids), expected)
    # what follows the longest document does not count, unless documents are shorter than filters
    padded = torch.cat([ids, torch.zeros((7, 5), dtype=ids.dtype)], dim=1)
    torch.testing.assert_close(cnn(padded), cnn(torch.cat([ids], dim=1)))
    assert cnn(torch.zeros((2, 9), dtype=ids.dtype)).shape == (2, 3)


def test_two_topics_are_told_apart_and_seeds_repeat(torch, fitted, documents):
    labels = ["fruit", "money"] * 60
    data = LabelledTexts(
        "topics",
        tuple(documents[:80]),
        tuple(labels[:80]),
        tuple(documents[80:]),
        tuple(labels[80:]),
    )
    cnn = TextCNNClassifier(fitted, n_filters=8, max_epochs=6, batch_size=10, random_state=3)
    state = torch.random.get_rng_state()
    first, second = (clone(cnn).fit(data.train_texts, data.train_labels) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), state)
    probabilities = first.predict_proba(data.test_texts)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(probabilities, second.predict_proba(data.test_texts))
    assert first.classes_.tolist() == ["fruit", "money"]
    assert first.score(data.test_texts, data.test_labels) > 0.9
    [row] = document_classification({"cnn": cnn}, data, n_runs=2).rows
    assert row.accuracy > 90
    assert row.n_runs == 2


def test_only_some_words_may_be_known(torch, fitted, documents):
    cnn = TextCNNClassifier(
        fitted, words=["fruit", "bank"], n_filters=4, max_epochs=1, random_state=0
    ).fit(documents, ["fruit", "money"] * 60)
    assert cnn.net_.module_.vectors.shape == (3, 20)


def test_one_class_is_nothing_to_learn(torch, fitted):
    with pytest.raises(ValueError, match="one class"):
        TextCNNClassifier(fitted).fit(["fruit", "fly"], ["a", "a"])
