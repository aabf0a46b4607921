"""LSH: bits by random hyperplanes."""

import numpy as np
import pytest

from skfly.binarize import LSH


@pytest.mark.parametrize("degrees", [20, 60, 90, 150])
def test_vectors_agree_in_a_bit_as_often_as_their_angle_says(degrees):
    angle = np.deg2rad(degrees)
    X = np.zeros((2, 30))
    X[0, 3], X[1, 3], X[1, 17] = 2.0, np.cos(angle), np.sin(angle)
    left, right = LSH(n_bits=40_000, center=False, random_state=0).fit_transform(X)
    share = 1 - angle / np.pi
    error = np.sqrt(share * (1 - share) / 40_000)
    assert abs(np.mean(left == right) - share) < 4 * error


def test_codes_are_the_signs_of_projections():
    X = np.random.default_rng(0).normal(size=(5, 4))
    lsh = LSH(n_bits=12, random_state=3).fit(X)
    np.testing.assert_allclose(lsh.mean_, X.mean(axis=0))
    codes = lsh.transform(X)
    assert codes.dtype == np.uint8
    assert codes.shape == (5, 12)
    for i in range(5):
        for bit in range(12):
            assert codes[i, bit] == (sum(lsh.components_[bit] * (X[i] - lsh.mean_)) > 0)


def test_without_centring_length_does_not_matter_and_a_zero_vector_has_no_ones():
    X = np.random.default_rng(0).normal(size=(3, 6))
    lsh = LSH(center=False, random_state=0).fit(X)
    assert not lsh.mean_.any()
    np.testing.assert_array_equal(lsh.transform(X), lsh.transform(5 * X))
    assert not lsh.transform(np.zeros((1, 6))).any()


def test_with_centring_a_common_part_of_all_vectors_does_not_matter():
    X = np.random.default_rng(0).normal(size=(9, 6))
    near, far = (LSH(random_state=0).fit_transform(X + shift) for shift in (0.0, 7.0))
    np.testing.assert_array_equal(near, far)


def test_the_seed_decides():
    X = np.random.default_rng(0).normal(size=(9, 6))
    first, same, other = (LSH(random_state=s).fit_transform(X) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_bad_parameters():
    with pytest.raises(ValueError, match="n_bits"):
        LSH(n_bits=0).fit([[1.0]])
