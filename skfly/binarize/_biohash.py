"""BioHash: cells that compete for dense vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches

from skfly.binarize._base import WinnerBinarizer, vector_mean


class BioHash(WinnerBinarizer):
    r"""Hash vectors with cells that compete for them.

    For each vector :math:`x` the cell with the largest :math:`\langle W_m, x \rangle` wins and
    moves towards it, :math:`\Delta W_m \propto x - \langle W_m, x \rangle W_m`, which keeps its
    synapses near unit length. The code of a vector is one for the ``hash_length`` most active
    cells [1]_. It is the learning of :class:`skfly.FlyHashVectorizer` with
    ``learning="hebbian"``, for dense vectors.

    Parameters
    ----------
    n_cells : int, default=400
        Width of the codes.
    hash_length : int, default=32
        Number of ones in a code. Can be changed after ``fit``.
    n_epochs : int, default=20
        Passes over the vectors.
    batch_size : int, default=100
        Vectors per step.
    learning_rate : float, default=0.1
        Largest change of a synapse in a step; it falls to 0 over the epochs.
    center : bool, default=True
        Whether the mean of the vectors seen in ``fit`` is subtracted first. Without it, vectors
        that are far from centred leave most of the cells without a win.
    packed : bool, default=False
        Whether codes are packed, 8 cells per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the initial synapses and the order of the vectors.

    Attributes
    ----------
    components_ : ndarray of float64, (n_cells, n_features)
        The synapses :math:`W`.
    mean_ : ndarray of float64, (n_features,)
        What is subtracted from the vectors; zeros without ``center``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    RandExp : Random synapses instead of learned ones.

    Notes
    -----
    The changes of a batch are added up and divided by the largest absolute entry of the sum, as
    the authors' code does: the learning rate does not depend on the scale of the vectors.

    References
    ----------
    .. [1] C. K. Ryali, J. J. Hopfield, L. Grinberg and D. Krotov, "Bio-Inspired Hashing for
       Unsupervised Similarity Search", ICML 2020.

    Examples
    --------
    Two bunches of vectors share no cell:

    >>> import numpy as np
    >>> from skfly.binarize import BioHash
    >>> noise = np.random.default_rng(0).normal(scale=0.1, size=(100, 8))
    >>> X = np.repeat(np.eye(8)[:2], 50, axis=0) + noise
    >>> codes = BioHash(n_cells=20, hash_length=4, random_state=0).fit_transform(X)
    >>> overlap = (codes @ codes.T).toarray()
    >>> float(overlap[:50, :50].mean().round()), float(overlap[:50, 50:].mean())
    (3.0, 0.0)
    """

    def __init__(
        self,
        n_cells: int = 400,
        hash_length: int = 32,
        *,
        n_epochs: int = 20,
        batch_size: int = 100,
        learning_rate: float = 0.1,
        center: bool = True,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_cells = n_cells
        self.hash_length = hash_length
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.center = center
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        X = X.astype(np.float64, copy=False)
        self._check_hash_length(self.n_cells)
        random = check_random_state(self.random_state)
        self.mean_ = vector_mean(X, self.center)
        W = random.standard_normal((self.n_cells, X.shape[1])) / np.sqrt(X.shape[1])
        for epoch in range(self.n_epochs):
            rate = self.learning_rate * (1 - epoch / self.n_epochs)
            order = random.permutation(len(X))
            for batch in gen_batches(len(X), self.batch_size):
                change = synapse_change(W, X[order[batch]] - self.mean_)
                W += rate / (np.abs(change).max() or 1.0) * change
        self.components_ = W


def synapse_change(W: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of ``x - <W_m, x> W_m`` over a batch, in the row of each vector's winner.

    Examples
    --------
    >>> synapse_change(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[0.5, 2.0], [0.0, 1.0]]))
    array([[0.  , 0.  ],
           [0.5 , 2.25]])
    """
    activations = x @ W.T
    winners = activations.argmax(axis=1)
    rows = np.arange(len(x))
    won = np.zeros_like(activations)
    won[rows, winners] = 1.0
    decay = np.bincount(winners, weights=activations[rows, winners], minlength=len(W))
    return np.asarray(won.T @ x - decay[:, None] * W)
