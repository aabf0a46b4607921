"""The fixed-point rule."""

import numpy as np
import pytest

from skfly.engine import drive_for, get_engine
from skfly.rules.lloyd import LloydRule

BACKENDS = ("numpy", "numba")
RANDOM = np.random.default_rng(0)  # for rules that have begun, which draw nothing


@pytest.fixture
def make_rule(make_task):
    def make(n_words, **changes):
        return LloydRule(make_task(np.ones(n_words), **changes))

    return make


def counts_of(rule):
    return rule.state()[1]["counts"]


def sums_of(rule):
    arrays = rule.state()[1]
    return arrays["words"], arrays["cells"]


def winners_of(coder, corpus):
    drives = np.empty(coder.synapses.shape, np.int16)
    numba = get_engine("numba")
    numba.set_drives(drives, coder.synapses, drive_for(coder.largest, 5, 0.0))
    return numba.find_winners(drives, corpus.ids, corpus.sentences, 5, True)


def set_counts(rule, counts):
    """Give a rule counts to go on from, and the totals that belong to them."""
    n_cells = counts.shape[1]
    arrays = {
        "counts": counts.astype(np.float32),
        "words": counts.sum(axis=1),
        "cells": np.reshape(counts, (2, -1, n_cells)).sum(axis=1),
        "won": np.zeros(n_cells, dtype=np.int64),
        "idle": np.zeros(n_cells, dtype=np.int32),
    }
    rule.restore(0, {"scale": 1.0}, arrays)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_step_number_by_number(make_rule, batch_of, finish, backend):
    # C (rows: context 0, context 1, target 0, target 1; columns: cells A, B).
    counts = np.array([[6.0, 2], [2, 6], [2, 6], [6, 2]])
    rule = make_rule(2, n_cells=2, backend=backend, window=3, n_batches=5, shrinkage=4.0)
    set_counts(rule, counts)
    report = rule.step(batch_of([0, 1]), 0, 0, RANDOM)
    # words are half each in both blocks, every cell has 8 in a block
    often = np.log((6 + 2) / ((8 + 4) * 0.5))  # > 0
    seldom = np.log((2 + 2) / ((8 + 4) * 0.5))  # < 0: does not count
    assert often > 0 > seldom
    # centre 0, context {1}: B has both often, A neither; centre 1, context {0}: A
    assert report.cell_sizes.tolist() == [1, 1]
    assert report.n_windows == 2
    assert report.energy == pytest.approx(-4 * often, rel=1e-4)  # whole numbers
    rule.end_epoch(0)
    added = np.array([[1, 0], [0, 1], [0, 1], [1, 0]])
    # a fifth of what was there has faded: there are five batches in an epoch
    np.testing.assert_allclose(counts_of(rule), 0.8 * counts + added, rtol=1e-6)
    coder = finish(rule).coder
    np.testing.assert_allclose(coder.synapses[0, 0], np.log(7.8 / (11.4 * 0.5)), rtol=1e-5)
    assert coder.largest == pytest.approx(coder.synapses.max())


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_energy_falls_and_winners_separate_planted_topics(
    make_rule, topics_corpus, stream_of, learn, finish, backend
):
    corpus, topics = topics_corpus
    rule = make_rule(len(corpus.vocabulary), backend=backend)
    n_windows, energy = learn(rule, stream_of(corpus), 5)
    assert n_windows == 5 * corpus.n_words
    assert energy[-1] < energy[0] < 0
    winners = winners_of(finish(rule).coder, corpus)
    topic_of_window = np.repeat(topics, 8)
    for cell in np.unique(winners):
        won = topic_of_window[winners == cell]
        assert np.bincount(won).max() / len(won) > 0.99, "a cell stands for one topic"


@pytest.mark.parametrize("new_share", [1.0, 1 - 1e-9])
def test_the_energy_does_not_rise_when_every_batch_is_the_whole_corpus(
    make_rule, topics_corpus, stream_of, learn, new_share
):
    # One batch an epoch, no memory: assignment and fixed point in turn. The floor at 0 makes the
    # fixed point a good one, not the best, hence the small tolerance.
    corpus, _ = topics_corpus
    stream = stream_of(corpus, batch_size=10**6)
    rule = make_rule(len(corpus.vocabulary), n_batches=1, new_share=new_share, shrinkage=1.0)
    _, energy = learn(rule, stream, 12)
    assert np.all(np.diff(energy) <= 0.01 * np.abs(energy[:-1]))
    assert energy[-1] < energy[0]


