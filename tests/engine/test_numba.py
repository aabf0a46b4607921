"""The numba engine agrees with the reference, and with itself on any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from problems import counts_of, drives_of, problems
from skfly.engine import Batch, _numba, drive_for
from skfly.engine._numba import NumbaEngine, _balanced, _even
from skfly.engine._numpy import NumpyEngine, log32
from skfly.rules.hebbian import hebbian_step
from skfly.rules.lloyd import information, information_drives

THREADS = (1, 2, 4)


@pytest.fixture(autouse=True, scope="module")
def threads_even_for_little_work():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.engine._numba._WORTH_THREADS", 0)
        yield


@given(problems())
@settings(deadline=None, max_examples=40)
def test_drives_are_identical_to_the_reference(problem):
    synapses, drive, *_ = problem
    np.testing.assert_array_equal(
        drives_of(synapses, drive, NumbaEngine), drives_of(synapses, drive)
    )


@given(problems())
@settings(deadline=None, max_examples=60)
def test_winners_are_identical_to_the_reference(problem):
    synapses, drive, _, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    expected = NumpyEngine().find_winners(drives, ids, offsets, window, truncate)
    for n_threads in THREADS:
        found = NumbaEngine(n_threads).find_winners(drives, ids, offsets, window, truncate)
        np.testing.assert_array_equal(found, expected)


def test_without_words_no_cell_wins():
    drives, ids = np.zeros((0, 1000), np.int16), np.full(5, -1, np.int32)
    found = NumbaEngine().find_winners(drives, ids, np.array([0, 2, 5]), 3, True)
    np.testing.assert_array_equal(found, -1)


@given(problems())
@settings(deadline=None, max_examples=60)
def test_sums_are_identical_to_the_reference(problem):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    winners = NumpyEngine().find_winners(drives, ids, offsets, window, truncate)
    arguments = (rates, synapses, ids, offsets, winners, window)
    expected = np.abs(synapses)
    wanted = NumpyEngine().add_windows(expected, *arguments)
    overlaps = []
    for n_threads in THREADS:
        sums = np.abs(synapses)
        added = NumbaEngine(n_threads).add_windows(sums, *arguments)
        np.testing.assert_array_equal(sums, expected)
        np.testing.assert_array_equal(added.words, wanted.words)
        np.testing.assert_array_equal(added.cells, wanted.cells)
        np.testing.assert_allclose(added.overlap, wanted.overlap, rtol=1e-6, atol=1e-6)
        overlaps.append(added.overlap)
    np.testing.assert_array_equal(overlaps[0], overlaps[1])
    np.testing.assert_array_equal(overlaps[0], overlaps[2])


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]))
@settings(deadline=None, max_examples=40)
def test_information_is_identical_to_the_reference_on_any_number_of_threads(problem, shrinkage):
    counts, terms, bound = counts_of(problem[0], shrinkage)
    drive = drive_for(bound, 11, 0.0)
    expected, expected_drives = np.empty_like(counts), np.empty(counts.shape, np.int16)
    wanted = information(expected, counts, terms)
    information_drives(expected_drives, counts, terms, drive)
    assert np.isfinite(expected).all()
    assert expected.max() <= bound + 1e-5
    for n_threads in THREADS:
        engine, found = NumbaEngine(n_threads), counts.copy()
        drives = np.empty(counts.shape, np.int16)
        engine.information_drives(drives, counts, terms, drive)
        largest = engine.information(found, found, terms)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(drives, expected_drives)
        assert largest == wanted
        some, rest = np.arange(0, len(counts), 3), np.delete(np.arange(len(counts)), np.s_[::3])
        only, expected_only = np.full((2, *drives.shape), -7, np.int16)
        engine.information_drives(only, counts, terms, drive, some)
        information_drives(expected_only, counts, terms, drive, some)
        np.testing.assert_array_equal(only, expected_only)
        np.testing.assert_array_equal(only[some], expected_drives[some])
        assert (only[rest] == -7).all()


@given(st.floats(2**-20, 2**40, width=32))
def test_the_logarithm_is_that_of_the_library_to_rounding(value):
    found = log32(np.array([value], dtype=np.float32))[0]
    assert found == pytest.approx(np.log(value), rel=5e-7, abs=1e-7)


@given(problems(), st.floats(1e-4, 1.0))
@settings(deadline=None, max_examples=40)
def test_hebbian_steps_agree_to_rounding_and_do_not_depend_on_threads(problem, rate):
    synapses, _, _, _, _, _, _ = problem
    increments = np.abs(synapses[::-1]).copy()
    overlap = np.einsum("im,im->m", synapses, increments, dtype=np.float64)
    expected, zeroed = synapses.copy(), increments.copy()
    wanted_energy, wanted_largest = hebbian_step(expected, zeroed, overlap, rate)
    results = []
    for n_threads in THREADS:
        found, zeroed = synapses.copy(), increments.copy()
        energy, largest = NumbaEngine(n_threads).hebbian_step(found, zeroed, overlap, rate)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert energy == pytest.approx(wanted_energy, rel=1e-6, abs=1e-9)
        assert largest == pytest.approx(wanted_largest, rel=1e-6)
        assert not zeroed.any()
        results.append(found)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@given(problems(), st.integers(1, 64))
@settings(deadline=None, max_examples=60)
def test_consensus_counts_are_identical_to_the_reference(problem, n_top):
    synapses, drive, _, ids, offsets, window, truncate = problem
    n_rows, n_cells = synapses.shape
    n_top = min(n_top, n_cells)
    arguments = (drives_of(synapses, drive), (ids, offsets), window, truncate, n_top)
    expected = np.zeros((n_rows // 2, n_cells), dtype=np.float32)
    n_windows = NumpyEngine().count_top(expected, *arguments)
    for n_threads in THREADS:
        counts = np.zeros_like(expected)
        assert NumbaEngine(n_threads).count_top(counts, *arguments) == n_windows
        np.testing.assert_array_equal(counts, expected)


@given(problems(), st.integers(1, 64), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_top_cells_of_bags_are_identical_to_the_reference(problem, n_top, seed):
    synapses, drive, *_ = problem
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 6, size=9))])
    rows = rng.integers(0, len(synapses), indptr[-1], dtype=np.int32)
    arguments = (synapses, drive, rows, indptr, min(n_top, synapses.shape[1]))
    expected = NumpyEngine().top_cells(*arguments)
    for n_threads in THREADS:
        for found, wanted in zip(
            NumbaEngine(n_threads).top_cells(*arguments), expected, strict=True
        ):
            np.testing.assert_array_equal(found, wanted)


@given(problems())
@settings(deadline=None, max_examples=20)
def test_squared_norms_do_not_depend_on_threads(problem):
    synapses = problem[0]
    expected = NumpyEngine().squared_norms(synapses)
    found = [NumbaEngine(n_threads).squared_norms(synapses) for n_threads in THREADS]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_blocks_of_the_consensus_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    drives = drives_of(rng.random((20, 8), dtype=np.float32), drive_for(1.0, 5, 0.0))
    ids = rng.integers(-1, 10, 500, dtype=np.int32)
    offsets = np.arange(0, 501, 10)
    whole, parts = np.zeros((2, 10, 8), dtype=np.float32)
    engine = NumbaEngine(2)
    engine.count_top(whole, drives, (ids, offsets), 5, True, 3)
    monkeypatch.setattr("skfly.engine._numba._CONSENSUS_POSITIONS", 64)
    engine.count_top(parts, drives, (ids, offsets), 5, True, 3)
    np.testing.assert_array_equal(whole, parts)


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(1, 12))
def test_balanced_chunks_cover_every_item_once(lengths, n_chunks):
    chunks = _balanced(np.cumsum([0, *lengths]), n_chunks)
    assert [i for first, last in chunks for i in range(first, last)] == list(range(len(lengths)))
    assert len(chunks) <= n_chunks


@given(st.integers(0, 100), st.integers(1, 40))
def test_even_chunks_cover_every_item_once(n_items, n_chunks):
    chunks = _even(n_items, n_chunks)
    assert [i for first, last in chunks for i in range(first, last)] == list(range(n_items))


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=40)
def test_sums_of_rows_are_identical_to_the_reference(shape, lengths, seed):
    random = np.random.default_rng(seed)
    weights = random.integers(-(2**15), 2**15, shape).astype(np.int16)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    rows = random.integers(0, shape[0], indptr[-1])
    amounts = random.integers(0, 2**19, indptr[-1]).astype(np.float64)
    expected = NumpyEngine().sum_rows(weights, rows, amounts, indptr)
    for n_threads in THREADS:
        found = NumbaEngine(n_threads).sum_rows(weights, rows, amounts, indptr)
        np.testing.assert_array_equal(found, expected)


@given(
    sentences=st.lists(st.lists(st.integers(-1, 6), max_size=9), max_size=8),
    skipped=st.lists(st.booleans(), min_size=7, max_size=7).map(np.array),
    reach=st.integers(1, 9),
    ordered=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_pairs_are_identical_to_the_reference(sentences, skipped, reach, ordered):
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    expected = NumpyEngine().count_pairs(Batch(ids, offsets), skipped, reach, ordered)
    for n_threads in THREADS:
        found = NumbaEngine(n_threads).count_pairs(Batch(ids, offsets), skipped, reach, ordered)
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
        assert found.has_sorted_indices


@given(
    n_words=st.sampled_from([1, 3, 70, 700]),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([np.int32, np.int64]),
)
@settings(deadline=None, max_examples=30)
def test_counts_add_up_as_in_scipy(n_words, seed, dtype):
    random = np.random.default_rng(seed)
    left, right = (
        sparse.csr_array(random.poisson(0.3, (n_words, n_words)).astype(dtype)) for _ in range(2)
    )
    expected = left + right
    for n_threads in THREADS:
        found = NumbaEngine(n_threads).add_counts(left, right)
        assert found.dtype == dtype
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("n_rows", [3, 400])  # long rows and short ones
def test_sparse_products_do_not_depend_on_what_is_read_at_a_time(n_rows, monkeypatch):
    random = np.random.default_rng(0)
    kept = random.random((n_rows, 5000)) < 2 / n_rows
    matrix = sparse.csr_array(random.standard_normal(kept.shape, dtype=np.float32) * kept)
    dense = random.standard_normal((5000, 7), dtype=np.float32)
    whole = NumbaEngine().multiply_sparse(matrix, dense)
    np.testing.assert_allclose(whole, matrix @ dense, rtol=1e-4, atol=1e-4)
    monkeypatch.setattr(_numba, "_ROWS_IN_CACHE", 100)
    np.testing.assert_array_equal(NumbaEngine().multiply_sparse(matrix, dense), whole)
    turned = sparse.csr_array(
        (
            matrix.data[::-1].copy(),
            matrix.indices[::-1].copy(),
            (matrix.nnz - matrix.indptr[::-1]).astype(np.int32),
        ),
        shape=matrix.shape,
    )
    assert not turned.has_sorted_indices
    found = NumbaEngine().multiply_sparse(turned, dense)[::-1]
    np.testing.assert_allclose(found, whole, rtol=1e-4, atol=1e-4)


@given(shape=st.tuples(*[st.integers(1, 9)] * 2, st.integers(1, 140)), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=30)
def test_sparse_products_are_those_of_the_reference(shape, seed):
    n_rows, n_inner, n_columns = shape
    random = np.random.default_rng(seed)
    kept = random.random((n_rows, n_inner)) < 0.4
    matrix = sparse.csr_array(random.standard_normal(kept.shape, dtype=np.float32) * kept)
    dense = random.standard_normal((n_inner, n_columns), dtype=np.float32)
    expected = NumpyEngine().multiply_sparse(matrix, dense)
    found = [NumbaEngine(n_threads).multiply_sparse(matrix, dense) for n_threads in THREADS]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-6)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
