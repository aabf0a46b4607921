"""Clusters of words: how tight they are, and how far apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.evaluation._table import Chart, Column, Score, Table
from word_tree import WordTree, common_words, similarities, word_tree

__all__ = ["N_CLUSTERS", "word_clusters"]

N_CLUSTERS = (200, 500, 1000, 2000, 3000, 5000)
_COLUMNS = (
    Column("method", "key", "method"),
    Column("n_clusters", "key", "clusters"),
    Column("n_words", "size"),
    Column("within", "value", "within", ".3f", deviation="within_std"),
    Column("between", "value", "nearest outside", ".3f", deviation="between_std"),
    Column("n_single", "info", "of one word"),
)
_AXES = ("cosine inside a cluster", "cosine with the nearest word outside")
_CHART = Chart("within", "between", ("method",), _AXES, split="n_clusters")


def word_clusters(
    models: Mapping[str, Any],
    n_clusters: Sequence[int] = N_CLUSTERS,
    *,
    words: Sequence[str] | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Table:
    """Cluster words, and measure how tight and how separate the clusters are.

    Clusters are joined by complete link on the cosine, and measured where the tree is cut into
    ``n_clusters`` [1]_.

    Parameters
    ----------
    models : mapping from names to models
        Fitted vectorizers, of which the static codes are clustered; gensim's ``KeyedVectors``,
        such as those of :meth:`FlyKeyedVectors.from_dense <skfly.FlyKeyedVectors.from_dense>`;
        or other mappings from words to vectors.
    n_clusters : sequence of int, default=(200, 500, 1000, 2000, 3000, 5000)
        Those above the number of words are left out.
    words : sequence of str or None, default=None
        The words to cluster. ``None``: all that all models know. The time and the memory grow
        with the square of their number: 20,000 words take 4 GB.
    on_progress : function or None
        Called with the name of each model when it is done.

    Returns
    -------
    table : Table
        A row for each model and number of clusters: ``method`` (the name of the model),
        ``n_clusters``, ``n_words``; ``within`` and ``within_std``, the mean cosine of the pairs
        of words of a cluster, averaged over the clusters of two words or more (None if there are
        none); ``between`` and ``between_std``, the largest cosine of a word of a cluster with
        one of another; ``n_single``, the number of clusters of one word.
        ``table.plot(n_clusters=200)`` draws one against the other.

    See Also
    --------
    word_tree : The clusters themselves, and a drawing of their tree.

    References
    ----------
    .. [1] Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021, section 3.2.

    Examples
    --------
    >>> from clusters import word_clusters
    >>> vectors = {"fly": [1.0, 0.0], "moth": [1.0, 0.0], "bank": [0.0, 1.0], "loan": [0.6, 0.8]}
    >>> print(word_clusters({"mine": vectors}, [2]))
    | method | clusters | within | nearest outside | of one word |
    |---|---|---|---|---|
    | mine | 2 | 0.900 +- 0.100 | 0.600 +- 0.000 | 0 |
    """
    if not models:
        raise ValueError("no models were given")
    chosen = common_words(list(models.values())) if words is None else list(words)
    if min(n_clusters, default=0) < 2:
        raise ValueError(f"n_clusters must be numbers from 2 up; got {list(n_clusters)}")
    numbers = [number for number in n_clusters if number <= len(chosen)]
    if not numbers:
        raise ValueError(f"{len(chosen)} words cannot make {list(n_clusters)} clusters")
    rows: list[dict[str, Any]] = []
    for name, model in models.items():
        tree = word_tree(model, chosen)
        rows += ({"method": name} | measured for measured in _measure(tree, numbers))
        if on_progress is not None:
            on_progress(name)
    rows.sort(key=lambda row: row["n_clusters"])
    return Table(rows, _COLUMNS, chart=_CHART)


def _measure(tree: WordTree, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield what is known of the clusters of each cut."""
    cuts = [tree.cut(number) for number in numbers]
    nearest = _nearest_outside(tree.rows, cuts)
    for number, labels, outside in zip(numbers, cuts, nearest, strict=True):
        sizes = np.bincount(labels, minlength=number)
        within = _within(tree.rows, labels, sizes)[sizes > 1]
        between = np.full(number, -np.inf)
        np.maximum.at(between, labels, outside)
        yield {
            "n_clusters": number,
            "n_words": len(tree),
            "within": Score(within.mean(), within.std()) if len(within) else None,
            "between": Score(between.mean(), between.std()),
            "n_single": int(np.sum(sizes == 1)),
        }


def _within(
    rows: NDArray[np.float32], labels: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the mean cosine of the pairs inside each cluster; 0 where there is none.

    The squared sum of the rows has every pair twice, and every row with itself.
    """
    n = len(labels)
    member = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(len(sizes), n))
    squared_sums = np.square(member @ rows).sum(axis=1)
    alone = member @ np.square(rows, dtype=np.float64).sum(axis=1)
    return np.asarray((squared_sums - alone) / np.maximum(sizes * (sizes - 1), 1))


def _nearest_outside(
    rows: NDArray[np.float32], cuts: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.float64]]:
    """Return for each cut the largest cosine of each word with one of another cluster."""
    nearest = [np.empty(rows.shape[0]) for _ in cuts]
    for start, block in similarities(rows):
        part = slice(start, start + len(block))
        for labels, found in zip(cuts, nearest, strict=True):
            same = labels[part, None] == labels[None, :]
            found[part] = np.where(same, -np.inf, block).max(axis=1)
    return nearest
