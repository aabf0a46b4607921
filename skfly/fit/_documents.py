"""Decide whether there is enough text to learn document cells, and sample it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._progress import Progress
from skfly.engine import Engine
from skfly.rules import RECOUNTS, LearnedDocuments, learn_documents, learn_more_documents
from skfly.text import sample_pieces

LONGEST_PIECE = 1000
"""Maximum number of words of a piece of a document."""
_MOST_WORDS = 1 << 22  # in all pieces; more hardly help
_LEAST_DOCUMENTS = 100
_CELLS_PER_DOCUMENT = 4
_LEAST_LENGTH = 25  # words per document; below, the cells of words give better codes


def fit_documents(
    corpus: Any,
    id_map: NDArray[np.int32],
    n_words: int,
    n_cells: int,
    *,
    engine: Engine,
    seed: int,
    progress: Progress,
    previous: LearnedDocuments | None = None,
) -> LearnedDocuments | None:
    """Learn document cells, or return ``None`` if the cells of words serve better.

    Parameters
    ----------
    corpus : EncodedCorpus
        Or, for a corpus on a cluster, an object with a method ``pieces``.
    id_map : ndarray of int32
        Model id of each of the corpus's ids.
    n_words, n_cells : int
        Of the model.
    engine : Engine
    seed : int
    progress : Progress
    previous : LearnedDocuments, optional
        Continue from here. It is not changed.
    """
    if hasattr(corpus, "pieces"):
        counts = corpus.pieces(id_map, n_words, _MOST_WORDS, seed)
    else:
        counts = sample_pieces(
            corpus, id_map, n_words, longest=LONGEST_PIECE, most_words=_MOST_WORDS, seed=seed
        )
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
