"""Word similarity: against gensim for vectors, against the plain formula for codes."""

import copy

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim.test.utils import datapath
from scipy.stats import spearmanr
from sklearn.exceptions import NotFittedError

from skfly import FlyHashVectorizer
from skfly.evaluation import WordPairs, load_word_pairs, word_similarity

FILES = {"WS353": "wordsim353.tsv", "SimLex": "simlex999.txt"}


@pytest.fixture(scope="module")
def vectors():
    """Vectors of most of the words of the datasets, in lower case."""
    words = sorted({word.lower() for data in load_word_pairs() for word in data.words})
    random = np.random.default_rng(0)
    known = [word for word in words if random.random() < 0.8]
    kv = KeyedVectors(vector_size=12)
    kv.add_vectors(known, random.normal(size=(len(known), 12)).astype(np.float32))
    return kv


@pytest.fixture(scope="module")
def pairs(topics):
    random = np.random.default_rng(0)
    words = [*topics["fruit"], *topics["money"]]
    return [(*random.choice(words, 2).tolist(), float(random.random())) for _ in range(60)]


# Vectors


@pytest.mark.parametrize("name", ["WS353", "SimLex"])
def test_vectors_get_the_numbers_of_gensim(vectors, name):
    table = word_similarity(vectors)
    (row,) = [row for row in table.rows if row.dataset == name]
    _, spearman, unknown = vectors.evaluate_word_pairs(
        datapath(FILES[name]), case_insensitive=True, dummy4unknown=False
    )
    assert row.spearman == pytest.approx(100 * spearman.statistic, abs=1e-3)
    assert row.n_pairs_in_all == {"WS353": 353, "SimLex": 999}[name]
    assert row.n_pairs == round(row.n_pairs_in_all * (1 - unknown / 100))
    assert 0 < row.n_pairs < row.n_pairs_in_all


def test_vectors_get_the_numbers_of_gensim_word_by_word_too(vectors):
    lower = [(a.lower(), b.lower(), s) for a, b, s in load_word_pairs()[0].pairs]
    table = word_similarity(vectors, {"mine": lower})
    assert table.score("mine") == pytest.approx(word_similarity(vectors).score("WS353"))


def test_a_mapping_will_do_and_a_model_with_vectors_in_it(vectors):
    expected = word_similarity(vectors)
    as_dict = {word: vectors[word].tolist() for word in vectors.index_to_key}
    assert word_similarity(as_dict).score("WS353") == pytest.approx(expected.score("WS353"))
    model = Word2Vec(vector_size=12)
    model.wv = vectors
    assert word_similarity(model) == expected


def test_words_are_looked_up_as_written_then_in_lower_case():
    vectors = {"us": [1, 0], "US": [0, 1], "we": [1, 0.1], "usa": [0.1, 1], "iran": [1, 1]}
    upper = [("US", "USA", 9), ("US", "we", 1), ("US", "IRAN", 5), ("Xu", "us", 3)]
    (row,) = word_similarity(vectors, {"mine": upper}).rows
    assert (row.spearman, row.n_pairs, row.n_pairs_in_all) == (100.0, 3, 4)


def test_a_zero_vector_is_similar_to_nothing():
    vectors = {"a": [0, 0], "b": [1, 0], "c": [1, 1], "d": [-1, 0]}
    pairs = [("a", "b", 2), ("b", "c", 3), ("b", "d", 1)]
    assert word_similarity(vectors, {"mine": pairs}).score("mine") == 100.0


def test_binary_vectors_by_the_share_of_bits_that_agree():
    random = np.random.default_rng(0)
    bits = {str(i): random.integers(0, 2, 16) for i in range(20)}
    pairs = [(str(i), str(j), random.random()) for i in range(20) for j in range(i)]
    agree = [np.mean(bits[a] == bits[b]) for a, b, _ in pairs]
    table = word_similarity(bits, {"mine": pairs}, measure="sokal-michener")
    assert table.score("mine") == pytest.approx(
        100 * spearmanr(agree, [score for *_, score in pairs]).statistic
    )
    assert table.score("mine") != pytest.approx(
        word_similarity(bits, {"mine": pairs}).score("mine")
    )


