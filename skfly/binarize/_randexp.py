"""Random expansion: the fly's circuit with random synapses instead of learned ones."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False, disallow-untyped-decorators=False

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from skfly._sklearn_compat import Interval, _fit_context, as_configured_sparse
from skfly.codes import codes_to_csr

__all__ = ["RandExp"]

_VECTORS_AT_A_TIME = 4096


class RandExp(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Hash vectors by a random expansion in which the strongest cells win.

    Each cell adds up a few features, drawn at random, and the code of a vector is one for the
    ``hash_length`` cells with the largest sums [1]_.

    Parameters
    ----------
    n_cells : int, default=400
        Width of the codes.
    hash_length : int, default=32
        Number of ones in a code. It may be changed after ``fit``.
    density : float, default=0.1
        Share of the features that a cell adds up; at least one.
    random_state : int, RandomState or None, default=None
        Draws the features of the cells.

    Attributes
    ----------
    components_ : scipy.sparse.csr_array of float64, (n_cells, n_features)
        Ones where a cell adds up a feature.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    LSH : Short codes of which half the bits are ones.

    Notes
    -----
    Most of a code is zeros, so the codes are a sparse matrix of ``float32``, as those of
    :class:`skfly.FlyHashVectorizer` are. Among equal sums the first cells win, so that there are
    always exactly ``hash_length`` ones.

    References
    ----------
    .. [1] S. Dasgupta, C. F. Stevens and S. Navlakha, "A neural algorithm for a fundamental
       computing problem", Science 358, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import RandExp
    >>> X = np.random.default_rng(0).normal(size=(3, 50))
    >>> codes = RandExp(n_cells=200, hash_length=8, random_state=0).fit_transform(X)
    >>> codes.shape, codes.sum(axis=1).ravel().tolist()
    ((3, 200), [[8.0, 8.0, 8.0]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_cells": [Interval(Integral, 1, None, closed="left")],
        "hash_length": [Interval(Integral, 1, None, closed="left")],
        "density": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_cells: int = 400,
        hash_length: int = 32,
        *,
        density: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.n_cells = n_cells
        self.hash_length = hash_length
        self.density = density
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> RandExp:  # noqa: ARG002
        """Draw the features of the cells; only their number is taken from the data.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self : RandExp
        """
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        self._check_hash_length(self.n_cells)
        n_features = X.shape[1]
        n_inputs = max(1, round(self.density * n_features))
        random = check_random_state(self.random_state)
        order = random.uniform(size=(self.n_cells, n_features)).argsort(axis=1)
        self.components_ = codes_to_csr(order[:, :n_inputs], n_features, np.float64)
        return self

    def transform(self, X: Any) -> Any:
        """Return the codes of vectors.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)

        Returns
        -------
        codes : sparse matrix of float32, (n_samples, n_cells)
            Exactly ``hash_length`` ones in a row.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        n_cells = self.components_.shape[0]
        self._check_hash_length(n_cells)
        cells = [
            np.argsort(-(self.components_ @ X[part].T).T, axis=1, kind="stable")[
                :, : self.hash_length
            ]
            for part in gen_batches(len(X), _VECTORS_AT_A_TIME)
        ]
        return as_configured_sparse(codes_to_csr(np.concatenate(cells), n_cells))

    def _check_hash_length(self, n_cells: int) -> None:
        if not 1 <= self.hash_length <= n_cells:
            raise ValueError(
                f"hash_length={self.hash_length}, but there are {n_cells} cells: set it to a "
                "number from 1 to that"
            )

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # ones and zeros, whatever the vectors are
        return tags