def test_the_reference_and_numba_learn_the_same(
    make_rule, topics_corpus, stream_of, learn, finish
):
    corpus, _ = topics_corpus
    learned = []
    for backend in BACKENDS:
        rule = make_rule(len(corpus.vocabulary), backend=backend)
        learn(rule, stream_of(corpus), 3)
        learned.append(finish(rule).coder.synapses)
    np.testing.assert_allclose(learned[0], learned[1], rtol=1e-4, atol=1e-5)


def test_the_number_of_threads_does_not_show(make_rule, topics_corpus, stream_of, learn, finish):
    corpus, _ = topics_corpus
    learned = []
    for n_jobs in (1, 2, 4):
        rule = make_rule(len(corpus.vocabulary), n_jobs=n_jobs)
        learn(rule, stream_of(corpus), 3)
        learned.append(finish(rule).coder.synapses)
    np.testing.assert_array_equal(learned[0], learned[1])
    np.testing.assert_array_equal(learned[0], learned[2])


def test_lazy_fading_keeps_the_totals_right_over_many_batches(make_rule, topics_corpus, stream_of):
    corpus, _ = topics_corpus
    rule = make_rule(len(corpus.vocabulary), n_batches=2)  # the scale is renewed often
    batch = next(stream_of(corpus, batch_size=10**6).epoch(0))
    random = np.random.default_rng(0)
    reports = [rule.step(batch, 0, 0, random) for _ in range(60)]
    words, cells = sums_of(rule)
    np.testing.assert_allclose(words, counts_of(rule).sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(cells, counts_of(rule).reshape(2, -1, 8).sum(axis=1), rtol=1e-5)
    # with the same batch over and over nothing is left to change
    assert reports[-1].energy == pytest.approx(reports[-2].energy, rel=1e-5)


def test_cells_that_win_nothing_are_started_again_and_never_respond_at_the_end(
    make_rule, batch_of, finish, monkeypatch
):
    # one sentence, far more cells than windows: most cells cannot win
    batch = batch_of(*[[0, 1]] * 50)
    rule = make_rule(2, n_cells=30, window=3)
    random = np.random.default_rng(0)
    begun = []
    learn = rule._learn

    def learn_and_look(*args):
        begun.append(counts_of(rule).any(axis=0).all())
        return learn(*args)

    monkeypatch.setattr(rule, "_learn", learn_and_look)
    rule.step(batch, 0, 0, random)
    rule.end_epoch(0)
    assert counts_of(rule).any(axis=0).sum() <= 2
    rule.step(batch, 0, 1, random)
    assert begun == [True, True]
    rule.end_epoch(0)
    silent = ~counts_of(rule).any(axis=0)
    synapses = finish(rule).coder.synapses
    assert np.isfinite(synapses).all()
    np.testing.assert_allclose(synapses[:, silent], 0, atol=1e-6)


def test_learning_can_go_on_from_what_was_learned(
    make_rule, topics_corpus, stream_of, learn, finish
):
    corpus, _ = topics_corpus
    rule = make_rule(len(corpus.vocabulary))
    learn(rule, stream_of(corpus), 2)
    counts = counts_of(rule).copy()
    learned = finish(rule)
    kept = learned.coder.synapses.copy()
    again = make_rule(len(corpus.vocabulary), previous=learned)
    np.testing.assert_allclose(counts_of(again), counts, rtol=1e-3, atol=1e-3)
    assert (counts_of(again) >= 0).all()
    np.testing.assert_allclose(finish(again).coder.synapses, kept, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(learned.coder.synapses, kept)


def test_a_part_of_a_stream_does_not_clear_the_cells_it_has_no_windows_for(
    make_rule, batch_of, finish
):
    first = make_rule(2, n_cells=3)
    set_counts(first, np.ones((4, 3)))
    rule = make_rule(2, n_cells=3, previous=finish(first))
    rule.step(batch_of([0, 1]), 0, 0, RANDOM)
    rule.end_epoch(0)
    assert counts_of(rule).all()


@pytest.mark.parametrize("scale", [0.0, -0.5, 1.5, np.nan, np.inf])
def test_a_state_with_a_scale_that_none_can_have(make_rule, scale):
    rule = make_rule(2, n_cells=2)
    numbers, arrays = rule.state()
    with pytest.raises(ValueError, match="scale is"):
        rule.restore(0, numbers | {"scale": scale}, arrays)
