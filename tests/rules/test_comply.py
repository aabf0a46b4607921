"""Comply's rule: complex weights that learn from ordered windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly import FlyHashVectorizer
from skfly.engine import Batch
from skfly.rules.comply import ComplyRule, _windows, energy_descent, start_weights

V, K = 6, 3
RATES = 1 / np.arange(1.0, V + 1)


def plain_windows(sentences, window, truncate):
    """Return windows as lists of (word, place)."""
    found, half = [], window // 2
    for sentence in sentences:
        placed = [(word, i / len(sentence)) for i, word in enumerate(sentence)]
        for centre in range(len(sentence)):
            around = placed[max(0, centre - half) : centre + half + 1]
            found.append(around if truncate or len(around) == window else [])
    return [[(word, place) for word, place in some if word >= 0] for some in found]


def plain_score(weights, around, cell):
    return sum(
        abs(weights[word, cell]) + abs(np.angle(weights[word, cell] * np.exp(-1j * np.pi * place)))
        for word, place in around
    )


def plain_energy(weights, windows, winners):
    energy = 0.0
    for around, m in zip(windows, winners, strict=True):
        norm = np.linalg.norm(weights[:, m])
        for word, place in around:
            weight = weights[word, m]
            energy -= RATES[word] * abs(weight) / norm
            energy -= RATES[word] * abs(np.angle(weight * np.exp(-1j * np.pi * place)))
    return energy


def batch_of(sentences):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    return Batch(ids, np.cumsum([0, *map(len, sentences)]))


sentences = st.lists(
    st.lists(st.integers(-1, V - 1), min_size=1, max_size=7), min_size=1, max_size=4
)


@given(sentences=sentences, truncate=st.booleans(), seed=st.integers(0, 99))
def test_the_cell_with_the_largest_score_wins(make_task, sentences, truncate, seed):
    task = make_task(np.arange(1, V + 1), n_cells=K, window=3, truncate_windows=truncate)
    rule = ComplyRule(task)
    rule._weights = start_weights((V, K), np.random.default_rng(seed))
    winners = rule._winners(_windows(batch_of(sentences), 3, truncate))
    for around, found in zip(plain_windows(sentences, 3, truncate), winners, strict=True):
        scores = [plain_score(rule._weights, around, cell) for cell in range(K)]
        assert found == (int(np.argmax(scores)) if around else -1)


@given(sentences=sentences, seed=st.integers(0, 99))
def test_the_descent_is_the_slope_of_the_energy(sentences, seed):
    random = np.random.default_rng(seed)
    weights = start_weights((V, K), random).astype(np.complex128)
    around = plain_windows(sentences, 3, truncate=True)
    winners = np.array([int(random.integers(K)) if some else -1 for some in around])
    descent, energy = energy_descent(
        weights, RATES, _windows(batch_of(sentences), 3, True), winners
    )
    assert energy == pytest.approx(plain_energy(weights, around, winners))
    for word, cell in random.integers([V, K], size=(5, 2)).tolist():
        for along, slope in ((1, descent[word, cell].real), (1j, descent[word, cell].imag)):
            moved = [weights.copy(), weights.copy()]
            for other, step in zip(moved, (1e-6, -1e-6), strict=True):
                other[word, cell] += step * along
            up, down = (plain_energy(other, around, winners) for other in moved)
            assert -(up - down) / 2e-6 == pytest.approx(slope, abs=1e-4)


def test_steps_are_those_of_adam(make_task):
    batches = [batch_of([[0, 1, 2], [3, 4]]), batch_of([[5, 4, 3]])]
    rule = ComplyRule(make_task(np.arange(1, V + 1), n_cells=K, window=3, n_epochs=2))
    for batch, epoch in zip(batches, (0, 1), strict=True):
        rule.step(batch, 0, epoch, np.random.default_rng(0))
    weights = start_weights((V, K), np.random.default_rng(0))
    first = second = np.zeros((V, 2 * K))
    for number, (batch, rate) in enumerate(zip(batches, (0.05, 0.025), strict=True), start=1):
        windows = _windows(batch, 3, True)
        plain = ComplyRule(make_task(np.arange(1, V + 1), n_cells=K, window=3))
        plain._weights = weights.copy()
        slope = energy_descent(weights, RATES, windows, plain._winners(windows))[0]
        slope = slope.astype(np.complex64).view(np.float32)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        step = first / (1 - 0.9**number) / (np.sqrt(second / (1 - 0.999**number)) + 1e-8)
        weights.view(np.float32)[...] += rate * step
    coder = rule.finish().coder
    np.testing.assert_allclose(coder.magnitudes, np.abs(weights), rtol=1e-4)


@pytest.fixture(scope="module")
def texts():
    random = np.random.default_rng(0)
    topics = [["ripe", "sweet", "fig", "plum"], ["loan", "debt", "bank", "rate"]]
    return [" ".join(random.choice(topics[i % 2], size=6)) for i in range(120)]


def make(**params):
    params = {"n_kenyon_cells": 10, "hash_length": 3, "window": 5, "random_state": 0} | params
    return FlyHashVectorizer(learning="comply", **params)


def test_it_learns_and_reads_order(texts):
    fly = make(n_epochs=6, learning_rate=0.05).fit(texts)
    assert fly.energy_[-1] < fly.energy_[0]
    model = fly.model_.with_(document_cells="words")
    ordered, turned = model.documents(["ripe fig debt bank rate", "rate bank debt fig ripe"])
    assert ordered.nnz == turned.nnz == 3
    assert (ordered != turned).nnz > 0
    assert fly.hash_words(["fig", "unknown"]).nnz == 3
    assert fly.hash_in_context(["ripe fig"], ["fig"]).nnz == 3


def test_it_continues_and_is_saved(texts, tmp_path):
    fly = make(n_epochs=2).fit(texts)
    fly.save(tmp_path / "fly.skfly")
    read = FlyHashVectorizer.load(tmp_path / "fly.skfly")
    for one in (fly, read):
        before = one.model_.coder.magnitudes.copy()
        one.partial_fit(texts[:20])
        assert (one.model_.coder.magnitudes != before).any()
    np.testing.assert_array_equal(read.model_.coder.phases, fly.model_.coder.phases)


def test_a_state_is_restored(make_task):
    batch = batch_of([[0, 1, 2], [3, 4]])
    task = make_task(np.arange(1, V + 1), n_cells=K, window=3)
    whole, first, second = (ComplyRule(task) for _ in range(3))
    random = [np.random.default_rng(0) for _ in range(3)]
    assert first.state() == ({"n_steps": 0}, {})
    whole.step(batch, 0, 0, random[0])
    first.step(batch, 0, 0, random[1])
    numbers, arrays = first.state()
    second.restore(0, numbers, {name: array.copy() for name, array in arrays.items()})
    whole.step(batch, 0, 1, random[0])
    second.step(batch, 0, 1, random[2])
    np.testing.assert_array_equal(second.finish().coder.phases, whole.finish().coder.phases)
    with pytest.raises(ValueError, match="weights"):
        second.restore(0, numbers, arrays | {"weights": arrays["weights"][1:]})


def test_what_it_refuses(make_task):
    with pytest.raises(TypeError, match="cannot learn on a cluster"):
        ComplyRule(make_task([1, 2])).step(object(), 0, 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="keeps no state"):
        ComplyRule.check_state({"counts": np.zeros(1)}, 2, 3)
