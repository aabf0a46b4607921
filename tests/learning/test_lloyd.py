"""The fixed-point rule."""

import numpy as np
import pytest

from skfly.backends import get_backend
from skfly.learning import Batch, BatchStream, LloydRule, train, word_weights

BACKENDS = ("numpy", "numba")


def batch_of(*sentences):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    return Batch(ids, np.cumsum([0, *map(len, sentences)]))


def make_rule(counts, n_cells=8, backend="numba", n_jobs=2, **changes):
    settings = {
        "weights": word_weights(counts, 5.0),
        "window": 5,
        "truncate": True,
        "fading": 0.25,
    } | changes
    return LloydRule(get_backend(backend, n_jobs), len(counts), n_cells, **settings)


def make_stream(corpus, seed=0, **changes):
    settings = {
        "id_map": None,
        "counts": corpus.vocabulary.counts,
        "subsample": 0,
        "batch_size": 800,
        "block_size": 1,
        "seed": seed,
    } | changes
    return BatchStream(corpus, **settings)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_step_number_by_number(backend):
    # W (rows: context 0, context 1, target 0, target 1; columns: cells A, B).
    start = np.array([[3, 0], [0, 1], [0, 1], [4, 0]], dtype=np.float32)
    rule = make_rule(
        np.array([4, 1]), 2, backend, weights=np.array([0.5, 2.0], np.float32), window=3,
        fading=0.2, start_from=start.copy(),
    )  # fmt: skip
    report = rule.step(batch_of([0, 1]), 0)
    # centre 0, context {1}: A 0, B (1 + 1) / sqrt(2) -> B gets context 1 (2.0), target 0 (0.5)
    # centre 1, context {0}: A (3 + 4) / 5, B 0 -> A gets context 0 (0.5) and target 1 (2.0)
    assert report.cell_sizes.tolist() == [1, 1]
    # E = - <A, d_A> / |A| - <B, d_B> / |B|
    expected = -(3 * 0.5 + 4 * 2.0) / 5 - (1 * 2.0 + 1 * 0.5) / np.sqrt(2)
    assert report.energy == pytest.approx(expected, rel=1e-5)
    rule.end_epoch()
    faded = 0.8 * start + np.array([[0.5, 0], [0, 2.0], [0, 0.5], [2.0, 0]])
    np.testing.assert_allclose(rule.sums, faded, rtol=1e-6)
    synapses, norms = rule.finish()
    np.testing.assert_allclose(norms, np.linalg.norm(faded, axis=0), rtol=1e-6)
    np.testing.assert_allclose(synapses, faded / norms, rtol=1e-6)


def test_weights_are_shrunken_inverse_counts():
    np.testing.assert_allclose(word_weights(np.array([5, 95, 0]), 5.0), [0.1, 0.01, 0.0])
    assert word_weights(np.array([0]), 0.0) == [0.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_energy_falls_and_winners_separate_planted_topics(topics_corpus, backend):
    corpus, topics = topics_corpus
    rule = make_rule(corpus.vocabulary.counts, backend=backend)
    history = train(rule, make_stream(corpus), 5, random=np.random.default_rng(0))
    assert history.n_windows == 5 * corpus.n_words
    assert history.energy[-1] < history.energy[0] < 0
    synapses, _ = rule.finish()
    winners = get_backend("numba").find_winners(
        synapses, np.full(8, 1e6, np.float32), corpus.ids, corpus.sentences, 5, True
    )
    topic_of_window = np.repeat(topics, 8)
    for cell in np.unique(winners):
        won = topic_of_window[winners == cell]
        assert np.bincount(won).max() / len(won) > 0.99, "a cell stands for one topic"


def test_the_energy_does_not_rise_when_every_batch_is_the_whole_corpus(topics_corpus):
    # With one batch an epoch, no subsampling and no memory this is Lloyd's algorithm. The
    # weights g enter the energy but not the choice of winners, so only equal g are covered.
    corpus, _ = topics_corpus
    stream = make_stream(corpus, batch_size=10**6)
    equal = np.ones(len(corpus.vocabulary), np.float32)
    rule = make_rule(corpus.vocabulary.counts, weights=equal, fading=1 - 1e-9)
    history = train(rule, stream, 12, random=np.random.default_rng(0))
    assert np.all(np.diff(history.energy[1:]) <= 1e-6 * np.abs(history.energy[1:-1]))


def test_the_reference_and_numba_learn_the_same_bits(topics_corpus):
    corpus, _ = topics_corpus
    learned = []
    for backend in BACKENDS:
        rule = make_rule(corpus.vocabulary.counts, backend=backend)
        train(rule, make_stream(corpus), 3, random=np.random.default_rng(0))
        learned.append(rule.finish()[0])
    np.testing.assert_allclose(learned[0], learned[1], rtol=1e-6)


def test_the_number_of_threads_does_not_show(topics_corpus):
    corpus, _ = topics_corpus
    learned = []
    for n_jobs in (1, 2, 4):
        rule = make_rule(corpus.vocabulary.counts, n_jobs=n_jobs)
        train(rule, make_stream(corpus), 3, random=np.random.default_rng(0))
        learned.append(rule.finish()[0])
    np.testing.assert_array_equal(learned[0], learned[1])
    np.testing.assert_array_equal(learned[0], learned[2])


def test_lazy_fading_and_norms_stay_exact_over_many_batches(topics_corpus):
    corpus, _ = topics_corpus
    rule = make_rule(corpus.vocabulary.counts, fading=0.5)  # the scale is renewed often
    batch = next(make_stream(corpus, batch_size=10**6).epoch(0))
    rule.start(batch, np.random.default_rng(0))
    reports = [rule.step(batch, 0) for _ in range(60)]
    norms = np.sqrt(rule._squares) * rule._scale
    np.testing.assert_allclose(
        norms, np.linalg.norm(rule.sums.astype(float) * rule._scale, axis=0), rtol=1e-6
    )
    # with the same batch over and over, S converges to what one batch adds, divided by fading
    assert reports[-1].energy == pytest.approx(reports[-2].energy, rel=1e-6)


def test_cells_that_win_nothing_are_started_again_and_never_respond_at_the_end():
    # one sentence, far more cells than windows: most cells cannot win
    counts = np.array([50, 50])
    batch = batch_of(*[[0, 1]] * 50)
    rule = make_rule(counts, n_cells=30, window=3)
    random = np.random.default_rng(0)
    rule.start(batch, random)
    rule.step(batch, 0)
    rule.end_epoch()
    idle = np.flatnonzero(rule.sums.any(axis=0) == 0)
    assert len(idle) >= 28
    rule.start(batch, random)
    assert rule.sums.any(axis=0).all()
    rule.step(batch, 1)
    rule.end_epoch()
    synapses, _ = rule.finish()
    assert np.isfinite(synapses).all()
    assert (synapses.any(axis=0)).sum() <= 2


def test_learning_that_goes_on_keeps_cells_that_a_part_of_the_stream_has_no_windows_for():
    start = np.ones((4, 3), np.float32)
    rule = make_rule(np.array([1, 1]), n_cells=3, restart_idle=False, start_from=start)
    rule.step(batch_of([0, 1]), 0)
    rule.end_epoch()
    assert rule.sums.all()
