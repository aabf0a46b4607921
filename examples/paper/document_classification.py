"""Document classification: what codes reveal about the topic of a document."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.svm import LinearSVC

from skfly import FlyHashVectorizer
from skfly.evaluation import LabelledTexts, MeanVectors, Table
from skfly.evaluation._document_scores import with_seed
from skfly.evaluation._table import Column, Grid, Row, Score

__all__ = ["document_classification", "document_pipelines"]

_COLUMNS = (
    Column("dataset", "key", "dataset"),
    Column("method", "key", "method"),
    Column("accuracy", "value", "accuracy", deviation="std"),
    Column("n_train", "size"),
    Column("n_test", "size", "documents", text="{n_test} of {n_classes} classes"),
    Column("n_classes", "size"),
    Column("seconds", "value"),
    Column("n_runs", "info"),
)
_GRID = Grid(("method",), ("dataset",), "accuracy", size="n_test")


def document_classification(
    methods: Mapping[str, Any],
    data: Any,
    *,
    n_runs: int = 1,
    on_progress: Callable[[Row], None] | None = None,
) -> Table:
    """Measure the accuracy of classifiers of documents.

    Parameters
    ----------
    methods : mapping from names to classifiers
        scikit-learn classifiers that take texts, such as those of :func:`document_pipelines`.
        They are cloned, not changed.
    data : LabelledTexts or iterable of those
        See :func:`read_20newsgroups`, :func:`read_sst2`, :func:`read_trec`, :func:`read_wos`.
    n_runs : int, default=1
        With more than one, every ``random_state`` in a method is set to 0, 1, ..., and the table
        has the mean and the standard deviation.
    on_progress : function or None
        Called with each row when it is done.

    Returns
    -------
    table : Table
        A row for each dataset and method: ``dataset``, ``method``, ``accuracy`` and ``std`` (in
        percent), ``n_train``, ``n_test``, ``n_classes``, ``seconds`` (to fit and to predict, in
        one run, on average) and ``n_runs``.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from document_classification import document_classification
    >>> from skfly.evaluation import LabelledTexts
    >>> data = LabelledTexts("mine", ("ripe plum", "ripe pear", "a loan", "a debt"),
    ...                      ("fruit", "fruit", "money", "money"), ("pear",), ("fruit",))
    >>> methods = {"tf-idf, SVC": make_pipeline(TfidfVectorizer(), LinearSVC())}
    >>> document_classification(methods, data).score("mine", "tf-idf, SVC")
    100.0
    """
    if n_runs < 1:
        raise ValueError(f"n_runs={n_runs}: there must be one run at least")
    rows = []
    n_datasets = 0
    for dataset in [data] if isinstance(data, LabelledTexts) else data:
        if not isinstance(dataset, LabelledTexts):
            raise TypeError(f"data must be LabelledTexts, or a list; got {type(dataset).__name__}")
        n_datasets += 1
        for name, method in methods.items():
            rows.append(_evaluate(name, method, dataset, n_runs))
            if on_progress is not None:
                on_progress(Table(rows[-1:], _COLUMNS).rows[0])
    if not n_datasets:
        raise ValueError("no datasets were given")
    return Table(rows, _COLUMNS, grid=_GRID)


def _evaluate(name: str, method: Any, data: LabelledTexts, n_runs: int) -> dict[str, Any]:
    found = []
    began = time.perf_counter()
    for run in range(n_runs):
        classifier = clone(method) if n_runs == 1 else with_seed(method, run)
        classifier.fit(list(data.train_texts), list(data.train_labels))
        predicted = classifier.predict(list(data.test_texts))
        found.append(100 * float(np.mean(np.asarray(predicted) == np.array(data.test_labels))))
    return {
        "dataset": data.name,
        "method": name,
        "accuracy": Score.mean(found),
        "n_train": len(data.train_texts),
        "n_test": len(data.test_texts),
        "n_classes": len(data.classes),
        "seconds": (time.perf_counter() - began) / n_runs,
        "n_runs": n_runs,
    }


def document_pipelines(
    fly: FlyHashVectorizer | None = None,
    vectors: Mapping[str, Any] | None = None,
    encoders: Mapping[str, Callable[[list[str]], Any]] | None = None,
    *,
    n_components: int | None = None,
    random_state: int | None = 0,
) -> dict[str, Pipeline]:
    """Build pipelines from text to classes, each with a linear classifier at its end.

    Parameters
    ----------
    fly : FlyHashVectorizer or None
        Fitted: its codes are taken as they are. As ``"fly, binary"`` are the codes of documents,
        as ``"fly, counts"`` the sums of their words' codes, scaled to length 1.
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
    >>> from document_classification import document_pipelines
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
        features["fly, counts"] = [counts, Normalizer()]
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
