"""Iterative quantization: the rotation of principal components whose signs lose least."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd
from sklearn.utils import check_random_state

from skfly.binarize._base import (
    COUNT,
    SignBinarizer,
    check_n_bits,
    principal_components,
)


class ITQ(SignBinarizer):
    r"""Hash vectors by iterative quantization.

    Rotate the principal components :math:`V` by the matrix :math:`R` that brings them nearest to
    their signs :math:`B`. :math:`\|B - VR\|^2` is minimised by alternating :math:`B =
    \mathrm{sign}(VR)` with the best :math:`R` for this :math:`B`, from a singular value
    decomposition [1]_.

    Parameters
    ----------
    n_bits : int or None, default=None
        Length of the codes, the number of principal directions to rotate. ``None``: all of them,
        ``min(n_samples, n_features)``.
    n_iter : int, default=50
        Number of iterations.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the initial rotation.

    Attributes
    ----------
    components_ : ndarray of float, (n_bits, n_features)
        The rotated principal directions.
    rotation_ : ndarray of float, (n_bits, n_bits)
        The rotation, an orthogonal matrix.
    mean_ : ndarray of float, (n_features,)
        The mean of the vectors.
    scales_ : ndarray of float64, (n_bits,)
        The mean distance from the mean along each direction, which ``inverse_transform`` uses as
        the value of a bit.
    quantization_losses_ : list of float
        The mean of :math:`\|B - VR\|^2` over the vectors, before the first iteration and after
        each.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    PCAH : Without the rotation.

    References
    ----------
    .. [1] Y. Gong and S. Lazebnik, "Iterative Quantization: A Procrustean Approach to Learning
       Binary Codes", CVPR 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import ITQ
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> itq = ITQ(n_bits=4, random_state=0)
    >>> itq.fit_transform(X).shape
    (100, 4)
    >>> itq.quantization_losses_[-1] < itq.quantization_losses_[0]
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_bits": [COUNT, None]}
    _fewest_vectors = 2

    def __init__(
        self,
        n_bits: int | None = None,
        *,
        n_iter: int = 50,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_bits = n_bits
        self.n_iter = n_iter
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        n_bits = check_n_bits(self.n_bits, X)
        pca = principal_components(X, n_bits)
        V = pca.transform(X)
        start = random_rotation(n_bits, check_random_state(self.random_state)).astype(V.dtype)
        self.rotation_, self.quantization_losses_ = improve_rotation(V, start, self.n_iter)
        self.mean_ = pca.mean_
        self.components_ = self.rotation_.T @ pca.components_
        self.scales_ = np.abs(V @ self.rotation_).mean(axis=0, dtype=np.float64)


def random_rotation(n: int, random: np.random.RandomState) -> NDArray[np.float64]:
    """Return an orthogonal matrix, drawn uniformly."""
    Q, R = np.linalg.qr(random.standard_normal((n, n)))
    return np.asarray(Q * np.where(np.diag(R) < 0, -1.0, 1.0))


def improve_rotation(
    V: NDArray[Any], rotation: NDArray[Any], n_iter: int
) -> tuple[NDArray[Any], list[float]]:
    """Return the rotation of ``V`` whose signs lose least, and the loss on the way to it.

    The loss is ``mean |B - VR|^2``, which is ``n_bits + mean |V|^2 - 2 mean |VR|_1``.
    """
    fixed = V.shape[1] + float(np.square(V, dtype=np.float64).sum()) / len(V)
    turned = V @ rotation
    losses = [fixed - 2 * _mean_norm(turned)]
    for _ in range(n_iter):
        signs = np.copysign(V.dtype.type(1), turned, out=turned)
        left, _, right = svd(V.T @ signs, check_finite=False)
        rotation = left @ right
        turned = np.matmul(V, rotation, out=turned)
        losses.append(fixed - 2 * _mean_norm(turned))
    return rotation, losses


def _mean_norm(turned: NDArray[Any]) -> float:
    return float(np.abs(turned).sum(dtype=np.float64)) / len(turned)
