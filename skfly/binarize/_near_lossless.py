"""Near-lossless binarization: an autoencoder whose hidden layer is binary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches

from skfly.binarize._base import SignBinarizer, vector_mean

_DECAY = 0.95  # of the learning rate, each epoch
_SAMPLE = 1000  # vectors that set the scale of the first weights
_TINY = float(np.finfo(np.float64).tiny)
_SPREADS = 3.0  # standard deviations that tanh has room for


class NearLossless(SignBinarizer):
    r"""Hash vectors with an autoencoder trained to restore them from bits.

    The code of a vector is :math:`b = h(Wx)`, one where the product is positive, and the vector
    is restored as :math:`\tanh(W^T b + c)`, with the same :math:`W`. Stochastic gradient descent
    minimises :math:`\frac{1}{2}\|x - \tanh(W^T b + c)\|^2` together with :math:`\frac{1}{2}\|W^T W
    - I\|^2`, which keeps the bits from being redundant [1]_.

    Parameters
    ----------
    n_bits : int, default=256
        Length of the codes.
    n_epochs : int, default=10
        Passes over the vectors.
    batch_size : int, default=75
        Vectors per step.
    learning_rate : float, default=0.001
        Length of a step; it falls by 5 % after each epoch.
    regularization : float, default=1.0
        Weight of :math:`W^T W = I` relative to the loss of a batch.
    packed : bool, default=False
        Whether codes are packed, 8 bits per byte, as by :func:`skfly.codes.pack_codes`.
    random_state : int, RandomState or None, default=None
        Seeds the initial weights and the order of the vectors.

    Attributes
    ----------
    components_ : ndarray of float, (n_bits, n_features)
        The weights :math:`W`.
    bias_ : ndarray of float, (n_features,)
        The bias :math:`c`.
    mean_ : ndarray of float64, (n_features,)
        The mean of the vectors, which is subtracted first.
    scale_ : float
        Divisor of the centred vectors: three standard deviations, since tanh stays below 1. Larger
        values are clipped during training.
    reconstruction_losses_ : list of float
        Mean of :math:`\|x - \tanh(W^T b + c)\|^2` over the vectors in each epoch, in units of
        the vectors' own mean of :math:`\|x\|^2`: 1 is what the mean vector alone would lose.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    ITQ : Needs no learning rate, and no more bits than features.

    Notes
    -----
    The published code does not centre vectors, and expects them between -1 and 1. The sign
    function has no slope, so :math:`W` learns as a decoder only.

    References
    ----------
    .. [1] J. Tissier, C. Gravier and A. Habrard, "Near-lossless Binarization of Word Embeddings",
       AAAI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.binarize import NearLossless
    >>> X = np.random.default_rng(0).normal(size=(1000, 16))
    >>> nlb = NearLossless(n_bits=64, random_state=0)
    >>> codes = nlb.fit_transform(X)
    >>> codes.shape
    (1000, 64)
    >>> lost = np.mean((nlb.inverse_transform(codes) - X) ** 2) / X.var()
    >>> bool(lost < 0.5)
    True
    """

    def __init__(
        self,
        n_bits: int = 256,
        *,
        n_epochs: int = 10,
        batch_size: int = 75,
        learning_rate: float = 0.001,
        regularization: float = 1.0,
        packed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_bits = n_bits
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.regularization = regularization
        self.packed = packed
        self.random_state = random_state

    def _fit(self, X: NDArray[Any]) -> None:
        random = check_random_state(self.random_state)
        self.mean_ = vector_mean(X)
        spread = float(np.sqrt(X.var(axis=0, dtype=np.float64).mean()))
        self.scale_ = _SPREADS * spread or 1.0
        scaled = np.clip((X - self.mean_.astype(X.dtype)) / X.dtype.type(self.scale_), -1, 1)
        W = random.standard_normal((self.n_bits, X.shape[1])).astype(X.dtype)
        W *= _best_scale(W, scaled[:_SAMPLE])
        bias = np.zeros(X.shape[1], dtype=X.dtype)
        self.reconstruction_losses_ = []
        rate = self.learning_rate
        for _ in range(self.n_epochs):
            batches = gen_batches(len(X), self.batch_size)
            order = random.permutation(len(X))
            lost = sum(
                _step(W, bias, scaled[order[batch]], rate, self.regularization)
                for batch in batches
            )
            self.reconstruction_losses_.append(lost / max(_squares(scaled), _TINY))
            rate *= _DECAY
        if not np.isfinite(W).all():
            raise ValueError(
                f"learning diverged with learning_rate={self.learning_rate}, batch_size="
                f"{self.batch_size} and regularization={self.regularization}: lower one of them"
            )
        self.components_, self.bias_ = W, bias - W.sum(axis=0) / 2

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Return the vectors that codes stand for.

        Parameters
        ----------
        X : array-like, (n_samples, n_bits)
            Codes from ``transform``; packed, if ``packed``.

        Returns
        -------
        vectors : ndarray of float64, (n_samples, n_features)
        """
        restored = np.tanh(self._unpacked(X) @ self.components_ + self.bias_)
        return np.asarray(restored * self.scale_ + self.mean_)


def _step(
    W: NDArray[Any], bias: NDArray[Any], x: NDArray[Any], rate: float, regularization: float
) -> float:
    """Learn from a batch, in place; return its loss before the step.

    Bits count as -1/2 and 1/2 here, with another bias: as 0 and 1 they would all push the restored
    vectors the same way, and only much smaller steps would converge.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # told of after learning
        bits = (x @ W.T > 0) - x.dtype.type(0.5)
        restored = np.tanh(bits @ W + bias)
        error = restored - x
        slope = error * (1 - restored * restored)
        W -= rate * (bits.T @ slope + 2 * regularization * _beyond_identity(W))
        bias -= rate * slope.sum(axis=0)
    return _squares(error)


def _best_scale(W: NDArray[Any], x: NDArray[Any]) -> float:
    """Return the factor for which ``W`` restores vectors best; bits do not depend on it."""
    restored = ((x @ W.T > 0) - x.dtype.type(0.5)) @ W
    return float((restored * x).sum() / max(_squares(restored), _TINY))


def _squares(values: NDArray[Any]) -> float:
    return float(np.square(values).sum(dtype=np.float64))


def _beyond_identity(W: NDArray[Any]) -> NDArray[Any]:
    """Return ``W (W^T W - I)``, by the smaller product.

    Examples
    --------
    >>> _beyond_identity(np.array([[2.0, 0.0]]))
    array([[6., 0.]])
    """
    if W.shape[0] < W.shape[1]:
        return np.asarray(W @ W.T @ W - W)
    return np.asarray(W @ (W.T @ W) - W)
