"""Random expansion: the fly's circuit with random synapses instead of learned ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from skfly.binarize._base import WinnerBinarizer, vector_mean
from skfly.model import codes_to_csr


class RandExp(WinnerBinarizer):
    """Hash vectors by a random expansion in which the strongest cells win.

    Each cell adds up a few features, drawn at random, and the code of a vector is one for the
    ``hash_length`` cells with the largest sums [1]_.

    Parameters
    ----------
    n_cells : int, default=400
        Width of the codes.
    hash_length : int, default=32
        Number of ones in a code. Can be changed after ``fit``.
    density : float, default=0.1
        Share of the features that a cell adds up; at least one.
    center : bool, default=True
        Whether the mean of the vectors seen in ``fit`` is taken off first. Word vectors are far
        from centred: without it, some cells win for most of them.
    packed : bool, default=False
        Whether codes are packed, 8 cells per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the choice of features.

    Attributes
    ----------
    components_ : scipy.sparse.csr_array of float64, (n_cells, n_features)
        Ones where a cell adds up a feature.
    mean_ : ndarray of float64, (n_features,)
        What is subtracted from the vectors; zeros without ``center``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    BioHash : Learned synapses.
    DenseFly : The signs of all sums.
    LSH : Short codes of which half the bits are ones.
    TopK : The largest features themselves.

    Notes
    -----
    Most of a code is zeros, so the codes are a sparse matrix of ``float32``, as those of
    :class:`skfly.FlyHashVectorizer` are. Ties go to the first cells, so that there are
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

    def __init__(
        self,
        n_cells: int = 400,
        hash_length: int = 32,
        *,
        density: float = 0.1,
        center: bool = True,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_cells = n_cells
        self.hash_length = hash_length
        self.density = density
        self.center = center
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        self._check_hash_length(self.n_cells)
        random = check_random_state(self.random_state)
        self.mean_ = vector_mean(X, self.center)
        self.components_ = random_expansion(self.n_cells, X.shape[1], self.density, random)


def random_expansion(
    n_cells: int, n_features: int, density: float, random: np.random.RandomState
) -> sparse.csr_array:
    """Return ones where cells add up features, each the same number of them."""
    n_inputs = max(1, round(density * n_features))
    order = random.uniform(size=(n_cells, n_features)).argsort(axis=1)
    return codes_to_csr(order[:, :n_inputs], n_features, np.float64)
