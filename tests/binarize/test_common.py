"""What all transformers of dense vectors have in common."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import skfly.binarize
from skfly.binarize import (
    ITQ,
    LSH,
    PCAH,
    BioHash,
    DenseFly,
    NearLossless,
    RandExp,
    SpectralHashing,
    TopK,
)
from skfly.codes import pack_codes

ALL = [
    LSH(n_bits=11, random_state=0),
    RandExp(n_cells=20, hash_length=4, random_state=0),
    TopK(hash_length=3),
    PCAH(n_bits=11),
    ITQ(n_bits=11, random_state=0),
    SpectralHashing(n_bits=11),
    NearLossless(n_bits=11, random_state=0),
    BioHash(n_cells=20, hash_length=4, random_state=0),
    DenseFly(n_bits=11, pseudo_hash_length=3, random_state=0),
]
WITH_INVERSE = [t for t in ALL if hasattr(t, "inverse_transform")]


def name(transformer):
    return type(transformer).__name__


@parametrize_with_checks([getattr(skfly.binarize, name)() for name in skfly.binarize.__all__])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@parametrize_with_checks([ITQ(n_bits=1), PCAH(n_bits=1), SpectralHashing(n_bits=3), TopK(1)])
def test_scikit_learn_checks_with_few_bits(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 13)) + 0.5


def test_all_are_tested():
    assert {name(t) for t in ALL} == set(skfly.binarize.__all__)


def test_which_have_an_inverse():
    assert {name(t) for t in WITH_INVERSE} == {"PCAH", "ITQ", "NearLossless"}


@pytest.mark.parametrize("transformer", ALL, ids=name)
class TestAll:
    def test_packed_codes_are_the_same_codes(self, transformer, X):
        codes = clone(transformer).fit_transform(X)
        packing = clone(transformer).set_params(packed=True)
        packed = packing.fit_transform(X)
        assert packed.dtype == np.uint8
        np.testing.assert_array_equal(packed, pack_codes(codes))
        assert len(packing.get_feature_names_out()) == packed.shape[1]
        packing.set_params(packed=False)
        assert len(packing.get_feature_names_out()) == codes.shape[1]

    def test_codes_are_zeros_and_ones(self, transformer, X):
        codes = clone(transformer).fit_transform(X)
        if sparse.issparse(codes):
            assert codes.dtype == np.float32
            codes = codes.toarray()
        else:
            assert codes.dtype == np.uint8
        assert set(np.unique(codes).tolist()) == {0, 1}

    def test_more_vectors_than_are_taken_at_a_time(self, transformer, X, monkeypatch):
        fitted = clone(transformer).fit(X)
        whole = pack_codes(fitted.transform(X))
        monkeypatch.setattr("skfly.binarize._base._VECTORS_AT_A_TIME", 7)
        np.testing.assert_array_equal(pack_codes(fitted.transform(X)), whole)

    def test_float32_gives_the_same_codes(self, transformer, X):
        X = X.astype(np.float32)  # the same numbers
        exact = pack_codes(clone(transformer).fit_transform(X.astype(np.float64)))
        np.testing.assert_array_equal(pack_codes(clone(transformer).fit_transform(X)), exact)

    def test_vectors_are_not_changed(self, transformer, X):
        before = X.copy()
        clone(transformer).fit_transform(X)
        np.testing.assert_array_equal(X, before)

    def test_zero_vectors_have_a_code(self, transformer, X):
        X[3:6] = 0
        codes = pack_codes(clone(transformer).fit_transform(X))
        np.testing.assert_array_equal(codes[3], codes[4])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_numbers_must_be_finite(self, transformer, X, bad):
        fitted = clone(transformer).fit(X)
        X[2, 2] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fitted.transform(X)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            clone(transformer).fit(X)

    def test_no_vectors(self, transformer, X):
        with pytest.raises(ValueError, match="0 sample"):
            clone(transformer).fit(X[:0])

    def test_makes_keyed_vectors(self, transformer, X):
        pytest.importorskip("gensim")
        from gensim.models import KeyedVectors

        from skfly import FlyKeyedVectors

        dense = KeyedVectors(13)
        dense.add_vectors([f"word{i}" for i in range(len(X))], X)
        codes = clone(transformer).fit_transform(dense.vectors)
        made = [
            FlyKeyedVectors.from_dense(
                dense, name(transformer).lower(), **transformer.get_params()
            ),
            FlyKeyedVectors.from_dense(dense, clone(transformer)),
            FlyKeyedVectors.from_dense(dense, clone(transformer).set_params(packed=True)),
        ]
        codes = codes.toarray() if sparse.issparse(codes) else codes
        for wv in made:
            assert wv.vector_size == codes.shape[1]
            np.testing.assert_array_equal(wv.vectors, codes)


@pytest.mark.parametrize("transformer", WITH_INVERSE, ids=name)
class TestInverse:
    def test_restores_more_than_the_mean_does(self, transformer, X):
        fitted = clone(transformer)
        restored = fitted.inverse_transform(fitted.fit_transform(X))
        assert restored.shape == X.shape
        assert np.square(X - restored).mean() < 0.7 * X.var(axis=0).mean()

    def test_packed_and_sparse_codes(self, transformer, X):
        fitted = clone(transformer).fit(X)
        codes = fitted.transform(X)
        restored = fitted.inverse_transform(codes)
        np.testing.assert_array_equal(fitted.inverse_transform(sparse.csr_array(codes)), restored)
        fitted.set_params(packed=True)
        np.testing.assert_array_equal(fitted.inverse_transform(fitted.transform(X)), restored)

    def test_codes_of_another_width(self, transformer, X):
        fitted = clone(transformer).fit(X)
        with pytest.raises(ValueError, match=r"codes have 5 columns, but .* makes 11"):
            fitted.inverse_transform(np.ones((2, 5)))


@pytest.mark.parametrize("cls", [PCAH, ITQ])
class TestPrincipalDirections:
    def test_more_bits_than_features(self, cls, X):
        with pytest.raises(ValueError, match="n_bits=14, but the vectors have n_features=13"):
            cls(n_bits=14).fit(X)

    def test_fewer_vectors_than_bits(self, cls, X):
        with pytest.raises(ValueError, match="n_bits=8, but fit got n_samples=7"):
            cls(n_bits=8).fit(X[:7])

    def test_as_many_bits_as_can_be(self, cls, X):
        assert cls().fit_transform(X).shape == (40, 13)
        assert cls().fit_transform(X[:7]).shape == (7, 7)


@pytest.mark.parametrize("cls", [LSH, SpectralHashing, NearLossless, DenseFly])
def test_others_make_any_number_of_bits(cls, X):
    assert cls(n_bits=50).fit_transform(X[:7]).shape == (7, 50)
