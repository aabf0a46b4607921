"""The fixed-point rule."""

import numpy as np
import pytest

from skfly.backends import drive_for, get_backend
from skfly.learning import Batch, BatchStream, LloydRule, train

BACKENDS = ("numpy", "numba")


def batch_of(*sentences):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    return Batch(ids, np.cumsum([0, *map(len, sentences)]))


def make_rule(n_words, n_cells=8, backend="numba", n_jobs=2, **changes):
    settings = {"window": 5, "truncate": True, "shrinkage": 10.0, "fading": 0.25} | changes
    return LloydRule(get_backend(backend, n_jobs), n_words, n_cells, **settings)


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


def winners_of(learned, corpus):
    drives = np.empty(learned.synapses.shape, np.int16)
    numba = get_backend("numba")
    numba.set_drives(drives, learned.synapses, drive_for(learned.largest, 5, 0.0))
    return numba.find_winners(drives, corpus.ids, corpus.sentences, 5, True)


def set_counts(rule, counts):
    """Give a rule counts to go on from, and the totals that belong to them."""
    rule.counts[...] = counts
    rule._words[:] = counts.sum(axis=1)
    rule._cells[:] = np.reshape(counts, (2, -1, counts.shape[1])).sum(axis=1)
    rule._idle[:] = False


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_step_number_by_number(backend):
    # C (rows: context 0, context 1, target 0, target 1; columns: cells A, B).
    counts = np.array([[6.0, 2], [2, 6], [2, 6], [6, 2]])
    rule = make_rule(2, 2, backend, window=3, fading=0.2, shrinkage=4.0)
    set_counts(rule, counts)
    report = rule.step(batch_of([0, 1]), 0)
    # words are half each in both blocks, every cell has 8 in a block
    often = np.log((6 + 2) / ((8 + 4) * 0.5))  # > 0
    seldom = np.log((2 + 2) / ((8 + 4) * 0.5))  # < 0: does not count
    assert often > 0 > seldom
    # centre 0, context {1}: B has both often, A neither; centre 1, context {0}: A
    assert report.cell_sizes.tolist() == [1, 1]
    assert report.energy == pytest.approx(-4 * often, rel=1e-4)  # whole numbers
    rule.end_epoch()
    added = np.array([[1, 0], [0, 1], [0, 1], [1, 0]])
    np.testing.assert_allclose(rule.counts, 0.8 * counts + added, rtol=1e-6)
    learned = rule.finish()
    np.testing.assert_allclose(learned.synapses[0, 0], np.log(7.8 / (11.4 * 0.5)), rtol=1e-5)
    assert learned.largest == pytest.approx(learned.synapses.max())


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_energy_falls_and_winners_separate_planted_topics(topics_corpus, backend):
    corpus, topics = topics_corpus
    rule = make_rule(len(corpus.vocabulary), backend=backend)
    history = train(rule, make_stream(corpus), 5, random=np.random.default_rng(0))
    assert history.n_windows == 5 * corpus.n_words
    assert history.energy[-1] < history.energy[0] < 0
    learned = rule.finish()
    winners = winners_of(learned, corpus)
    topic_of_window = np.repeat(topics, 8)
    for cell in np.unique(winners):
        won = topic_of_window[winners == cell]
        assert np.bincount(won).max() / len(won) > 0.99, "a cell stands for one topic"


def test_the_energy_does_not_rise_when_every_batch_is_the_whole_corpus(topics_corpus):
    # One batch an epoch, no memory: assignment and fixed point in turn. The floor at 0 makes the
    # fixed point a good one, not the best, hence the small tolerance.
    corpus, _ = topics_corpus
    stream = make_stream(corpus, batch_size=10**6)
    rule = make_rule(len(corpus.vocabulary), fading=1 - 1e-9, shrinkage=1.0)
    history = train(rule, stream, 12, random=np.random.default_rng(0))
    assert np.all(np.diff(history.energy) <= 0.01 * np.abs(history.energy[:-1]))
    assert history.energy[-1] < history.energy[0]


