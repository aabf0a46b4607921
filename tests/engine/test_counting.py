"""Counts of windows and fused rules: the same on every engine."""

import inspect
from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import emulator
from emulator.fake_cupy import cupy_engine
from problems import drives_of, problems
from skfly._threads import n_threads_for
from skfly.engine import Batch, WindowCounts, fused
from skfly.engine._cupy import CupyEngine
from skfly.engine._numba import NumbaEngine
from skfly.engine._numpy import NumpyEngine
from skfly.rules.hebbian import hebbian_step
from skfly.rules.lloyd import information, information_drives

NUMPY = NumpyEngine()
ENGINES = {
    "numpy": NumpyEngine,
    "numba": lambda: NumbaEngine(1),
    "numba on 3 threads": lambda: NumbaEngine(3),
    "cupy": lambda: cupy_engine()[0],
    "cupy on 3 GPUs": lambda: cupy_engine(n_devices=3)[0],
}
on_every_engine = pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            make,
            id=name,
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
            ]
            if name.startswith("cupy")
            else [],
        )
        for name, make in ENGINES.items()
    ],
)


@pytest.fixture(autouse=True, scope="module")
def many_threads_for_little_work():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.engine._numba._WORTH_THREADS", 0)
        patch.setattr("skfly.engine._gpu.THREADS", 64)
        patch.setattr("skfly.engine._gpu.BLOCKS", 3)
        patch.setattr("skfly.engine._cupy._PARTS", 4)
        yield


def count_by_hand(winners, ids, offsets, window, n_words, n_cells):
    """Return how often each word came in the windows of each cell, as a dense matrix."""
    counts = np.zeros((2 * n_words, n_cells), dtype=np.int64)
    for start, stop in pairwise(offsets):
        for place in range(start, stop):
            if winners[place] < 0:
                continue
            low, high = max(start, place - window // 2), min(stop, place + window // 2 + 1)
            around = {*ids[low:place].tolist(), *ids[place + 1 : high].tolist()}
            counts[[word for word in around if word >= 0], winners[place]] += 1
            if ids[place] >= 0:
                counts[n_words + ids[place], winners[place]] += 1
    return counts


@on_every_engine
@given(problem=problems())
@settings(max_examples=20)
def test_windows_are_counted_as_by_hand(make, problem):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    n_words, n_cells = len(rates), synapses.shape[1]
    drives, batch = drives_of(synapses, drive), Batch(ids, offsets)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    expected = count_by_hand(winners, ids, offsets, window, n_words, n_cells)
    engine = make()
    for counts in (
        engine.count_windows(engine.put_drives(drives), batch, window, truncate),
        engine.count_given(winners, batch, window, n_cells),
    ):
        assert isinstance(counts, WindowCounts)
        found = counts.matrix(n_words)
        assert found.format == "csr"
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found.toarray(), expected)
        sizes = [(winners == cell).sum() for cell in range(n_cells)]
        np.testing.assert_array_equal(counts.cell_sizes, sizes)


@on_every_engine
@pytest.mark.parametrize("as_drives", [False, True])
@given(problem=problems())
@settings(max_examples=20)
def test_adding_is_adding_the_matrix_times_the_rates(make, as_drives, problem):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    n_words, n_cells = len(rates), synapses.shape[1]
    drives = drives_of(synapses, drive)
    engine = make()
    there = engine.put_drives(drives)
    counts = engine.count_windows(there, Batch(ids, offsets), window, truncate)
    before = np.abs(synapses)
    sums = engine.put(before.copy())
    added = counts.add_to(sums, rates, there if as_drives else engine.put(synapses))

    matrix = counts.matrix(n_words).toarray()
    increments = np.concatenate([rates, rates])[:, None] * matrix
    weights = drives if as_drives else synapses
    overlap = (weights.astype(np.float64) * increments).sum(axis=0)
    np.testing.assert_array_equal(engine.get(sums), before + increments)
    np.testing.assert_allclose(added.overlap, overlap, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(added.words, matrix.sum(axis=1))
    np.testing.assert_array_equal(added.cells, matrix.reshape(2, -1, n_cells).sum(axis=1))


@on_every_engine
def test_counts_can_be_added_more_than_once(make):
    engine, batch = make(), Batch(np.array([0, 1, 1], np.int32), np.array([0, 3]))
    counts = engine.count_given(np.array([1, -1, 0], np.int32), batch, 3, 2)
    sums, rates = engine.zeros((4, 2)), np.array([1, 10], np.float32)
    for _ in range(2):
        counts.add_to(sums, rates, engine.zeros((4, 2)))
    # centre 0 with context {1} to cell 1, the last one with context {1} to cell 0
    np.testing.assert_array_equal(engine.get(sums), [[0, 0], [20, 20], [0, 2], [20, 0]])
    np.testing.assert_array_equal(counts.cell_sizes, [1, 1])


@on_every_engine
def test_windows_without_winners_count_nothing(make):
    engine = make()
    batch = Batch(np.array([-1, -1, -1], np.int32), np.array([0, 2, 3]))
    drives = engine.put_drives(np.ones((4, 3), np.int16))
    counts = engine.count_windows(drives, batch, 3, True)
    np.testing.assert_array_equal(counts.cell_sizes, [0, 0, 0])
    assert counts.matrix(2).nnz == 0
    top = engine.zeros((2, 3))
    assert engine.count_top(top, drives, batch, 3, True, 2) == 0
    np.testing.assert_array_equal(engine.get(top), 0)


@on_every_engine
@given(problem=problems(), n_top=st.integers(1, 64))
@settings(max_examples=20)
def test_the_top_cells_of_a_batch_are_added(make, problem, n_top):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    n_words, n_cells = len(rates), synapses.shape[1]
    drives, n_top = drives_of(synapses, drive), min(n_top, n_cells)
    expected = np.full((n_words, n_cells), 3, np.float32)
    wanted = NUMPY.count_top(expected, drives, (ids, offsets), window, truncate, n_top)
    engine = make()
    counts = engine.put(np.full((n_words, n_cells), 3, np.float32))
    there = engine.put_drives(drives)
    found = engine.count_top(counts, there, Batch(ids, offsets), window, truncate, n_top)
    assert found == wanted
    assert type(found) is int
    np.testing.assert_array_equal(engine.get(counts), expected)


@pytest.mark.parametrize("plain", [information, information_drives, hebbian_step])
def test_fused_rules_take_what_the_plain_ones_take(plain):
    assert fused(NUMPY, plain) is plain
    for kind in (NumbaEngine, CupyEngine):
        own = getattr(kind, plain.__name__)
        names = [*inspect.signature(own).parameters][1:]
        assert names == [*inspect.signature(plain).parameters]
    engine = NumbaEngine()
    assert fused(engine, plain) == getattr(engine, plain.__name__)


def test_threads_follow_numba_while_an_engine_lives():
    engine, fixed, before = NumbaEngine(None), NumbaEngine(2), numba.get_num_threads()
    try:
        for n_threads in {1, before}:
            numba.set_num_threads(n_threads)
            assert engine.n_threads == n_threads == n_threads_for(None)
            assert fixed.n_threads == 2
    finally:
        numba.set_num_threads(before)
