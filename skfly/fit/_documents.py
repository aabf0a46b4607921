"""Decide whether documents get cells of their own, and learn them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._messages import Progress
from skfly.engine import Engine
from skfly.rules import RECOUNTS, LearnedDocuments, learn_documents, learn_more_documents
from skfly.text import sample_pieces

LONGEST_PIECE = 1000
"""Maximum number of words of a piece of a document."""
_MOST_WORDS = 1 << 22  # in all pieces; more hardly help
_CELLS_PER_DOCUMENT = 4
_LEAST_DOCUMENTS = 100
_LEAST_SHORT_DOCUMENTS = 1000
_SHORT = 25  # words of a document, on average
_LITTLE_TEXT = 1_000_000  # words; from more, word cells learn enough to represent short documents


def fit_documents(
    corpus: Any,
    id_map: NDArray[np.int32],
    n_words: int,
    n_cells: int,
    *,
    n_tokens: int,
    engine: Engine,
    seed: int,
    progress: Progress,
    previous: LearnedDocuments | None = None,
) -> LearnedDocuments | None:
    """Learn document cells, or return ``None`` if the word cells serve better.

    They do if there are few documents, or if documents are short and there is much text.

    Parameters
    ----------
    corpus : EncodedCorpus
        Or, for a corpus on a cluster, an object with a method ``pieces``.
    id_map : ndarray of int32
        Model id of each of the corpus's ids.
    n_words, n_cells : int
        Of the model.
    n_tokens : int
        Words of all text so far.
    engine : Engine
    seed : int
    progress : Progress
    previous : LearnedDocuments, optional
        Continue from here. It is not changed.
    """
    is_much = n_tokens >= _LITTLE_TEXT
    if previous is not None and is_much:
        n_so_far = previous.counts.documents[-1] + corpus.n_documents
        if n_tokens < _SHORT * n_so_far:
            return None
    none_if_short = is_much or corpus.n_documents < _LEAST_SHORT_DOCUMENTS
    if hasattr(corpus, "pieces"):
        counts = corpus.pieces(id_map, n_words, _MOST_WORDS, seed)
    elif previous is None and none_if_short and np.diff(corpus.documents).max(initial=0) < _SHORT:
        return None
    else:
        counts = sample_pieces(
            corpus, id_map, n_words, longest=LONGEST_PIECE, most_words=_MOST_WORDS, seed=seed
        )
    n_documents = counts.shape[0]
    if previous is None:
        are_short = counts.sum() < _SHORT * n_documents
        least = max(_LEAST_DOCUMENTS, n_cells // _CELLS_PER_DOCUMENT)
        if n_documents < least or (are_short and none_if_short):
            return None
    n_steps = RECOUNTS if previous is None else 1
    with progress.stage("document cells", "", n_steps) as monitor:
        if previous is not None:
            return learn_more_documents(counts, previous, engine, seed, monitor.advance)
        return learn_documents(counts, n_cells, engine, seed, monitor.advance)
