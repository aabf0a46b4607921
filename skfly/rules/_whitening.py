"""From counts of word pairs to word vectors, and to cells among them.

1. *Information* (the ``v / p`` of the paper's energy, as a logarithm): how much more often two
   words occur together than by chance, if more.

       X[i, j] = max(0, log( (n_ij / n) / (q_i q_j) )),    q_i proportional to n_i^0.875

   ``n_ij`` counts pairs, ``n_i`` those with the word, and the power makes rare words seem a little
   less rare than they are, since their neighbours may be chance.
2. *Whitening*, the antennal lobe: a word is its row of ``X``, projected on the directions of the
   largest singular values ``s``, each scaled to ``s`` to the power 1/4.
3. *Competition*: spherical k-means, in which cells compete for words.
4. *Lateral inhibition*: the cells ``M`` become ``M (M'M)^(-d/2)``, so that no direction
   counts more than another.
5. *Cells of long codes*: each word goes to several cells instead of one, each cell moves to the
   sum of its words, less their mean, and inhibition follows; this is repeated. With ``B`` the
   codes less their mean and ``V`` the vectors, ``M = B'V (V'BB'V)^(-1/2)`` is the rotation of
   iterative quantisation (ITQ), for sparse codes.

Only common words, the 20,000 most frequent, are whitened and compete; rare words would outnumber
them. The others are projected on the same directions. And rare words lean on frequent ones that
are spelled alike: see :func:`lean_on_spelling`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from skfly._threads import run_chunks
from skfly.engine import Engine

_SMOOTHING = 0.875
_NEAR_WEIGHT = 0.7
_POWER = 0.25  # of the singular values that is left
_MORE_DIRECTIONS = 32  # extra directions, which make the others more accurate
_ROWS_AT_A_TIME = 2048
_COUNTS_AT_A_TIME = 256  # rows; those of frequent words are long
_TRANSPOSED_BLOCKS = 8
_MOST_INT32 = 2**31 - 1
_SMALLEST = 1e-12  # share of the largest eigenvalue: below, there is only rounding
_RIDGE = 1e-3
_ROUNDS = 15
_SHORT_RANK_PER_CELL = 0.5  # with more directions, short codes miss some
_FEWEST_DIRECTIONS = 8
_LONG_ROUNDS = 20
_WORDS_PER_CELL = 4  # fewer say too little about which cells to share
_LONG_LENGTH = 0.1  # of the cells are ones, in codes that the cells of long codes learn from


def log_shares(sums: NDArray[Any]) -> NDArray[np.float32]:
    """Return ``log q`` of words from their counts of pairs; 0 for words without pairs."""
    smoothed = np.maximum(sums, 1).astype(np.float64) ** _SMOOTHING * (sums > 0)
    share = smoothed / max(float(smoothed.sum()), 1.0)
    logarithms: NDArray[np.float64] = np.log(np.where(share > 0, share, 1.0))
    return logarithms.astype(np.float32)


def information(
    pairs: sparse.csr_array, rows: NDArray[np.float32], columns: NDArray[np.float32]
) -> sparse.csr_array:
    """Return the nonzero entries of ``max(0, log(pairs) - rows - columns)``.

    Examples
    --------
    >>> pairs = sparse.csr_array([[0, 8], [8, 1]])
    >>> shares = log_shares(pairs.sum(axis=1))
    >>> information(pairs, shares + np.float32(np.log(17)), shares).toarray().round(2)
    array([[0.  , 0.64],
           [0.64, 0.  ]], dtype=float32)
    """
    found = np.log(pairs.data.astype(np.float32))
    found -= np.repeat(rows, np.diff(pairs.indptr))
    found -= columns[pairs.indices]
    kept = found > 0
    ends = np.concatenate([[0], np.cumsum(kept)])[pairs.indptr].astype(pairs.indptr.dtype)
    return sparse.csr_array((found[kept], pairs.indices[kept], ends), shape=pairs.shape)


class LogShares(NamedTuple):
    """``log q`` of words as the first and the second of neighbours, and as either of a wide pair.

    Last, the logarithms of the number of pairs of both kinds.
    """

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    around: NDArray[np.float32]
    near_pairs: np.float32
    wide_pairs: np.float32

    @classmethod
    def of(cls, near: sparse.csr_array, wide: sparse.csr_array) -> LogShares:
        return cls(
            log_shares(near.sum(axis=1)),
            log_shares(near.sum(axis=0)),
            log_shares(wide.sum(axis=1) + wide.sum(axis=0)),
            _log(near.sum()),
            _log(2 * wide.sum()),
        )

    def take(self, words: NDArray[np.int64]) -> LogShares:
        """Return those of some words."""
        return self._replace(
            before=self.before[words], after=self.after[words], around=self.around[words]
        )


@dataclass
class Contexts:
    """The matrix ``X`` of words and their contexts, in parts that are never concatenated.

    ``after`` is the information of the next word, and ``before``, its transpose, that of the
    previous one; ``around`` is that of words farther away in both directions, and symmetric.
    """

    after: sparse.csr_array
    before: sparse.csr_array
    around: sparse.csr_array

    @classmethod
    def of(cls, near: sparse.csr_array, wide: sparse.csr_array, shares: LogShares) -> Contexts:
        """Return the information of pairs of neighbours, and of pairs some words apart."""
        after = _near_information(near, shares.before + shares.near_pairs, shares.after)
        return cls(after, after.T.tocsr(), _information_both_ways(wide, shares))

    @property
    def n_words(self) -> int:
        return int(self.after.shape[0])

    def covariance(self, engine: Engine, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return ``X X' vectors``."""
        return self.project(engine, self.responses(engine, vectors))

    def responses(
        self, engine: Engine, vectors: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], ...]:
        """Return ``X' vectors``, of the next words, the previous and those around."""
        parts = self.before, self.after, self.around
        return tuple(engine.multiply_sparse(part, vectors) for part in parts)

    def project(
        self, engine: Engine, responses: tuple[NDArray[np.float32], ...]
    ) -> NDArray[np.float32]:
        """Return ``X responses``."""
        after, before, around = responses
        times = engine.multiply_sparse
        found = times(self.around, around)
        found += times(self.after, after)
        found += times(self.before, before)
        return found