# Codes


def test_rows_come_by_hash_length_then_by_dataset(fitted, pairs):
    table = word_similarity(fitted, {"mine": pairs, "again": pairs[:30]}, [2, 4, 8])
    assert [(row.hash_length, row.dataset) for row in table.rows] == [
        (length, name) for length in (2, 4, 8) for name in ("mine", "again")
    ]


@pytest.mark.parametrize("length", [1, 2, 4, 8])
def test_codes_agree_with_a_naive_loop(fitted, pairs, length):
    codes = copy.deepcopy(fitted).set_params(hash_length=length).word_codes_.toarray()
    row_of = {word: codes[i] for word, i in fitted.vocabulary_.items()}
    naive = []
    for left, right, _ in pairs:
        n11 = sum(a == b == 1 for a, b in zip(row_of[left], row_of[right], strict=True))
        n00 = sum(a == b == 0 for a, b in zip(row_of[left], row_of[right], strict=True))
        naive.append((n11 + n00) / 20)
    expected = 100 * spearmanr(naive, [score for *_, score in pairs]).statistic
    (row,) = word_similarity(fitted, {"mine": pairs}, [length]).rows
    assert vars(row) == {
        "dataset": "mine",
        "hash_length": length,
        "spearman": pytest.approx(expected),
        "std": None,
        "n_pairs": 60,
        "n_pairs_in_all": 60,
        "n_runs": 1,
    }


def test_the_estimator_stays_as_it_is(fitted, pairs, fingerprint):
    before, params = fingerprint(fitted), fitted.get_params()
    word_similarity(fitted, {"mine": pairs}, [1, 2], pairs_known_to=[fitted])
    assert fingerprint(fitted) == before
    assert fitted.get_params() == params


def test_hash_lengths_above_the_number_of_cells_are_left_out(fitted, pairs):
    assert word_similarity(fitted, {"mine": pairs}).values("hash_length") == [4, 8, 16]
    assert word_similarity(fitted, {"mine": pairs}, 8).values("hash_length") == [8]
    assert word_similarity(fitted, {"mine": pairs}, [8, 2, 8]).values("hash_length") == [8, 2]


def test_a_model_that_keeps_the_case_is_asked_in_lower_case_too(make_fly, documents, pairs):
    fly = make_fly(lowercase=False).fit([text.lower() for text in documents])
    upper = [(a.title(), b.upper(), score) for a, b, score in pairs]
    assert word_similarity(fly, {"mine": upper}) == word_similarity(fly, {"mine": pairs})


def test_words_that_training_did_not_see_are_unknown(make_fly, documents):
    fly = make_fly().fit(documents)
    words = [*fly.vocabulary_, "dodo"]
    fly = make_fly(vocabulary=words).fit(documents)
    assert "dodo" in fly.vocabulary_
    pairs = [("fruit", "fruit", 3), ("fruit", "money", 1), ("fruit", "dodo", 2)]
    (row,) = word_similarity(fly, {"mine": pairs}, [4]).rows
    assert (row.n_pairs, row.n_pairs_in_all) == (2, 3)


# Which pairs


def test_pairs_that_other_models_know_too(fitted, vectors, pairs):
    known = {pair[0] for pair in pairs[:20]} | {pair[1] for pair in pairs[:20]}
    common = [pair for pair in pairs if {pair[0], pair[1]} <= known]
    other = {word: [1.0] for word in known}
    restricted = word_similarity(fitted, {"mine": pairs}, [4], pairs_known_to=[other, fitted])
    alone = word_similarity(fitted, {"mine": common}, [4])
    assert restricted.score("mine", 4) == alone.score("mine", 4)
    assert restricted.rows[0].n_pairs == len(common)
    assert word_similarity(fitted, {"mine": pairs}, [4], pairs_known_to=[known]) == restricted
    assert restricted.rows[0].n_pairs_in_all == 60


