"""The published rule."""

import numpy as np
import pytest

from skfly.backends import drive_for, get_backend
from skfly.learning import (
    Batch,
    BatchStream,
    HebbianRule,
    Learned,
    inverse_frequencies,
    train,
)

BACKENDS = ("numpy", "numba")


def batch_of(*sentences):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    return Batch(ids, np.cumsum([0, *map(len, sentences)]))


def learned(weights):
    return Learned(weights, 1.0, -np.inf, {"norms": np.ones(weights.shape[1])})


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_step_number_by_number(backend):
    # Two words with counts 3 and 1: 1/p = (4/3, 4). One sentence "0 1 0", window 3, truncated:
    #   centre 0 (place 0): context {1}, target 0      centre 1: context {0}, target 1
    #   centre 0 (place 2): context {1}, target 0
    # W (rows: context 0, context 1, target 0, target 1; columns: cells A, B):
    #   A = (1, 0, 0, 1), B = (0, 1, 1, 0): A wins the middle window, B the outer two.
    weights = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
    rule = HebbianRule(
        get_backend(backend),
        n_words=2,
        n_cells=2,
        weights=inverse_frequencies(np.array([3, 1])),
        window=3,
        truncate=True,
        learning_rate=0.5,
        n_epochs=10,
        go_on_from=learned(weights),
    )
    report = rule.step(batch_of([0, 1, 0]), epoch=0)
    assert report.cell_sizes.tolist() == [1, 2]
    # d_A = (4/3, 0, 0, 4), <A, d_A> = 16/3: dS_A = d_A - 16/3 A = (-4, 0, 0, -4/3)
    # d_B = (0, 8, 8/3, 0), <B, d_B> = 32/3: dS_B = d_B - 32/3 B = (0, -8/3, -8, 0)
    # max|dS| = 8, so W += 0.5 / 8 * dS
    step = np.array([[-4, 0], [0, -8 / 3], [0, -8], [-4 / 3, 0]]) / 16
    np.testing.assert_allclose(rule.synapses, weights + step, rtol=1e-6)
    # E = - sum <W_m, d_m> / |W_m| = -(16/3 + 32/3) / sqrt(2)
    assert report.energy == pytest.approx(-16 / np.sqrt(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_learning_rate_falls_linearly_with_the_epochs(backend):
    steps = []
    for epoch in (0, 5, 9):
        weights = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
        rule = HebbianRule(
            get_backend(backend),
            2,
            2,
            weights=np.ones(2, np.float32),
            window=3,
            truncate=True,
            learning_rate=0.1,
            n_epochs=10,
            go_on_from=learned(weights),
        )
        rule.step(batch_of([0, 1, 0]), epoch)
        steps.append(np.abs(rule.synapses - weights).max())
    np.testing.assert_allclose(steps, [0.1, 0.05, 0.01], rtol=1e-4)


def make_rule(corpus, n_cells=8, **changes):
    counts = corpus.vocabulary.counts
    settings = {
        "weights": inverse_frequencies(counts),
        "window": 5,
        "truncate": False,
        "learning_rate": 0.05,
        "n_epochs": 10,
    } | changes
    return HebbianRule(get_backend("numba", 2), len(counts), n_cells, **settings)


def test_weights_start_small_and_random(topics_corpus):
    rule = make_rule(topics_corpus[0], n_cells=200)
    rule.start(batch_of([0]), np.random.default_rng(0))
    assert rule.synapses.mean() == pytest.approx(0, abs=1e-3)
    assert rule.synapses.std() == pytest.approx(0.02, rel=0.05)


def test_the_energy_falls_and_winners_separate_planted_topics(topics_corpus):
    corpus, topics = topics_corpus
    stream = BatchStream(
        corpus,
        id_map=None,
        counts=corpus.vocabulary.counts,
        subsample=0,
        batch_size=200,
        block_size=1,
        seed=0,
    )
    rule = make_rule(corpus)
    history = train(rule, stream, 10, random=np.random.default_rng(0))
    assert history.n_windows == 10 * 400 * 4
    assert history.energy[-1] < 0.5 * history.energy[0] < 0
    synapses = rule.finish().synapses
    np.testing.assert_allclose(np.linalg.norm(synapses, axis=0), 1, rtol=1e-5)
    drives = np.empty(synapses.shape, np.int16)
    numba = get_backend("numba")
    numba.set_drives(drives, synapses, drive_for(1.0, 5, -np.inf))
    winners = numba.find_winners(drives, corpus.ids, corpus.sentences, 5, False)
    topic_of_window = np.repeat(topics, 8)
    for cell in np.unique(winners[winners >= 0]):
        won = topic_of_window[winners == cell]
        assert (np.bincount(won).max() / len(won)) == 1, "a cell stands for one topic"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.filterwarnings("error")
def test_a_cell_without_weights_stays_so(backend):
    weights = np.array([[3, 0], [0, 0], [4, 0], [0, 0]], dtype=np.float32)
    rule = HebbianRule(
        get_backend(backend),
        2,
        2,
        weights=np.ones(2, np.float32),
        window=3,
        truncate=True,
        learning_rate=0.1,
        n_epochs=10,
        go_on_from=learned(weights),
    )
    found = rule.finish()
    np.testing.assert_allclose(found.synapses, weights / 5, rtol=1e-6)
    assert found.state["norms"].tolist() == [5, 0]
    assert found.largest == pytest.approx(0.8)
