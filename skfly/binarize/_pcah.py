"""PCA hashing: the signs of principal components."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skfly.binarize._base import (
    COUNT,
    SignBinarizer,
    check_n_bits,
    principal_components,
)


class PCAH(SignBinarizer):
    """Hash vectors by the signs of their principal components.

    A bit is one where a vector is on the positive side of the mean along a principal
    direction [1]_.

    Parameters
    ----------
    n_bits : int or None, default=None
        Length of the codes, the number of principal directions. ``None``: all of them,
        ``min(n_samples, n_features)``.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.

    Attributes
    ----------
    components_ : ndarray of float, (n_bits, n_features)
        The principal directions.
    mean_ : ndarray of float, (n_features,)
        The mean of the vectors.
    scales_ : ndarray of float64, (n_bits,)
        The mean distance from the mean along each direction, which ``inverse_transform`` takes
        a bit for.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    ITQ : Turns the principal components so that less is lost.
    SpectralHashing : Several bits for directions in which vectors differ most.

    References
    ----------
    .. [1] X.-J. Wang, L. Zhang, F. Jing and W.-Y. Ma, "AnnoSearch: Image Auto-Annotation by
       Search", CVPR 2006.

    Examples
    --------
    >>> from skfly.binarize import PCAH
    >>> pcah = PCAH(n_bits=1)
    >>> pcah.fit_transform([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]).ravel()
    array([0, 0, 1, 1], dtype=uint8)
    >>> pcah.inverse_transform([[1]])
    array([[3.5, 3.5]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_bits": [COUNT, None]}
    _fewest_vectors = 2

    def __init__(self, n_bits: int | None = None, *, packed: bool = False) -> None:
        self.n_bits = n_bits
        self.packed = packed

    def _fit(self, X: NDArray[Any]) -> None:
        pca = principal_components(X, check_n_bits(self.n_bits, X))
        self.mean_, self.components_ = pca.mean_, pca.components_
        self.scales_ = np.abs(pca.transform(X)).mean(axis=0, dtype=np.float64)