def test_the_reference_and_numba_learn_the_same(topics_corpus):
    corpus, _ = topics_corpus
    learned = []
    for backend in BACKENDS:
        rule = make_rule(len(corpus.vocabulary), backend=backend)
        train(rule, make_stream(corpus), 3, random=np.random.default_rng(0))
        learned.append(rule.finish().synapses)
    np.testing.assert_allclose(learned[0], learned[1], rtol=1e-4, atol=1e-5)


def test_the_number_of_threads_does_not_show(topics_corpus):
    corpus, _ = topics_corpus
    learned = []
    for n_jobs in (1, 2, 4):
        rule = make_rule(len(corpus.vocabulary), n_jobs=n_jobs)
        train(rule, make_stream(corpus), 3, random=np.random.default_rng(0))
        learned.append(rule.finish().synapses)
    np.testing.assert_array_equal(learned[0], learned[1])
    np.testing.assert_array_equal(learned[0], learned[2])


def test_lazy_fading_keeps_the_totals_right_over_many_batches(topics_corpus):
    corpus, _ = topics_corpus
    rule = make_rule(len(corpus.vocabulary), fading=0.5)  # the scale is renewed often
    batch = next(make_stream(corpus, batch_size=10**6).epoch(0))
    rule.start(batch, np.random.default_rng(0))
    reports = [rule.step(batch, 0) for _ in range(60)]
    np.testing.assert_allclose(rule._words, rule.counts.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(rule._cells, rule.counts.reshape(2, -1, 8).sum(axis=1), rtol=1e-5)
    # with the same batch over and over nothing is left to change
    assert reports[-1].energy == pytest.approx(reports[-2].energy, rel=1e-5)


def test_cells_that_win_nothing_are_started_again_and_never_respond_at_the_end():
    # one sentence, far more cells than windows: most cells cannot win
    batch = batch_of(*[[0, 1]] * 50)
    rule = make_rule(2, n_cells=30, window=3)
    random = np.random.default_rng(0)
    rule.start(batch, random)
    rule.step(batch, 0)
    rule.end_epoch()
    assert (rule.counts.any(axis=0)).sum() <= 2
    rule.start(batch, random)
    assert rule.counts.any(axis=0).all()
    rule.step(batch, 1)
    rule.end_epoch()
    silent = ~rule.counts.any(axis=0)
    learned = rule.finish()
    assert np.isfinite(learned.synapses).all()
    np.testing.assert_allclose(learned.synapses[:, silent], 0, atol=1e-6)


def test_learning_can_go_on_from_what_was_learned(topics_corpus):
    corpus, _ = topics_corpus
    rule = make_rule(len(corpus.vocabulary))
    train(rule, make_stream(corpus), 2, random=np.random.default_rng(0))
    counts = rule.counts.copy()
    learned = rule.finish()
    again = make_rule(len(corpus.vocabulary), go_on_from=learned)
    np.testing.assert_allclose(again.counts, counts, rtol=1e-3, atol=1e-3)
    assert (again.counts >= 0).all()
    np.testing.assert_allclose(again.finish().synapses, learned.synapses, rtol=1e-3, atol=1e-4)


def test_a_part_of_a_stream_does_not_clear_the_cells_it_has_no_windows_for():
    first = make_rule(2, n_cells=3)
    set_counts(first, np.ones((4, 3)))
    rule = make_rule(2, n_cells=3, restart_idle=False, go_on_from=first.finish())
    rule.step(batch_of([0, 1]), 0)
    rule.end_epoch()
    assert rule.counts.all()


@pytest.mark.parametrize("scale", [0.0, -0.5, 1.5, np.nan, np.inf])
def test_a_state_with_a_scale_that_none_can_have(scale):
    rule = make_rule(2, 2)
    numbers, arrays = rule.state()
    with pytest.raises(ValueError, match="scale is"):
        rule.restore(numbers | {"scale": scale}, arrays)
