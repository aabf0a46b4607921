"""The formula of the published rule, on networks small enough to work out by hand."""

import numpy as np
import pytest

from skfly.rules.hebbian import hebbian_step


def test_one_step_number_by_number():
    # One cell, one word: d = (2, 4), W = (0.5, 0.25).
    # <W, d> = 2.  dS = d - 2 W = (1, 3.5).  W += 0.7 * dS / 3.5 = W + (0.2, 0.7)
    synapses = np.array([[0.5], [0.25]], dtype=np.float32)
    increments = np.array([[2.0], [4.0]], dtype=np.float32)
    energy, largest = hebbian_step(synapses, increments, np.array([2.0]), 0.7)
    np.testing.assert_allclose(synapses, [[0.7], [0.95]], rtol=1e-6)
    np.testing.assert_array_equal(increments, 0)
    assert largest == pytest.approx(0.95)
    assert energy == pytest.approx(-2 / np.hypot(0.5, 0.25))


def test_the_largest_entry_of_all_cells_sets_the_pace():
    # without overlap dS = d; its largest absolute entry, -8, moves by the learning rate
    synapses = np.zeros((2, 2), dtype=np.float32)
    increments = np.array([[2.0, -8.0], [4.0, 1.0]], dtype=np.float32)
    _, largest = hebbian_step(synapses, increments, np.zeros(2), 0.5)
    np.testing.assert_allclose(synapses, [[0.125, -0.5], [0.25, 0.0625]])
    assert largest == 0.5


def test_a_step_without_windows_changes_nothing():
    before = np.array([[0.5, 0.0, 0.1], [0.3, 0.6, 0.0]], dtype=np.float32)
    synapses = before.copy()
    energy, largest = hebbian_step(synapses, np.zeros_like(synapses), np.zeros(3), 0.7)
    np.testing.assert_array_equal(synapses, before)
    assert energy == 0
    assert largest == np.float32(0.6)


def test_a_cell_without_synapses_has_no_energy():
    synapses = np.zeros((2, 1), dtype=np.float32)
    increments = np.array([[2.0], [4.0]], dtype=np.float32)
    done = hebbian_step(synapses, increments, np.zeros(1), 0.5)
    np.testing.assert_allclose(synapses, [[0.25], [0.5]])
    assert done == (0, 0.5)
