"""Minibatches of sentences."""

import threading

import numpy as np
import pytest

from skfly.fit import BatchStream
from skfly.model import keep_probabilities
from skfly.text import EncodedCorpus, Vocabulary


def corpus_of(*sentences, n_words=50):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    ends = np.cumsum([0, *map(len, sentences)])
    counts = np.bincount(ids[ids >= 0], minlength=n_words)
    words = [f"w{i}" for i in range(n_words)]
    return EncodedCorpus(ids, ends, np.array([0, len(ids)]), Vocabulary(words, counts))


def stream_of(corpus, **changes):
    settings = {
        "id_map": None,
        "counts": corpus.vocabulary.counts,
        "subsample": 0.0,
        "batch_size": 10,
        "block_size": 1,
        "seed": 0,
    }
    return BatchStream(corpus, **(settings | changes))


def sentences_of(batches):
    return [
        batch.ids[start:stop].tolist()
        for batch in batches
        for start, stop in zip(batch.offsets[:-1], batch.offsets[1:], strict=True)
    ]


CORPUS = corpus_of(*[[i, i + 1, i + 2] for i in range(40)])


@pytest.mark.parametrize("block_size", [1, 7, 100])
@pytest.mark.parametrize("batch_size", [1, 10, 1000])
def test_an_epoch_has_every_sentence_once(batch_size, block_size):
    stream = stream_of(CORPUS, batch_size=batch_size, block_size=block_size)
    assert sorted(sentences_of(stream.epoch(0))) == sorted(
        CORPUS.ids[s : s + 3].tolist() for s in CORPUS.sentences[:-1]
    )


def test_batches_are_of_about_the_size_asked_for():
    batches = list(stream_of(CORPUS, batch_size=12).epoch(0))
    assert len(batches) == stream_of(CORPUS, batch_size=12).n_batches == 10
    assert all(9 <= len(batch.ids) <= 15 for batch in batches)


def test_every_epoch_has_an_order_of_its_own_and_the_same_seed_repeats_it():
    first, second = stream_of(CORPUS, seed=3), stream_of(CORPUS, seed=3)
    assert sentences_of(first.epoch(0)) == sentences_of(second.epoch(0))
    assert sentences_of(first.epoch(0)) != sentences_of(first.epoch(1))
    assert sentences_of(first.epoch(0)) != sentences_of(stream_of(CORPUS, seed=4).epoch(0))


@pytest.mark.parametrize("epoch", [0, 3])
def test_one_batch_of_an_epoch(epoch):
    stream = stream_of(CORPUS)
    batches = list(stream.epoch(epoch))
    for number, batch in enumerate(batches):
        assert stream.batch(epoch, number).ids.tolist() == batch.ids.tolist()
    assert stream.batch(epoch, len(batches)) is None


def test_neighbours_stay_together_in_a_block():
    batch = next(stream_of(CORPUS, block_size=4, batch_size=12).epoch(0))
    first = batch.ids[0]
    assert sentences_of([batch]) == [[first + s, first + s + 1, first + s + 2] for s in range(4)]


def test_the_id_map_renames_words_and_keeps_gaps():
    corpus = corpus_of([0, 1, -1, 2])
    id_map = np.full(50, -1, dtype=np.int32)
    id_map[[0, 2]] = [5, 7]
    assert sentences_of(stream_of(corpus, id_map=id_map).epoch(0)) == [[5, -1, -1, 7]]


def test_subsampling_closes_up_around_frequent_words_and_keeps_gaps():
    frequent, rare = 0, 1
    corpus = corpus_of(*[[frequent, rare, frequent, -1, frequent]] * 200, [frequent])
    counts = np.array([600_000, 1, *[0] * 48])
    batches = stream_of(corpus, counts=counts, subsample=1e-5, batch_size=10_000).epoch(0)
    sentences = sentences_of(batches)
    assert len(sentences) in (200, 201)  # a sentence with nothing left is gone
    assert sum(words == [rare, -1] for words in sentences) > 180
    assert all([w for w in words if w] == [rare, -1] for words in sentences if words != [0])


def test_subsampling_keeps_the_share_that_word2vec_keeps():
    probabilities = keep_probabilities(np.array([1_000_000, 100, 0]), threshold=1e-2)
    expected = np.sqrt(1e-2) + 1e-2  # the frequency of the first word is nearly 1
    np.testing.assert_allclose(probabilities, [expected, 1, 1], rtol=1e-3)
    corpus = corpus_of(*[[0] * 100] * 100)
    counts = np.array([1_000_000, *[0] * 49])
    batches = stream_of(corpus, counts=counts, subsample=1e-2, batch_size=10**6).epoch(0)
    kept = sum(len(batch.ids) for batch in batches)
    assert kept / 10_000 == pytest.approx(expected, abs=0.015)


def test_batches_made_ahead_are_the_same():
    corpus = corpus_of(*[[i % 50] * 7 for i in range(60)])
    plain, ahead = (stream_of(corpus, batch_size=40, ahead=ahead) for ahead in (False, True))
    for epoch in range(2):
        for one, other in zip(plain.epoch(epoch), ahead.epoch(epoch), strict=True):
            np.testing.assert_array_equal(one.ids, other.ids)
            np.testing.assert_array_equal(one.offsets, other.offsets)


def test_an_error_while_a_batch_is_made_ahead_is_raised():
    corpus = corpus_of([0, 1], [2, 3])
    stream = stream_of(corpus, ahead=True, id_map=np.zeros(2, np.int32))  # of four words
    with pytest.raises(IndexError):
        list(stream.epoch(0))


def test_an_epoch_that_is_left_early_leaves_no_thread():
    before = threading.active_count()
    stream = stream_of(corpus_of(*[[1, 2, 3]] * 50), batch_size=10, ahead=True)
    batches = stream.epoch(0)
    next(batches)
    batches.close()
    assert threading.active_count() == before
