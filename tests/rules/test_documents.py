"""Cells of documents: what is learned from counts of words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skfly.engine import get_engine
from skfly.rules import DocumentCounts, learn_documents, learn_more_documents
from skfly.rules._documents import _coder, _weights

NUMBA = get_engine("numba", 1)


def topics(n_documents=200, n_topics=4, n_words=40, seed=0):
    """Return counts of documents that each have the words of one topic, and the topics."""
    random = np.random.default_rng(seed)
    topic = random.integers(0, n_topics, n_documents)
    shares = np.full((n_topics, n_words), 0.2)
    own = n_words // n_topics
    for number in range(n_topics):
        shares[number, number * own : (number + 1) * own] = 2.0
    return sparse.csr_array(random.poisson(shares[topic]).astype(np.float32)), topic


def codes_of(coder, counts, n_top=4, engine=NUMBA):
    cells = coder.bags(engine, counts, n_top).cells
    codes = np.zeros((len(cells), coder.n_cells))
    np.put_along_axis(codes, cells, 1, axis=1)
    return codes


def same(one, other):
    return all(np.array_equal(a, other.arrays[name]) for name, a in one.arrays.items())


@pytest.fixture(scope="module")
def learned():
    return learn_documents(topics()[0], 20, NUMBA, seed=0)


def test_documents_of_a_topic_share_cells(learned):
    counts, topic = topics(seed=1)  # others than those learned from
    codes = codes_of(learned.coder, counts)
    shared = codes @ codes.T
    is_same = topic[:, None] == topic
    assert shared[is_same].mean() > 4 * shared[~is_same].mean()


def test_every_cell_is_used(learned):
    assert codes_of(learned.coder, topics()[0]).any(axis=0).all()


def test_activations_have_the_same_spread_in_every_cell(learned):
    found = learned.coder.activations(NUMBA, topics()[0])
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.01)
    assert found.std(axis=0).max() < 2 * found.std(axis=0).min()


def test_without_decorrelation_activations_are_standardised(learned):
    found = _coder(learned.counts, 0.0).activations(NUMBA, topics()[0])
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.01)
    np.testing.assert_allclose(found.std(axis=0), 1, atol=0.01)


def test_decorrelation_lessens_what_cells_have_in_common(learned):
    def correlation(decorrelation):
        found = _coder(learned.counts, decorrelation).activations(NUMBA, topics()[0])
        return np.abs(np.corrcoef(found.T)).mean()

    assert correlation(0.5) < correlation(0.2) < correlation(0.0)


def test_weights_are_what_is_above_chance():
    pairs = np.array([[6, 2], [2, 6], [0, 0]], np.int32)
    expected = np.sqrt(np.array([[13, 5], [5, 13], [1, 1]]) / np.array([[9], [9], [1]])) - 1
    np.testing.assert_allclose(_weights(pairs), expected, rtol=1e-6)


def test_counts_are_of_documents(learned):
    counts, _ = topics()
    has = counts.toarray() > 0
    assert learned.counts.documents.tolist() == [*has.sum(axis=0), 200]
    n_named = 4  # the square root of 20 cells
    np.testing.assert_array_equal(learned.counts.pairs.sum(axis=1), n_named * has.sum(axis=0))


def test_a_seed_gives_the_same_bits_on_any_engine_and_number_of_threads(learned):
    for engine in (get_engine("numpy"), get_engine("numba", 3)):
        again = learn_documents(topics()[0], 20, engine, seed=0)
        assert same(again.coder, learned.coder)
        assert same(again.counts, learned.counts)
    assert not same(learn_documents(topics()[0], 20, NUMBA, seed=1).coder, learned.coder)


class TestMore:
    def test_counts_add_up(self, learned):
        counts, _ = topics(50, seed=2)
        before = {name: array.copy() for name, array in learned.counts.arrays.items()}
        more = learn_more_documents(counts, learned, NUMBA, seed=0)
        added = more.counts.pairs - learned.counts.pairs
        np.testing.assert_array_equal(added.sum(axis=1), 4 * (counts.toarray() > 0).sum(axis=0))
        assert more.counts.documents[-1] == 250
        assert more.counts.sums[-1] == 250
        for name, array in before.items():
            np.testing.assert_array_equal(learned.counts.arrays[name], array)

    def test_codes_stay_comparable(self, learned):
        counts, _ = topics(50, seed=2)
        more = learn_more_documents(counts, learned, NUMBA, seed=0)
        before, after = (codes_of(some.coder, counts) for some in (learned, more))
        assert (before * after).sum() > 0.8 * before.sum()

    def test_no_documents_change_nothing(self, learned):
        none = sparse.csr_array((0, 40), dtype=np.float32)
        assert learn_more_documents(none, learned, NUMBA, seed=0) is learned


@given(
    n_documents=st.integers(1, 30),
    n_words=st.integers(1, 6),
    n_cells=st.integers(1, 40),
    seed=st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_any_documents_can_be_learned_from(n_documents, n_words, n_cells, seed):
    random = np.random.default_rng(seed)
    counts = sparse.csr_array(random.poisson(1.0, (n_documents, n_words)).astype(np.float32))
    learned = learn_documents(counts, n_cells, NUMBA, seed)
    if learned is not None:
        active = learned.coder.bags(NUMBA, counts, 1)
        assert np.isfinite(active.activations).all()
        assert (active.cells[np.diff(counts.indptr) == 0] == -1).all()


def test_documents_that_are_all_the_same_give_no_cells():
    assert learn_documents(sparse.csr_array(np.ones((200, 3))), 8, NUMBA, seed=0) is None


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("small", lambda a: a.astype(np.int64)),
        ("small", lambda a: a + np.uint8(255 - a.max())),
        ("documents", lambda a: a[:-1].copy()),
        ("sums", lambda a: a.astype(np.float32)),
        ("products", lambda a: a[:, :-1].copy()),
        ("more", None),
    ],
)
def test_counts_that_do_not_fit_are_refused(learned, name, change):
    arrays = dict(learned.counts.arrays)
    assert same(DocumentCounts.from_arrays(arrays, 40, 20), learned.counts)
    arrays[name] = np.zeros(1) if change is None else change(arrays[name])
    with pytest.raises((TypeError, ValueError)):
        DocumentCounts.from_arrays(arrays, 40, 20)


def test_counts_of_any_size_survive_files():
    pairs = np.array([[0, 254, 255], [256, 2**31 - 1, 1]], np.int32)
    empty = np.zeros(3, np.int64), np.zeros(4), np.zeros((3, 3))
    nothing = DocumentCounts(np.zeros((2, 3), np.uint8), np.zeros(0, np.int32), *empty)
    counts = nothing.with_pairs(pairs)
    assert counts.small.nbytes == 6
    again = DocumentCounts.from_arrays(counts.arrays, 2, 3)
    np.testing.assert_array_equal(again.pairs, pairs)
    np.testing.assert_array_equal(counts.pairs, pairs)
    for name, wrong in {
        "large": counts.large[:-1],
        "small": counts.small.astype(np.int32),
        "documents": counts.documents - 1,
    }.items():
        with pytest.raises((TypeError, ValueError), match=name):
            DocumentCounts.from_arrays(counts.arrays | {name: wrong}, 2, 3)
    with pytest.raises(ValueError, match="not counts"):
        DocumentCounts.from_arrays(counts.arrays | {"large": counts.large - 300}, 2, 3)
