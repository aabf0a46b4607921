"""Cells of documents: whether there is enough to learn them from, and from which pieces."""

from __future__ import annotations

from scipy import sparse

from skfly._progress import Progress
from skfly.engine import Engine
from skfly.rules import RECOUNTS, LearnedDocuments, learn_documents, learn_more_documents

__all__ = ["LONGEST_PIECE", "MOST_WORDS", "fit_documents"]

LONGEST_PIECE = 1000
"""Words of a document that are learned from together."""
MOST_WORDS = 1 << 22
"""Words of a corpus that cells of documents are learned from; more hardly help."""
_LEAST_DOCUMENTS = 100
_CELLS_PER_DOCUMENT = 4
_LEAST_LENGTH = 25  # words; cells of words code sentences better


def fit_documents(
    counts: sparse.csr_array,
    n_cells: int,
    *,
    engine: Engine,
    seed: int,
    progress: Progress,
    previous: LearnedDocuments | None = None,
) -> LearnedDocuments | None:
    """Learn cells of documents, or return ``None`` where those of words serve better.

    Parameters
    ----------
    counts : sparse array, (n_pieces, n_words)
        Counts of words in documents, or in pieces of them.
    n_cells : int
    engine : Engine
    seed : int
    progress : Progress
    previous : LearnedDocuments, optional
        Continue from here. It is not changed.
    """
    n_documents = counts.shape[0]
    if previous is None:
        least = max(_LEAST_DOCUMENTS, n_cells // _CELLS_PER_DOCUMENT)
        if n_documents < least or counts.sum() < _LEAST_LENGTH * n_documents:
            return None
    n_steps = RECOUNTS if previous is None else 1
    with progress.stage("documents", "documents", n_steps * n_documents) as monitor:
        if previous is not None:
            return learn_more_documents(counts, previous, engine, seed, monitor.advance)
        return learn_documents(counts, n_cells, engine, seed, monitor.advance)
