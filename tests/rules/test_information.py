"""The formula of the fixed-point rule, on counts small enough to work out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import counts_of, problems
from skfly.engine import Drive, drive_for
from skfly.rules.lloyd import (
    information,
    information_bound,
    information_drives,
    information_terms,
)

# Two words, two cells. Rows: word 0 and 1 as context, word 0 and 1 as target.
COUNTS = np.array([[6, 0], [2, 4], [3, 0], [0, 1]], dtype=np.float32)
DRIVE = Drive(np.float32(1000), np.float32(-np.inf))


def terms_of(counts, shrinkage):
    words = counts.sum(axis=1, dtype=float)
    cells = counts.astype(float).reshape(2, -1, counts.shape[1]).sum(axis=1)
    return information_terms(words, cells, shrinkage)


def synapses_of(counts, shrinkage):
    synapses = np.full_like(counts, 9)
    information(synapses, counts, terms_of(counts, shrinkage))
    return synapses


def test_terms_number_by_number():
    # context block: p = (1/2, 1/2), cells have 8 and 4; target block: p = (3/4, 1/4), 3 and 1
    terms = terms_of(COUNTS, 4.0)
    np.testing.assert_allclose(terms.prior, [2, 2, 3, 1])
    np.testing.assert_allclose(terms.own, np.log([0.5, 0.5, 0.75, 0.25]), rtol=1e-6)
    np.testing.assert_allclose(terms.among, np.log([[12, 8], [7, 5]]), rtol=1e-6)
    assert {term.dtype for term in terms} == {np.dtype(np.float32)}


def test_information_is_the_logarithm_of_observed_over_expected():
    synapses = np.empty_like(COUNTS)
    largest = information(synapses, COUNTS, terms_of(COUNTS, 4.0))
    # context block: p = (1/2, 1/2); cell totals (8, 4); a = 4
    expected = np.log(
        [
            [(6 + 2) / (12 * 0.5), (0 + 2) / (8 * 0.5)],
            [(2 + 2) / (12 * 0.5), (4 + 2) / (8 * 0.5)],
            [(3 + 3) / (7 * 0.75), (0 + 3) / (5 * 0.75)],
            [(0 + 1) / (7 * 0.25), (1 + 1) / (5 * 0.25)],
        ]
    )
    np.testing.assert_allclose(synapses, expected, rtol=1e-6)
    assert largest == pytest.approx(expected.max())


def test_counts_may_become_synapses_in_place():
    counts = COUNTS.copy()
    information(counts, counts, terms_of(COUNTS, 4.0))
    np.testing.assert_array_equal(counts, synapses_of(COUNTS, 4.0))


def test_information_of_what_was_never_seen_is_zero():
    counts = np.array([[0, 0], [2, 4], [0, 0], [0, 1]], dtype=np.float32)
    synapses = synapses_of(counts, 0.0)
    assert (synapses[[0, 2]] == 0).all()
    assert np.isfinite(synapses[[1, 3]]).all()


def test_a_word_that_did_not_come_with_a_cell_counts_as_a_millionth():
    # word 0 as context never came with cell 1, which has 4 of context; p = 1/2
    assert synapses_of(COUNTS, 0.0)[0, 1] == pytest.approx(np.log(1e-6 / (4 * 0.5)))


@pytest.mark.parametrize("shrinkage", [0.0, 4.0])
def test_nothing_excites_a_cell_without_counts(shrinkage):
    counts = COUNTS.copy()
    counts[:, 0] = 0
    synapses = synapses_of(counts, shrinkage)
    assert np.isfinite(synapses).all()
    assert (synapses[:, 0] <= 1e-6).all()


def test_before_the_first_window_there_is_no_information():
    synapses = synapses_of(np.zeros_like(COUNTS), 4.0)
    np.testing.assert_array_equal(synapses, 0)
    assert information_bound(np.zeros((2, 2)), 4.0) == 0


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]))
def test_no_synapse_exceeds_the_bound(problem, shrinkage):
    counts, terms, bound = counts_of(problem[0], shrinkage)
    largest = information(counts, counts, terms)
    assert largest == max(counts.max(), 0)
    assert largest <= bound + 1e-5


@given(problems(), st.sampled_from([0.0, 0.5, 1e4]), st.sampled_from([-np.inf, 0.0]))
def test_drives_are_those_of_the_synapses(problem, shrinkage, floor):
    counts, terms, bound = counts_of(problem[0], shrinkage)
    # a gain that leaves room for what is far below zero too
    drive = drive_for(bound if floor == 0 else 100.0, 11, floor)
    drives = np.full(counts.shape, 77, np.int16)
    information_drives(drives, counts, terms, drive)
    information(counts, counts, terms)
    np.testing.assert_array_equal(drives, np.rint(np.maximum(counts, floor) * drive.gain))


def test_drives_are_set_for_the_rows_of_a_batch_only():
    terms = terms_of(COUNTS, 4.0)
    whole, part = np.full((2, 4, 2), 77, dtype=np.int16)
    information_drives(whole, COUNTS, terms, DRIVE)
    information_drives(part, COUNTS, terms, DRIVE, np.array([1, 3]))
    assert (part[[0, 2]] == 77).all()
    np.testing.assert_array_equal(part[[1, 3]], whole[[1, 3]])
    assert (whole != 77).all()
