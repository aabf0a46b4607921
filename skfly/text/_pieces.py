"""Sample pieces of documents as bags of words, to train document cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.text._bags import count_known
from skfly.text._corpus import EncodedCorpus


def sample_pieces(
    corpus: EncodedCorpus,
    id_map: NDArray[np.int32],
    n_words: int,
    *,
    longest: int,
    most_words: int,
    seed: int,
) -> sparse.csr_array:
    """Count the known words in the documents of a corpus.

    Long documents are split into pieces of about equal length. A long corpus is sampled to bound
    memory.

    Parameters
    ----------
    corpus : EncodedCorpus
    id_map : ndarray of int32
        The column of each word of the corpus, or -1 to ignore it.
    n_words : int
        Number of columns.
    longest : int
        Maximum number of words in a piece.
    most_words : int
        Approximate number of words in all pieces.
    seed : int

    Returns
    -------
    counts : sparse array, (n_pieces, n_words)
        No row is empty.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_documents(["one two one two two", "two", "", "three"])
    >>> list(corpus.vocabulary.words)
    ['two', 'one', 'three']
    >>> columns = np.array([0, 1, -1], dtype=np.int32)
    >>> pieces = sample_pieces(corpus, columns, 2, longest=3, most_words=100, seed=0)
    >>> pieces.toarray()
    array([[1., 1.],
           [2., 1.],
           [1., 0.]], dtype=float32)
    """
    documents = np.asarray(corpus.documents)
    lengths = np.diff(documents)
    n_pieces = -(-lengths // longest)
    document = np.repeat(np.arange(len(lengths)), n_pieces)
    number = np.arange(len(document)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    if corpus.n_words > most_words:
        n_drawn = max(1, len(document) * most_words // corpus.n_words)
        random = np.random.default_rng(seed)
        drawn = np.sort(random.choice(len(document), n_drawn, replace=False))
        document, number = document[drawn], number[drawn]
    length, among = lengths[document], n_pieces[document]
    first = documents[document] + length * number // among
    size = documents[document] + length * (number + 1) // among - first
    ends = np.cumsum(size)
    places = np.arange(int(size.sum())) + np.repeat(first - (ends - size), size)
    columns = np.append(id_map, np.int32(-1))  # the last entry is for id -1
    counts = sparse.vstack(list(count_known(corpus.ids[places], ends, n_words, columns)), "csr")
    return counts[np.diff(counts.indptr) > 0]
