"""The GPU engine on a stand-in for CuPy agrees with the others, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import emulator
from emulator.fake_cupy import cupy_engine
from problems import counts_of, drives_of, problems
from skfly.engine import Batch, drive_for
from skfly.engine._numba import NumbaEngine
from skfly.engine._numpy import NumpyEngine
from skfly.rules.hebbian import hebbian_step
from skfly.rules.lloyd import information, information_drives

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

NUMPY, NUMBA = NumpyEngine(), NumbaEngine(1)
GPUS = st.builds(
    dict,
    n_devices=st.integers(1, 3),
    nccl=st.booleans(),
    hurry=st.sampled_from([None, 0, 1]),
)


@pytest.fixture(autouse=True, scope="module")
def small_pieces():
    """Many blocks, pieces and slabs for little work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.engine._gpu.THREADS", 64)
        patch.setattr("skfly.engine._gpu.BLOCKS", 3)
        patch.setattr("skfly.engine._cupy.PIECE", 37)
        patch.setattr("skfly.engine._gpu_text.PIECE", 37)
        patch.setattr("skfly.engine._cupy._TALLY_BYTES", 2000)
        patch.setattr("skfly.engine._cupy._TOP_ENTRIES", 150)
        yield


def with_drives(engine, synapses, drive):
    drives = engine.new_drives(synapses.shape)
    engine.set_drives(drives, synapses, drive)
    return drives


def test_arrays_go_to_the_gpu_and_come_back():
    engine, _ = cupy_engine()
    array = np.arange(300, dtype=np.float32).reshape(100, 3)
    there = engine.put(array)
    np.testing.assert_array_equal(engine.get(there), array)
    engine.scale(there, np.float32(0.5))
    np.testing.assert_array_equal(engine.get(there), array * np.float32(0.5))
    engine.scale(there, np.array([1, 2, 4], np.float32))
    expected = array * np.array([0.5, 1, 2], np.float32)
    np.testing.assert_array_equal(engine.get(there), expected)
    removed = engine.clear_cells(there, np.array([0, 2]))
    np.testing.assert_array_equal(removed, NUMPY.clear_cells(expected, np.array([0, 2])))
    np.testing.assert_array_equal(engine.get(there), expected)
    np.testing.assert_array_equal(engine.clear_cells(there, np.array([], int)), np.zeros(100))
    np.testing.assert_array_equal(engine.get(engine.zeros((4, 2))), np.zeros((4, 2)))


@given(problems(), GPUS)
@settings(max_examples=40)
def test_winners_are_identical(problem, gpus):
    synapses, drive, _, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    expected = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    engine, _ = cupy_engine(**gpus)
    there = with_drives(engine, synapses, drive)
    found = engine.find_winners(there, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, expected)
    # again, in buffers that are there already, and from synapses on the GPU
    engine.set_drives(there, engine.put(-synapses), drive)
    expected = NUMPY.find_winners(drives_of(-synapses, drive), ids, offsets, window, truncate)
    found = engine.find_winners(there, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, expected)


@given(problems(), GPUS)
@settings(max_examples=40)
def test_drives_that_were_put_count_like_those_that_were_set(problem, gpus):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    drives, batch = drives_of(synapses, drive), Batch(ids, offsets)
    n_words, n_top = len(rates), min(3, synapses.shape[1])
    engine, _ = cupy_engine(**gpus)
    found = []
    for there in (engine.put_drives(drives), with_drives(engine, synapses, drive)):
        assert there.shape == drives.shape
        counts = engine.count_windows(there, batch, window, truncate)
        sums, top = engine.zeros(synapses.shape), engine.zeros((n_words, synapses.shape[1]))
        added = counts.add_to(sums, rates, there)
        n_windows = engine.count_top(top, there, batch, window, truncate, n_top)
        found.append((counts.cell_sizes, n_windows, *added, engine.get(sums), engine.get(top)))
    for put, set_ in zip(*found, strict=True):
        np.testing.assert_array_equal(put, set_)
    expected = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    won = np.bincount(expected[expected >= 0], minlength=synapses.shape[1])
    np.testing.assert_array_equal(found[0][0], won)


