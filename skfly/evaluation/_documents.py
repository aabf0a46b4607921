"""Document classification: how much of what documents are about is in their codes."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from statistics import fmean, stdev
from typing import Any

from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from skfly.evaluation._document_data import LabelledTexts
from skfly.evaluation._document_table import ClassificationRow, ClassificationTable
from skfly.evaluation._mean_vectors import MeanVectors
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["document_classification", "document_pipelines"]


def document_classification(
    methods: Mapping[str, Any],
    data: Any,
    *,
    n_runs: int = 1,
    on_progress: Callable[[ClassificationRow], None] | None = None,
) -> ClassificationTable:
    """Learn classes of documents with several methods, and count how often each is right.

    Parameters
    ----------
    methods : mapping from names to classifiers
        scikit-learn classifiers that take texts, such as pipelines; see
        :func:`document_pipelines` and :func:`text_cnn`. They are cloned, not changed.
    data : LabelledTexts or list of those
        See :func:`read_20newsgroups`, :func:`read_sst2`, :func:`read_trec`, :func:`read_wos`.
    n_runs : int, default=1
        With more than one, every ``random_state`` in a method is set to 0, 1, ..., and means
        and standard deviations are told.
    on_progress : function or None
        Called with every row.

    Returns
    -------
    table : ClassificationTable

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from skfly.evaluation import LabelledTexts, document_classification
    >>> data = LabelledTexts("mine", ("ripe plum", "ripe pear", "a loan", "a debt"),
    ...                      ("fruit", "fruit", "money", "money"), ("pear",), ("fruit",))
    >>> methods = {"tf-idf, SVC": make_pipeline(TfidfVectorizer(), LinearSVC())}
    >>> document_classification(methods, data).accuracy("mine", "tf-idf, SVC")
    100.0
    """
    if n_runs < 1:
        raise ValueError(f"n_runs={n_runs}: there must be one run at least")
    rows = []
    for dataset in _as_datasets(data):
        for name, method in methods.items():
            rows.append(_evaluate(name, method, dataset, n_runs))
            if on_progress is not None:
                on_progress(rows[-1])
    return ClassificationTable(rows)


def _as_datasets(data: Any) -> list[LabelledTexts]:
    datasets = [data] if isinstance(data, LabelledTexts) else list(data)
    if not datasets:
        raise ValueError("no datasets were given")
    for one in datasets:
        if not isinstance(one, LabelledTexts):
            raise TypeError(f"data must be LabelledTexts, or a list; got {type(one).__name__}")
    return datasets


def _evaluate(name: str, method: Any, data: LabelledTexts, n_runs: int) -> ClassificationRow:
    found = []
    began = time.perf_counter()
    for run in range(n_runs):
        classifier = clone(method)
        if n_runs > 1:
            seeds = [key for key in classifier.get_params() if _is_seed(key)]
            classifier.set_params(**dict.fromkeys(seeds, run))
        classifier.fit(list(data.train_texts), list(data.train_labels))
        predicted = classifier.predict(list(data.test_texts))
        right = sum(a == b for a, b in zip(predicted, data.test_labels, strict=True))
        found.append(100 * right / len(data.test_labels))
    return ClassificationRow(
        data.name,
        name,
        fmean(found),
        len(data.train_texts),
        len(data.test_texts),
        len(data.classes),
        (time.perf_counter() - began) / n_runs,
        stdev(found) if n_runs > 1 else None,
        n_runs,
    )


def _is_seed(parameter: str) -> bool:
    return parameter == "random_state" or parameter.endswith("__random_state")


def document_pipelines(
    fly: FlyHashVectorizer | None = None,
    vectors: Mapping[str, Any] | None = None,
    encoders: Mapping[str, Callable[[list[str]], Any]] | None = None,
    *,
    n_components: int | None = None,
    random_state: int | None = 0,
) -> dict[str, Pipeline]:
    """Return pipelines from text to classes, each with a linear classifier at its end.

    Parameters
    ----------
    fly : FlyHashVectorizer or None
        Fitted: its codes are taken as they are. As ``"fly, binary"`` are the codes of documents,
        as ``"fly, counts"`` the sums of their words' codes, weighted by tf-idf.
    vectors : mapping from names to word vectors
        gensim's ``KeyedVectors`` or another mapping from words to vectors, of which those of a
        document are averaged.
    encoders : mapping from names to functions
        From a list of texts to an array, a row each.
    n_components : int or None, default=None
        Width of the latent semantic analysis that stands beside them; ``None``: as many as the
        fly has cells, or none without a fly.
    random_state : int or None, default=0

    Returns
    -------
    pipelines : dict from names to sklearn.pipeline.Pipeline
        Every feature with ``LogisticRegression`` and ``LinearSVC``, tf-idf of the words among
        them.

    Examples
    --------
    >>> from skfly.evaluation import document_pipelines
    >>> list(document_pipelines())
    ['tf-idf, LogisticRegression', 'tf-idf, LinearSVC']
    """
    features = {"tf-idf": [TfidfVectorizer()]}
    width = fly.n_features_out_ if n_components is None and fly is not None else n_components
    if width is not None:
        svd = TruncatedSVD(width, random_state=random_state)
        features[f"LSA {width}"] = [TfidfVectorizer(), svd]
    if fly is not None:
        binary, counts = (_with_codes(fly, kind) for kind in ("binary", "counts"))
        features["fly, binary"] = [binary]
        features["fly, counts"] = [counts, TfidfTransformer(sublinear_tf=True)]
    for name, some in (vectors or {}).items():
        features[f"{name}, averaged"] = [MeanVectors(some), StandardScaler()]
    for name, encode in (encoders or {}).items():
        features[name] = [FunctionTransformer(encode), StandardScaler()]
    return {
        f"{name}, {type(classifier).__name__}": make_pipeline(*steps, classifier)
        for name, steps in features.items()
        for classifier in (
            LogisticRegression(C=10.0, max_iter=1000),
            LinearSVC(random_state=random_state),
        )
    }


def _with_codes(fly: FlyHashVectorizer, kind: str) -> FrozenEstimator:
    """Return a fitted fly that a pipeline does not fit again."""
    shared = copy.copy(fly)  # shares all arrays; only its parameters differ
    return FrozenEstimator(
        shared.set_params(document_codes=kind, input="content", sparse_output=True)
    )
