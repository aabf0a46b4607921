"""Quality of document features: neighbours that share a topic, and classification."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import MultiLabelBinarizer, normalize
from sklearn.utils import gen_batches

from skfly.evaluation._document_data import LabelledTexts
from skfly.evaluation._layout import Column, Row, Score
from skfly.evaluation._table import Table

_QUERIES_AT_A_TIME = 256
_FEW_LABELS = 10
_COLUMNS = (
    Column("dataset", "key", "dataset"),
    Column("method", "key", "method"),
    Column("p_at_10", "value", "P@10", deviation="p_at_10_std"),
    Column("p_at_100", "value", "P@100", deviation="p_at_100_std"),
    Column("few_labels", "value", "ten labels", deviation="few_labels_std"),
    Column("all_labels", "value", "all labels", deviation="all_labels_std"),
    Column("bytes", "value", "bytes", ".0f"),
    Column("bits", "value", "bits", ".0f"),
    Column("fit_seconds", "value", "fit, s"),
    Column("transform_ms", "value", "ms a document", ".2f"),
    Column("n_train", "size"),
    Column("n_test", "size"),
    Column("n_runs", "info"),
)


def document_scores(
    methods: Mapping[str, Any],
    data: LabelledTexts | Iterable[LabelledTexts],
    *,
    n_runs: int = 3,
    on_progress: Callable[[Row], None] | None = None,
) -> Table:
    """Score features of documents in search and classification.

    Every method is fitted on the training texts. Then, for each test text, the nearest training
    texts are searched, and a linear classifier is trained with ten labels a class and with all.

    Parameters
    ----------
    methods : mapping from names to transformers
        scikit-learn transformers or pipelines that take texts. They are cloned, not changed.
    data : LabelledTexts or iterable of those
        See :func:`load_labelled_texts` and :func:`vdsh_split`.
    n_runs : int, default=3
        Every ``random_state`` in a method is set to 0, 1, ..., and the table has means and
        standard deviations. The ten labels are redrawn too.
    on_progress : function or None
        Called with each row when it is done.

    Returns
    -------
    table : Table
        A row for each dataset and method: ``dataset``, ``method``, ``p_at_10``, ``p_at_100`` (see
        :func:`neighbor_precision`), ``few_labels``, ``all_labels`` (see :func:`label_accuracy`;
        None where documents have several topics), each with its deviation (``p_at_10_std``,
        ...), ``bytes`` a document, ``bits`` (see :func:`bits_of_codes`), ``fit_seconds``,
        ``transform_ms`` (a test text), ``n_train``, ``n_test`` and ``n_runs``.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from skfly.evaluation import LabelledTexts, document_scores
    >>> data = LabelledTexts("mine", ("ripe plum", "ripe pear", "a loan", "a debt") * 5,
    ...                      ("fruit", "fruit", "money", "money") * 5, ("ripe pear",), ("fruit",))
    >>> table = document_scores({"tf-idf": TfidfVectorizer()}, data, n_runs=1)
    >>> table.row("mine", "tf-idf").p_at_10, table.row("mine", "tf-idf").all_labels
    (100.0, 100.0)
    """
    if n_runs < 1:
        raise ValueError(f"n_runs must be at least 1; got {n_runs}")
    rows = []
    for dataset in [data] if isinstance(data, LabelledTexts) else data:
        for name, method in methods.items():
            runs = [_score(with_seed(method, run), dataset, run) for run in range(n_runs)]
            means = {key: _mean(key, [run[key] for run in runs]) for key in runs[0]}
            about = {"dataset": dataset.name, "method": name, "n_runs": n_runs}
            sizes = {"n_train": len(dataset.train_texts), "n_test": len(dataset.test_texts)}
            rows.append(about | means | sizes)
            if on_progress is not None:
                on_progress(Table(rows[-1:], _COLUMNS).rows[0])
    if not rows:
        raise ValueError("nothing to score: pass at least one method and one dataset")
    return Table(rows, _COLUMNS)


def _mean(name: str, values: list[Any]) -> float | None:
    if None in values:
        return None
    scored = any(column.name == name and column.deviation for column in _COLUMNS)
    return Score.mean(values) if scored else float(np.mean(values))


def with_seed(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy in which every ``random_state`` is the seed."""
    copy = clone(estimator)
    names = [key for key in copy.get_params() if key.split("__")[-1] == "random_state"]
    copy.set_params(**dict.fromkeys(names, seed))
    return copy


