"""Documents as the means of their words' vectors."""

# scikit-learn has no types
# mypy: disallow-subclassing-any=False

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from skfly.evaluation._vectors import WordVectors, vectors_of
from skfly.text import TextAnalyzer, check_documents


class MeanVectors(TransformerMixin, BaseEstimator):
    r"""Turn documents into the mean of the vectors of their words.

    Parameters
    ----------
    vectors : KeyedVectors or mapping
        Anything with ``word in vectors`` and ``vectors[word]``. A word that is not known as it is
        written is looked up in lower case.
    token_pattern : str, default=r"(?u)\b\w+\b"
        What a word is, as in :class:`~sklearn.feature_extraction.text.CountVectorizer`.

    Examples
    --------
    >>> from skfly.evaluation import MeanVectors
    >>> MeanVectors({"fly": [1.0, 0.0], "moth": [0.0, 1.0]}).fit_transform(["Fly, moth!", "?"])
    array([[0.5, 0.5],
           [0. , 0. ]], dtype=float32)
    """

    def __init__(self, vectors: Any, token_pattern: str = r"(?u)\b\w+\b") -> None:
        self.vectors = vectors
        self.token_pattern = token_pattern

    def fit(self, raw_documents: Any, y: Any = None) -> MeanVectors:  # noqa: ARG002
        """Do nothing; there is nothing to fit.

        Parameters
        ----------
        raw_documents, y
            Ignored.

        Returns
        -------
        self : MeanVectors
        """
        return self

    def transform(self, raw_documents: Any) -> NDArray[np.float32]:
        """Return a row for each document, of zeros where no word is known.

        Parameters
        ----------
        raw_documents : iterable of str

        Returns
        -------
        means : ndarray of float32, (n_documents, n_dimensions)
        """
        look_up = WordVectors(vectors_of(self.vectors))
        analyzer = TextAnalyzer(lowercase=False, token_pattern=self.token_pattern)
        means = [look_up.mean(analyzer.words(text)) for text in check_documents(raw_documents)]
        width = next((len(mean) for mean in means if mean is not None), 0)
        if not width:
            raise ValueError(
                "no word of these documents has a vector: are they in another language?"
            )
        none = np.zeros(width)
        return np.array([none if mean is None else mean for mean in means], dtype=np.float32)

    def __sklearn_clone__(self) -> MeanVectors:
        return copy.copy(self)  # vectors are large, and never changed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
