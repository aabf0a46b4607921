"""What the rules share: the consensus of the windows with a word, and states."""

import numpy as np
import pytest

from skfly.rules.hebbian import HebbianRule
from skfly.rules.lloyd import LloydRule

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_words_of_a_topic_agree_on_cells(make_task, topics_corpus, stream_of, backend):
    corpus, _ = topics_corpus
    # cell t answers to the words of topic t, cell 4 a little to everything
    synapses = np.zeros((80, 5), dtype=np.float32)
    for word in range(40):
        synapses[[word, 40 + word], word // 10] = 0.3
    synapses[:, 4] = 0.01
    rule = LloydRule(
        make_task(corpus.vocabulary.counts, backend=backend, n_cells=5, n_active=2, consensus=True)
    )
    state = {"words": np.zeros(80), "cells": np.zeros((2, 5)), "shrinkage": np.zeros(1)}
    arrays = {"synapses": synapses, "consensus": np.zeros((40, 5), dtype=np.float32)}
    arrays |= {f"state.{name}": array for name, array in state.items()}
    rule.restore(1, {"largest": 0.3}, arrays)
    stream = stream_of(corpus, batch_size=500, block_size=4)
    n_windows = sum(rule.step(batch, 1, 0, RANDOM).n_windows for batch in stream.epoch(0))
    counts = rule.finish().coder.consensus
    assert n_windows == corpus.n_words
    # every window names its topic's cell and the cell for everything
    topics = np.repeat(np.eye(4), 10, axis=0)
    np.testing.assert_array_equal(counts[:, :4] > 0, topics)
    np.testing.assert_array_equal(counts[:, :4].sum(axis=1), counts[:, 4])
    # a word is in at least the windows around its occurrences, at most in five for each
    assert (counts[:, 4] >= corpus.vocabulary.counts).all()
    assert (counts[:, 4] <= 5 * corpus.vocabulary.counts).all()


def test_there_is_a_stage_for_the_consensus_only_where_it_is_wanted(make_task):
    stages = [LloydRule(make_task([1, 1], consensus=wanted)).stages for wanted in (True, False)]
    assert [[stage.label for stage in each] for each in stages] == [
        ["learning", "consensus"],
        ["learning"],
    ]
    assert [stage.n_epochs for stage in stages[0]] == [10, 1]


@pytest.mark.parametrize("rule", [LloydRule, HebbianRule])
class TestState:
    def learned(self, make_task, batch_of, rule):
        task = make_task([2, 2], n_cells=3, window=3, consensus=True)
        begun = rule(task)
        begun.step(batch_of([0, 1], [1, 0]), 0, 0, np.random.default_rng(0))
        begun.end_stage(0)
        return begun.finish()

    def test_that_of_the_rule_passes(self, make_task, batch_of, rule):
        rule.check_state(self.learned(make_task, batch_of, rule).state, n_words=2, n_cells=3)

    def test_one_that_lacks_something_or_has_more_is_refused(self, make_task, batch_of, rule):
        state = self.learned(make_task, batch_of, rule).state
        for name in state:
            fewer = {other: array for other, array in state.items() if other != name}
            with pytest.raises(ValueError, match="the state must be"):
                rule.check_state(fewer, 2, 3)
        with pytest.raises(ValueError, match="the state must be"):
            rule.check_state(state | {"more": np.zeros(1)}, 2, 3)

    def test_one_of_another_size_is_refused(self, make_task, batch_of, rule):
        state = self.learned(make_task, batch_of, rule).state
        with pytest.raises(ValueError, match="shape"):
            rule.check_state(state, n_words=2, n_cells=4)
