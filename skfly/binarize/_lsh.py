"""Locality-sensitive hashing by random hyperplanes, also known as SimHash."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False, disallow-untyped-decorators=False

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from skfly._sklearn_compat import Interval, _fit_context

__all__ = ["LSH"]


class LSH(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Hash vectors by the side of random hyperplanes that they are on (SimHash).

    A bit is one where the vector's product with a random Gaussian vector is positive. Two vectors
    with the angle :math:`\theta` between them agree in a bit with probability
    :math:`1 - \theta / \pi` [1]_.

    Parameters
    ----------
    n_bits : int, default=64
        Length of the codes.
    random_state : int, RandomState or None, default=None
        Draws the hyperplanes.

    Attributes
    ----------
    components_ : ndarray of float64, (n_bits, n_features)
        The normals of the hyperplanes.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    RandExp : Sparse codes.

    Notes
    -----
    About half of the bits are ones, so the codes are a dense array of ``uint8``: a sparse matrix
    would take more memory. :func:`skfly.codes.pack_codes` makes a bit of each byte.

    References
    ----------
    .. [1] M. S. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import LSH
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]])
    >>> codes = LSH(n_bits=8, random_state=0).fit_transform(X)
    >>> [int((codes[0] == code).sum()) for code in codes]
    [8, 8, 0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_bits": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_bits: int = 64, *, random_state: Any = None) -> None:
        self.n_bits = n_bits
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> LSH:  # noqa: ARG002
        """Draw the hyperplanes; only the number of features is taken from the data.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self : LSH
        """
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        random = check_random_state(self.random_state)
        self.components_ = random.standard_normal((self.n_bits, X.shape[1]))
        return self

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Return the codes of vectors.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)

        Returns
        -------
        codes : ndarray of uint8, (n_samples, n_bits)
            Ones and zeros.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return np.asarray(X @ self.components_.T > 0, dtype=np.uint8)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # bits, whatever the vectors are
        return tags