def test_drives_that_are_put_are_not_those_that_were_there_before():
    random = np.random.default_rng(0)
    first, second = random.integers(-99, 99, (2, 40, 33), dtype=np.int16)
    ids, offsets = random.integers(0, 20, 300, dtype=np.int32), np.array([0, 130, 300])
    engine, _ = cupy_engine(n_devices=2)
    old, new = engine.put_drives(first), engine.put_drives(second)
    for there, drives in ((old, first), (new, second)):
        np.testing.assert_array_equal(
            engine.find_winners(there, ids, offsets, 5, True),
            NUMPY.find_winners(drives, ids, offsets, 5, True),
        )


@given(problems(), GPUS, st.booleans())
@settings(max_examples=60)
def test_sums_are_identical(problem, gpus, as_drives):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    expected = np.abs(synapses)
    text = (ids, offsets, winners, window)
    wanted = NUMPY.add_windows(expected, rates, drives if as_drives else synapses, *text)

    engine, _ = cupy_engine(**gpus)
    weights = with_drives(engine, synapses, drive) if as_drives else engine.put(synapses)
    sums = engine.put(np.abs(synapses))
    added = engine.add_windows(sums, rates, weights, *text)
    np.testing.assert_array_equal(engine.get(sums), expected)
    np.testing.assert_array_equal(added.words, wanted.words)
    np.testing.assert_array_equal(added.cells, wanted.cells)
    np.testing.assert_allclose(added.overlap, wanted.overlap, rtol=1e-12, atol=1e-9)


