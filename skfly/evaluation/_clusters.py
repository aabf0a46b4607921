"""Clusters of words: how tight they are, and how far from one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.evaluation._rows import RowTable, axes_of, markdown, save_axes
from skfly.evaluation._word_matrix import common_words
from skfly.evaluation._word_tree import WordTree, similarities, word_tree

__all__ = ["N_CLUSTERS", "ClusterRow", "ClusterTable", "word_clusters"]

N_CLUSTERS = (200, 500, 1000, 2000, 3000, 5000)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClusterRow:
    """How similar words are inside clusters, and to the nearest word of another.

    Attributes
    ----------
    method : str
    n_clusters, n_words : int
    within, within_std : float or None
        Mean cosine of the pairs of words of a cluster: mean and standard deviation over the
        clusters with two words at least. ``None`` if there is none.
    between, between_std : float
        Largest cosine of a word of a cluster with one of another: mean and standard deviation
        over the clusters.
    n_single : int
        Clusters of one word.
    """

    method: str
    n_clusters: int
    n_words: int
    within: float | None
    within_std: float | None
    between: float
    between_std: float
    n_single: int


@dataclass(frozen=True)
class ClusterTable(RowTable[ClusterRow]):
    """Similarities inside and between clusters, by method and number of clusters.

    ``str(table)`` is a table in Markdown.

    Attributes
    ----------
    rows : list of ClusterRow

    Examples
    --------
    >>> from skfly.evaluation import ClusterRow, ClusterTable
    >>> print(ClusterTable([ClusterRow("GloVe", 200, 20000, 0.217, 0.05, 0.78, 0.1, 3)]))
    | clusters | method | within | nearest outside | of one word |
    |---|---|---|---|---|
    | 200 | GloVe | 0.217 +- 0.050 | 0.780 +- 0.100 | 3 |
    """

    row_type: ClassVar[type] = ClusterRow

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(dict.fromkeys(row.method for row in self.rows))

    def row(self, method: str, n_clusters: int) -> ClusterRow:
        """Return one row.

        Parameters
        ----------
        method : str
        n_clusters : int

        Returns
        -------
        row : ClusterRow
        """
        for row in self.rows:
            if (row.method, row.n_clusters) == (method, n_clusters):
                return row
        raise KeyError(f"no {n_clusters} clusters of {method!r}")

    def __str__(self) -> str:
        return markdown(
            ["clusters", "method", "within", "nearest outside", "of one word"],
            [
                [
                    str(row.n_clusters),
                    row.method,
                    "-" if row.within is None else f"{row.within:.3f} +- {row.within_std:.3f}",
                    f"{row.between:.3f} +- {row.between_std:.3f}",
                    str(row.n_single),
                ]
                for row in sorted(self.rows, key=lambda row: row.n_clusters)
            ],
        )

    def plot(self, target: Any = None, n_clusters: int | None = None) -> Any:
        """Draw similarities inside clusters against those to the nearest outside.

        Needs matplotlib: ``pip install "skfly[plot]"``.

        Parameters
        ----------
        target : path-like or matplotlib Axes, optional
            A file to write (its ending says what: ``.png``, ``.svg``, ``.pdf``), or where to
            draw. Without it, a new figure is made.
        n_clusters : int or None, default=None
            ``None``: the least in the table.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_of(target)
        number = min(row.n_clusters for row in self.rows) if n_clusters is None else n_clusters
        shown = [self.row(method, number) for method in self.methods]
        for row in shown:
            if row.within is not None:
                ax.errorbar(
                    row.within,
                    row.between,
                    xerr=row.within_std,
                    yerr=row.between_std,
                    marker="o",
                    capsize=3,
                    label=row.method,
                )
        ax.set_xlabel("cosine inside a cluster")
        ax.set_ylabel("cosine with the nearest word outside")
        ax.set_title(f"{number} clusters of {shown[0].n_words} words")
        ax.legend()
        ax.grid(alpha=0.3)
        save_axes(ax, target)
        return ax


def word_clusters(
    models: Mapping[str, Any],
    n_clusters: Sequence[int] = N_CLUSTERS,
    *,
    words: Sequence[str] | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> ClusterTable:
    """Cluster the words of models, and measure how tight and how separate the clusters are.

    Clusters are joined by complete link, by the cosine, and measured where so many are left [1]_.

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
        Called with the name of each model that is done.

    Returns
    -------
    table : ClusterTable

    See Also
    --------
    word_tree : The clusters themselves, and a drawing of their tree.

    References
    ----------
    .. [1] Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021, section 3.2.

    Examples
    --------
    >>> from skfly.evaluation import word_clusters
    >>> vectors = {"fly": [1.0, 0.0], "moth": [1.0, 0.0], "bank": [0.0, 1.0], "loan": [0.6, 0.8]}
    >>> print(word_clusters({"mine": vectors}, [2]))
    | clusters | method | within | nearest outside | of one word |
    |---|---|---|---|---|
    | 2 | mine | 0.900 +- 0.100 | 0.600 +- 0.000 | 0 |
    """
    if not models:
        raise ValueError("no models were given")
    chosen = common_words(list(models.values())) if words is None else list(words)
    if min(n_clusters, default=0) < 2:
        raise ValueError(f"n_clusters must be numbers from 2 up; got {list(n_clusters)}")
    numbers = [number for number in n_clusters if number <= len(chosen)]
    if not numbers:
        raise ValueError(f"{len(chosen)} words cannot make {list(n_clusters)} clusters")
    rows = []
    for name, model in models.items():
        rows += _measure(name, word_tree(model, chosen), numbers)
        if on_progress is not None:
            on_progress(name)
    return ClusterTable(rows)


def _measure(name: str, tree: WordTree, numbers: Sequence[int]) -> list[ClusterRow]:
    cuts = [tree.cut(number) for number in numbers]
    nearest = _nearest_outside(tree.rows, cuts)
    found = []
    for number, labels, outside in zip(numbers, cuts, nearest, strict=True):
        sizes = np.bincount(labels, minlength=number)
        within = _within(tree.rows, labels, sizes)[sizes > 1]
        between = np.full(number, -np.inf)
        np.maximum.at(between, labels, outside)
        found.append(
            ClusterRow(
                name,
                number,
                len(tree),
                float(within.mean()) if len(within) else None,
                float(within.std()) if len(within) else None,
                float(between.mean()),
                float(between.std()),
                int(np.sum(sizes == 1)),
            )
        )
    return found


def _within(
    rows: NDArray[np.float32], labels: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Floats:
    """Return the mean cosine of the pairs inside each cluster; 0 where there is none.

    The squared sum of the rows has every pair twice, and every row with itself.
    """
    n = len(labels)
    member = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(len(sizes), n))
    squared_sums = np.square(member @ rows).sum(axis=1)
    alone = member @ np.square(rows, dtype=np.float64).sum(axis=1)
    return np.asarray((squared_sums - alone) / np.maximum(sizes * (sizes - 1), 1))


def _nearest_outside(rows: NDArray[np.float32], cuts: Sequence[NDArray[np.int64]]) -> list[Floats]:
    """Return for each cut the largest cosine of each word with one of another cluster."""
    nearest = [np.empty(rows.shape[0]) for _ in cuts]
    for start, block in similarities(rows):
        part = slice(start, start + len(block))
        for labels, found in zip(cuts, nearest, strict=True):
            same = labels[part, None] == labels[None, :]
            found[part] = np.where(same, -np.inf, block).max(axis=1)
    return nearest
