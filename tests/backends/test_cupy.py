"""The GPU backend on a stand-in for CuPy agrees with the others, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import emulator
from emulator.fake_cupy import cupy_backend
from problems import drives_of, problems
from skfly.backends import drive_for, information_bound
from skfly.backends._numba import NumbaBackend
from skfly.backends._numpy import NumpyBackend

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

NUMPY, NUMBA = NumpyBackend(), NumbaBackend(1)
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
        patch.setattr("skfly.backends._gpu.THREADS", 64)
        patch.setattr("skfly.backends._gpu.BLOCKS", 3)
        patch.setattr("skfly.backends._cupy.PIECE", 37)
        patch.setattr("skfly.backends._gpu_text.PIECE", 37)
        patch.setattr("skfly.backends._cupy._TALLY_BYTES", 2000)
        patch.setattr("skfly.backends._cupy._TOP_ENTRIES", 150)
        yield


def with_drives(backend, synapses, drive):
    drives = backend.new_drives(synapses.shape)
    backend.set_drives(drives, synapses, drive)
    return drives


def test_arrays_go_to_the_gpu_and_come_back():
    backend, _ = cupy_backend()
    array = np.arange(300, dtype=np.float32).reshape(100, 3)
    there = backend.put(array)
    np.testing.assert_array_equal(backend.get(there), array)
    backend.scale(there, np.float32(0.5))
    np.testing.assert_array_equal(backend.get(there), array * np.float32(0.5))
    backend.scale(there, np.array([1, 2, 4], np.float32))
    expected = array * np.array([0.5, 1, 2], np.float32)
    np.testing.assert_array_equal(backend.get(there), expected)
    removed = backend.clear_cells(there, np.array([0, 2]))
    np.testing.assert_array_equal(removed, NUMPY.clear_cells(expected, np.array([0, 2])))
    np.testing.assert_array_equal(backend.get(there), expected)
    np.testing.assert_array_equal(backend.clear_cells(there, np.array([], int)), np.zeros(100))
    np.testing.assert_array_equal(backend.get(backend.zeros((4, 2))), np.zeros((4, 2)))


@given(problems(), GPUS)
@settings(max_examples=40)
def test_winners_are_identical(problem, gpus):
    synapses, drive, _, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    expected = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    backend, _ = cupy_backend(**gpus)
    there = with_drives(backend, synapses, drive)
    found = backend.find_winners(there, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, expected)
    # again, in buffers that are there already, and from synapses on the GPU
    backend.set_drives(there, backend.put(-synapses), drive)
    expected = NUMPY.find_winners(drives_of(-synapses, drive), ids, offsets, window, truncate)
    found = backend.find_winners(there, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, expected)


@given(problems(), GPUS, st.booleans())
@settings(max_examples=60)
def test_sums_are_identical(problem, gpus, as_drives):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    expected = np.abs(synapses)
    text = (ids, offsets, winners, window)
    wanted = NUMPY.add_windows(expected, rates, drives if as_drives else synapses, *text)

    backend, _ = cupy_backend(**gpus)
    weights = with_drives(backend, synapses, drive) if as_drives else backend.put(synapses)
    sums = backend.put(np.abs(synapses))
    added = backend.add_windows(sums, rates, weights, *text)
    np.testing.assert_array_equal(backend.get(sums), expected)
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
    backend, _ = cupy_backend(**gpus)
    sums = backend.zeros(synapses.shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.backends._cupy._LARGEST_BATCH", 23)
        patch.setattr("skfly.backends._cupy._BATCH_PER_WORD", 0)
        added = backend.add_windows(
            sums, rates, backend.put(synapses), ids, offsets, winners, window
        )
    np.testing.assert_array_equal(backend.get(sums), expected)
    np.testing.assert_array_equal(added.words, wanted.words)
    np.testing.assert_array_equal(added.cells, wanted.cells)


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]), GPUS)
@settings(max_examples=20)
def test_information_is_identical(problem, shrinkage, gpus):
    counts = np.rint(np.abs(problem[0]) * 5)
    counts[0] = 0
    words = counts.sum(axis=1, dtype=float)
    cells = counts.astype(float).reshape(2, -1, counts.shape[1]).sum(axis=1)
    totals = (words, cells, shrinkage)
    drive = drive_for(information_bound(cells, shrinkage), 11, 0.0)
    _, _, _, ids, offsets, window, truncate = problem

    expected, drives = np.empty_like(counts), np.empty(counts.shape, np.int16)
    NUMPY.information_drives(drives, counts, *totals, drive)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    wanted = NUMPY.information(expected, counts, *totals)

    backend, _ = cupy_backend(**gpus)
    there, there_drives = backend.put(counts), backend.new_drives(counts.shape)
    backend.information_drives(there_drives, there, *totals, drive)
    found = backend.find_winners(there_drives, ids, offsets, window, truncate)
    np.testing.assert_array_equal(found, winners)
    assert backend.information(there, there, *totals) == wanted
    np.testing.assert_array_equal(backend.get(there), expected)


@given(problems(), st.floats(1e-4, 1.0), GPUS)
@settings(max_examples=20)
def test_hebbian_steps_are_identical_to_numba(problem, rate, gpus):
    synapses = problem[0]
    increments = np.abs(synapses[::-1]).copy()
    overlap = np.einsum("im,im->m", synapses, increments, dtype=np.float64)
    backend, _ = cupy_backend(**gpus)
    there, there_increments = backend.put(synapses), backend.put(increments)
    np.testing.assert_array_equal(backend.squared_norms(there), NUMBA.squared_norms(synapses))
    done = backend.hebbian_step(there, there_increments, overlap, rate)
    wanted = NUMBA.hebbian_step(synapses, increments, overlap, rate)
    assert done == wanted
    np.testing.assert_array_equal(backend.get(there), synapses)
    np.testing.assert_array_equal(backend.get(there_increments), 0)


@given(problems(), st.integers(1, 64), GPUS)
@settings(max_examples=40)
def test_consensus_counts_are_identical(problem, n_top, gpus):
    synapses, drive, _, ids, offsets, window, truncate = problem
    n_rows, n_cells = synapses.shape
    arguments = (ids, offsets, window, truncate, min(n_top, n_cells))
    expected = np.zeros((n_rows // 2, n_cells), dtype=np.float32)
    n_windows = NUMPY.count_top_cells(expected, drives_of(synapses, drive), *arguments)
    backend, _ = cupy_backend(**gpus)
    counts, drives = backend.zeros(expected.shape), with_drives(backend, synapses, drive)
    for _ in range(2):  # again, in buffers that are there already
        backend.scale(counts, np.float32(0))
        backend.set_drives(drives, backend.put(synapses), drive)
        assert backend.count_top_cells(counts, drives, *arguments) == n_windows
        np.testing.assert_array_equal(backend.get(counts), expected)


@given(problems(), st.integers(1, 64), st.integers(0, 2**32 - 1), GPUS)
@settings(max_examples=40)
def test_top_cells_of_bags_are_identical(problem, n_top, seed, gpus):
    synapses, drive, *_ = problem
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, rng.choice([1, 6, 50]), size=9))])
    rows = rng.integers(0, len(synapses), indptr[-1], dtype=np.int32)
    arguments = (synapses, drive, rows, indptr, min(n_top, synapses.shape[1]))
    backend, _ = cupy_backend(**gpus)
    for found, wanted in zip(
        backend.top_cells(*arguments), NUMPY.top_cells(*arguments), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)


def test_while_one_piece_is_worked_on_the_next_is_sent():
    rng = np.random.default_rng(0)
    synapses = rng.random((20, 8), dtype=np.float32)
    ids, offsets = rng.integers(0, 10, 500, dtype=np.int32), np.arange(0, 501, 10)
    backend, fake = cupy_backend()
    drives = with_drives(backend, synapses, drive_for(1.0, 5, 0.0))
    fake.busy = 0
    backend.find_winners(drives, ids, offsets, 5, True)
    assert fake.busy == 2
    assert [name for name, _ in fake.launched].count("find_winners") == 14


@pytest.mark.parametrize("nccl", [False, True])
def test_every_gpu_takes_its_share(nccl):
    rng = np.random.default_rng(0)
    synapses = rng.random((20, 8), dtype=np.float32)
    ids, offsets = rng.integers(0, 10, 500, dtype=np.int32), np.arange(0, 501, 10)
    backend, fake = cupy_backend(n_devices=2, nccl=nccl)
    drives = with_drives(backend, synapses, drive_for(1.0, 5, 0.0))
    winners = backend.find_winners(drives, ids, offsets, 5, True)
    sums, rates = backend.zeros(synapses.shape), np.ones(10, np.float32)
    backend.add_windows(sums, rates, drives, ids, offsets, winners, 5)
    for kernel in ("find_winners", "tally_winners"):
        devices = [device for name, device in fake.launched if name == kernel]
        assert devices.count(0) == devices.count(1) > 0
    assert {d for name, d in fake.launched if name.startswith("add_tally_to")} == {0}
    assert (fake.reduced > 0) == nccl
    assert ("add_tallies", 0) not in fake.launched or not nccl
