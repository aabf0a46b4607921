"""Learn document cells from counts of words.

1. *Start.* Documents, as tf-idf reduced to their principal directions, are grouped by spherical
   k-means: a cell for each group.
2. *Recounts.* Each document chooses the cells that respond to it most, ``N[word, cell]`` counts
   the documents in which a word and a cell occur together, and a cell's weights are how much that
   is above chance, ``sqrt((N + b) / (E + b)) - 1``. Then documents choose their cells again.
3. *Lateral connections.* Activations are standardised by cell over documents, and correlations
   ``C`` of the cells are partly removed by ``C^(-d/2)``. All of it is linear, so it is folded into
   the weights.

The counts are whole numbers that add up: :func:`learn_more_documents` adds the counts of later
documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches
from sklearn.utils.extmath import randomized_svd

from skfly._threads import single_threaded_blas
from skfly.engine import Engine
from skfly.engine._checks import check_array
from skfly.model import DocumentCoder, tfidf, top_of_scores

_DIRECTIONS = 300
_START_DOCUMENTS = 16_384  # more do not improve the start
_START_ROUNDS = 10
RECOUNTS = 4
"""The number of recounts."""
_MOMENT_DOCUMENTS = 8192  # enough for means and correlations
_DOCUMENTS_AT_A_TIME = 4096
_SMOOTHING = 0.5
_DECORRELATION = 0.2
_RIDGE = 1e-3
_LARGE = 255  # of the counts that are stored


@dataclass(frozen=True, eq=False)
class DocumentCounts:
    """The state that learning continues from; all sums over documents.

    Attributes
    ----------
    small : ndarray of uint8, (V, K)
        Documents that have a word and choose a cell; 255 stands for 255 or more.
    large : ndarray of int32
        The counts for which ``small`` says 255, in order.
    documents : ndarray of int64, (V + 1,)
        Documents that have each word; last, all documents.
    sums : ndarray of float64, (K + 1,)
        Activations of each cell; last, the number of documents.
    products : ndarray of float64, (K, K)
        Products of the activations of two cells.
    """

    small: NDArray[np.uint8]
    large: NDArray[np.int32]
    documents: NDArray[np.int64]
    sums: NDArray[np.float64]
    products: NDArray[np.float64]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_words: int, n_cells: int
    ) -> DocumentCounts:
        """Return the counts with these arrays; raises ``ValueError`` if they do not fit."""
        shapes: dict[str, tuple[type[Any], tuple[int, ...]]] = {
            "small": (np.uint8, (n_words, n_cells)),
            "documents": (np.int64, (n_words + 1,)),
            "sums": (np.float64, (n_cells + 1,)),
            "products": (np.float64, (n_cells, n_cells)),
        }
        if set(arrays) != {*shapes, "large"}:
            raise ValueError(f"counts of documents must be {sorted([*shapes, 'large'])}")
        for name, (dtype, shape) in shapes.items():
            check_array(name, arrays[name], dtype, shape)
        n_large = int(np.count_nonzero(arrays["small"] == _LARGE))
        check_array("large", arrays["large"], np.int32, (n_large,))
        if arrays["large"].min(initial=_LARGE) < _LARGE or arrays["documents"].min(initial=0) < 0:
            raise ValueError("the counts of documents are not counts")
        return cls(**arrays)

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Number of documents that have a word and choose a cell, (V, K)."""
        found = self.small.astype(np.int32)
        found[self.small == _LARGE] = self.large
        return found

    def with_pairs(self, pairs: NDArray[np.int32]) -> DocumentCounts:
        """Return the same sums with these counts of pairs."""
        small = np.minimum(pairs, _LARGE).astype(np.uint8)
        return replace(self, small=small, large=pairs[small == _LARGE])

    @property
    def idf(self) -> NDArray[np.float32]:
        """Inverse document frequencies, as in ``TfidfVectorizer``."""
        having, n_documents = self.documents[:-1], self.documents[-1]
        idf: NDArray[np.float64] = np.log((1 + n_documents) / (1 + having)) + 1.0
        return idf.astype(np.float32)


@dataclass(frozen=True, eq=False)
class LearnedDocuments:
    """Document cells, and the state that learning continues from."""

    coder: DocumentCoder
    counts: DocumentCounts

    def grow(self, n_words: int) -> LearnedDocuments:
        """Return the same with more words, which no document has had."""
        old = self.counts
        n_new = n_words - len(old.small)
        n_having, n_documents = old.documents[:-1], old.documents[-1:]
        counts = replace(
            old,
            small=np.pad(old.small, ((0, n_new), (0, 0))),
            documents=np.concatenate([n_having, np.zeros(n_new, np.int64), n_documents]),
        )
        weights = np.pad(np.asarray(self.coder.weights), ((0, n_new), (0, 0)))
        return LearnedDocuments(replace(self.coder, weights=weights, idf=counts.idf), counts)


