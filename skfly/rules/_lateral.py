"""Lateral connections: cells act on one another before the most active are chosen.

Cells that respond to the same words are redundant, and a word that a cell barely knows takes up as
much of a code as one that it knows well. A linear map between the cells, learned from the words'
evidence, corrects both. It is the product of two steps:

1. *Decorrelation*, ``A = C^(-d/2)`` with ``C`` the second moments of the evidence ``P``: evidence
   that many cells share counts less.
2. *A rotation* ``R``, as in iterative quantisation: of all rotations, the one under which the
   evidence is most like its own code. In turn, the cells of each word are ranked and a falling
   weight is given to the ranks; then ``R`` is set to the rotation that brings ``P A`` nearest to
   these weights (a singular value decomposition).

The weights add up those of codes of many lengths, each of unit norm, so one map serves every hash
length, and a shorter code remains a part of a longer one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from skfly._threads import run_chunks, single_threaded_blas
from skfly.model import evidence

_HASH_LENGTHS = (4, 8, 16, 32, 64, 128)
LATERAL_STEPS = 5
"""The number of updates of the rotation."""
_LARGEST_WORDS = 20_000  # bounds the time; more words hardly change the map
_WORDS_AT_A_TIME = 2048  # bounds the memory
_LEAST_WORDS_PER_CELL = 2
# With 1,000 cells, including codes of 128 costs those of 4 and 8 up to 3 points of similarity;
# with 400 cells it does not.
_FEW_CELLS = 600
_LONGEST_OF_MANY = 64
_RIDGE = 1e-3


def learn_lateral(
    consensus: NDArray[np.float32],
    decorrelation: float,
    on_step: Callable[[int], Any] | None = None,
    n_threads: int = 1,
) -> NDArray[np.float32] | None:
    """Return the map between the cells, (K, K), or ``None`` if there are too few words.

    Parameters
    ----------
    consensus : ndarray of float32, (V, K)
    decorrelation : float
        ``d``: 0 keeps the cells' correlations, 1 removes them.
    on_step : callable, optional
        Called with the number of words after each step.
    n_threads : int
        The result does not depend on it.

    Examples
    --------
    Without decorrelation it is a rotation:

    >>> consensus = np.array([[8, 6, 0], [6, 8, 0], [0, 2, 9]] * 2, dtype=np.float32)
    >>> lateral = learn_lateral(consensus, decorrelation=0.0)
    >>> bool(np.allclose(lateral @ lateral.T, np.eye(3), atol=1e-5))
    True
    """
    n_cells = consensus.shape[1]
    sizes = consensus.sum(axis=1, dtype=np.float64)
    words = np.argsort(-sizes, kind="stable")[:_LARGEST_WORDS]
    words = words[sizes[words] > 0]
    if len(words) < _LEAST_WORDS_PER_CELL * n_cells:
        return None
    # one thread each: the result does not depend on how many there are
    with single_threaded_blas():
        known, cell_counts = np.empty((len(words), n_cells), np.float32), consensus.sum(axis=0)
        for part in gen_batches(len(words), _WORDS_AT_A_TIME):
            known[part] = evidence(consensus[words[part]], cell_counts, np.float32)
        decorrelate = _power(known.T @ known, -decorrelation / 2)
        for part in gen_batches(len(words), _WORDS_AT_A_TIME):
            moved = known[part] @ decorrelate
            lengths = np.linalg.norm(moved, axis=1, keepdims=True)
            known[part] = np.divide(moved, lengths, out=moved, where=lengths > 0)
        lateral: NDArray[np.float32] = decorrelate @ _rotation(known, on_step, n_threads)
    return lateral


def _power(moments: NDArray[np.float32], exponent: float) -> NDArray[np.float32]:
    """Return a power of a matrix of second moments, scaled to preserve lengths."""
    values, vectors = np.linalg.eigh(moments.astype(np.float64))
    mean = max(float(values.mean()), 1e-300)
    factors = (np.maximum(values / mean, 0.0) + _RIDGE) ** exponent
    power: NDArray[np.float64] = (vectors * factors) @ vectors.T
    return power.astype(np.float32)


def _rotation(
    known: NDArray[np.float32], on_step: Callable[[int], Any] | None, n_threads: int
) -> NDArray[np.float32]:
    """Return the rotation under which rows of unit length are most like their own codes."""
    n_words, n_cells = known.shape
    weights = _rank_weights(n_cells)
    rotation = np.eye(n_cells, dtype=np.float32)

    def match(part: slice) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        aim = _by_rank(known[part] @ rotation, weights)
        return known[part].T @ aim, aim.sum(axis=0)

    parts = [(part,) for part in gen_batches(n_words, _WORDS_AT_A_TIME)]
    for _ in range(LATERAL_STEPS):
        matched, aimed = np.zeros((n_cells, n_cells)), np.zeros(n_cells)
        for some in gen_batches(len(parts), n_threads):  # in chunks, to save memory
            for matched_here, aimed_here in run_chunks(match, parts[some], n_threads):
                matched += matched_here
                aimed += aimed_here
        matched -= np.outer(known.sum(axis=0, dtype=np.float64), aimed / n_words)  # centred aims
        # without evidence, cells do not change
        matched.flat[:: n_cells + 1] += _RIDGE * np.trace(matched) / n_cells
        left, _, right = np.linalg.svd(matched)
        rotation = (left @ right).astype(np.float32)
        if on_step is not None:
            on_step(n_words)
    return rotation


def _rank_weights(n_cells: int) -> NDArray[np.float32]:
    """Return the weight of each rank: the sum of ``1 / sqrt(k)`` over the lengths beyond it."""
    longest = n_cells // 3 if n_cells <= _FEW_CELLS else _LONGEST_OF_MANY
    lengths = [k for k in _HASH_LENGTHS if k <= longest] or [1]
    weights = np.zeros(lengths[-1], dtype=np.float32)
    for k in lengths:
        weights[:k] += 1 / np.sqrt(k)
    return weights


def _by_rank(
    activations: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the weight of each cell's rank within its row."""
    n_ranked = len(weights)
    top = np.argpartition(-activations, n_ranked - 1, axis=1)[:, :n_ranked]
    order = np.argsort(-np.take_along_axis(activations, top, axis=1), axis=1, kind="stable")
    ranked = np.take_along_axis(top, order, axis=1)
    weighted = np.zeros_like(activations)
    np.put_along_axis(weighted, ranked, weights, axis=1)
    return weighted