def find_contexts(
    near: sparse.csr_array, wide: sparse.csr_array, common: NDArray[np.int64]
) -> tuple[Contexts, Contexts | None]:
    """Return the contexts of the common words, and of the others, if any, among common ones.

    Parameters
    ----------
    near, wide : sparse array, (V, V)
        Counts of pairs.
    common : ndarray of int64
        Words, in rising order.
    """
    shares, n_words = LogShares.of(near, wide), near.shape[0]
    if len(common) == n_words:
        return Contexts.of(near, wide, shares), None
    words = np.setdiff1d(np.arange(n_words), common)
    own, other = shares.take(words), shares.take(common)
    near_common, wide_common = near[common], wide[common]
    of_others = Contexts(
        _near_information(near[words][:, common], own.before + own.near_pairs, other.after),
        _near_information(
            near_common[:, words].T.tocsr(), own.after + own.near_pairs, other.before
        ),
        information(
            wide[words][:, common] + wide_common[:, words].T.tocsr(),
            own.around + own.wide_pairs,
            other.around,
        ),
    )
    return Contexts.of(near_common[:, common], wide_common[:, common], other), of_others


def _near_information(
    pairs: sparse.csr_array, rows: NDArray[np.float32], columns: NDArray[np.float32]
) -> sparse.csr_array:
    found = information(pairs, rows, columns)
    found.data *= np.float32(_NEAR_WEIGHT)
    return found


