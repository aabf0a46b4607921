"""From a corpus to what was learned, and on from there."""

import numpy as np
import pytest

from skfly._messages import Progress
from skfly.engine import get_engine
from skfly.fit import fit
from skfly.rules._windows import WindowSettings
from skfly.text import EncodedCorpus, Vocabulary

AUTO = dict.fromkeys(WindowSettings.__dataclass_fields__, "auto")


def learn_from(
    corpus,
    rule="lloyd",
    previous=None,
    window=5,
    consensus=True,
    seed=0,
    on_epoch=None,
    **params,
):
    return fit(
        corpus,
        id_map=None,
        word_counts=corpus.vocabulary.counts,
        rule=rule,
        params=AUTO | {"subsample": 0.0} | params,
        n_cells=12,
        window=window,
        consensus=consensus,
        engine=get_engine("numba", 2),
        seed=seed,
        progress=Progress(False),
        previous=previous,
        on_epoch=on_epoch,
    )


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_what_is_learned_is_finite_and_repeatable(topics_corpus, rule):
    corpus, _ = topics_corpus
    fitted, again = learn_from(corpus, rule), learn_from(corpus, rule)
    assert np.isfinite(fitted.learned.coder.synapses).all()
    assert fitted.learned.coder.synapses.max() <= fitted.learned.coder.largest
    np.testing.assert_array_equal(fitted.learned.coder.synapses, again.learned.coder.synapses)
    np.testing.assert_array_equal(fitted.learned.coder.consensus, again.learned.coder.consensus)
    assert not np.array_equal(
        fitted.learned.coder.synapses, learn_from(corpus, rule, seed=1).learned.coder.synapses
    )
    assert fitted.n_tokens == corpus.n_words
    assert len(fitted.history.energy) == fitted.n_epochs == fitted.settings.n_epochs


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_learning_goes_on_without_changing_what_was_there(topics_corpus, planted, rule):
    corpus, _ = topics_corpus
    first = learn_from(corpus, rule)
    kept = (
        first.learned.coder.synapses.copy(),
        first.learned.coder.consensus.copy(),
        first.word_counts.copy(),
    )
    more, _ = planted(seed=1)
    second = learn_from(more, rule, previous=first)
    for before, now in zip(
        kept,
        (first.learned.coder.synapses, first.learned.coder.consensus, first.word_counts),
        strict=True,
    ):
        np.testing.assert_array_equal(before, now)
    assert second.n_epochs == first.n_epochs + 1
    assert second.n_tokens == 2 * first.n_tokens
    np.testing.assert_array_equal(second.word_counts, first.word_counts + more.vocabulary.counts)
    assert not np.array_equal(first.learned.coder.synapses, second.learned.coder.synapses)
    # the same topics, so each cell goes on standing for what it stood for
    before, now = (
        np.maximum(n.learned.coder.synapses, n.learned.coder.floor) for n in (first, second)
    )
    alive = (before > 0.1).any(axis=0)
    likeness = (before * now).sum(axis=0) / np.linalg.norm(before, axis=0).clip(1e-9)
    likeness /= np.linalg.norm(now, axis=0).clip(1e-9)
    assert likeness[alive].min() > 0.5


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_what_is_learned_so_far_may_be_looked_at(topics_corpus, rule):
    corpus, _ = topics_corpus
    seen, told = [], []

    def on_epoch(epoch, n_epochs, details, fitted):
        told.append((epoch, n_epochs, details))
        seen.append(fitted())
        return epoch == 2

    looked_at = learn_from(corpus, rule, on_epoch=on_epoch, n_epochs=5)
    assert [epoch for epoch, *_ in told] == [0, 1, 2]
    assert {n_epochs for _, n_epochs, _ in told} == {5}
    history = looked_at.history
    assert [details["energy"] for *_, details in told] == list(history.energy)
    assert [details["cells_used"] for *_, details in told] == list(history.cells_used)
    assert [fitted.n_epochs for fitted in seen] == [1, 2, 3]
    np.testing.assert_array_equal(seen[2].learned.coder.synapses, looked_at.learned.coder.synapses)
    np.testing.assert_array_equal(
        seen[2].learned.coder.consensus, looked_at.learned.coder.consensus
    )
    stopped = learn_from(corpus, rule, on_epoch=lambda epoch, *_: epoch == 2, n_epochs=5)
    np.testing.assert_array_equal(stopped.learned.coder.synapses, looked_at.learned.coder.synapses)


def test_each_rule_takes_the_steps_that_it_is_named_for(topics_corpus):
    corpus, _ = topics_corpus
    slow, fast = (learn_from(corpus, "hebbian", learning_rate=r) for r in (1e-4, 1e-2))
    assert not np.array_equal(slow.learned.coder.synapses, fast.learned.coder.synapses)
    assert slow.learned.state.keys() == {"norms", "lateral_at"}
    slow, fast = (learn_from(corpus, "lloyd", learning_rate=r) for r in (1e-4, 1e-2))
    np.testing.assert_array_equal(
        slow.learned.coder.synapses, fast.learned.coder.synapses
    )  # it has no rate
    assert "shrinkage" in slow.learned.state


def test_without_consensus_none_is_counted(topics_corpus):
    assert learn_from(topics_corpus[0], consensus=False).learned.coder.consensus is None


def test_a_corpus_without_a_whole_window_is_refused_with_a_way_out(topics_corpus):
    with pytest.raises(ValueError, match=r"window of 11 words \(the longest has 8\).*truncate"):
        learn_from(topics_corpus[0], window=11, truncate_windows=False)


def test_a_part_of_a_stream_without_windows_changes_no_synapse(topics_corpus, planted):
    corpus, _ = topics_corpus
    first = learn_from(corpus)
    nothing, _ = planted(n_sentences=3)
    nothing.ids[:] = -1
    nothing.vocabulary.counts[:] = 0
    second = learn_from(nothing, previous=first)
    np.testing.assert_array_equal(second.learned.coder.synapses, first.learned.coder.synapses)
    np.testing.assert_array_equal(second.learned.coder.consensus, first.learned.coder.consensus)


def test_a_corpus_of_one_sentence_uses_many_cells():
    # one batch is all of the text: it must not be forgotten before it is learned
    random = np.random.default_rng(0)
    ids = np.concatenate([random.integers(5, size=200), 5 + random.integers(5, size=200)])
    corpus = EncodedCorpus(
        ids.astype(np.int32),
        np.array([0, 400]),
        np.array([0, 400]),
        Vocabulary([f"w{i}" for i in range(10)], np.bincount(ids)),
    )
    fitted = learn_from(corpus)

    assert fitted.history.cells_used[-1] > 0.5
    assert fitted.learned.coder.largest > 0.1
