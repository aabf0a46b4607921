"""PCAH: the signs of principal components."""

import numpy as np
from sklearn.decomposition import PCA

from skfly.binarize import PCAH


def test_bits_are_the_signs_of_principal_components():
    X = np.random.default_rng(0).normal(size=(60, 8)) * np.arange(1, 9) + 2.0
    expected = PCA(5, svd_solver="full").fit_transform(X) > 0
    np.testing.assert_array_equal(PCAH(n_bits=5).fit_transform(X), expected)


def test_no_other_scale_restores_more():
    X = np.random.default_rng(0).normal(size=(60, 8)) * np.arange(1, 9)
    pcah = PCAH(n_bits=5).fit(X)
    codes = pcah.transform(X)

    def lost():
        return np.square(X - pcah.inverse_transform(codes)).sum()

    best, scales = lost(), pcah.scales_
    for factor in (0.9, 1.1):
        pcah.scales_ = factor * scales
        assert lost() > best
