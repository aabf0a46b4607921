"""Every kernel of ``kernels.cu``, on an emulated grid of threads, against the reference."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import emulator
from problems import counts_of, drives_of, problems
from skfly.engine import Drive, drive_for
from skfly.engine._numpy import NumpyEngine
from skfly.index._bits import pack_rows
from skfly.rules.lloyd import information, information_drives

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

NUMPY = NumpyEngine()
THREADS = 64
BEGINS = np.uint32(1 << 31)


def launch(name, n_blocks, *args, shared=0, threads=THREADS):
    """Launch a kernel; numbers become those of CUDA: int is int32, float is float32."""
    kinds = {int: np.int32, float: np.float32, bool: np.int32}
    args = [kinds.get(type(arg), lambda x: x)(arg) for arg in args]
    grid = n_blocks if isinstance(n_blocks, tuple) else (n_blocks,)
    emulator.launch(name, grid, (threads,), *args, shared=shared)


def tokens_of(ids, offsets):
    tokens = (ids + 1).astype(np.uint32)
    starts = offsets[:-1]
    tokens[starts[starts < len(ids)]] |= BEGINS
    return tokens


def padded(drives):
    """Return drives with rows of a multiple of 32 cells; what is beyond must not matter."""
    n_rows, n_cells = drives.shape
    wide = np.full((n_rows, -(-n_cells // 32) * 32), 31_000, np.int16)
    wide[:, :n_cells] = drives
    return wide


def winners_of(drives, tokens, window, truncate, first=0, n_windows=None):
    n_windows = len(tokens) - first if n_windows is None else n_windows
    found = np.full(n_windows, -9, np.int32)
    wide, warps = padded(drives), THREADS // 32
    launch(
        "find_winners",
        -(-n_windows // warps),
        wide,
        wide.shape[1],
        len(drives) // 2,
        drives.shape[1],
        tokens,
        len(tokens),
        first,
        n_windows,
        window,
        truncate,
        found,
        shared=4 * warps * (window + 1),
    )
    return found


def sorted_places(tokens, n_words):
    begins, following = np.zeros(n_words + 1, np.int32), np.full(n_words, -9, np.int32)
    places = np.full(len(tokens), -9, np.int32)
    launch("count_words", 2, tokens, len(tokens), begins)
    launch("begin_words", 1, begins, following, n_words, shared=4 * THREADS)
    launch("sort_places", 2, tokens, len(tokens), following, places)
    return places, begins


def single_words():
    """One word, one cell, one window."""
    drive = drive_for(1.0, 1, 0.0)
    ids, offsets = np.array([0], np.int32), np.array([0, 1])
    return np.ones((2, 1), np.float32), drive, np.ones(1, np.float32), ids, offsets, 1, True


def odd_text():
    """Empty sentences, repeated and unknown words, a window wider than a warp, odd sizes."""
    rng = np.random.default_rng(1)
    ids = rng.integers(-1, 5, 137, dtype=np.int32)
    ids[20:60] = 3
    ids[70:115] = -1
    offsets = np.array([0, 0, 1, 1, 2, 66, 66, 130, 137, 137])
    synapses = rng.standard_normal((10, 33)).astype(np.float32)
    return (
        synapses,
        drive_for(float(np.abs(synapses).max()), 41, -np.inf),
        rng.random(5, dtype=np.float32),
        ids,
        offsets,
        41,
        True,
    )


def many_cells():
    """More cells than a warp sums up at a time."""
    rng = np.random.default_rng(2)
    synapses = rng.standard_normal((14, 1029)).astype(np.float32)
    ids = rng.integers(-1, 7, 30, dtype=np.int32)
    offsets = np.array([0, 3, 17, 30])
    drive = drive_for(float(np.abs(synapses).max()), 5, -np.inf)
    return synapses, drive, rng.random(7, dtype=np.float32), ids, offsets, 5, False


def test_all_kernels_are_here():
    written = re.findall(r'extern "C" __global__ void (\w+)', emulator.KERNELS.read_text())
    assert list(emulator.signatures()) == written


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (0, "a thread waits for others that have left"),
        (1, "threads wait at different barriers"),
        (2, "a thread waits for others that have left"),
    ],
)
def test_the_grid_finds_threads_that_do_not_meet(which, message):
    with pytest.raises(RuntimeError, match=message):
        emulator.run(emulator.library().launch_wrong, which)


@given(problems())
@example(many_cells())
@settings(max_examples=20)
def test_set_drives(problem):
    synapses, drive, *_ = problem
    n_rows, n_cells = synapses.shape
    found = padded(np.zeros_like(synapses, np.int16))
    launch("set_drives", 3, found, found.shape[1], synapses, n_rows, n_cells, *drive)
    np.testing.assert_array_equal(found, padded(drives_of(synapses, drive)))


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]))
@settings(max_examples=20)
def test_information(problem, shrinkage):
    counts, terms, bound = counts_of(problem[0], shrinkage)
    drive = drive_for(bound, 11, 0.0)
    expected, drives = np.empty_like(counts), np.empty(counts.shape, np.int16)
    wanted = information(expected, counts, terms)
    information_drives(drives, counts, terms, drive)

    table = (*terms, *counts.shape)
    found, largest = counts.copy(), np.zeros(1, np.int32)
    launch("information", 3, found, found, *table, largest)
    np.testing.assert_array_equal(found, expected)
    assert largest.view(np.float32)[0] == wanted
    found = padded(np.zeros(counts.shape, np.int16))
    launch("information_drives", 3, found, found.shape[1], counts, *table, *drive)
    np.testing.assert_array_equal(found, padded(drives))


@given(problems())
@example(single_words())
@example(odd_text())
@example(many_cells())
@settings(max_examples=40)
def test_find_winners(problem):
    synapses, drive, _, ids, offsets, window, truncate = problem
    drives = drives_of(synapses, drive)
    expected = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    tokens = tokens_of(ids, offsets)
    np.testing.assert_array_equal(winners_of(drives, tokens, window, truncate), expected)
    # a piece of the text, with what its windows see on both sides
    first, last, half = len(ids) // 3, len(ids) // 3 * 2, window // 2
    low, high = max(0, first - half), min(len(ids), last + half)
    if first < last:
        found = winners_of(
            drives, tokens[low:high].copy(), window, truncate, first - low, last - first
        )
        np.testing.assert_array_equal(found, expected[first:last])


@given(problems(), st.integers(1, 64))
@example(odd_text(), 33)
@example(many_cells(), 5)
@settings(max_examples=40)
def test_top_cells_of_windows_and_their_tally(problem, n_top):
    synapses, drive, _, ids, offsets, window, truncate = problem
    n_words, n_cells = len(synapses) // 2, synapses.shape[1]
    n_top, n, warps = min(n_top, n_cells), len(ids), THREADS // 32
    drives = drives_of(synapses, drive)
    wide, tokens = padded(drives), tokens_of(ids, offsets)
    top, n_found = np.full((n, n_top), -9, np.int32), np.zeros(1, np.int32)
    launch(
        "find_top_cells",
        -(-n // warps),
        wide,
        wide.shape[1],
        n_words,
        n_cells,
        tokens,
        n,
        0,
        n,
        window,
        truncate,
        n_top,
        top,
        n_found,
        shared=4 * warps * (window + 1 + n_cells),
    )
    expected = np.zeros((n_words, n_cells), np.float32)
    n_windows = NUMPY.count_top(expected, drives, (ids, offsets), window, truncate, n_top)
    assert n_found[0] == n_windows
    assert ((top >= 0).all(axis=1) | (top == -1).all(axis=1)).all()

    places, begins = sorted_places(tokens, n_words)
    tally, counts = np.full((n_words, n_cells), -9, np.int32), np.zeros_like(expected)
    for first, last in ((0, n_words // 2), (n_words // 2, n_words)):
        if first < last:
            launch(
                "tally_top_cells",
                last - first,
                tokens,
                n,
                places,
                begins,
                top,
                n_top,
                0,
                n,
                window,
                first,
                n_cells,
                tally,
                shared=4 * n_cells,
            )
            launch("add_tally_to_consensus", 2, counts, tally, first, last - first, n_cells)
    np.testing.assert_array_equal(counts, expected)


@given(problems())
@settings(max_examples=20)
def test_places_are_sorted_by_word(problem):
    synapses, _, _, ids, offsets, _, _ = problem
    places, begins = sorted_places(tokens_of(ids, offsets), len(synapses) // 2)
    for word in range(len(synapses) // 2):
        expected = np.flatnonzero(ids == word)
        np.testing.assert_array_equal(np.sort(places[begins[word] : begins[word + 1]]), expected)


@pytest.mark.parametrize("kind", ["add_tally_to_sums", "add_tally_to_counts"])
@given(problem=problems())
@example(problem=single_words())
@example(problem=odd_text())
@settings(max_examples=40)
def test_windows_are_added_to_their_winners(kind, problem):
    synapses, drive, rates, ids, offsets, window, truncate = problem
    n_words, n_cells, n = len(rates), synapses.shape[1], len(ids)
    drives = drives_of(synapses, drive)
    winners = NUMPY.find_winners(drives, ids, offsets, window, truncate)
    weights = synapses if kind == "add_tally_to_sums" else drives
    expected = np.abs(synapses)
    wanted = NUMPY.add_windows(expected, rates, weights, ids, offsets, winners, window)

    wide = synapses if weights is synapses else padded(drives)
    tokens = tokens_of(ids, offsets)
    places, begins = sorted_places(tokens, n_words)
    sums, words = np.abs(synapses), np.full(2 * n_words, -9, np.int32)
    overlap, cells = np.zeros(n_cells), np.zeros((2, n_cells), np.int64)
    n_parts = 3
    for first, last in ((0, n_words // 2), (n_words // 2, n_words)):
        if first == last:
            continue
        tally = np.full((2, last - first, n_cells), -9, np.int32)
        launch(
            "tally_winners",
            last - first,
            tokens,
            n,
            places,
            begins,
            winners,
            window,
            first,
            n_words,
            n_cells,
            tally,
            words,
            shared=4 * (2 * n_cells + THREADS // 32),
        )
        overlaps, parts = np.full((n_parts, n_cells), 9.0), np.full((n_parts, 2, n_cells), 9, "i4")
        launch(
            kind,
            (-(-n_cells // 32), n_parts),
            sums,
            rates,
            wide,
            wide.shape[1],
            tally,
            first,
            last - first,
            n_words,
            n_cells,
            overlaps,
            parts,
            threads=32,
        )
        launch("add_parts", 2, overlaps, parts, n_parts, n_cells, overlap, cells)
    np.testing.assert_array_equal(sums, expected)
    np.testing.assert_array_equal(words, wanted.words)
    np.testing.assert_array_equal(cells, wanted.cells)
    np.testing.assert_allclose(overlap, wanted.overlap, rtol=1e-12, atol=1e-9)


def test_tallies_of_two_gpus_are_added():
    one, other = np.arange(100, dtype=np.int32), np.full(100, 3, np.int32)
    launch("add_tallies", 1, one, other, np.int64(99))
    np.testing.assert_array_equal(one, [*range(3, 102), 99])


@given(problems(), st.floats(1e-4, 1.0))
@settings(max_examples=20)
def test_a_hebbian_step(problem, rate):
    synapses = problem[0]
    n_rows, n_cells = synapses.shape
    increments = np.abs(synapses[::-1]).copy()
    overlap = np.einsum("im,im->m", synapses, increments, dtype=np.float64)
    step = increments - overlap.astype(np.float32) * synapses
    largest = np.abs(step).max(initial=0.0)
    factor = np.float32(rate / float(largest) if largest > 0 else 0.0)

    found, zeroed, most = synapses.copy(), increments.copy(), np.zeros(2, np.int32)
    shape = (n_rows, n_cells)
    launch("hebbian_difference", 3, found, zeroed, overlap.astype(np.float32), *shape, most[:1])
    assert most.view(np.float32)[0] == largest
    np.testing.assert_array_equal(zeroed, step)
    launch("hebbian_apply", 3, found, zeroed, factor, *shape, most[1:])
    np.testing.assert_array_equal(found, synapses + factor * step)
    assert most.view(np.float32)[1] == np.abs(found).max()
    assert not zeroed.any()


@given(problems())
@settings(max_examples=20)
def test_columns(problem):
    synapses = problem[0]
    n_rows, n_cells = synapses.shape
    bounds = np.array([0, n_rows // 3, n_rows // 3, n_rows])
    squares = np.full((3, n_cells), 9.0)
    launch("add_squares", (-(-n_cells // THREADS), 3), synapses, bounds, n_cells, squares)
    np.testing.assert_allclose(squares.sum(axis=0), NUMPY.squared_norms(synapses), rtol=1e-12)

    factors = np.linspace(0.5, 2, n_cells).astype(np.float32)
    scaled = synapses.copy()
    launch("scale_cells", 2, scaled, factors, n_rows, n_cells)
    np.testing.assert_array_equal(scaled, synapses * factors)

    cells = np.arange(0, n_cells, 2, dtype=np.int32)
    cleared, removed = synapses.copy(), np.full(n_rows, 9.0)
    n_blocks = -(-n_rows // THREADS)
    launch("clear_cells", n_blocks, cleared, cells, len(cells), n_rows, n_cells, removed)
    np.testing.assert_array_equal(removed, synapses[:, ::2].sum(axis=1, dtype=np.float64))
    assert not cleared[:, ::2].any()
    np.testing.assert_array_equal(cleared[:, 1::2], synapses[:, 1::2])


@pytest.mark.parametrize("n_columns", [1, THREADS + 1])
def test_sparse_products(n_columns):
    rng = np.random.default_rng(0)
    ends, columns = np.array([0, 3, 3, 9], np.int32), rng.integers(0, 5, 9, dtype=np.int32)
    values = rng.standard_normal(9, dtype=np.float32)
    dense = rng.standard_normal((5, n_columns), dtype=np.float32)
    product, expected = np.full((3, n_columns), 9, np.float32), np.zeros((3, n_columns), "f4")
    launch("multiply_sparse", 2, ends, columns, values, dense, 3, n_columns, product)
    for row, (first, last) in enumerate(pairwise(ends.tolist())):
        for term in range(first, last):
            expected[row] += values[term] * dense[columns[term]]
    np.testing.assert_array_equal(product, expected)


@given(problems(), st.integers(1, 64), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_top_cells_of_bags(problem, n_top, seed):
    synapses, drive, *_ = problem
    rng = np.random.default_rng(seed)
    n_cells = synapses.shape[1]
    n_top = min(n_top, n_cells)
    begins = np.concatenate([[0], np.cumsum(rng.integers(0, 6, size=9))])
    rows = rng.integers(0, len(synapses), begins[-1], dtype=np.int32)
    drive = Drive(np.float32(2.0**26), drive.floor)
    expected, wanted = NUMPY.top_cells(synapses, drive, rows, begins, n_top)
    cells, values = np.full((9, n_top), -9, np.int32), np.full((9, n_top), -9, np.int64)
    launch(
        "top_of_bags",
        9,
        synapses,
        n_cells,
        *drive,
        rows,
        begins.astype(np.int32),
        n_top,
        cells,
        values,
        shared=8 * n_cells,
    )
    np.testing.assert_array_equal(cells, expected)
    np.testing.assert_array_equal(values, wanted)


@given(
    st.sampled_from([(1, 1), (70, 63), (150, 130)]),
    st.integers(1, 200),
    st.integers(1, 160),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_best_codes(shape, n_best, codes_a_block, seed):
    n_codes, n_cells = shape
    rng = np.random.default_rng(seed)
    codes = rng.random(shape) < rng.choice([0.05, 0.3])
    queries = rng.random((3, n_cells)) < 0.3
    # two classes: the codes of the second are worth twice their overlap
    classes = rng.integers(0, 2, n_codes).astype(np.uint16)
    ranks = np.stack([np.arange(n_cells + 1), 2 * np.arange(n_cells + 1)]).astype(np.int32)
    n_blocks, n_best = -(-n_codes // codes_a_block), min(n_best, n_codes)
    shape = (3, n_blocks, n_best)
    found, found_ranks = np.full(shape, -9, np.int32), np.full(shape, -9, np.int32)
    columns, packed = np.ascontiguousarray(pack_rows(codes).T), pack_rows(queries)
    launch(
        "best_codes",
        (n_blocks, 3),
        columns,
        n_codes,
        len(columns),
        packed,
        classes,
        0,
        ranks,
        n_cells + 1,
        int(ranks.max()) + 1,
        codes_a_block,
        n_best,
        found,
        found_ranks,
        shared=4 * (32 + codes_a_block),
    )
    for q in range(3):
        scores = (codes.astype(int) @ queries[q].astype(int)) * (1 + classes)
        for b in range(n_blocks):
            mine = scores[b * codes_a_block : (b + 1) * codes_a_block]
            best = np.sort(np.argsort(-mine, kind="stable")[:n_best])
            np.testing.assert_array_equal(found[q, b, : len(best)], best + b * codes_a_block)
            np.testing.assert_array_equal(found_ranks[q, b, : len(best)], mine[best])
            assert (found_ranks[q, b, len(best) :] == -1).all()
