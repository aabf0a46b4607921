"""The published rule."""

import numpy as np
import pytest

from skfly.engine import drive_for, get_engine
from skfly.model import SynapseCoder
from skfly.rules import Learned
from skfly.rules.hebbian import HebbianRule, inverse_frequencies

BACKENDS = ("numpy", "numba")
RANDOM = np.random.default_rng(0)  # only the start of a rule draws from it


def learned(weights):
    return Learned(SynapseCoder(weights), {"norms": np.ones(weights.shape[1])})


def weights_of(rule):
    return rule.state()[1]["synapses"]


@pytest.fixture
def make_rule(make_task):
    def make(word_counts, **changes):
        return HebbianRule(make_task(word_counts, **({"shrinkage": 0.0} | changes)))

    return make


def test_frequencies_by_hand():
    np.testing.assert_allclose(inverse_frequencies(np.array([3, 1, 0])), [4 / 3, 4, 0], rtol=1e-6)
    np.testing.assert_allclose(inverse_frequencies(np.array([3, 1, 0]), 1), [1, 2, 0], rtol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_step_number_by_number(make_rule, batch_of, backend):
    # Two words with counts 3 and 1: 1/p = (4/3, 4). One sentence "0 1 0", window 3, truncated:
    #   centre 0 (place 0): context {1}, target 0      centre 1: context {0}, target 1
    #   centre 0 (place 2): context {1}, target 0
    # W (rows: context 0, context 1, target 0, target 1; columns: cells A, B):
    #   A = (1, 0, 0, 1), B = (0, 1, 1, 0): A wins the middle window, B the outer two.
    weights = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
    rule = make_rule(
        [3, 1],
        backend=backend,
        n_cells=2,
        window=3,
        learning_rate=0.5,
        n_epochs=10,
        previous=learned(weights),
    )
    report = rule.step(batch_of([0, 1, 0]), 0, 0, RANDOM)
    assert report.cell_sizes.tolist() == [1, 2]
    assert report.n_windows == 3
    # d_A = (4/3, 0, 0, 4), <A, d_A> = 16/3: dS_A = d_A - 16/3 A = (-4, 0, 0, -4/3)
    # d_B = (0, 8, 8/3, 0), <B, d_B> = 32/3: dS_B = d_B - 32/3 B = (0, -8/3, -8, 0)
    # max|dS| = 8, so W += 0.5 / 8 * dS
    step = np.array([[-4, 0], [0, -8 / 3], [0, -8], [-4 / 3, 0]]) / 16
    np.testing.assert_allclose(weights_of(rule), weights + step, rtol=1e-6)
    # E = - sum <W_m, d_m> / |W_m| = -(16/3 + 32/3) / sqrt(2)
    assert report.energy == pytest.approx(-16 / np.sqrt(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_learning_rate_falls_linearly_with_the_epochs(make_rule, batch_of, backend):
    steps = []
    for epoch in (0, 5, 9):
        weights = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
        rule = make_rule(
            [1, 1],
            backend=backend,
            n_cells=2,
            window=3,
            learning_rate=0.1,
            n_epochs=10,
            previous=learned(weights),
        )
        rule.step(batch_of([0, 1, 0]), 0, epoch, RANDOM)
        steps.append(np.abs(weights_of(rule) - weights).max())
    np.testing.assert_allclose(steps, [0.1, 0.05, 0.01], rtol=1e-4)


def test_weights_start_small_and_random(make_rule, topics_corpus, batch_of):
    # one word is no window of five, so nothing is learned from the first step
    counts = topics_corpus[0].vocabulary.counts
    rule = make_rule(counts, n_cells=200, truncate_windows=False)
    rule.step(batch_of([0]), 0, 0, np.random.default_rng(0))
    assert weights_of(rule).mean() == pytest.approx(0, abs=1e-3)
    assert weights_of(rule).std() == pytest.approx(0.02, rel=0.05)


def test_the_energy_falls_and_winners_separate_planted_topics(
    make_rule, topics_corpus, stream_of, learn, finish
):
    corpus, topics = topics_corpus
    rule = make_rule(
        corpus.vocabulary.counts, learning_rate=0.05, n_epochs=10, truncate_windows=False
    )
    n_windows, energy = learn(rule, stream_of(corpus, batch_size=200), 10)
    assert n_windows == 10 * 400 * 4
    assert energy[-1] < 0.5 * energy[0] < 0
    synapses = finish(rule).coder.synapses
    np.testing.assert_allclose(np.linalg.norm(synapses, axis=0), 1, rtol=1e-5)
    drives = np.empty(synapses.shape, np.int16)
    numba = get_engine("numba")
    numba.set_drives(drives, synapses, drive_for(1.0, 5, -np.inf))
    winners = numba.find_winners(drives, corpus.ids, corpus.sentences, 5, False)
    topic_of_window = np.repeat(topics, 8)
    for cell in np.unique(winners[winners >= 0]):
        won = topic_of_window[winners == cell]
        assert (np.bincount(won).max() / len(won)) == 1, "a cell stands for one topic"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.filterwarnings("error")
def test_a_cell_without_weights_stays_so(make_rule, finish, backend):
    weights = np.array([[3, 0], [0, 0], [4, 0], [0, 0]], dtype=np.float32)
    rule = make_rule([1, 1], backend=backend, n_cells=2, window=3, previous=learned(weights))
    found = finish(rule)
    np.testing.assert_allclose(found.coder.synapses, weights / 5, rtol=1e-6)
    assert found.state["norms"].tolist() == [5, 0]
    assert found.coder.largest == pytest.approx(0.8)


def test_learning_goes_on_from_the_lengths_that_the_weights_had(make_rule, finish, batch_of):
    weights = np.array([[3, 0], [0, 2], [4, 0], [0, 0]], dtype=np.float32)
    first = finish(make_rule([1, 1], n_cells=2, previous=learned(weights)))
    kept = first.coder.synapses.copy()
    rule = make_rule([1, 1], n_cells=2, window=3, previous=first)
    np.testing.assert_allclose(weights_of(rule), weights, rtol=1e-6)
    rule.step(batch_of([0, 1]), 0, 0, RANDOM)
    assert not np.array_equal(weights_of(rule), weights)
    np.testing.assert_array_equal(first.coder.synapses, kept)
