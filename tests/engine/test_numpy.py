"""The reference engine on examples small enough to work out by hand."""

import numpy as np
import pytest

from skfly.engine import Drive, drive_for, fixed_point_gain
from skfly.engine._numpy import NumpyEngine, log32

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
DRIVE = Drive(np.float32(1000), np.float32(-np.inf))


def sentences(*lists):
    ids = np.array([i for words in lists for i in words], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, lists)])
    return ids, offsets


def drives_of(synapses, drive=DRIVE):
    drives = np.empty(synapses.shape, np.int16)
    NumpyEngine().set_drives(drives, synapses, drive)
    return drives


def test_drives_are_whole_numbers_above_the_floor():
    drives = drives_of(SYNAPSES, Drive(np.float32(10), np.float32(0.14)))
    assert drives.tolist() == [[5, 1, 1], [1, 6, 1], [1, 2, 1], [3, 1, 1]]


def winners(*lists, window=3, truncate=True, synapses=SYNAPSES):
    ids, offsets = sentences(*lists)
    found = NumpyEngine().find_winners(drives_of(synapses), ids, offsets, window, truncate)
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
    assert winners([0], synapses=np.ones((4, 1), dtype=np.float32)) == [0]


def test_add_windows_adds_the_weighted_input_to_the_winner():
    ids, offsets = sentences([0, 1])
    sums = np.zeros((4, 3), dtype=np.float32)
    rates = np.array([0.5, 2.0], dtype=np.float32)
    winners = np.array([2, 0], dtype=np.int32)
    added = NumpyEngine().add_windows(sums, rates, SYNAPSES, ids, offsets, winners, window=3)
    expected = np.zeros((4, 3))
    expected[[1, 2], 2] = [2.0, 0.5]  # centre 0: context 1 and target 0, to cell 2
    expected[[0, 3], 0] = [0.5, 2.0]  # centre 1: context 0 and target 1, to cell 0
    np.testing.assert_array_equal(sums, expected)
    # cell 2 has synapses 0.1 and 0.0; cell 0 has 0.5 and 0.3
    expected_overlap = [0.5 * 0.5 + 2.0 * 0.3, 0, 2.0 * 0.1]
    np.testing.assert_allclose(added.overlap, expected_overlap, rtol=1e-6)
    assert added.words.tolist() == [1, 1, 1, 1]
    assert added.cells.tolist() == [[1, 0, 1], [1, 0, 1]]


def test_logarithms_are_right_to_three_units_of_the_last_place():
    values = np.concatenate([np.geomspace(1e-6, 1e6, 20_001), np.linspace(0.5, 2, 20_001)])
    values = values.astype(np.float32)
    exact = np.log(values.astype(np.float64))
    unit = np.spacing(np.abs(exact).astype(np.float32))
    assert (np.abs(log32(values) - exact) / unit).max() < 3


def test_count_top_counts_for_every_word_of_a_window():
    ids, offsets = sentences([0, 1, -1])
    counts = np.zeros((2, 3), dtype=np.float32)
    n_windows = NumpyEngine().count_top(counts, drives_of(SYNAPSES), (ids, offsets), 3, True, 1)
    # around 0: (0, .8, .1), cell 1, has both words; around 1: (.8, 0, .1), cell 0, has both;
    # around the gap: (0, .6, .1), cell 1, has word 1
    assert n_windows == 3
    assert counts.tolist() == [[1, 1, 0], [1, 2, 0]]


def test_a_word_counts_once_in_a_window():
    ids, offsets = sentences([0, 0, 0])
    counts = np.zeros((2, 3), dtype=np.float32)
    NumpyEngine().count_top(counts, drives_of(SYNAPSES), (ids, offsets), 3, True, 1)
    assert counts.sum() == 3  # three windows, one cell each


def test_top_cells_come_by_falling_activation():
    rows, indptr = np.array([0, 1], dtype=np.int32), np.array([0, 2, 2])
    cells, values = NumpyEngine().top_cells(SYNAPSES, DRIVE, rows, indptr, 3)
    assert cells.tolist() == [[1, 0, 2], [-1, -1, -1]]
    assert values.tolist() == [[600, 500, 200], [0, 0, 0]]
    assert (cells.dtype, values.dtype) == (np.int32, np.int64)


def test_synapses_below_the_floor_count_as_the_floor():
    rows, indptr = np.array([0, 1], dtype=np.int32), np.array([0, 2])
    drive = Drive(np.float32(1000), np.float32(0.2))
    cells, values = NumpyEngine().top_cells(SYNAPSES, drive, rows, indptr, 3)
    assert cells.tolist() == [[1, 0, 2]]
    assert values.tolist() == [[800, 700, 400]]


@pytest.mark.parametrize("n_terms", [1, 2, 12, 1002])
@pytest.mark.parametrize("largest", [0.3, 7.0])
def test_fixed_point_sums_fit_their_bits(n_terms, largest):
    gain = fixed_point_gain(largest, n_terms)
    assert 2**28 < n_terms * np.rint(np.float32(largest) * gain) < 2**31
    gain = drive_for(largest, n_terms - 1, 0.0).gain
    assert 2**14 < n_terms * np.rint(np.float32(largest) * gain) < 2**15


def test_a_network_without_weights_has_no_gain():
    assert drive_for(0.0, window=11, floor=0.0) == (0, 0)