def _score(method: Any, data: LabelledTexts, seed: int) -> dict[str, Any]:
    times = [perf_counter()]
    method.fit(list(data.train_texts), None)
    times.append(perf_counter())
    test = method.transform(list(data.test_texts))
    times.append(perf_counter())
    train = method.transform(list(data.train_texts))
    topics = [
        [data.topics(label) for label in labels]
        for labels in (data.train_labels, data.test_labels)
    ]
    near, far = neighbor_precision(train, test, *topics, n=(10, 100))
    few = full = None
    if not data.several_topics and not _is_signature(train):
        labelled = train, test, data.train_labels, data.test_labels
        few = label_accuracy(*labelled, n_per_class=_FEW_LABELS, random_state=seed)
        full = label_accuracy(*labelled)
    fitting, transforming = np.diff(times).tolist()
    return {
        "p_at_10": near,
        "p_at_100": far,
        "few_labels": few,
        "all_labels": full,
        "bytes": _bytes_each(train),
        "bits": bits_of_codes(train),
        "fit_seconds": fitting,
        "transform_ms": 1000 * transforming / len(data.test_texts),
    }


def neighbor_precision(
    stored: Any,
    queries: Any,
    stored_topics: Sequence[Any],
    query_topics: Sequence[Any],
    *,
    n: Sequence[int] = (10, 100),
) -> list[float]:
    """Return how many of the nearest documents share a topic with the query, in percent.

    Parameters
    ----------
    stored, queries : {array, sparse matrix}, (n_documents, n_features)
        Features of documents. Floats are compared by their cosine, which for codes with the same
        number of ones is the number of shared cells; bits (arrays of uint8) by the number of
        equal bits; other whole numbers, such as MinHash's, by the number of equal entries.
    stored_topics, query_topics : sequence
        Of each document its label, or a list of its topics: one shared topic is enough.
    n : sequence of int, default=(10, 100)
        Numbers of neighbours.

    Returns
    -------
    precisions : list of float
        One for each ``n``: the mean over queries. Ties go to the first documents. Documents whose
        features are all 0 are never found and find nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.evaluation import neighbor_precision
    >>> stored = np.array([[1.0, 0], [0.9, 0.1], [0, 1]])
    >>> neighbor_precision(stored, [[1.0, 0.1]], ["fruit", "fruit", "money"], ["fruit"], n=[2, 3])
    [100.0, 66.66666666666667]
    """
    compare, stored, queries = _comparable(stored, queries)
    topics = MultiLabelBinarizer(sparse_output=True)
    stored_topics, query_topics = _as_lists(stored_topics), _as_lists(query_topics)
    topics.fit([*stored_topics, *query_topics])
    of_stored, of_queries = topics.transform(stored_topics), topics.transform(query_topics)
    nothing, asks_nothing = _is_empty(stored), _is_empty(queries)
    hits = np.zeros(max(n), dtype=np.int64)
    for part in gen_batches(len(query_topics), _QUERIES_AT_A_TIME):
        scores = compare(queries[part], stored)
        scores[:, nothing] = -np.inf
        scores[asks_nothing[part]] = -np.inf
        order = np.argsort(-scores, axis=1, kind="stable")[:, : max(n)]
        shared = (of_queries[part] @ of_stored.T).toarray() > 0
        found = np.isfinite(np.take_along_axis(scores, order, axis=1))
        hits[: order.shape[1]] += (np.take_along_axis(shared, order, axis=1) & found).sum(axis=0)
    return [100 * float(hits[:number].sum()) / (number * len(query_topics)) for number in n]