def _information_both_ways(pairs: sparse.csr_array, shares: LogShares) -> sparse.csr_array:
    """Return the information of pairs in either order from ``pairs`` in one order.

    Little memory is needed beyond the result: the transpose is made in blocks, and memory that is
    not used is never written to.
    """
    n_words = pairs.shape[0]
    rows, columns_shares = shares.around + shares.wide_pairs, shares.around
    data = np.empty(2 * pairs.nnz, np.float32)
    columns = np.empty(2 * pairs.nnz, np.int32)
    ends = [np.zeros(1, np.int64)]
    n_found = 0
    for block in gen_batches(n_words, -(-n_words // _TRANSPOSED_BLOCKS)):
        turned = pairs[:, block].T.tocsr()
        for part in gen_batches(turned.shape[0], _COUNTS_AT_A_TIME):
            here = slice(block.start + part.start, block.start + part.stop)
            found = information(pairs[here] + turned[part], rows[here], columns_shares)
            data[n_found : n_found + found.nnz] = found.data
            columns[n_found : n_found + found.nnz] = found.indices
            ends.append(n_found + found.indptr[1:].astype(np.int64))
            n_found += found.nnz
    for array in (data, columns):
        array.resize(n_found, refcheck=False)
    indptr = np.concatenate(ends).astype(np.int32 if n_found <= _MOST_INT32 else np.int64)
    return sparse.csr_array((data, columns, indptr), shape=pairs.shape)


def _log(total: Any) -> np.float32:
    return np.float32(np.log(max(float(total), 1.0)))


def word_vectors(
    contexts: Contexts,
    of_others: Contexts | None,
    common: NDArray[np.int64],
    rank: int,
    n_passes: int,
    engine: Engine,
    on_step: Callable[[int], Any] | None = None,
) -> NDArray[np.float32]:
    """Return the vectors of all words, whitened by those of the common ones.

    Parameters
    ----------
    contexts, of_others : Contexts
        From :func:`find_contexts`.
    common : ndarray of int64
        Words, in rising order.
    rank, n_passes, engine, on_step
        As in :func:`whiten`.

    Returns
    -------
    vectors : ndarray of float32, (V, rank or fewer)
    """
    of_common, directions = whiten(contexts, rank, n_passes, engine, on_step)
    if of_others is None:
        return of_common
    n_words = len(common) + of_others.n_words
    vectors = np.empty((n_words, of_common.shape[1]), np.float32)
    vectors[common] = of_common
    responses = contexts.responses(engine, directions)
    others = np.setdiff1d(np.arange(n_words), common)
    vectors[others] = _unit(of_others.project(engine, responses))
    return vectors


def whiten(
    contexts: Contexts,
    rank: int,
    n_passes: int,
    engine: Engine,
    on_step: Callable[[int], Any] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the vectors of the words, and what projects others on the same directions.

    The directions are found by subspace iteration with a shift (from ``XX'``, the largest multiple
    of the identity that the smallest direction so far allows is subtracted). The start is fixed:
    nothing here depends on a seed.

    Parameters
    ----------
    contexts : Contexts
    rank : int
    n_passes : int
        How often ``XX'`` is applied.
    engine : Engine
    on_step : callable, optional
        Called with the number of words after each pass.

    Returns
    -------
    vectors : ndarray of float32, (V, rank or fewer)
        Of length 1; a word without any information has zeros.
    directions : ndarray of float32, of the same shape
        ``XX' directions`` are the vectors before they are brought to length 1.
    """
    n_words = contexts.after.shape[0]
    n_directions = min(rank + _MORE_DIRECTIONS, n_words)
    start = np.random.default_rng(0).standard_normal((n_words, n_directions), dtype=np.float32)
    basis, _ = _orthonormal(start, engine)
    shift, image = np.float32(0), basis
    for number in range(n_passes):
        image = contexts.covariance(engine, basis)
        if on_step is not None:
            on_step(n_words)
        if number < n_passes - 1:
            image -= shift * basis
            basis, smallest = _orthonormal(image, engine)
            shift = max(shift, np.float32((smallest + shift) / 2))
    values, turn = np.linalg.eigh(_inner(basis, image, engine))
    kept = np.flatnonzero(values > _SMALLEST * max(values[-1], 1e-300))[::-1][:rank]
    if not len(kept):
        return (np.zeros((n_words, 1), dtype=np.float32),) * 2
    scaled = turn[:, kept] * (values[kept] / values[kept[0]]) ** (_POWER / 2)
    vectors = _unit(_multiply(basis, scaled, engine))
    return vectors, _multiply(basis, scaled / values[kept], engine)


def lean_on_spelling(
    vectors: NDArray[np.float32],
    counts: NDArray[np.int64],
    alike: sparse.csr_array,
    others: NDArray[np.int64],
    weight: float,
    engine: Engine,
) -> NDArray[np.float32]:
    """Return vectors in which rare words lean on frequent ones that are spelled alike.

    The contexts of a word that was seen ``n`` times say how it is used; words with the same stem
    say something, too, as much as ``weight`` occurrences would:

        x_i' = n_i x_i + weight * sum_j alike[i, j] r_j x_j,    r_j = n_j / (n_j + weight)

    Parameters
    ----------
    vectors : ndarray of float32, (V, rank)
    counts : ndarray of int64, (V,)
    alike : sparse array, (V, n_others)
        Between 0 and 1.
    others : ndarray of int64
        The words of the columns.
    weight : float
    engine : Engine

    Returns
    -------
    vectors : ndarray of float32
        Words that never occur keep zeros.

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> vectors = np.eye(2, dtype=np.float32)
    >>> alike = sparse.csr_array([[0.0, 0.5], [0.5, 0.0]], dtype=np.float32)
    >>> counts, words = np.array([1000, 5]), np.arange(2)
    >>> lean_on_spelling(vectors, counts, alike, words, 20.0, get_engine("numpy")).round(2)
    array([[1.  , 0.  ],
           [0.89, 0.45]], dtype=float32)
    """
    reliable = (counts / (counts + weight)).astype(np.float32)
    similar = engine.multiply_sparse(alike, vectors[others] * reliable[others, None])
    found = _unit(counts.astype(np.float32)[:, None] * vectors + np.float32(weight) * similar)
    found[counts == 0] = 0
    return found


def _orthonormal(
    vectors: NDArray[np.float32], engine: Engine
) -> tuple[NDArray[np.float32], np.float32]:
    """Return an orthonormal basis of the columns, and their smallest singular value."""
    values, turn = np.linalg.eigh(_inner(vectors, vectors, engine))
    kept = values > _SMALLEST * max(values[-1], 1e-300)
    if not kept.any():
        return vectors[:, :1].copy(), np.float32(0)
    scale = np.sqrt(values[kept])
    return _multiply(vectors, turn[:, kept] / scale, engine), np.float32(scale[0])


def find_cells(
    vectors: NDArray[np.float32], n_cells: int, decorrelation: float, engine: Engine
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Return the cells of short and of long codes, (n_cells, rank) each.

    Parameters
    ----------
    vectors : ndarray of float32, (V, rank)
        The most frequent words first.
    n_cells : int
    decorrelation : float
    engine : Engine

    Returns
    -------
    cells : ndarray of float32
    long_cells : ndarray of float32 or None
        ``None`` if short codes miss no direction, or there are too few words per cell.
    """
    rank = vectors.shape[1]
    n_short = min(rank, max(round(_SHORT_RANK_PER_CELL * n_cells), _FEWEST_DIRECTIONS))
    cells = np.zeros((n_cells, rank), np.float32)
    short = _unit(vectors[:, :n_short])
    cells[:, :n_short] = decorrelate(compete(short, n_cells, _ROUNDS, engine), decorrelation)
    used = vectors[np.any(vectors != 0, axis=1)]
    if rank == n_short or len(used) < _WORDS_PER_CELL * n_cells:
        return cells, None
    n_top = max(1, round(_LONG_LENGTH * n_cells))
    return cells, share(used, cells, n_top, _LONG_ROUNDS, decorrelation, engine)


def share(
    vectors: NDArray[np.float32],
    cells: NDArray[np.float32],
    n_top: int,
    n_rounds: int,
    decorrelation: float,
    engine: Engine,
) -> NDArray[np.float32]:
    """Assign every word to ``n_top`` cells, and move the cells towards their words.

    Examples
    --------
    >>> from skfly.engine import get_engine
    >>> vectors = _unit(np.random.default_rng(0).standard_normal((500, 8), dtype=np.float32))
    >>> cells = vectors[:32]
    >>> shared = share(vectors, cells, 6, 20, 1.0, get_engine("numpy"))
    >>> def kept(cells):  # of the cosines, by the codes of 6 ones
    ...     codes = np.argsort(np.argsort(-(vectors @ cells.T), axis=1), axis=1) < 6
    ...     overlaps = codes.astype(float) @ codes.T
    ...     return np.corrcoef(overlaps.ravel(), (vectors @ vectors.T).ravel())[0, 1]
    >>> bool(kept(shared) > kept(cells) + 0.02)
    True
    """
    n_words, n_cells = len(vectors), len(cells)
    parts = [(part,) for part in gen_batches(n_words, _ROWS_AT_A_TIME)]
    chance = vectors.sum(axis=0) * np.float32(n_top / n_cells)
    columns = np.repeat(np.arange(n_words), n_top)
    for _ in range(n_rounds):

        def choose(part: slice, cells: NDArray[np.float32] = cells) -> NDArray[np.int64]:
            near = vectors[part] @ cells.T
            return np.argpartition(-near, n_top - 1, axis=1)[:, :n_top]

        chosen = np.concatenate(run_chunks(choose, parts, engine.n_threads)).ravel()
        assigned = sparse.csr_array(
            (np.ones(len(chosen), np.float32), (chosen, columns)), shape=(n_cells, n_words)
        )
        cells = decorrelate(engine.multiply_sparse(assigned, vectors) - chance, decorrelation)
    return cells


def compete(
    vectors: NDArray[np.float32], n_cells: int, n_rounds: int, engine: Engine
) -> NDArray[np.float32]:
    """Let cells compete for words; return the directions of the cells, (n_cells, rank).

    Every word goes to the nearest cell; then every cell moves to the mean of its words. Cells
    start from words spread evenly over the given order (by frequency). A cell that wins nothing
    moves to one of the words that are farthest from their cells. If there are more cells than
    words, there is no competition: each word has a cell, and the others lie halfway between a word
    and those nearest to it.
    """
    used = vectors[np.any(vectors != 0, axis=1)]
    if not len(used):
        return np.zeros((n_cells, vectors.shape[1]), np.float32)
    if n_cells >= len(used):
        return _between(used, n_cells)
    cells = used[np.linspace(0, len(used) - 1, n_cells).astype(np.int64)]
    parts = [(part,) for part in gen_batches(len(used), _ROWS_AT_A_TIME)]
    for _ in range(n_rounds):

        def assign(part: slice, cells: NDArray[np.float32] = cells) -> tuple[Any, Any]:
            near = used[part] @ cells.T
            winners = near.argmax(axis=1)
            return winners, np.take_along_axis(near, winners[:, None], axis=1)[:, 0]

        found = run_chunks(assign, parts, engine.n_threads)
        winners = np.concatenate([of_part for of_part, _ in found])
        near = np.concatenate([of_part for _, of_part in found])
        assigned = sparse.csr_array(
            (np.ones(len(used), np.float32), (winners, np.arange(len(used)))),
            shape=(n_cells, len(used)),
        )
        cells = _unit(engine.multiply_sparse(assigned, used))
        idle = np.flatnonzero(np.bincount(winners, minlength=n_cells) == 0)
        cells[idle] = used[np.argsort(near, kind="stable")[: len(idle)]]
    return cells


def _between(words: NDArray[np.float32], n_cells: int) -> NDArray[np.float32]:
    """Return a cell for each word, then cells between each and its nearest, second nearest, ...

    Examples
    --------
    >>> _between(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32), 3).round(2)
    array([[1.  , 0.  ],
           [0.  , 1.  ],
           [0.71, 0.71]], dtype=float32)
    """
    n_words = len(words)
    nth, word = np.divmod(np.arange(n_cells), n_words)
    nearest = [
        np.argsort(-(words[part] @ words.T), axis=1, kind="stable")[:, : nth[-1] + 1]
        for part in gen_batches(n_words, _ROWS_AT_A_TIME)
    ]
    other = np.concatenate(nearest)[word, nth % n_words]
    other[:n_words] = np.arange(n_words)
    return _unit(words[word] + words[other])


def decorrelate(cells: NDArray[np.float32], decorrelation: float) -> NDArray[np.float32]:
    """Return ``M (M'M)^(-d/2)`` for cells ``M``: with ``d = 1`` a tight frame.

    Examples
    --------
    >>> cells = np.array([[1.0, 0.0], [0.8, 0.6], [0.8, -0.6]], dtype=np.float32)
    >>> frame = decorrelate(cells, 1.0)
    >>> bool(np.allclose(frame.T @ frame, 1.5 * np.eye(2), atol=0.01))
    True
    """
    values, turn = np.linalg.eigh(cells.T.astype(np.float64) @ cells)
    mean = max(float(values.mean()), 1e-300)
    powers = (np.maximum(values / mean, 0.0) + _RIDGE) ** (-decorrelation / 2)
    found: NDArray[np.float64] = cells @ ((turn * powers) @ turn.T)
    return found.astype(np.float32)


def _inner(
    left: NDArray[np.float32], right: NDArray[np.float32], engine: Engine
) -> NDArray[np.float64]:
    """Return ``left' right``, made symmetric; the same on any number of threads."""
    parts = [(part,) for part in gen_batches(len(left), _ROWS_AT_A_TIME)]
    products = run_chunks(lambda part: left[part].T @ right[part], parts, engine.n_threads)
    total = np.zeros((left.shape[1], right.shape[1]))
    for product in products:
        total += product
    return (total + total.T) / 2


def _multiply(
    left: NDArray[np.float32], right: NDArray[np.float64], engine: Engine
) -> NDArray[np.float32]:
    parts = [(part,) for part in gen_batches(len(left), _ROWS_AT_A_TIME)]
    small = right.astype(np.float32)
    return np.concatenate(run_chunks(lambda part: left[part] @ small, parts, engine.n_threads))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors of length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: NDArray[np.float32] = np.divide(
        vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0
    )
    return found
