"""The tree of words: complete-link clustering by the cosine, cut, and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import normalize

from skfly.evaluation._drawing import axes_for, save_axes
from skfly.evaluation._vectors import FlyCodes, as_words, known_words, vectors_of

__all__ = ["WordTree", "common_words", "word_tree"]

_ROWS_AT_A_TIME = 512
_PLACE: dict[str, Any] = {"xytext": (-2, 1), "textcoords": "offset points", "ha": "right"}
_NAME_STYLE = _PLACE | {"fontsize": 6, "color": "C0"}


def word_tree(model: Any, words: Sequence[str] | None = None) -> WordTree:
    """Cluster words by complete link on the cosine of their codes or vectors.

    Parameters
    ----------
    model : FlyHashVectorizer, gensim.models.KeyedVectors or mapping
        A fitted vectorizer, of which the static codes are clustered; or anything with ``word in
        vectors`` and ``vectors[word]``.
    words : sequence of str or None, default=None
        ``None``: all that the model knows. The time and the memory grow with the square of their
        number: 20,000 words take 4 GB.

    Returns
    -------
    tree : WordTree

    Examples
    --------
    >>> from word_tree import word_tree
    >>> tree = word_tree({"fly": [1.0, 0.0], "moth": [0.9, 0.1], "bank": [0.0, 1.0],
    ...                   "loan": [0.1, 0.9], "bee": [1.0, 0.3]})
    >>> tree.clusters(2)
    [['fly', 'moth', 'bee'], ['bank', 'loan']]
    >>> tree.subtree("bee", 3).words
    ('fly', 'moth', 'bee')
    """
    words = tuple(vocabulary(model) if words is None else words)
    if len(set(words)) < len(words):
        raise ValueError("a word is given twice: each must be given once")
    if len(words) < 2:
        raise ValueError(f"a tree needs two words at least; got {len(words)}")
    rows = normalize(word_matrix(model, words))
    links = hierarchy.linkage(_distances(rows), method="complete")
    return WordTree(words, links, rows)


def vocabulary(model: Any) -> list[str]:
    """Return all words that a model knows, the most frequent first if it knows how often."""
    seen = as_words(model)
    if not isinstance(seen, FlyCodes):
        vectors = vectors_of(model)
        return list(getattr(vectors, "index_to_key", vectors))
    words, counts = seen.model.vocabulary.words, seen.model.vocabulary.counts
    return [words[i] for i in np.argsort(-counts, kind="stable").tolist()]


def common_words(models: Sequence[Any]) -> list[str]:
    """Return the words that all models know, in the order of the first."""
    words = vocabulary(models[0])
    for model in models[1:]:
        known = known_words(model, words)
        words = [word for word in words if word in known]
    return words


def word_matrix(model: Any, words: Sequence[str]) -> NDArray[np.float32]:
    """Return the code or vector of each word.

    Raises
    ------
    ValueError
        If a word is unknown, or its vector has values that are not finite numbers.
    """
    seen = as_words(model)
    unknown = set(words) - seen.known(words)
    if unknown:
        some = ", ".join(sorted(unknown)[:5])
        raise ValueError(f"{len(unknown)} of the {len(words)} words are not known: {some}, ...")
    found = seen.model.words(words).toarray() if isinstance(seen, FlyCodes) else seen.stack(words)
    rows = np.asarray(found, dtype=np.float32)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        bad = words[int(np.flatnonzero(~finite)[0])]
        raise ValueError(f"the vector of {bad!r} has values that are not finite numbers")
    return rows


def _distances(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return 1 less the cosine of all pairs of rows, in the order that scipy wants."""
    n = rows.shape[0]
    condensed = np.empty(n * (n - 1) // 2)
    end = 0
    for first, block in similarities(rows):
        for row, values in enumerate(block, start=first):
            start, end = end, end + n - 1 - row
            condensed[start:end] = values[row + 1 :]
    np.subtract(1.0, condensed, out=condensed)
    return np.maximum(condensed, 0.0, out=condensed)  # rounding


def similarities(rows: NDArray[np.float32]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield, some rows at a time, the first row's number and the cosines with all rows."""
    for start in range(0, rows.shape[0], _ROWS_AT_A_TIME):
        yield start, rows[start : start + _ROWS_AT_A_TIME] @ rows.T


@dataclass(frozen=True)
class WordTree:
    """Words, joined step by step, the most similar first.

    Attributes
    ----------
    words : tuple of str
    links : ndarray, (n_words - 1, 4)
        As :func:`scipy.cluster.hierarchy.linkage` returns them.
    rows : ndarray of float32, (n_words, n_dimensions)
        The codes or vectors, of length 1.
    """

    words: tuple[str, ...]
    links: NDArray[np.float64]
    rows: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.words)

    def cut(self, n_clusters: int) -> NDArray[np.int64]:
        """Return the number of each word's cluster when the tree is cut into ``n_clusters``.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        labels : ndarray of int, (n_words,)
        """
        n = len(self)
        if not 1 <= n_clusters <= n:
            raise ValueError(f"n_clusters={n_clusters}: {n} words make 1 to {n} clusters")
        joins = np.arange(n - n_clusters)
        parents = np.repeat(n + joins, 2)
        children = self.links[joins, :2].astype(np.int64).ravel()
        size = n + len(joins)
        edges = sparse.coo_array((np.ones(len(parents)), (parents, children)), shape=(size, size))
        return np.asarray(connected_components(edges, directed=False)[1][:n], dtype=np.int64)

    def clusters(self, n_clusters: int) -> list[list[str]]:
        """Return the words of each cluster when the tree is cut into ``n_clusters``.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        clusters : list of list of str
            Each in the order of the words; the largest first.
        """
        found: dict[int, list[str]] = {}
        for word, label in zip(self.words, self.cut(n_clusters).tolist(), strict=True):
            found.setdefault(label, []).append(word)
        return sorted(found.values(), key=len, reverse=True)

    def subtree(self, word: str, n_words: int = 40) -> WordTree:
        """Return the largest part of the tree that contains a word and at most ``n_words`` words.

        Parameters
        ----------
        word : str
        n_words : int, default=40

        Returns
        -------
        tree : WordTree
        """
        if word not in self.words:
            raise KeyError(f"{word!r} is not in the tree")
        if n_words < 2:
            raise ValueError(f"n_words={n_words}: a tree needs two words at least")
        n = len(self)
        parent = np.full(2 * n - 1, -1)
        parent[self.links[:, :2].astype(np.int64)] = n + np.arange(n - 1)[:, None]
        node = self.words.index(word)
        if self.links[parent[node] - n, 3] > n_words:
            raise ValueError(
                f"{word!r} joins others only where they are more than {n_words}: ask for "
                f"{int(self.links[parent[node] - n, 3])} words"
            )
        while parent[node] >= 0 and self.links[parent[node] - n, 3] <= n_words:
            node = int(parent[node])
        return self._below(node)

    def _below(self, node: int) -> WordTree:
        """Return the tree of which a node is the root."""
        n = len(self)
        leaves, joins, waiting = [], [], [node]
        while waiting:
            now = waiting.pop()
            if now < n:
                leaves.append(now)
            else:
                joins.append(now)
                waiting += self.links[now - n, :2].astype(np.int64).tolist()
        kept = [*sorted(leaves), *sorted(joins)]
        new_number = {old: new for new, old in enumerate(kept)}
        links = self.links[np.sort(joins) - n].copy()
        links[:, :2] = [[new_number[int(child)] for child in row] for row in links[:, :2]]
        leaves.sort()
        return WordTree(tuple(self.words[i] for i in leaves), links, self.rows[leaves])

    def plot(self, target: Any = None) -> Any:
        """Draw the tree: words at the leaves, and at each join the most typical word and the size.

        Needs matplotlib: ``pip install "skfly[plot]"``. Draw parts of up to a few hundred words:
        see :meth:`subtree`.

        Parameters
        ----------
        target : path-like or matplotlib Axes, optional
            A file to write (its ending says what: ``.png``, ``.svg``, ``.pdf``), or where to
            draw. Without it, a new figure is made.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_for(target, (9, 1 + 0.2 * len(self)))
        order = hierarchy.leaves_list(self.links)
        height, place = np.zeros(2 * len(self) - 1), np.zeros(2 * len(self) - 1)
        place[order] = np.arange(len(self))
        for node, (name, link) in enumerate(
            zip(self._names(), self.links, strict=True), len(self)
        ):
            ends = link[:2].astype(np.int64)
            height[node], place[node] = link[2], place[ends].mean()
            x = [height[ends[0]], link[2], link[2], height[ends[1]]]
            ax.plot(x, np.repeat(place[ends], 2), color="0.5", linewidth=0.8)
            ax.annotate(name, (height[node], place[node]), **_NAME_STYLE)
        ax.set_yticks(np.arange(len(self)), labels=[self.words[i] for i in order], fontsize=7)
        ax.yaxis.tick_right()
        ax.set_xlim(1.15 * height[-1] or 1.0, 0)
        ax.set_ylim(-1, len(self))
        ax.set_xlabel("1 - cosine of the least similar words that are joined")
        for side in ("top", "left"):
            ax.spines[side].set_visible(False)
        save_axes(ax, target)
        return ax

    def _names(self) -> list[str]:
        """Return for each join its most typical word and its size."""
        members = [[i] for i in range(len(self))]
        names = []
        for left, right in self.links[:, :2].astype(np.int64).tolist():
            some = members[left] + members[right]
            members.append(some)
            rows = self.rows[some]
            typical = some[int(np.argmax(rows @ rows.sum(axis=0)))]
            names.append(f"{self.words[typical]} ({len(some)})")
        return names
