"""A classifier of codes that only counts."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from skfly._sklearn_compat import Interval, _fit_context

__all__ = ["FlyBloomClassifier"]


class FlyBloomClassifier(ClassifierMixin, BaseEstimator):
    r"""Classify codes by a Bloom filter per class.

    Each class counts how often each cell was active in its codes. A cell that was active
    :math:`n` times is novel to the class by :math:`\gamma^n`; the novelty of a code is the mean
    over its active cells, and the class to which the code is least novel is predicted [1]_ [2]_.
    Learning is one pass that only counts: parts of the data may come one after another
    (:meth:`partial_fit`) or be counted on several machines (:meth:`merge`), with the same result.

    Parameters
    ----------
    decay : float, default=0.95
        The factor :math:`\gamma`. With 0, a cell that was active once is no longer novel, as in a
        Bloom filter: that suits a few codes a class. The more codes, the nearer to 1.

    Attributes
    ----------
    classes_ : ndarray, (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of int64, (n_classes,)
        Codes of each class.
    feature_count_ : ndarray of int64, (n_classes, n_features)
        How often each cell was active in the codes of each class.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str, (n_features,)
        Names of the features, if ``fit`` saw any.

    See Also
    --------
    sklearn.naive_bayes.BernoulliNB : Adds up logarithms of the same counts.

    Notes
    -----
    A feature above 0 is an active cell, whatever its value. A code without active cells is as
    novel to every class, and the first class is predicted.

    References
    ----------
    .. [1] S. Dasgupta, T. C. Sheehan, C. F. Stevens and S. Navlakha, "A neural data structure for
       novelty detection", PNAS 2018.
    .. [2] P. Ram and K. Sinha, "FlyNN: Fruit-fly Inspired Federated Nearest Neighbor
       Classification", 2021.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skfly import FlyHashVectorizer
    >>> from skfly.classify import FlyBloomClassifier
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=16, hash_length=2, random_state=0)
    >>> pipeline = make_pipeline(fly, FlyBloomClassifier())
    >>> pipeline.fit(texts, ["fruit", "money"] * 50).predict(["sweet fruit", "a bank"]).tolist()
    ['fruit', 'money']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "decay": [Interval(Real, 0, 1, closed="left")],
    }

    classes_: NDArray[Any]
    class_count_: NDArray[np.int64]
    feature_count_: NDArray[np.int64]
    n_features_in_: int

    def __init__(self, decay: float = 0.95) -> None:
        self.decay = decay

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> FlyBloomClassifier:
        """Count the active cells of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix}, (n_samples, n_features)
            Codes; entries above 0 are active cells.
        y : array-like, (n_samples,)
            The class of each.

        Returns
        -------
        self : FlyBloomClassifier
        """
        return self._count(X, y, None, reset=True)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> FlyBloomClassifier:
        """Count more codes, of new classes too.

        Parameters
        ----------
        X : {array-like, sparse matrix}, (n_samples, n_features)
            Codes; entries above 0 are active cells.
        y : array-like, (n_samples,)
            The class of each.
        classes : array-like or None, default=None
            Classes to include in ``classes_`` before any of their codes are seen. Optional.

        Returns
        -------
        self : FlyBloomClassifier
        """
        return self._count(X, y, classes, reset=not hasattr(self, "classes_"))

    def merge(self, *others: FlyBloomClassifier) -> FlyBloomClassifier:
        """Add the counts of classifiers that were fitted on other parts of the data.

        Parameters
        ----------
        *others : FlyBloomClassifier
            Fitted on codes of the same width. Their classes may differ.

        Returns
        -------
        self : FlyBloomClassifier
            As if it had been fitted on all parts.

        Examples
        --------
        >>> from skfly.classify import FlyBloomClassifier
        >>> X, y = [[1, 1, 0], [1, 0, 1], [0, 1, 1]], ["a", "a", "b"]
        >>> whole = FlyBloomClassifier().fit(X, y)
        >>> parts = FlyBloomClassifier().fit(X[:1], y[:1]), FlyBloomClassifier().fit(X[1:], y[1:])
        >>> bool((parts[0].merge(parts[1]).feature_count_ == whole.feature_count_).all())
        True
        """
        for classifier in (self, *others):
            check_is_fitted(classifier)
            if classifier.n_features_in_ != self.n_features_in_:
                raise ValueError(
                    f"cannot merge counts of {classifier.n_features_in_} features with those of "
                    f"{self.n_features_in_}: all parts must have codes of the same model"
                )
        for other in others:
            self._add(other.classes_, other.class_count_, other.feature_count_)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how familiar codes are to the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix}, (n_samples, n_features)

        Returns
        -------
        familiarity : ndarray of float64, (n_samples, n_classes)
            From 0 (all cells are new to the class) to 1. With two classes, the difference of the
            second and the first, (n_samples,).
        """
        found = self._familiarity(X)
        return np.asarray(found[:, 1] - found[:, 0]) if len(self.classes_) == 2 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class to which each code is most familiar.

        Parameters
        ----------
        X : {array-like, sparse matrix}, (n_samples, n_features)

        Returns
        -------
        classes : ndarray, (n_samples,)
        """
        best = self._familiarity(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _familiarity(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        active = _active(validate_data(self, X, accept_sparse="csr", reset=False))
        known = 1.0 - np.power(float(self.decay), self.feature_count_)
        lengths = np.maximum(active.sum(axis=1), 1)
        return np.asarray(active @ known.T / lengths[:, None])

    def _count(self, X: Any, y: Any, classes: Any, *, reset: bool) -> FlyBloomClassifier:
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=reset)
        check_classification_targets(y)
        if reset:
            self.classes_ = np.unique(y)
            self.class_count_ = np.zeros(len(self.classes_), dtype=np.int64)
            self.feature_count_ = np.zeros((len(self.classes_), X.shape[1]), dtype=np.int64)
        found, rows = np.unique(y, return_inverse=True)
        places = np.arange(len(y))
        member = sparse.csr_array((np.ones_like(places), (rows, places)), (len(found), len(y)))
        self._add(found, member.sum(axis=1), (member @ _active(X)).toarray())
        if classes is not None:
            none = np.zeros(len(np.unique(classes)), dtype=np.int64)
            self._add(np.unique(classes), none, np.zeros((len(none), X.shape[1]), dtype=np.int64))
        return self

    def _add(
        self,
        classes: NDArray[Any],
        class_count: NDArray[np.int64],
        feature_count: NDArray[np.int64],
    ) -> None:
        """Add counts of classes, of which some may be new."""
        if (classes.dtype.kind in "OSU") != (self.classes_.dtype.kind in "OSU"):
            raise ValueError(
                f"classes such as {classes[0]!r} and {self.classes_[0]!r} are of different types: "
                "give all of them as numbers, or all as text"
            )
        old, n_features = self.classes_, self.feature_count_.shape[1]
        self.classes_ = np.unique(np.concatenate([old, classes]))
        all_classes = np.zeros(len(self.classes_), dtype=np.int64)
        all_features = np.zeros((len(self.classes_), n_features), dtype=np.int64)
        for some, n_codes, n_active in (
            (old, self.class_count_, self.feature_count_),
            (classes, class_count, feature_count),
        ):
            rows = np.searchsorted(self.classes_, some)
            all_classes[rows] += n_codes
            all_features[rows] += n_active
        self.class_count_, self.feature_count_ = all_classes, all_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # of vectors it sees the signs only
        return tags


def _active(X: Any) -> sparse.csr_array:
    """Return ones where a feature is above 0."""
    return sparse.csr_array(X > 0).astype(np.int64)
