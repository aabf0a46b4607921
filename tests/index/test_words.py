"""The words that are nearest to codes."""

import numpy as np
import pytest
from scipy import sparse

from skfly import FlyHashVectorizer
from skfly.index import nearest_words


@pytest.fixture(scope="module")
def fly():
    texts = ["ripe fruit smells sweet", "the bank lends money", "the fly likes ripe fruit"] * 40
    vocabulary = [*sorted({word for text in texts for word in text.split()}), "unseen"]
    params = {"n_kenyon_cells": 12, "hash_length": 3, "vocabulary": vocabulary}
    return FlyHashVectorizer(**params, random_state=0).fit(texts)


@pytest.mark.parametrize("n_words", [0, 1, 4, 100])
def test_they_share_the_most_cells(fly, n_words):
    seen = [word for word in fly.vocabulary_ if word != "unseen"]
    codes = fly.hash_words(seen)
    shared = (codes @ codes.T).toarray().astype(int)

    found = nearest_words(fly.model_, codes, n_words, [{word} for word in seen])

    for i, near in enumerate(found):
        order = [j for j in np.argsort(-shared[i], kind="stable").tolist() if j != i]
        assert near == [(seen[j], shared[i, j]) for j in order[:n_words]]


def test_words_of_a_context_can_be_left_out(fly):
    text = "the bank lends money"
    codes = fly.hash_in_context([text, text], ["bank", "bank"])

    anything, rest = nearest_words(fly.model_, codes, 2, [set(), set(text.split())])

    assert anything[0][0] in text.split()
    assert len(rest) == 2
    assert not {word for word, _ in rest} & set(text.split())


def test_a_code_without_ones_has_no_neighbours(fly):
    assert nearest_words(fly.model_, fly.hash_words(["zzz", "unseen"])) == [[], []]
    assert nearest_words(fly.model_, sparse.csr_array((0, 12))) == []


def test_gensim_vectors_have_the_same_neighbours(fly):
    pytest.importorskip("gensim")
    words = ["fruit", "bank", "fly"]

    found = nearest_words(fly.model_, fly.hash_words(words), 5, [{word} for word in words])

    for near, expected in zip(found, fly.wv.neighbors(words, 5), strict=True):
        assert near == [(word, round(3 * cosine)) for word, cosine in expected]
