"""Documents of a corpus as bags of words, cut and sampled."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly.text import EncodedCorpus, sample_pieces


def corpus_of(lengths):
    """Return a corpus of documents of these lengths, whose words are all different."""
    words = iter(range(10**6))
    documents = [[f"w{next(words):06}" for _ in range(length)] for length in lengths]
    corpus = EncodedCorpus.from_documents(documents)
    return corpus, documents


def pieces_of(corpus, **params):
    n_words = len(corpus.vocabulary)
    ids = np.arange(n_words, dtype=np.int32)
    return sample_pieces(corpus, ids, n_words, **({"most_words": 10**9, "seed": 0} | params))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 9))
@settings(deadline=None, max_examples=40)
def test_every_word_is_in_one_piece_of_its_document(lengths, longest):
    if not any(lengths):
        return
    corpus, documents = corpus_of(lengths)
    pieces = pieces_of(corpus, longest=longest)
    words = np.array(corpus.vocabulary.words)
    found = [set(words[row.indices]) for row in pieces]
    assert sorted(w for piece in found for w in piece) == sorted(w for d in documents for w in d)
    assert all(any(piece <= set(d) for d in documents) for piece in found)
    sizes = [len(piece) for piece in found]
    assert max(sizes) <= longest
    for document in documents:
        own = [len(piece) for piece in found if piece <= set(document)]
        assert not own or max(own) - min(own) <= 1


def test_of_a_long_corpus_some_pieces_are_drawn():
    corpus, _ = corpus_of([10] * 50)
    drawn = pieces_of(corpus, longest=5, most_words=100)
    assert drawn.shape[0] == 20
    assert drawn.sum() == 100
    again = pieces_of(corpus, longest=5, most_words=100)
    assert (drawn != again).nnz == 0
    assert (drawn != pieces_of(corpus, longest=5, most_words=100, seed=1)).nnz > 0


@pytest.mark.parametrize("longest", [1, 100])
def test_words_that_are_not_counted_leave_no_rows(longest):
    corpus = EncodedCorpus.from_documents(["one two", "three", "", "two two"])
    columns = np.array([{"two": 0}.get(w, -1) for w in corpus.vocabulary.words], dtype=np.int32)
    pieces = sample_pieces(corpus, columns, 1, longest=longest, most_words=100, seed=0)
    assert pieces.sum() == 3
    assert np.diff(pieces.indptr).min() == 1
