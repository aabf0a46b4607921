"""Shared by the transformers: checks, centring, batches, output."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils import check_array, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from skfly._sklearn_compat import Interval, _fit_context, as_output
from skfly._threads import single_threaded_blas
from skfly.index import pack_codes
from skfly.model import codes_to_csr

_VECTORS_AT_A_TIME = 4096
_WORTH_THREADS = 1 << 25  # numbers in all vectors
COUNT = Interval(Integral, 1, None, closed="left")
_CONSTRAINTS: dict[str, Any] = {
    "n_bits": [COUNT],
    "n_cells": [COUNT],
    "hash_length": [COUNT],
    "pseudo_hash_length": [COUNT],
    "n_epochs": [COUNT],
    "batch_size": [COUNT],
    "n_iter": [Interval(Integral, 0, None, closed="left")],
    "density": [Interval(Real, 0, 1, closed="right")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "regularization": [Interval(Real, 0, None, closed="left")],
    "center": ["boolean"],
    "packed": ["boolean"],
    "random_state": ["random_state"],
}


def check_vectors(transformer: Any, X: Any, **checks: Any) -> NDArray[Any]:
    """Return vectors as floats, checked by scikit-learn."""
    return np.asarray(validate_data(transformer, X, dtype=[np.float64, np.float32], **checks))


def vector_mean(X: NDArray[Any], center: bool = True) -> NDArray[np.float64]:
    """Return what to subtract from the vectors: their mean, or zeros.

    Examples
    --------
    >>> vector_mean(np.array([[1.0, 2.0], [3.0, 2.0]])), vector_mean(np.ones((3, 2)), False)
    (array([2., 2.]), array([0., 0.]))
    """
    return X.mean(axis=0, dtype=np.float64) if center else np.zeros(X.shape[1])


def check_n_bits(n_bits: int | None, X: NDArray[Any]) -> int:
    """Return the number of bits, one a principal direction; ``None``: as many as can be.

    Examples
    --------
    >>> check_n_bits(None, np.ones((5, 3))), check_n_bits(2, np.ones((5, 3)))
    (3, 2)
    """
    n_samples, n_features = X.shape
    if n_bits is None:
        return int(min(n_samples, n_features))
    if n_bits > n_features:
        raise ValueError(
            f"n_bits={n_bits}, but the vectors have n_features={n_features}: there is one bit per "
            "principal direction at most. Take fewer, or LSH, SpectralHashing or NearLossless, "
            "which make any number of bits"
        )
    if n_bits > n_samples:
        raise ValueError(
            f"n_bits={n_bits}, but fit got n_samples={n_samples}: it needs at least as many "
            "vectors as bits"
        )
    return int(n_bits)


def principal_components(X: NDArray[Any], n_components: int) -> PCA:
    """Return fitted principal components, computed exactly and fast for many vectors."""
    solver = "covariance_eigh" if X.shape[0] > X.shape[1] else "full"
    return PCA(n_components, svd_solver=solver).fit(X)


class _Binarizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Base class of transformers from vectors to codes, with a parameter ``packed``."""

    packed: bool
    components_: Any
    mean_: NDArray[Any]
    _parameter_constraints: ClassVar[dict[str, Any]]
    _fewest_vectors: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Add the constraints of parameters that mean the same everywhere."""
        super().__init_subclass__(**kwargs)
        own = vars(cls).get("_parameter_constraints", {})
        cls._parameter_constraints = {
            name: own.get(name, _CONSTRAINTS[name]) for name in cls._get_param_names()
        }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Prepare the codes of vectors like these.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        X = check_vectors(self, X, ensure_min_samples=self._fewest_vectors)
        # many small products: on a busy machine, threads of BLAS that wait for each other take
        # ten times as long as one
        with single_threaded_blas() if X.size < _WORTH_THREADS else nullcontext():
            self._fit(X)
        return self

    @abstractmethod
    def _fit(self, X: NDArray[Any]) -> None:
        """Set the attributes that ``transform`` needs."""

    def _projected(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the products of centred vectors with the components."""
        centred = X - self.mean_
        if sparse.issparse(self.components_):
            return np.ascontiguousarray((self.components_ @ centred.T).T)
        return np.asarray(centred @ self.components_.T)

    @property
    def _code_width(self) -> int:
        """Return the number of bits of a code."""
        return int(self.components_.shape[0])

    @property
    def _n_features_out(self) -> int:
        return -(-self._code_width // 8) if self.packed else self._code_width

    def _parts(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the vectors to transform in batches."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        for part in gen_batches(len(X), _VECTORS_AT_A_TIME):
            yield X[part]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # bits, whatever the vectors are
        return tags


class BitBinarizer(_Binarizer):
    """Base class for codes in which about half of the bits are ones: dense arrays."""

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Return the codes of vectors.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)

        Returns
        -------
        codes : ndarray of uint8, (n_samples, n_bits)
            Ones and zeros; with ``packed=True``, 8 bits per byte, (n_samples, ceil(n_bits / 8)).
        """
        bits = (self._bits(part) for part in self._parts(X))
        return np.concatenate([pack_codes(b) if self.packed else b.view(np.uint8) for b in bits])

    def _bits(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Return the bits of some vectors."""
        return self._projected(X) > 0

    def _unpacked(self, codes: Any) -> NDArray[np.float64]:
        """Return codes from ``transform`` as ones and zeros."""
        check_is_fitted(self)
        codes = check_array(codes, accept_sparse="csr")
        if codes.shape[1] != self._n_features_out:
            raise ValueError(
                f"codes have {codes.shape[1]} columns, but {type(self).__name__} makes "
                f"{self._n_features_out}, with packed={self.packed}"
            )
        if sparse.issparse(codes):
            codes = codes.toarray()
        if self.packed:
            codes = np.unpackbits(
                codes.astype(np.uint8), axis=1, count=self._code_width, bitorder="little"
            )
        return np.asarray(codes != 0, dtype=np.float64)


class SignBinarizer(BitBinarizer):
    """Base class for codes that are signs of projections."""

    scales_: NDArray[np.float64]

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Return the vectors that codes stand for.

        Parameters
        ----------
        X : array-like, (n_samples, n_bits)
            Codes from ``transform``; packed, if ``packed``.

        Returns
        -------
        vectors : ndarray of float64, (n_samples, n_features)
        """
        signs = 2 * self._unpacked(X) - 1
        return np.asarray((signs * self.scales_) @ self.components_ + self.mean_)


class WinnerBinarizer(_Binarizer):
    """Base class for codes with ``hash_length`` ones at the largest values: sparse matrices."""

    hash_length: int | None

    def transform(self, X: Any) -> Any:
        """Return the codes of vectors.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)

        Returns
        -------
        codes : sparse matrix of float32, (n_samples, n_cells)
            Exactly ``hash_length`` ones in a row. With ``packed=True``, an ndarray of uint8,
            8 cells per byte.
        """
        check_is_fitted(self)
        width, length = self._code_width, self._check_hash_length(self._code_width)
        cells = [_largest(self._activations(part), length) for part in self._parts(X)]
        codes = codes_to_csr(np.concatenate(cells), width)
        return pack_codes(codes) if self.packed else as_output(codes)

    def _activations(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the values that compete."""
        return self._projected(X)

    def _check_hash_length(self, n_cells: int) -> int:
        """Return the hash length, which may have been changed after ``fit``."""
        length = max(1, n_cells // 10) if self.hash_length is None else self.hash_length
        if not 1 <= length <= n_cells:
            raise ValueError(
                f"hash_length={length}, but there are {n_cells} cells: choose 1 to {n_cells}"
            )
        return length


def _largest(values: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return the columns of the ``n`` largest values of each row; of equal ones, the first.

    Examples
    --------
    >>> _largest(np.array([[1.0, 3.0, 1.0, 2.0]]), 3)
    array([[1, 3, 0]])
    """
    return np.argsort(-values, axis=1, kind="stable")[:, :n]
