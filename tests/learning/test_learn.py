"""From a corpus to a network, and on from there."""

import numpy as np
import pytest

from skfly._progress import Progress
from skfly.backends import get_backend
from skfly.learning import LearningSettings, learn
from skfly.text import EncodedCorpus, Vocabulary

AUTO = dict.fromkeys(LearningSettings.__dataclass_fields__, "auto")


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
    return learn(
        corpus,
        id_map=None,
        word_counts=corpus.vocabulary.counts,
        rule=rule,
        params=AUTO | {"subsample": 0.0} | params,
        n_cells=12,
        window=window,
        consensus=consensus,
        backend=get_backend("numba", 2),
        seed=seed,
        stages=Progress(False),
        previous=previous,
        on_epoch=on_epoch,
    )


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_a_network_is_finite_and_repeatable(topics_corpus, rule):
    corpus, _ = topics_corpus
    network, again = learn_from(corpus, rule), learn_from(corpus, rule)
    assert np.isfinite(network.learned.synapses).all()
    assert network.learned.synapses.max() <= network.learned.largest
    np.testing.assert_array_equal(network.learned.synapses, again.learned.synapses)
    np.testing.assert_array_equal(network.consensus, again.consensus)
    assert not np.array_equal(
        network.learned.synapses, learn_from(corpus, rule, seed=1).learned.synapses
    )
    assert network.n_words == corpus.n_words
    assert len(network.history.energy) == network.n_epochs == network.settings.n_epochs


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_learning_goes_on_without_changing_what_was_there(topics_corpus, planted, rule):
    corpus, _ = topics_corpus
    first = learn_from(corpus, rule)
    kept = first.learned.synapses.copy(), first.consensus.copy(), first.word_counts.copy()
    more, _ = planted(seed=1)
    second = learn_from(more, rule, previous=first)
    for before, now in zip(
        kept, (first.learned.synapses, first.consensus, first.word_counts), strict=True
    ):
        np.testing.assert_array_equal(before, now)
    assert second.n_epochs == first.n_epochs + 1
    assert second.n_words == 2 * first.n_words
    np.testing.assert_array_equal(second.word_counts, first.word_counts + more.vocabulary.counts)
    assert not np.array_equal(first.learned.synapses, second.learned.synapses)
    # the same topics, so each cell goes on standing for what it stood for
    before, now = (np.maximum(n.learned.synapses, n.learned.floor) for n in (first, second))
    alive = (before > 0.1).any(axis=0)
    likeness = (before * now).sum(axis=0) / np.linalg.norm(before, axis=0).clip(1e-9)
    likeness /= np.linalg.norm(now, axis=0).clip(1e-9)
    assert likeness[alive].min() > 0.5


@pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
def test_what_is_learned_so_far_may_be_looked_at(topics_corpus, rule):
    corpus, _ = topics_corpus
    seen, told = [], []

    def on_epoch(epoch, n_epochs, details, network):
        told.append((epoch, n_epochs, details))
        seen.append(network())
        return epoch == 2

    looked_at = learn_from(corpus, rule, on_epoch=on_epoch, n_epochs=5)
    assert [epoch for epoch, *_ in told] == [0, 1, 2]
    assert {n_epochs for _, n_epochs, _ in told} == {5}
    history = looked_at.history
    assert [details["energy"] for *_, details in told] == history.energy
    assert [details["cells_used"] for *_, details in told] == history.cells_used
    assert [network.n_epochs for network in seen] == [1, 2, 3]
    np.testing.assert_array_equal(seen[2].learned.synapses, looked_at.learned.synapses)
    np.testing.assert_array_equal(seen[2].consensus, looked_at.consensus)
    stopped = learn_from(corpus, rule, on_epoch=lambda epoch, *_: epoch == 2, n_epochs=5)
    np.testing.assert_array_equal(stopped.learned.synapses, looked_at.learned.synapses)


def test_each_rule_takes_the_steps_that_it_is_named_for(topics_corpus):
    corpus, _ = topics_corpus
    slow, fast = (learn_from(corpus, "hebbian", learning_rate=r) for r in (1e-4, 1e-2))
    assert not np.array_equal(slow.learned.synapses, fast.learned.synapses)
    assert slow.learned.state.keys() == {"norms"}
    slow, fast = (learn_from(corpus, "lloyd", learning_rate=r) for r in (1e-4, 1e-2))
    np.testing.assert_array_equal(slow.learned.synapses, fast.learned.synapses)  # it has no rate
    assert "shrinkage" in slow.learned.state


def test_without_consensus_none_is_counted(topics_corpus):
    assert learn_from(topics_corpus[0], consensus=False).consensus is None


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
    np.testing.assert_array_equal(second.learned.synapses, first.learned.synapses)
    np.testing.assert_array_equal(second.consensus, first.consensus)


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
    network = learn_from(corpus)

    assert network.history.cells_used[-1] > 0.5
    assert network.learned.largest > 0.1
