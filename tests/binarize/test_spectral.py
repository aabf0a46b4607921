"""SpectralHashing: eigenfunctions on a box."""

import numpy as np
import pytest

from skfly.binarize import SpectralHashing
from skfly.binarize._spectral import smoothest


def _grid(*sides, n=21):
    """Return points that fill a box evenly, from corner to corner."""
    axes = [np.linspace(0, side, n) for side in sides]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(sides))


def test_bits_are_the_signs_of_the_eigenfunctions_of_a_box():
    sides = np.array([4.0, 2.3, 1.1])
    X = _grid(*sides)
    eigenvalues = {(i, j): (j * np.pi / sides[i]) ** 2 for i in range(3) for j in range(1, 13)}
    smallest = sorted(eigenvalues, key=eigenvalues.get)[:12]
    codes = SpectralHashing(n_bits=12).fit_transform(X)
    for bit, (i, j) in zip(codes.T, smallest, strict=True):
        function = np.cos(j * np.pi * X[:, i] / sides[i])
        sure = np.abs(function) > 1e-9
        agree = bit[sure] == (function[sure] > 0)
        # a principal direction may point the other way, which turns odd functions round
        assert agree.all() or (j % 2 == 1 and not agree.any())


def test_the_order_on_a_box_drawn_at_random():
    X = np.random.default_rng(0).uniform(size=(20_000, 2)) * [2.2, 1.0]
    hashing = SpectralHashing(n_bits=5).fit(X)
    assert list(zip(hashing.directions_.tolist(), hashing.modes_.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 1),
        (0, 3),
        (0, 4),
    ]


@pytest.mark.parametrize("n", [1, 4, 9])
def test_smoothest_functions_by_trying_all(n):
    sides = np.array([1.0, 0.0, 2.5, 1.7])
    every = [(m / side, i, m) for i, side in enumerate(sides) if side for m in range(1, 20)]
    directions, modes = smoothest(sides, n)
    found = list(zip(directions.tolist(), modes.tolist(), strict=True))
    assert found == [(i, m) for _, i, m in sorted(every)[:n]]


def test_a_direction_without_spread_has_no_bits():
    X = np.zeros((9, 3))
    X[:, 1] = np.arange(9)
    hashing = SpectralHashing(n_bits=4).fit(X)
    assert hashing.modes_.tolist() == [1, 2, 3, 4]
    assert set(hashing.directions_.tolist()) == {0}


def test_equal_vectors_are_refused():
    with pytest.raises(ValueError, match="all vectors are equal"):
        SpectralHashing().fit(np.full((5, 3), 0.1))