def learn_documents(
    counts: sparse.csr_array,
    n_cells: int,
    engine: Engine,
    seed: int,
    on_step: Callable[[int], Any] | None = None,
) -> LearnedDocuments | None:
    """Learn document cells.

    Parameters
    ----------
    counts : sparse array, (n_documents, n_words)
        Counts of words.
    n_cells : int
    engine : Engine
    seed : int
    on_step : callable, optional
        Called with the number of documents after each recount.

    Returns
    -------
    learned : LearnedDocuments or None
        ``None`` if nothing tells the documents apart.

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> counts = sparse.csr_array([[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2]] * 20)
    >>> engine = get_engine("numpy")
    >>> learned = learn_documents(counts, n_cells=4, engine=engine, seed=0)
    >>> cells = learned.coder.bags(engine, counts[:4], 2).cells
    >>> [set(cells[0].tolist()) == set(row.tolist()) for row in cells]
    [True, True, False, False]
    """
    random = np.random.default_rng(seed)
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    known = DocumentCounts(
        small=np.zeros((counts.shape[1], n_cells), np.uint8),
        large=np.zeros(0, np.int32),
        documents=np.append(having, counts.shape[0]),
        sums=np.zeros(n_cells + 1),
        products=np.zeros((n_cells, n_cells)),
    )
    with single_threaded_blas():
        learned = _count_start(counts, known, engine, random)
        sample = _sample(counts, _MOMENT_DOCUMENTS, random)
        for _ in range(RECOUNTS):
            learned = _with_moments(learned, sample, engine)
            pairs = _count_pairs(counts, _coder(learned, 0.0), engine)
            learned = learned.with_pairs(pairs)
            if on_step is not None:
                on_step(counts.shape[0])
        learned = _with_moments(learned, sample, engine)
        coder = _coder(learned, _DECORRELATION)
    return LearnedDocuments(coder, learned) if coder.is_sensitive else None


def learn_more_documents(
    counts: sparse.csr_array,
    previous: LearnedDocuments,
    engine: Engine,
    seed: int,
    on_step: Callable[[int], Any] | None = None,
) -> LearnedDocuments:
    """Add the counts of more documents; ``previous`` is not changed."""
    if not counts.shape[0]:
        return previous
    random, old = np.random.default_rng(seed), previous.counts
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    with single_threaded_blas():
        pairs = old.pairs
        pairs += _count_pairs(counts, previous.coder, engine)
        documents = old.documents + np.append(having, counts.shape[0])
        learned = replace(old.with_pairs(pairs), documents=documents)
        if on_step is not None:
            on_step(counts.shape[0])
        new = _with_moments(learned, _sample(counts, _MOMENT_DOCUMENTS, random), engine)
        learned = replace(learned, sums=old.sums + new.sums, products=old.products + new.products)
        return LearnedDocuments(_coder(learned, _DECORRELATION), learned)


def _count_start(
    counts: sparse.csr_array,
    known: DocumentCounts,
    engine: Engine,
    random: np.random.Generator,
) -> DocumentCounts:
    """Return the counts for the groups of a clustering."""
    sample = _sample(counts, _START_DOCUMENTS, random)
    weighted = sparse.csr_array(
        (tfidf(sample, known.idf).astype(np.float32), sample.indices, sample.indptr),
        shape=sample.shape,
    )
    directions = min(_DIRECTIONS, *sample.shape)
    seed = int(random.integers(2**31 - 1))
    left, strengths, _ = randomized_svd(
        normalize(weighted),
        directions,
        n_iter=2,
        power_iteration_normalizer="QR",
        random_state=seed,
    )
    reduced = normalize(left * np.sqrt(strengths)).astype(np.float32)
    n_cells = known.small.shape[1]
    activations = reduced @ _spherical_kmeans(reduced, n_cells, random).T
    activations -= activations.mean(axis=0)
    deviations = activations.std(axis=0)
    np.divide(activations, deviations, out=activations, where=deviations > 0)
    cells = top_of_scores(engine, activations, _n_named(n_cells)).cells
    return known.with_pairs(_pairs(sample, cells, n_cells))