def test_halves(fitted, pairs):
    for half, start in {"first": 0, "second": 1}.items():
        table = word_similarity(fitted, {"mine": pairs}, [4], half=half)
        assert table == word_similarity(fitted, {"mine": pairs[start::2]}, [4])
    with pytest.raises(ValueError, match="half must be"):
        word_similarity(fitted, {"mine": pairs}, [4], half="third")


# No score


@pytest.mark.parametrize(
    ("data", "n_pairs", "why"),
    [
        ([("dodo", "emu", 1), ("dodo", "fly", 2)], 0, "none of its 2 pairs is known"),
        ([("dodo", "emu", 1), ("bank", "fly", 2)], 1, "only one of its 2 pairs is known"),
        (
            [("bank", "loan", 3), ("bank", "fly", 3), ("fly", "tree", 3)],
            3,
            "people's scores of the 3 known pairs are all 3",
        ),
    ],
)
def test_no_score_is_none_and_told_why(fitted, data, n_pairs, why):
    vectors = {word: [1.0, i] for i, word in enumerate(["bank", "loan", "fly", "tree"])}
    for model, lengths in ((fitted, [4, 8]), (vectors, [None])):
        with pytest.warns(UserWarning, match=f"no score for mine: {why}") as told:
            table = word_similarity(model, {"mine": data}, [4, 8])
        assert len(told) == 1
        assert [row.hash_length for row in table.rows] == lengths
        assert {(r.spearman, r.n_pairs, r.n_pairs_in_all) for r in table.rows} == {
            (None, n_pairs, len(data))
        }
        assert "| - |" in str(table)


def test_codes_that_are_all_alike_have_no_score(fitted, pairs):
    with pytest.warns(UserWarning, match="mine at hash length 20: the 60 known pairs are all equ"):
        table = word_similarity(fitted, {"mine": pairs}, [4, 20])
    assert table.score("mine", 20) is None
    assert table.score("mine", 4) is not None


def test_vectors_that_are_not_numbers_have_no_score():
    vectors = {"a": [np.nan, 1], "b": [1, 2], "c": [2, 1]}
    with pytest.warns(UserWarning, match="similarities are not all numbers"):
        table = word_similarity(vectors, {"mine": [("a", "b", 1), ("b", "c", 2)]})
    assert table.score("mine") is None


# Bad input


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"hash_lengths": [0]}, "whole numbers above 0; got 0"),
        ({"hash_lengths": [2.5]}, "whole numbers above 0; got 2.5"),
        (
            {"hash_lengths": [21, 30]},
            r"none of the hash lengths \[21, 30\] is possible: .* 20 Ken",
        ),
        ({"hash_lengths": []}, "none of the hash lengths"),
        ({"measure": "euclid"}, "measure must be one of"),
    ],
)
def test_bad_parameters(fitted, pairs, kwargs, message):
    with pytest.raises(ValueError, match=message):
        word_similarity(fitted, {"mine": pairs}, **kwargs)


def test_models_that_cannot_be_scored(pairs):
    with pytest.raises(TypeError, match=r"expected a fitted FlyHashVectorizer.*got int"):
        word_similarity(5, {"mine": pairs})
    with pytest.raises(TypeError, match="got int"):
        word_similarity({"a": [1]}, {"mine": pairs}, pairs_known_to=[5])
    with pytest.raises(NotFittedError):
        word_similarity(FlyHashVectorizer(), {"mine": pairs})


def test_word_pairs_are_taken_as_they_are(fitted, pairs):
    data = WordPairs("mine", tuple(pairs))
    assert word_similarity(fitted, data, [4]) == word_similarity(fitted, {"mine": pairs}, [4])
