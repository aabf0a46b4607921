"""Spectral hashing: the signs of eigenfunctions of the Laplacian on a box."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.binarize._base import BitBinarizer, principal_components


class SpectralHashing(BitBinarizer):
    r"""Hash vectors by the signs of the smoothest functions on the box that they fill.

    The vectors are taken to be spread evenly over a box along their principal directions. On a
    side from :math:`a` to :math:`b`, the eigenfunctions of the Laplacian are
    :math:`\cos(j \pi (x - a) / (b - a))`, with the eigenvalues :math:`(j \pi / (b - a))^2`. Those
    with the smallest eigenvalues, over all sides, each give a bit: one where the function is
    positive [1]_. A long side thus gets several bits, and there may be more bits than features.

    Parameters
    ----------
    n_bits : int, default=64
        Length of the codes.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.

    Attributes
    ----------
    components_ : ndarray of float, (n_components, n_features)
        The principal directions, at most ``n_bits`` of them.
    mean_ : ndarray of float, (n_features,)
        The mean of the vectors.
    ranges_ : ndarray of float64, (2, n_components)
        Where the vectors begin and end along each direction.
    directions_ : ndarray of int64, (n_bits,)
        The direction of each bit.
    modes_ : ndarray of int64, (n_bits,)
        The :math:`j` of each bit.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    PCAH : one bit per principal direction.

    Notes
    -----
    As published, only functions of a single direction are used: products of them depend on the
    others. A direction in which all vectors are alike has no bits; if they are all the same
    vector, there is nothing to tell apart and ``fit`` refuses them.

    References
    ----------
    .. [1] Y. Weiss, A. Torralba and R. Fergus, "Spectral Hashing", NIPS 2008.

    Examples
    --------
    >>> from skfly.binarize import SpectralHashing
    >>> hashing = SpectralHashing(n_bits=2).fit([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> hashing.transform([[0.5], [1.5], [2.5], [3.5]])
    array([[1, 1],
           [1, 0],
           [0, 0],
           [0, 1]], dtype=uint8)
    """

    _fewest_vectors = 2

    def __init__(self, n_bits: int = 64, *, packed: bool = False) -> None:
        self.n_bits = n_bits
        self.packed = packed

    def _fit(self, X: NDArray[Any]) -> None:
        pca = principal_components(X, min(self.n_bits, *X.shape))
        projected = pca.transform(X)
        ranges = np.stack([projected.min(axis=0), projected.max(axis=0)]).astype(np.float64)
        sides = ranges[1] - ranges[0]
        noise = len(X) * np.finfo(X.dtype).eps * np.abs(X).max()
        if not (sides > noise).any():
            raise ValueError("all vectors are equal: bits cannot distinguish them")
        self.directions_, self.modes_ = smoothest(np.where(sides > noise, sides, 0.0), self.n_bits)
        self.mean_, self.components_, self.ranges_ = pca.mean_, pca.components_, ranges

    def _bits(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        first, last = self.ranges_[:, self.directions_]
        along = self._projected(X)[:, self.directions_]
        return np.asarray(np.cos(np.pi * self.modes_ * (along - first) / (last - first)) > 0)

    @property
    def _code_width(self) -> int:
        return len(self.modes_)


def smoothest(
    sides: NDArray[np.float64], n_functions: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sides and modes of the eigenfunctions with the smallest eigenvalues.

    A side of length 0 has none.

    Examples
    --------
    >>> smoothest(np.array([3.0, 1.0]), 5)
    (array([0, 0, 0, 1, 0]), array([1, 2, 3, 1, 4]))
    """
    used = np.flatnonzero(sides > 0)
    # a short side cannot have more modes below the last eigenvalue than its share of the longest
    most = np.ceil(n_functions * sides[used] / sides[used].max()).astype(np.int64)
    directions = np.repeat(used, most)
    modes = np.concatenate([np.arange(1, n + 1) for n in most])
    order = np.lexsort((directions, np.round(modes / sides[directions], 12)))[:n_functions]
    return directions[order], modes[order]
