"""Add words to an existing model: their vectors are learned from the words around them.

A word's vector is approximately a linear map of the sum of the vectors around it (Khodak et al.,
"A La Carte Embedding", 2018). The map is learned from the words of the text that the model knows,
and gives the others their vectors. The cells do not change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._threads import single_threaded_blas
from skfly.model import Coder, DocumentCoder, Factors, WhitenedCoder

_RIDGE = 0.1  # of the mean variance
_ENOUGH = 5  # sentences per word that the map is learned from
_FEW_DOCUMENTS = 2.0
_RARE = 5e-4  # frequency of a word that counts half in a text


def adapt_words(
    coder: Coder, corpus: Any, id_map: NDArray[np.int32], n_known: int, n_words: int
) -> WhitenedCoder:
    """Return a coder extended with the words of a text.

    Parameters
    ----------
    coder : Coder
    corpus : EncodedCorpus
    id_map : ndarray of int32
        The id of each word of the corpus in the model, -1 for those left out.
    n_known, n_words : int
        Number of words that the coder knows, before and after.
    """
    if not isinstance(coder, WhitenedCoder):
        raise ValueError(
            "adapt='words' needs a pretrained model with vectors of words, as learning='whiten' "
            "makes them: choose adapt='documents'"
        )
    vectors = np.zeros((n_words, len(coder.cells)), np.float32)
    vectors[:n_known] = _unit(coder.vectors[:])
    having = _sentences(corpus, id_map, n_words)
    counts = np.bincount(having.indices, minlength=n_words)
    weights = _RARE / (_RARE + counts / max(corpus.n_words, 1))
    # what is common in either text says little
    weights[:n_known] = np.minimum(weights[:n_known], coder.word_weights)
    with single_threaded_blas():
        around = _around(having, vectors * weights[:, None].astype(np.float32))
        known = np.flatnonzero((counts[:n_known] >= _ENOUGH) & vectors[:n_known].any(axis=1))
        if len(known):
            around = around @ _linear_map(around[known], vectors[known])
    vectors[n_known:] = _unit(around[n_known:])
    return WhitenedCoder.from_floats(vectors, weights, coder.cells, coder.long_cells)


def _around(having: sparse.csr_array, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the direction of the words around each word in its sentences."""
    counts = np.bincount(having.indices, minlength=len(vectors))
    return _unit(having.T.tocsr() @ (having @ vectors) - counts[:, None] * vectors)


def _linear_map(inputs: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float32]:
    """Return the map by ridge regression."""
    products = inputs.T.astype(np.float64) @ inputs
    products += _RIDGE * max(np.trace(products) / len(products), 1e-12) * np.eye(len(products))
    found: NDArray[np.float32] = np.linalg.solve(products, inputs.T @ outputs).astype(np.float32)
    return found


def _unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    found: NDArray[np.float64] = np.divide(
        rows, lengths, out=np.zeros(rows.shape), where=lengths > 0
    )
    return found.astype(np.float32)


def _sentences(corpus: Any, id_map: NDArray[np.int32], n_words: int) -> sparse.csr_array:
    """Return a matrix of which sentences have which words."""
    found, lengths = corpus.block(0, corpus.n_sentences)
    ids = np.where(found >= 0, id_map[found], -1)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    known = ids >= 0
    having = sparse.csr_array(
        (np.ones(known.sum(), np.float32), (rows[known], ids[known])),
        shape=(len(lengths), n_words),
    )
    having.sum_duplicates()
    having.data[:] = 1.0
    return having


def spread_weights(
    documents: DocumentCoder, coder: Coder, having: NDArray[np.int64]
) -> DocumentCoder:
    """Return document cells that also respond to words which few documents have.

    The response to a word is approximately a linear map of its vector. The fewer documents have a
    word, the more its response comes from this map.

    Parameters
    ----------
    documents : DocumentCoder
    coder : Coder
        Without word vectors, the cells do not change.
    having : ndarray of int64, (V,)
        Number of documents with each word.
    """
    if not isinstance(coder, WhitenedCoder) or isinstance(documents.weights, Factors):
        return documents
    with single_threaded_blas():
        vectors = _unit(coder.vectors[:])
        weights = documents.weights * documents.scales
        seen = np.flatnonzero((having > 0) & vectors.any(axis=1))
        trust = (having / (having + _FEW_DOCUMENTS)).astype(np.float32)[:, None]
        inputs = vectors[seen] * np.sqrt(trust[seen])
        linear = _linear_map(inputs, weights[seen] * np.sqrt(trust[seen]))
        weights = trust * weights + (1 - trust) * (vectors @ linear)
    return DocumentCoder.from_weights(weights, documents.thresholds, documents.idf)
