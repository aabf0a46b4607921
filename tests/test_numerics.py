"""Extreme texts, counts and sizes give finite numbers and whole codes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from skfly import EncodedCorpus, FlyHashVectorizer
from skfly.model import keep_probabilities
from skfly.rules import Learned
from skfly.rules.hebbian import inverse_frequencies
from skfly.text import Vocabulary

BEYOND_32_BITS = 2**33

TEXTS = {
    "one word a million times": [["fly"] * 1000] * 1000,
    "one word once": [["fly"]],
    "all words once": [[f"w{10 * i + j}" for j in range(10)] for i in range(100)],
    "two words": [["ripe", "fruit"]] * 500,
    "two words apart": [["ripe"], ["fruit"]] * 200,
    "one sentence": [[f"w{i % 97}" for i in range(20_000)]],
    "one frequent word": [["the"] * 5000] * 20 + [["ripe", "fruit"]],
}


def numbers_in(value):
    """Yield every array and number in the attributes of a model."""
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers_in(part)
    elif isinstance(value, list | tuple | float | int | np.ndarray):
        yield np.asarray(value)


def assert_finite(fly):
    names = [name for name in dir(fly) if name.endswith("_") and not name.startswith("_")]
    values = {name: getattr(fly, name) for name in names if hasattr(fly, name)}
    assert {"rule_state_", "energy_", "decorrelation_"} <= values.keys()
    values = values | {"arrays": fly.model_.arrays}
    for name in values.keys() - {"vocabulary_"}:
        for numbers in numbers_in(values[name]):
            assert np.isfinite(numbers).all(), name


def assert_whole_codes(fly, texts, lengths=()):
    """Assert that all that a model tells of texts is finite, and that codes have their length.

    If there is nothing to tell words apart by, no cell responds, and codes are empty.
    """
    assert_finite(fly)
    words = list(fly.vocabulary_)
    every_code = sparse.vstack([fly.transform(texts), fly.hash_words(words), fly.word_codes_])
    assert (every_code.data == 1).all()
    found = set(np.asarray(every_code.sum(axis=1)).ravel().tolist())
    assert found <= set(lengths or {0, fly.hash_length})
    cells = fly.kenyon_cells(texts[0], n_cells=3, n_words=5)
    assert len(cells) == min(3, fly.n_kenyon_cells)
    for cell in cells:
        shares = [share for _, share in cell.words]
        assert np.isfinite([cell.activation, *shares]).all()
        assert 0 <= min(shares) <= sum(shares) <= 1 + 1e-6
    if words[0] in fly.wv:  # which has no words without a code
        assert np.isfinite(fly.wv.distances(words[0])).all()


@pytest.mark.parametrize(
    "params",
    [
        {"learning": "whiten"},
        {"learning": "whiten", "decorrelation": None, "document_cells": "words"},
        {},
        {"shrinkage": 0, "subsample": 0, "decorrelation": 1},
        {"shrinkage": 1e30, "decorrelation": 0.5, "n_active": 20},
        {"learning": "hebbian", "truncate_windows": True},
        {"learning": "hebbian", "truncate_windows": True, "learning_rate": 1e6, "n_epochs": 5},
    ],
    ids=[
        "whiten",
        "white words",
        "lloyd",
        "nothing shrunk",
        "all shrunk",
        "hebbian",
        "hebbian in leaps",
    ],
)
@pytest.mark.parametrize("text", TEXTS)
def test_any_text_gives_finite_numbers(text, params, make_lloyd):
    fly = make_lloyd(min_count=1, **params).fit(TEXTS[text])
    assert_whole_codes(fly, TEXTS[text][-2:])
    fly.partial_fit(TEXTS[text][:2])
    assert_whole_codes(fly, TEXTS[text][-2:])


@pytest.mark.parametrize("learning", ["whiten", "lloyd"])
@pytest.mark.parametrize("n_cells", [1, 2, 3, 63, 64, 65, 255, 257, 1000, 5000])
def test_any_number_of_cells(n_cells, documents, learning):
    for hash_length in {1, min(n_cells, 32), n_cells}:
        params = {"learning": learning, "n_epochs": 1, "random_state": 0}
        fly = FlyHashVectorizer(n_cells, hash_length, **params)
        codes = fly.fit(documents).transform(documents)
        assert codes.shape == (len(documents), n_cells)
        assert_whole_codes(fly, documents[:3], {hash_length} if n_cells >= 63 else ())
        reference = fly.set_params(backend="numpy").transform(documents[:20])
        assert (reference != codes[:20]).nnz == 0


@pytest.mark.parametrize("learning", ["whiten", "lloyd"])
def test_many_rare_words_and_cells_that_are_connected(learning):
    random = np.random.default_rng(0)
    texts = [[f"w{i}" for i in row] for row in random.integers(10_000, size=(2000, 20))]
    params = {"learning": learning, "n_epochs": 1, "min_count": 1, "decorrelation": 1}
    fly = FlyHashVectorizer(600, 600, random_state=0, **params)
    assert_whole_codes(fly.fit(texts), texts[:3])


# Counts beyond 2^31


@pytest.fixture(params=["whiten", "lloyd", "hebbian"])
def long_read(request, make_fly, documents):
    """A model that has read as much as no test can: everything counted 2^33 times as often."""
    fly = make_fly(learning=request.param, truncate_windows=True).fit(documents)
    model, training = fly._model, fly._training
    coder, state = model.coder, dict(training.learned.state)
    if request.param != "whiten":
        coder = replace(coder, consensus=coder.consensus * np.float32(BEYOND_32_BITS))
    for name in {"words", "cells", "lateral_at"} & state.keys():
        state[name] = state[name] * BEYOND_32_BITS
    for name in {"near", "wide"} if request.param == "whiten" else ():
        counts = state[f"{name}.counts"]
        assert counts.max() < 255  # which stands for a large count
        state[f"{name}.large"] = counts.astype(np.int64) * BEYOND_32_BITS
        state[f"{name}.counts"] = np.full_like(counts, 255)
    vocabulary = model.vocabulary.with_counts(model.vocabulary.counts * BEYOND_32_BITS)
    provenance = replace(
        model.provenance,
        n_tokens=model.provenance.n_tokens * BEYOND_32_BITS,
        n_windows=model.provenance.n_windows * BEYOND_32_BITS,
    )
    fly._model = replace(model, vocabulary=vocabulary, coder=coder, provenance=provenance)
    fly._training = replace(
        training,
        learned=Learned(coder, state),
        word_counts=vocabulary.counts,
        n_tokens=provenance.n_tokens,
    )
    return fly


def test_counts_go_on_beyond_32_bits(long_read, documents, tmp_path):
    counts, words = long_read.word_counts_.copy(), long_read.n_words_seen_
    windows = long_read.n_windows_seen_
    assert counts.min() > 2**31
    fruit = long_read.vocabulary_["fruit"]
    long_read.partial_fit(["ripe fruit and fruit"])
    assert long_read.word_counts_.dtype == np.int64
    assert long_read.word_counts_[fruit] == counts[fruit] + 2
    assert long_read.word_counts_.sum() == counts.sum() + 4
    assert long_read.n_words_seen_ == words + 4
    assert windows <= long_read.n_windows_seen_ <= windows + 4
    assert_whole_codes(long_read, documents[:3], {long_read.hash_length})
    long_read.save(tmp_path / "model")
    read = FlyHashVectorizer.load(tmp_path / "model")
    np.testing.assert_array_equal(read.word_counts_, long_read.word_counts_)
    assert read.n_words_seen_ == long_read.n_words_seen_
    assert (read.transform(documents) != long_read.transform(documents)).nnz == 0


def test_a_few_more_words_do_not_change_what_was_read_for_long(long_read, documents):
    if long_read.learning_ == "whiten":
        long_read.partial_fit(["ripe fruit"])  # so much text has more directions
        before = long_read.word_codes_
        long_read.partial_fit(["ripe fruit and fruit"])
        assert (long_read.word_codes_ != before).nnz == 0
        return
    before = long_read.synapses_.copy()
    long_read.partial_fit(["ripe fruit and fruit"])
    if long_read.learning_ == "lloyd":
        np.testing.assert_allclose(long_read.synapses_, before, rtol=1e-2, atol=1e-2)


def test_vocabulary_and_frequencies_beyond_32_bits(tmp_path):
    counts = np.array([1, 3 * BEYOND_32_BITS, 2**31, 2 * BEYOND_32_BITS])
    vocabulary = Vocabulary(["a", "b", "c", "d"], counts)
    assert list(vocabulary.most_frequent(3).words) == ["b", "d", "c"]
    assert list(vocabulary.most_frequent(min_count=2**31 + 1).words) == ["b", "d"]
    corpus = EncodedCorpus(
        np.array([0, 1], np.int32), np.array([0, 2]), np.array([0, 2]), vocabulary
    )
    assert corpus.vocabulary.counts.tolist() == counts.tolist()
    total = counts.sum()
    np.testing.assert_allclose(inverse_frequencies(counts), total / counts, rtol=1e-6)
    kept = keep_probabilities(counts, 1e-3)
    assert kept[0] == 1
    ratio = 1e-3 * total / counts[1]
    assert kept[1] == pytest.approx(np.sqrt(ratio) + ratio)


# Convergence


@pytest.mark.parametrize(("batch_size", "noise"), [("auto", 0.0025), (10**6, 0.0005)])
def test_the_energy_does_not_rise_at_the_end(batch_size, noise, make_lloyd, documents):
    fly = make_lloyd(n_epochs=40, subsample=0, batch_size=batch_size).fit(documents)
    energy = np.array(fly.energy_)
    assert len(energy) == 40
    assert energy[-1] < energy[0] < 0
    late = energy[20:]
    assert late[-1] < late[0] - 0.005 * abs(late[0])
    lowest = np.minimum.accumulate(late)
    assert np.all(late - lowest <= noise * np.abs(late))  # not in small steps either
