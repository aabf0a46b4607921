"""DenseFly: the signs of a random expansion, and a short hash that selects candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skfly.binarize._base import BitBinarizer, vector_mean
from skfly.binarize._randexp import random_expansion
from skfly.index import pack_codes


class DenseFly(BitBinarizer):
    """Hash vectors by the signs of a random expansion.

    Each cell adds up a few features, drawn at random, and its bit is one where the sum is
    positive [1]_: :class:`RandExp` without the competition. The mean over a group of cells gives
    a short *pseudo-hash* from the same sums. Search those with the same or a similar pseudo-hash
    first, and rank them by their codes.

    Parameters
    ----------
    n_bits : int, default=400
        Length of the codes: the number of cells.
    pseudo_hash_length : int, default=16
        Length of the pseudo-hashes: the number of groups that the cells are divided into.
    density : float, default=0.1
        Share of the features that a cell adds up; at least one.
    center : bool, default=True
        Whether the mean of the vectors seen in ``fit`` is subtracted first. Without it, the bits
        of vectors that are far from centred are mostly the same.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the choice of features.

    Attributes
    ----------
    components_ : scipy.sparse.csr_array of float64, (n_bits, n_features)
        Ones where a cell adds up a feature.
    mean_ : ndarray of float64, (n_features,)
        What is subtracted from the vectors; zeros without ``center``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    RandExp : The cells with the largest sums instead of all positive ones.
    LSH : Gaussian instead of sparse binary directions.

    References
    ----------
    .. [1] J. Sharma and S. Navlakha, "Improving Similarity Search with High-dimensional
       Locality-sensitive Hashing", 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import DenseFly
    >>> X = np.random.default_rng(0).normal(size=(1000, 50))
    >>> fly = DenseFly(n_bits=256, pseudo_hash_length=4, random_state=0)
    >>> codes, short = fly.fit_transform(X), fly.pseudo_hash(X)
    >>> codes.shape, short.shape
    ((1000, 256), (1000, 4))
    >>> candidates = np.flatnonzero((short == short[0]).all(axis=1))
    >>> nearest = candidates[(codes[candidates] != codes[0]).sum(axis=1).argsort()]
    >>> len(candidates) < 500, int(nearest[0])
    (True, 0)
    """

    def __init__(
        self,
        n_bits: int = 400,
        *,
        pseudo_hash_length: int = 16,
        density: float = 0.1,
        center: bool = True,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_bits = n_bits
        self.pseudo_hash_length = pseudo_hash_length
        self.density = density
        self.center = center
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        random = check_random_state(self.random_state)
        self.mean_ = vector_mean(X, self.center)
        self.components_ = random_expansion(self.n_bits, X.shape[1], self.density, random)

    def pseudo_hash(self, X: Any) -> NDArray[np.uint8]:
        """Return the pseudo-hashes of vectors, which select candidates for a search.

        Parameters
        ----------
        X : array-like, (n_samples, n_features)

        Returns
        -------
        hashes : ndarray of uint8, (n_samples, pseudo_hash_length)
            One where the mean over a group of neighbouring cells is positive; packed, if
            ``packed``. Groups differ in size by one cell at most.
        """
        check_is_fitted(self)
        n_cells, n_groups = self._code_width, self.pseudo_hash_length
        if n_groups > n_cells:
            raise ValueError(
                f"pseudo_hash_length={n_groups}, but there are {n_cells} cells: choose 1 to "
                f"{n_cells}"
            )
        starts = np.arange(n_groups) * n_cells // n_groups
        sums = (self._projected(part) for part in self._parts(X))
        bits = [np.add.reduceat(part, starts, axis=1) > 0 for part in sums]
        hashes = np.concatenate(bits)
        return pack_codes(hashes) if self.packed else hashes.view(np.uint8)
