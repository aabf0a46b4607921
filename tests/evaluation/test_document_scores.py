"""Features of documents: neighbours, labels, and how large they are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from skfly.binarize import RandExp
from skfly.evaluation import (
    LabelledTexts,
    bits_of_codes,
    document_scores,
    label_accuracy,
    neighbor_precision,
)


def plain_precision(stored, queries, stored_topics, query_topics, n):
    """Sort all stored documents by their cosine, one query at a time."""
    precisions = []
    for query, topics in zip(queries, query_topics, strict=True):
        nearest = sorted(
            (i for i, row in enumerate(stored) if row.any()),
            key=lambda i: -round(query @ stored[i] / np.linalg.norm(stored[i]), 9),
        )
        hits = [bool(set(stored_topics[i]) & set(topics)) for i in nearest[:n]]
        precisions.append(sum(hits) / n if query.any() else 0.0)
    return 100 * np.mean(precisions)


@given(seed=st.integers(0, 999), as_sparse=st.booleans())
def test_precision_is_that_of_a_sort_of_all_documents(seed, as_sparse):
    random = np.random.default_rng(seed)
    stored, queries = (random.integers(0, 2, size=(n, 6)).astype(np.float32) for n in (12, 7))
    stored[3] = 0  # nothing is known of it
    topics = [
        [random.choice(list("abc"), size=random.integers(1, 3), replace=False).tolist()
         for _ in range(n)]
        for n in (12, 7)
    ]  # fmt: skip
    expected = [plain_precision(stored, queries, *topics, n) for n in (1, 5, 20)]
    kind = sparse.csr_array if as_sparse else np.asarray
    found = neighbor_precision(kind(stored), kind(queries), *topics, n=(1, 5, 20))
    np.testing.assert_allclose(found, expected)


def test_bits_are_compared_by_how_many_are_equal():
    stored = np.array([[1, 1, 1, 1], [0, 0, 0, 1]], dtype=np.uint8)
    query = np.array([[0, 0, 0, 0]], dtype=np.uint8)  # by the cosine, none is near
    assert neighbor_precision(stored, query, ["a", "b"], ["b"], n=[1]) == [100.0]


def test_signatures_are_compared_by_equal_entries():
    stored = np.array([[900, 1, 2], [7, 8, 2]])
    query = np.array([[7, 8, 9]])  # by the cosine, the first is nearer
    assert neighbor_precision(stored, query, ["a", "b"], ["b"], n=[1]) == [100.0]


def test_what_has_no_features_is_never_found_and_finds_nothing():
    stored = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert neighbor_precision(stored, stored[1:], ["a", "b"], ["a"], n=[2]) == [0.0]
    assert neighbor_precision(stored, stored[:1], ["a", "a"], ["a"], n=[1]) == [0.0]


def test_few_labels_are_drawn_from_each_class():
    """Features that tell the places of training texts: only what was drawn can be recognised."""
    X = np.eye(20)
    labels = np.array(["a", "b"] * 10)
    assert label_accuracy(X, X, labels, labels) == 100.0
    few = [label_accuracy(X, X, labels, labels, n_per_class=2, random_state=s) for s in range(3)]
    # 4 are known; of the others, which are all alike to it, those of one class are right
    assert few == [pytest.approx(100 * (4 + 8) / 20)] * 3


def test_rows_are_scaled_to_unit_length():
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(40, 5)), random.choice(["a", "b"], size=40)
    scaled = X * random.uniform(1, 1000, size=(40, 1))
    found = label_accuracy(X[:30], X[30:], labels[:30], labels[30:])
    assert label_accuracy(scaled[:30], scaled[30:], labels[:30], labels[30:]) == found


@pytest.mark.parametrize(("n_cells", "k"), [(400, 16), (20, 20), (1000, 32)])
def test_bits_of_sparse_codes(n_cells, k):
    codes = sparse.csr_array(np.arange(n_cells)[None] < k, dtype=np.float32)
    assert bits_of_codes(codes) == pytest.approx(math.log2(math.comb(n_cells, k)))
    assert bits_of_codes(0.5 * codes) is None


def test_bits_of_arrays():
    assert bits_of_codes(np.zeros((2, 64), dtype=np.uint8)) == 64
    assert bits_of_codes(np.zeros((2, 64))) is None


FRUIT = ["ripe plum", "sweet pear", "ripe sweet fig", "plum and pear"] * 5
MONEY = ["a loan", "the debt and the loan", "interest on debt", "the interest"] * 5


@pytest.fixture(scope="module")
def data():
    texts = (*FRUIT, *MONEY)
    return LabelledTexts(
        "two", texts, ("f",) * 20 + ("m",) * 20, ("sweet fig", "loan"), ("f", "m")
    )


def test_a_row_for_each_dataset_and_method(data):
    fly = make_pipeline(
        CountVectorizer(), FunctionalDense(), RandExp(40, 4, density=0.2, random_state=5)
    )
    seen = []
    methods = {"counts": CountVectorizer(), "random": fly}
    table = document_scores(methods, [data], n_runs=2, on_progress=seen.append)
    assert table.values("method") == ["counts", "random"]
    assert [row.method for row in seen] == ["counts", "random"]
    counts, codes = table.rows
    assert (counts.n_train, counts.n_test, counts.n_runs) == (40, 2, 2)
    assert counts.all_labels == counts.few_labels == 100.0
    assert counts.p_at_10_std == 0.0
    assert counts.bits is None
    assert (codes.bytes, codes.bits) == (5.0, pytest.approx(math.log2(math.comb(40, 4))))
    assert 0 < codes.p_at_100 <= 20  # half of 40 texts are of the topic, of 100 asked for
    assert str(table).splitlines()[-1].split(" | ")[6:8] == ["5", "16"]  # bytes, bits
    assert min(codes.fit_seconds, codes.transform_ms) > 0


class FunctionalDense(CountVectorizer):
    """From sparse to dense, for transformers of dense vectors."""

    def fit(self, X, y=None):
        return self

    def fit_transform(self, X, y=None):
        return X.toarray()

    def transform(self, X):
        return X.toarray()


def test_documents_of_several_topics_are_only_searched():
    data = LabelledTexts(
        "many", ("ripe plum", "a loan") * 10, ("f,x", "m") * 10, ("plum",), ("y,f",), True
    )
    assert data.classes == ["f", "m", "x"]
    row = document_scores({"counts": CountVectorizer()}, data, n_runs=1).rows[0]
    assert row.p_at_10 == 100.0
    assert row.few_labels is None
    assert row.all_labels is None


def test_nothing_to_do(data):
    with pytest.raises(ValueError, match="n_runs must be at least 1; got 0"):
        document_scores({}, data, n_runs=0)
    with pytest.raises(ValueError, match="at least one method and one dataset"):
        document_scores({}, data)