def label_accuracy(
    train: Any,
    test: Any,
    train_labels: Sequence[str],
    test_labels: Sequence[str],
    *,
    n_per_class: int | None = None,
    random_state: int = 0,
) -> float:
    """Return the accuracy of a linear classifier of the features, in percent.

    Parameters
    ----------
    train, test : {array, sparse matrix}, (n_documents, n_features)
        Features; rows are scaled to unit length.
    train_labels, test_labels : sequence of str
    n_per_class : int or None, default=None
        Train with this many labels a class, drawn at random; ``None``: with all.
    random_state : int, default=0

    Returns
    -------
    accuracy : float
        Of :class:`sklearn.linear_model.RidgeClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from skfly.evaluation import label_accuracy
    >>> X = np.array([[1.0, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]])
    >>> label_accuracy(X, X, ["a", "a", "b", "b"], ["a", "a", "b", "b"], n_per_class=1)
    100.0
    """
    labels = np.asarray(train_labels)
    chosen = np.arange(len(labels))
    if n_per_class is not None:
        shuffled = np.random.default_rng(random_state).permutation(len(labels))
        by_class = [shuffled[labels[shuffled] == name][:n_per_class] for name in np.unique(labels)]
        chosen = np.sort(np.concatenate(by_class))
    classifier = RidgeClassifier(random_state=0).fit(_unit_rows(train)[chosen], labels[chosen])
    return 100 * float(np.mean(classifier.predict(_unit_rows(test)) == np.asarray(test_labels)))


def bits_of_codes(codes: Any) -> float | None:
    """Return the most bits that codes of fixed length can carry: ``log2 C(n_cells, hash_length)``.

    Parameters
    ----------
    codes : {array, sparse matrix}, (n_documents, n_cells)

    Returns
    -------
    bits : float or None
        For sparse codes of ones, by the longest of them; the width for arrays of bits; ``None``
        for anything else.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from skfly.evaluation import bits_of_codes
    >>> bits_of_codes(csr_array([[1.0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]))  # log2 6
    2.584962500721156
    """
    if not sparse.issparse(codes):
        return float(codes.shape[1]) if _is_bits(codes) else None
    if not np.all(codes.data == 1):
        return None
    n, k = codes.shape[1], int(np.diff(codes.indptr).max(initial=0))
    return float((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2))


def _bytes_each(features: Any) -> float:
    """Return the memory of a document: packed codes, floats of 4 bytes, or sparse pairs of 8."""
    if bits_of_codes(features) is not None:
        return float(-(-features.shape[1] // 8))
    if sparse.issparse(features):
        return float(8 * features.nnz / features.shape[0])
    return float(features.shape[1] * (8 if _is_signature(features) else 4))


def _is_bits(features: Any) -> bool:
    return not sparse.issparse(features) and np.asarray(features).dtype == np.uint8


def _is_signature(features: Any) -> bool:
    kind = np.asarray(features).dtype.kind if not sparse.issparse(features) else "f"
    return kind in "iu" and not _is_bits(features)


def _as_lists(topics: Sequence[Any]) -> list[list[str]]:
    return [[some] if isinstance(some, str) else list(some) for some in topics]


def _unit_rows(features: Any) -> Any:
    return normalize(features if sparse.issparse(features) else np.asarray(features, np.float32))


def _is_empty(rows: Any) -> NDArray[np.bool_]:
    return np.asarray(np.asarray(abs(rows).sum(axis=1)).ravel() == 0)


def _comparable(stored: Any, queries: Any) -> tuple[Callable[[Any, Any], Any], Any, Any]:
    """Return how features are compared, and the features in the form that this needs."""
    if _is_signature(stored):
        return _equal_entries, np.asarray(stored), np.asarray(queries)
    if _is_bits(stored):
        return _products, 2.0 * np.asarray(stored, np.float32) - 1, 2.0 * np.asarray(queries) - 1
    return _products, _unit_rows(stored), _unit_rows(queries)


def _products(queries: Any, stored: Any) -> NDArray[np.float32]:
    products = queries @ stored.T
    dense = np.asarray(products.toarray() if sparse.issparse(products) else products, np.float32)
    # equal products may differ by rounding, and ties are to go to the first
    return np.asarray(dense.round(5), np.float32)


def _equal_entries(queries: NDArray[Any], stored: NDArray[Any]) -> NDArray[np.float32]:
    equal = np.zeros((len(queries), len(stored)), dtype=np.float32)
    for column in range(stored.shape[1]):
        equal += queries[:, column, None] == stored[:, column]
    return equal
