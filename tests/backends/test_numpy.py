"""The reference backend on examples small enough to work out by hand."""

import numpy as np
import pytest

from skfly.backends import fixed_point_gain
from skfly.backends._numpy import NumpyBackend

# Two words, three cells. Rows: word 0 and 1 as context, word 0 and 1 as target.
SYNAPSES = np.array(
    [
        [0.5, 0.0, 0.1],
        [0.0, 0.6, 0.1],
        [0.0, 0.2, 0.0],
        [0.3, 0.0, 0.0],
    ],
    dtype=np.float32,
)
GAIN = np.full(3, 1000, dtype=np.float32)


def sentences(*lists):
    ids = np.array([i for words in lists for i in words], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, lists)])
    return ids, offsets


def winners(*lists, window=3, truncate=True, synapses=SYNAPSES):
    ids, offsets = sentences(*lists)
    found = NumpyBackend().find_winners(synapses, GAIN, ids, offsets, window, truncate)
    return found.tolist()


def test_winner_of_a_window_is_the_cell_with_the_largest_sum():
    # centre 0 with context {1}: cells get 0.0+0.0, 0.6+0.2, 0.1 -> cell 1
    # centre 1 with context {0}: 0.5+0.3, 0.0, 0.1 -> cell 0
    assert winners([0, 1]) == [1, 0]


def test_context_is_a_binary_bag():
    # centre 1 between two 0s: counted once, 0.5 + 0.3; counted twice it would be 1.3
    synapses = SYNAPSES.copy()
    synapses[3] = [0.0, 0.9, 0.0]  # 0.5 < 0.9 < 2 * 0.5
    assert winners([0, 1, 0], synapses=synapses)[1] == 1


def test_windows_do_not_cross_sentences():
    synapses = SYNAPSES.copy()
    synapses[2] = [0.0, 0.0, 0.55]  # word 0 as target; word 1 as context gives cell 1 0.6
    assert winners([0, 1], synapses=synapses)[0] == 2
    synapses[1] = [0.0, 0.9, 0.0]
    assert winners([0, 1], synapses=synapses)[0] == 1
    assert winners([0], [1], synapses=synapses)[0] == 2


def test_unknown_words_take_a_place_and_give_no_input():
    # with the gap, 1 is outside the window of 0: only the target row of 0 is on
    assert winners([0, -1, 1])[0] == 1
    synapses = SYNAPSES.copy()
    synapses[2] = [0.0, 0.0, 0.55]  # beats 0.1, not 0.6 of word 1 as context
    assert winners([0, 1], synapses=synapses)[0] == 2
    assert winners([0, -1, 1], synapses=synapses)[0] == 2
    synapses[1] = [0.0, 0.9, 0.0]
    assert winners([0, 1], synapses=synapses)[0] == 1
    assert winners([0, -1, 1], synapses=synapses)[0] == 2


def test_a_window_around_an_unknown_word_has_only_context():
    assert winners([0, -1])[1] == 0


def test_a_window_without_a_known_word_has_no_winner():
    assert winners([-1, -1, -1, 0], window=3) == [-1, -1, 0, 1]


def test_whole_windows_only():
    assert winners([0, 1, 0, 1], truncate=False) == [-1, *winners([0, 1, 0, 1])[1:3], -1]
    assert winners([0, 1], truncate=False) == [-1, -1]


def test_ties_go_to_the_lowest_cell():
    assert winners([0], synapses=np.ones((4, 3), dtype=np.float32)) == [0]


def test_add_windows_adds_the_weighted_input_to_the_winner():
    ids, offsets = sentences([0, 1])
    sums = np.zeros((4, 3), dtype=np.float32)
    rates = np.array([0.5, 2.0], dtype=np.float32)
    added = NumpyBackend().add_windows(
        sums, rates, ids, offsets, np.array([2, 0], dtype=np.int32), window=3
    )
    expected = np.zeros((4, 3))
    expected[[1, 2], 2] = [2.0, 0.5]  # centre 0: context 1 and target 0, to cell 2
    expected[[0, 3], 0] = [0.5, 2.0]  # centre 1: context 0 and target 1, to cell 0
    np.testing.assert_array_equal(sums, expected)
    np.testing.assert_array_equal(added.overlap, 0)
    np.testing.assert_array_equal(added.square, (expected**2).sum(axis=0))


def test_overlap_and_square_keep_the_norms_up_to_date():
    rng = np.random.default_rng(0)
    ids, offsets = sentences([0, 1, 1], [1, 0])
    sums = rng.random((4, 3), dtype=np.float32)
    before = (sums.astype(float) ** 2).sum(axis=0)
    added = NumpyBackend().add_windows(
        sums,
        np.array([0.5, 2.0], np.float32),
        ids,
        offsets,
        np.array([0, 2, 2, -1, 1], dtype=np.int32),
        window=3,
    )
    after = before + 2 * added.overlap + added.square
    np.testing.assert_allclose(after, (sums.astype(float) ** 2).sum(axis=0), rtol=1e-6)


def test_one_hebbian_step_number_by_number():
    # One cell, one word: d = (2, 4), W = (0.5, 0.25).
    # <W, d> = 2.  dS = d - 2 W = (1, 3.5).  W += 0.7 * dS / 3.5 = W + (0.2, 0.7)
    synapses = np.array([[0.5], [0.25]], dtype=np.float32)
    increments = np.array([[2.0], [4.0]], dtype=np.float32)
    done = NumpyBackend().hebbian_step(synapses, increments, 0.7)
    np.testing.assert_allclose(synapses, [[0.7], [0.95]], rtol=1e-6)
    np.testing.assert_array_equal(increments, 0)
    assert done.largest == pytest.approx(0.95)
    assert done.energy == pytest.approx(-2 / np.hypot(0.5, 0.25))


def test_a_hebbian_step_without_windows_changes_nothing():
    synapses = SYNAPSES.copy()
    done = NumpyBackend().hebbian_step(synapses, np.zeros_like(synapses), 0.7)
    np.testing.assert_array_equal(synapses, SYNAPSES)
    assert done.energy == 0


def test_count_top_cells_counts_for_the_target():
    ids, offsets = sentences([0, 1, -1])
    counts = np.zeros((2, 3), dtype=np.float32)
    n_windows = NumpyBackend().count_top_cells(counts, SYNAPSES, GAIN, ids, offsets, 3, True, 2)
    assert n_windows == 2  # the window around the unknown word has no target
    # 0: activations (0, .8, .1) -> cells 1, 2;  1: (.8, 0, .1) -> cells 0, 2
    assert counts.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_top_cells_come_by_falling_activation():
    rows, indptr = np.array([0, 1], dtype=np.int32), np.array([0, 2, 2])
    cells, values = NumpyBackend().top_cells(SYNAPSES, GAIN, rows, indptr, 3)
    assert cells.tolist() == [[1, 0, 2], [-1, -1, -1]]
    assert values.tolist() == [[600, 500, 200], [0, 0, 0]]


@pytest.mark.parametrize("n_terms", [1, 2, 12, 1002])
def test_fixed_point_sums_fit_32_bits(n_terms):
    gain = fixed_point_gain(np.array([0.3, 7.0, 0.0]), n_terms)
    assert gain[2] == 0
    for largest, factor in zip([0.3, 7.0], gain[:2], strict=True):
        total = n_terms * np.rint(np.float32(largest) * factor)
        assert 2**28 < total < 2**31