def _spherical_kmeans(
    rows: NDArray[np.float32], n_groups: int, random: np.random.Generator
) -> NDArray[np.float32]:
    """Return the centres of groups, of unit length; an empty one restarts from some row."""
    n_rows = len(rows)
    centres = rows[random.choice(n_rows, n_groups, replace=n_rows < n_groups)]
    for _ in range(_START_ROUNDS):
        nearest = np.concatenate(
            [
                np.argmax(rows[part] @ centres.T, axis=1)
                for part in gen_batches(n_rows, _DOCUMENTS_AT_A_TIME)
            ]
        )
        members = sparse.csr_array(
            (np.ones(n_rows, np.float32), (nearest, np.arange(n_rows))), shape=(n_groups, n_rows)
        )
        centres = members @ rows
        empty = np.flatnonzero(np.bincount(nearest, minlength=n_groups) == 0)
        centres[empty] = rows[random.choice(n_rows, len(empty))]
        centres = normalize(centres)
    return np.asarray(centres, np.float32)


def _n_named(n_cells: int) -> int:
    """Return how many cells a document chooses in a recount."""
    return max(1, round(float(np.sqrt(n_cells))))


def _count_pairs(
    counts: sparse.csr_array, coder: DocumentCoder, engine: Engine
) -> NDArray[np.int32]:
    """Count in how many documents each word occurs together with each cell."""
    pairs = np.zeros((coder.n_words, coder.n_cells), np.int32)
    for part in gen_batches(counts.shape[0], _DOCUMENTS_AT_A_TIME):
        documents = counts[part]
        cells = coder.bags(engine, documents, _n_named(coder.n_cells)).cells
        pairs += _pairs(documents, cells, coder.n_cells)
    return pairs


def _pairs(counts: sparse.csr_array, cells: NDArray[np.int32], n_cells: int) -> NDArray[np.int32]:
    named = cells[:, 0] >= 0
    indptr = np.concatenate([[0], np.cumsum(np.where(named, cells.shape[1], 0))])
    names = sparse.csr_array(
        (np.ones(indptr[-1], np.int32), cells[named].ravel(), indptr),
        shape=(len(cells), n_cells),
    )
    having = sparse.csr_array(
        (np.ones(counts.nnz, np.int32), counts.indices, counts.indptr), shape=counts.shape
    )
    found: NDArray[np.int32] = (having.T.tocsr() @ names).toarray()
    return found


def _weights(pairs: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return how much more often than by chance words and cells occur together."""
    counts = pairs.astype(np.float32)
    of_cells = pairs.sum(axis=0, dtype=np.int64)
    share = (of_cells / max(of_cells.sum(), 1)).astype(np.float32)
    expected = pairs.sum(axis=1, dtype=np.int64).astype(np.float32)[:, None] * share
    counts += np.float32(_SMOOTHING)
    expected += np.float32(_SMOOTHING)
    counts /= expected
    weights: NDArray[np.float32] = np.sqrt(counts, out=counts)
    weights -= 1
    return weights


def _with_moments(
    counts: DocumentCounts, sample: sparse.csr_array, engine: Engine
) -> DocumentCounts:
    """Return the counts with the moments of the activations that result from them."""
    n_cells = counts.small.shape[1]
    coder = DocumentCoder.from_weights(_weights(counts.pairs), np.zeros(n_cells), counts.idf)
    sums, products = np.zeros(n_cells + 1), np.zeros((n_cells, n_cells))
    for part in gen_batches(sample.shape[0], _DOCUMENTS_AT_A_TIME):
        activations = coder.activations(engine, sample[part])
        sums[:-1] += activations.sum(axis=0, dtype=np.float64)
        sums[-1] += len(activations)
        products += (activations.T @ activations).astype(np.float64)
    return replace(counts, sums=sums, products=products)


def _coder(counts: DocumentCounts, decorrelation: float) -> DocumentCoder:
    """Return cells with standardisation, decorrelation and the mean folded in."""
    n_documents = max(counts.sums[-1], 1.0)
    means = counts.sums[:-1] / n_documents
    covariances = counts.products / n_documents - np.outer(means, means)
    deviations = np.sqrt(np.maximum(np.diag(covariances), 0.0))
    gains = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 1e-9)
    if decorrelation:
        correlations = covariances * np.outer(gains, gains)
        values, vectors = np.linalg.eigh(correlations)
        values = np.maximum(values, max(_RIDGE * values[-1], 1e-12))
        lateral = (vectors * values ** (-decorrelation / 2)) @ vectors.T
        folded = gains[:, None] * lateral
        weights = _weights(counts.pairs) @ folded.astype(np.float32)
        return DocumentCoder.from_weights(weights, means @ folded, counts.idf)
    weights = _weights(counts.pairs) * gains.astype(np.float32)
    return DocumentCoder.from_weights(weights, means * gains, counts.idf)


def _sample(
    counts: sparse.csr_array, n_documents: int, random: np.random.Generator
) -> sparse.csr_array:
    if counts.shape[0] <= n_documents:
        return counts
    return counts[np.sort(random.choice(counts.shape[0], n_documents, replace=False))]
