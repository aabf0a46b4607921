"""The paper's TextCNN over the codes or vectors of words, as a scikit-learn classifier."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skfly.evaluation._word_matrix import vocabulary_of, word_matrix
from skfly.text import TextAnalyzer, check_documents

__all__ = ["TextCNNClassifier"]

_LENGTH = (
    5.0  # of vectors, on average, whatever they are: the network and its training are the same
)


class TextCNNClassifier(ClassifierMixin, BaseEstimator):
    r"""Classify documents with a convolutional network over the codes or vectors of their words.

    The TextCNN of [1]_ with one channel: filters over 3, 4 and 5 words, the maximum over the
    document, dropout, and a linear layer. The codes or vectors are not trained, and are all scaled
    by one number, to the same mean length. A tenth of the documents is held out, and the epoch
    with the best accuracy there is taken. Needs PyTorch and skorch:
    ``pip install "skfly[torch]"``.

    Parameters
    ----------
    vectors : FlyHashVectorizer, gensim.models.KeyedVectors or mapping
        A fitted vectorizer, of which the static codes are used; or anything that maps words to
        vectors. Unknown words have zeros.
    words : sequence of str or None, default=None
        Know only these, so that several models can be compared. ``None``: all.
    kernel_sizes : sequence of int, default=(3, 4, 5)
        Words that a filter sees.
    n_filters : int, default=100
        Of each size.
    dropout : float, default=0.5
    max_words : int, default=400
        Documents are cut after so many words.
    max_epochs : int, default=25
    patience : int, default=5
        Stop when so many epochs brought nothing better.
    batch_size : int, default=50
    learning_rate : float, default=0.001
        Of Adam.
    token_pattern : str, default=r"(?u)\b\w+\b"
        What a word is; looked up as it is written, then in lower case.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 prints a line an epoch.

    Attributes
    ----------
    classes_ : ndarray
    net_ : skorch.NeuralNetClassifier

    References
    ----------
    .. [1] Y. Kim, "Convolutional Neural Networks for Sentence Classification", EMNLP 2014.

    Examples
    --------
    ::

        from skfly.evaluation import TextCNNClassifier, read_trec

        data = read_trec("trec")
        fly = FlyHashVectorizer.load("en.skfly").set_params(hash_length=30)
        cnn = TextCNNClassifier(fly, random_state=0).fit(data.train_texts, data.train_labels)
        cnn.score(data.test_texts, data.test_labels)
    """

    def __init__(
        self,
        vectors: Any,
        *,
        words: Sequence[str] | None = None,
        kernel_sizes: Sequence[int] = (3, 4, 5),
        n_filters: int = 100,
        dropout: float = 0.5,
        max_words: int = 400,
        max_epochs: int = 25,
        patience: int = 5,
        batch_size: int = 50,
        learning_rate: float = 0.001,
        token_pattern: str = r"(?u)\b\w+\b",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.vectors = vectors
        self.words = words
        self.kernel_sizes = kernel_sizes
        self.n_filters = n_filters
        self.dropout = dropout
        self.max_words = max_words
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.token_pattern = token_pattern
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, raw_documents: Iterable[str], y: Any) -> TextCNNClassifier:
        """Learn classes from documents.

        Parameters
        ----------
        raw_documents : iterable of str
        y : array-like, (n_documents,)

        Returns
        -------
        self : TextCNNClassifier
        """
        try:
            torch_side = import_module("skfly.evaluation._torch_text_cnn")
        except ImportError as error:
            raise ImportError(
                'TextCNNClassifier needs PyTorch and skorch: pip install "skfly[torch]"'
            ) from error
        words = vocabulary_of(self.vectors) if self.words is None else list(self.words)
        self._ids = {word: number for number, word in enumerate(words, start=1)}
        encoder = LabelEncoder().fit(list(y))
        ids = self._sequences(raw_documents)
        if len(encoder.classes_) < 2:
            raise ValueError("all documents are of one class: there is nothing to learn")
        self.net_ = torch_side.make_net(
            embedding(self.vectors, words),
            len(encoder.classes_),
            kernel_sizes=tuple(self.kernel_sizes),
            n_filters=self.n_filters,
            dropout=self.dropout,
            max_epochs=self.max_epochs,
            patience=self.patience,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            verbose=self.verbose,
        )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        torch_side.fit_net(self.net_, ids, encoder.transform(list(y)), seed)
        self.classes_ = encoder.classes_
        return self

    def predict_proba(self, raw_documents: Iterable[str]) -> NDArray[np.float32]:
        """Return how probable each class is.

        Parameters
        ----------
        raw_documents : iterable of str

        Returns
        -------
        probabilities : ndarray of float32, (n_documents, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.net_.predict_proba(self._sequences(raw_documents)))

    def predict(self, raw_documents: Iterable[str]) -> NDArray[Any]:
        """Return the most probable class of each document.

        Parameters
        ----------
        raw_documents : iterable of str

        Returns
        -------
        y : ndarray, (n_documents,)
        """
        return np.asarray(self.classes_[self.predict_proba(raw_documents).argmax(axis=1)])

    def score(self, raw_documents: Iterable[str], y: Any, sample_weight: Any = None) -> float:
        """Return the share of documents whose class is right.

        Parameters
        ----------
        raw_documents : iterable of str
        y : array-like
            The right classes.
        sample_weight : array-like or None, default=None
            How much each document counts.

        Returns
        -------
        score : float
        """
        return float(super().score(raw_documents, y, sample_weight))

    def _sequences(self, raw_documents: Iterable[str]) -> NDArray[np.int64]:
        """Return a row of word numbers for each document; 0 is no word, or an unknown one."""
        analyzer = TextAnalyzer(lowercase=False, token_pattern=self.token_pattern)
        found = [
            self._numbers(analyzer.words(text)[: self.max_words])
            for text in check_documents(raw_documents)
        ]
        width = max([max(self.kernel_sizes), *map(len, found)])
        ids = np.zeros((len(found), width), dtype=np.int64)
        for row, numbers in zip(ids, found, strict=True):
            row[: len(numbers)] = numbers
        return ids

    def _numbers(self, words: list[str]) -> list[int]:
        known = self._ids
        return [known.get(word, known.get(word.lower(), 0)) for word in words]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the parameters, not those of ``vectors``.

        Parameters
        ----------
        deep : bool
            Ignored.

        Returns
        -------
        params : dict
        """
        return dict(super().get_params(deep=False))

    def __sklearn_clone__(self) -> TextCNNClassifier:
        return type(self)(**self.get_params())  # with the same vectors, which stay fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def embedding(vectors: Any, words: Sequence[str]) -> NDArray[np.float32]:
    """Return vectors of one mean length, below a row of zeros for what is unknown.

    Examples
    --------
    >>> embedding({"fly": [3.0, 4.0], "moth": [0.0, 5.0]}, ["fly", "moth"])
    array([[0., 0.],
           [3., 4.],
           [0., 5.]], dtype=float32)
    """
    rows = word_matrix(vectors, words)
    length = float(np.linalg.norm(rows, axis=1).mean())
    scaled = rows * np.float32(_LENGTH / (length or 1.0))
    return np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.float32), scaled])