@given(problems(), GPUS)
@settings(max_examples=20)
def test_a_batch_that_is_counted_in_parts(problem, gpus):
    synapses, drive, _, ids, offsets, window, truncate = problem
    rates = np.ones(len(synapses) // 2, np.float32)  # whole numbers: no rounding
    winners = NUMPY.find_winners(drives_of(synapses, drive), ids, offsets, window, truncate)
    expected = np.zeros_like(synapses)
    wanted = NUMPY.add_windows(expected, rates, synapses, ids, offsets, winners, window)
    engine, _ = cupy_engine(**gpus)
    sums = engine.zeros(synapses.shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.engine._cupy._LARGEST_BATCH", 23)
        patch.setattr("skfly.engine._cupy._BATCH_PER_WORD", 0)
        added = engine.add_windows(
            sums, rates, engine.put(synapses), ids, offsets, winners, window
        )
    np.testing.assert_array_equal(engine.get(sums), expected)
    np.testing.assert_array_equal(added.words, wanted.words)
    np.testing.assert_array_equal(added.cells, wanted.cells)


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]), GPUS)
@settings(max_examples=20)
def test_information_is_identical(problem, shrinkage, gpus):
    counts, terms, bound = counts_of(problem[0], shrinkage)
    drive = drive_for(bound, 11, 0.0)
    _, _, _, ids, offsets, window, truncate = problem

    expected, drives = np.empty_like(counts), np.empty(counts.shape, np.int16)
    information_drives(drives, counts, terms, drive)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    wanted = information(expected, counts, terms)

    engine, _ = cupy_engine(**gpus)
    there, there_drives = engine.put(counts), engine.new_drives(counts.shape)
    engine.information_drives(there_drives, there, terms, drive)
    found = engine.find_winners(there_drives, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, winners)
    # more rows than those of the batch may be set, but no fewer
    known = np.unique(ids[ids >= 0])
    rows = np.concatenate([known, known + len(counts) // 2])
    few_drives = engine.new_drives(counts.shape)
    engine.information_drives(few_drives, there, terms, drive, rows)
    found = engine.find_winners(few_drives, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, winners)
    assert engine.information(there, there, terms) == wanted
    np.testing.assert_array_equal(engine.get(there), expected)


@given(problems(), st.floats(1e-4, 1.0), GPUS)
@settings(max_examples=20)
def test_hebbian_steps_are_identical_to_numba_and_agree_with_the_rule(problem, rate, gpus):
    synapses = problem[0]
    increments = np.abs(synapses[::-1]).copy()
    overlap = np.einsum("im,im->m", synapses, increments, dtype=np.float64)
    engine, _ = cupy_engine(**gpus)
    there, there_increments = engine.put(synapses), engine.put(increments)
    np.testing.assert_array_equal(engine.squared_norms(there), NUMBA.squared_norms(synapses))
    done = engine.hebbian_step(there, there_increments, overlap, rate)
    plain, zeroed = synapses.copy(), increments.copy()
    formula = hebbian_step(plain, zeroed, overlap, rate)
    wanted = NUMBA.hebbian_step(synapses, increments, overlap, rate)
    assert done == wanted
    assert done == pytest.approx(formula, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(engine.get(there), plain, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(engine.get(there), synapses)
    np.testing.assert_array_equal(engine.get(there_increments), 0)


@given(problems(), st.integers(1, 64), GPUS)
@settings(max_examples=40)
def test_consensus_counts_are_identical(problem, n_top, gpus):
    synapses, drive, _, ids, offsets, window, truncate = problem
    n_rows, n_cells = synapses.shape
    arguments = ((ids, offsets), window, truncate, min(n_top, n_cells))
    expected = np.zeros((n_rows // 2, n_cells), dtype=np.float32)
    n_windows = NUMPY.count_top(expected, drives_of(synapses, drive), *arguments)
    engine, _ = cupy_engine(**gpus)
    counts, drives = engine.zeros(expected.shape), with_drives(engine, synapses, drive)
    for _ in range(2):  # again, in buffers that are there already
        engine.scale(counts, np.float32(0))
        engine.set_drives(drives, engine.put(synapses), drive)
        assert engine.count_top(counts, drives, *arguments) == n_windows
        np.testing.assert_array_equal(engine.get(counts), expected)


@given(problems(), st.integers(1, 64), st.integers(0, 2**32 - 1), GPUS)
@settings(max_examples=40)
def test_top_cells_of_bags_are_identical(problem, n_top, seed, gpus):
    synapses, drive, *_ = problem
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, rng.choice([1, 6, 50]), size=9))])
    rows = rng.integers(0, len(synapses), indptr[-1], dtype=np.int32)
    arguments = (synapses, drive, rows, indptr, min(n_top, synapses.shape[1]))
    engine, _ = cupy_engine(**gpus)
    for found, wanted in zip(
        engine.top_cells(*arguments), NUMPY.top_cells(*arguments), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)


@given(
    shape=st.tuples(st.integers(0, 30), st.integers(1, 9), st.integers(0, 70)),
    share=st.sampled_from([0.0, 0.2, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_sparse_products_are_identical(shape, share, seed):
    n_rows, n_inner, n_columns = shape
    rng = np.random.default_rng(seed)
    kept = rng.random((n_rows, n_inner)) < share
    matrix = sparse.csr_array(rng.standard_normal(kept.shape, dtype=np.float32) * kept)
    engine, _ = cupy_engine()
    for _ in range(2):  # again, in buffers that are there already
        dense = rng.standard_normal((n_inner, n_columns), dtype=np.float32)
        found = engine.multiply_sparse(matrix, dense)
        np.testing.assert_array_equal(found, NUMBA.multiply_sparse(matrix, dense))


def test_while_one_piece_is_worked_on_the_next_is_sent():
    rng = np.random.default_rng(0)
    synapses = rng.random((20, 8), dtype=np.float32)
    ids, offsets = rng.integers(0, 10, 500, dtype=np.int32), np.arange(0, 501, 10)
    engine, fake = cupy_engine()
    drives = with_drives(engine, synapses, drive_for(1.0, 5, 0.0))
    fake.busy = 0
    engine.find_winners(drives, ids, offsets, 5, True)
    assert fake.busy == 2
    assert [name for name, _ in fake.launched].count("find_winners") == 14


@pytest.mark.parametrize("nccl", [False, True])
def test_every_gpu_takes_its_share(nccl):
    rng = np.random.default_rng(0)
    synapses = rng.random((20, 8), dtype=np.float32)
    ids, offsets = rng.integers(0, 10, 500, dtype=np.int32), np.arange(0, 501, 10)
    engine, fake = cupy_engine(n_devices=2, nccl=nccl)
    drives = with_drives(engine, synapses, drive_for(1.0, 5, 0.0))
    winners = engine.find_winners(drives, ids, offsets, 5, True)
    sums, rates = engine.zeros(synapses.shape), np.ones(10, np.float32)
    engine.add_windows(sums, rates, drives, ids, offsets, winners, 5)
    for kernel in ("find_winners", "tally_winners"):
        devices = [device for name, device in fake.launched if name == kernel]
        assert devices.count(0) == devices.count(1) > 0
    assert {d for name, d in fake.launched if name.startswith("add_tally_to")} == {0}
    assert (fake.reduced > 0) == nccl
    assert ("add_tallies", 0) not in fake.launched or not nccl
