"""The naive binarization: the largest features are one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skfly.binarize._base import COUNT, WinnerBinarizer, vector_mean


class TopK(WinnerBinarizer):
    """Set the largest features of a vector to one and the others to zero.

    The naive method of [1]_, with which others are compared.

    Parameters
    ----------
    hash_length : int or None, default=None
        Number of ones in a code. Can be changed after ``fit``. ``None``: a tenth of the
        features, at least one.
    center : bool, default=False
        Whether the mean of the vectors seen in ``fit`` is taken off first.
    packed : bool, default=False
        Whether codes are packed, 8 features a byte, as by :func:`skfly.codes.pack_codes`.

    Attributes
    ----------
    mean_ : ndarray of float64, (n_features,)
        What is subtracted from the vectors; zeros without ``center``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    RandExp : The largest sums of random features.

    Notes
    -----
    Codes are a sparse matrix of ``float32``, as wide as the vectors. Of equal features the first
    are taken, so that there are always exactly ``hash_length`` ones.

    References
    ----------
    .. [1] Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021.

    Examples
    --------
    >>> from skfly.binarize import TopK
    >>> TopK(hash_length=2).fit_transform([[0.1, -3.0, 0.5, 2.0]]).toarray()
    array([[0., 0., 1., 1.]], dtype=float32)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"hash_length": [COUNT, None]}

    def __init__(
        self, hash_length: int | None = None, *, center: bool = False, packed: bool = False
    ) -> None:
        self.hash_length = hash_length
        self.center = center
        self.packed = packed

    def _fit(self, X: NDArray[Any]) -> None:
        self._check_hash_length(X.shape[1])
        self.mean_ = vector_mean(X, self.center)

    def _activations(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(X - self.mean_)

    @property
    def _code_width(self) -> int:
        return len(self.mean_)
