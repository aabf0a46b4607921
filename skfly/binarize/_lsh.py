"""Locality-sensitive hashing by random hyperplanes, also known as SimHash."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skfly.binarize._base import BitBinarizer, vector_mean


class LSH(BitBinarizer):
    r"""Hash vectors by their side of random hyperplanes (SimHash).

    A bit is one where the vector's product with a random Gaussian vector is positive. Two vectors
    with the angle :math:`\theta` between them agree in a bit with probability
    :math:`1 - \theta / \pi` [1]_.

    Parameters
    ----------
    n_bits : int, default=64
        Length of the codes.
    center : bool, default=True
        Whether to subtract the mean of the vectors seen in ``fit`` first, so that angles are
        measured from the mean. Word vectors are far from centred and get better codes with it.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the hyperplanes.

    Attributes
    ----------
    components_ : ndarray of float64, (n_bits, n_features)
        The normals of the hyperplanes.
    mean_ : ndarray of float64, (n_features,)
        What is subtracted from the vectors; zeros without ``center``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    ITQ : Learned hyperplanes.
    RandExp : Sparse codes.

    Notes
    -----
    About half of the bits are ones, so the codes are a dense array of ``uint8``: a sparse matrix
    would take more memory.

    References
    ----------
    .. [1] M. S. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import LSH
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]])
    >>> codes = LSH(n_bits=8, center=False, random_state=0).fit_transform(X)
    >>> [int((codes[0] == code).sum()) for code in codes]
    [8, 8, 0]
    """

    def __init__(
        self,
        n_bits: int = 64,
        *,
        center: bool = True,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_bits = n_bits
        self.center = center
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        random = check_random_state(self.random_state)
        self.mean_ = vector_mean(X, self.center)
        self.components_ = random.standard_normal((self.n_bits, X.shape[1]))
