import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from skfly.model._spelling import Ngrams, Spelling, spelled_alike

VOCABULARY = ("monarch", "monarchy", "fly", "anarchic", "a")


@given(st.lists(st.text(max_size=9), max_size=5), st.lists(st.text(max_size=9), max_size=5))
def test_ngrams_are_those_of_count_vectorizer(vocabulary, others):
    vocabulary = ["fly", *vocabulary]
    peer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), lowercase=False)
    ngrams = Ngrams()
    found = ngrams.count(vocabulary, learn=True), ngrams.count(others)
    expected = peer.fit_transform(vocabulary), peer.transform(others)

    for own, peers in zip(found, expected, strict=True):
        # the columns are in another order
        assert sorted(map(tuple, own.T.toarray())) == sorted(map(tuple, peers.T.toarray()))
    np.testing.assert_array_equal(
        (found[1] @ found[0].T).toarray(), (expected[1] @ expected[0].T).toarray()
    )


def test_words_that_share_more_weigh_more():
    (weights,) = Spelling(VOCABULARY).weights(["monarchs"]).toarray()

    assert weights[0] > weights[3] > 0
    assert weights[1] > weights[3]
    assert weights[2] == weights[4] == 0


def test_a_word_of_the_vocabulary_is_most_like_itself():
    weights = Spelling(VOCABULARY).weights(VOCABULARY[:4]).toarray()

    np.testing.assert_allclose(np.diag(weights), 1, rtol=1e-5)
    assert (weights.argmax(axis=1) == np.arange(4)).all()


def test_nothing_in_common_is_an_empty_row():
    assert Spelling(VOCABULARY).weights(["", "xyzzy", "日本"]).nnz == 0


def test_no_words_and_no_vocabulary():
    assert Spelling(VOCABULARY).weights([]).shape == (0, 5)
    assert Spelling(()).weights(["fly"]).shape == (1, 0)


@given(st.lists(st.text(), max_size=5))
def test_weights_are_between_zero_and_one(words):
    weights = Spelling(VOCABULARY).weights(words)

    assert weights.shape == (len(words), 5)
    assert ((weights.data >= 0) & (weights.data <= 1 + 1e-5)).all()


def test_weights_are_squares_of_cosines():
    # n-grams of "abc": " ab", "abc", "bc ", " abc", "abc ", " abc "; it shares all of them with
    # itself; "abd" has " ab" alone in common with it, and two of three words have that one
    (weights,) = Spelling(("abc", "abd", "xyz")).weights(["abc"]).toarray()
    rare, common = 1 + np.log(4 / 2), 1 + np.log(4 / 3)
    cosine = common**2 / (common**2 + 5 * rare**2)

    np.testing.assert_allclose(weights, [1, cosine**2, 0], rtol=1e-5)


def test_alike_is_the_cube_of_the_cosine_without_the_word_itself():
    words = ["abcd", "abce", "xyz", "zabcd"]
    alike = spelled_alike(words, np.arange(4)).toarray()
    cosines = np.sqrt(Spelling(words).weights(words).toarray())
    begin_alike = np.equal.outer([0, 0, 1, 2], [0, 0, 1, 2]) & ~np.eye(4, dtype=bool)
    expected = np.where((cosines >= 0.2) & begin_alike, cosines**3, 0)
    assert expected[0, 1] > 0
    assert cosines[0, 3] > 0.2
    np.testing.assert_allclose(alike, expected, rtol=1e-4)


def test_alike_among_some_of_the_words():
    words = ["bank", "banks", "river", "rivers", "banking"]
    alike = spelled_alike(words, np.array([0, 2]))
    assert alike.shape == (5, 2)
    assert (alike.toarray() > 0).tolist() == [
        [False, False],
        [True, False],
        [False, False],
        [False, True],
        [True, False],
    ]


def test_words_with_digits_are_like_no_others():
    assert spelled_alike(["item12", "item13"], np.arange(2)).nnz == 0
    assert spelled_alike(["formula12", "formula", "formulas"], np.arange(3))[:1].nnz == 0


def test_words_that_only_end_alike_are_not_alike():
    assert spelled_alike(["prickly", "quickly", "fly"], np.arange(3)).nnz == 0


@given(st.lists(st.text(), max_size=5))
def test_words_of_any_kind_have_likenesses_between_zero_and_one(words):
    alike = spelled_alike(words, np.arange(len(words)))
    assert alike.shape == (len(words), len(words))
    assert ((alike.data >= 0) & (alike.data <= 1 + 1e-5)).all()
    assert not alike.diagonal().any()
