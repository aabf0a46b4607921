"""The hash-length tables: which pairs, which runs, and what cannot be made."""

import warnings

import numpy as np
import pytest
from gensim.models import KeyedVectors

from compare_codes import compare_codes
from skfly.binarize import LSH, PCAH, RandExp
from skfly.evaluation import mean_over_seeds, word_similarity


@pytest.fixture(scope="module")
def dense(topics):
    words = [*topics["fruit"], *topics["money"], "Only", "mine"]
    random = np.random.default_rng(0)
    vectors = KeyedVectors(8)
    side = np.repeat(np.eye(8)[:2], 11, axis=0)
    vectors.add_vectors(words, (side + 0.5 * random.normal(size=side.shape)).astype(np.float32))
    return vectors


@pytest.fixture(scope="module")
def pairs(topics):
    random = np.random.default_rng(1)
    words = [*topics["fruit"], *topics["money"]]
    some = [
        (words[i], words[j], float((i < 10) == (j < 10)))
        for i, j in random.integers(20, size=(30, 2))
    ]
    some = [(a, b, score + random.random()) for a, b, score in some]
    return {"topics": [*some, ("mine", "fly", 0.5), ("FLY", "fruit", 1.5)]}


def test_all_are_scored_on_the_pairs_that_all_know(fitted, dense, pairs):
    table = compare_codes({"fly": fitted}, {"dense": dense}, pairs, [2, 4], n_runs=2)
    assert {(row.n_pairs, row.n_pairs_in_all) for row in table.rows} == {(31, 32)}
    methods = ["fly", "dense", "LSH", "RandExp", "ITQ", "SH", "PCAH", "NLB", "TopK"]
    assert table.values("method") == methods
    assert table.values("hash_length") == [2, 4, None]


def test_scores_are_those_of_word_similarity(fitted, dense, pairs):
    common = {word for word in dense.key_to_index if word in fitted.vocabulary_}
    table = compare_codes({"fly": fitted}, {"dense": dense}, pairs, [4], methods={})
    by_hand = word_similarity(fitted, pairs, [4], pairs_known_to=[common])
    assert table.score("fly", "fly", "topics", 4) == by_hand.score("topics", 4)
    plain = word_similarity(dense, pairs, pairs_known_to=[common])
    assert table.score("dense", "dense", "topics") == plain.score("topics")


def test_random_methods_have_the_mean_of_their_seeds(dense, pairs):
    methods = {"LSH": LSH(), "PCAH": PCAH(), "RandExp": RandExp(n_cells=50)}
    table = compare_codes(None, {"dense": dense}, pairs, [6], methods=methods, n_runs=3)
    runs = {row.method: row.n_runs for row in table.rows}
    assert runs == {"dense": 1, "LSH": 3, "PCAH": 1, "RandExp": 3}

    def codes(seed):
        lsh = LSH(n_bits=6, random_state=seed).fit(dense.vectors)
        return dict(zip(dense.index_to_key, lsh.transform(dense.vectors), strict=True))

    expected = mean_over_seeds(
        word_similarity(codes(seed), pairs, measure="sokal-michener") for seed in range(3)
    ).rows[0]
    found = next(row for row in table.rows if row.method == "LSH")
    assert found.spearman == pytest.approx(expected.spearman)
    assert found.std == pytest.approx(expected.std)


def test_a_list_of_flies_is_a_mean_over_seeds(make_fly, documents, pairs):
    flies = [make_fly(random_state=seed).fit(documents) for seed in (0, 1)]
    told = []
    table = compare_codes({"flies": flies}, None, pairs, [4], on_progress=told.append)
    assert told == ["flies"]
    assert [row.n_runs for row in table.rows] == [2]


def test_more_bits_than_dimensions_are_told_and_the_rest_is_scored(dense, pairs):
    methods = {"PCAH": PCAH(), "LSH": LSH()}
    with pytest.warns(UserWarning, match="no codes of dense by PCAH at hash length 16: n_bits=16"):
        table = compare_codes(None, {"dense": dense}, pairs, [4, 16], methods=methods)
    assert table.score("dense", "LSH", "topics", 16) is not None
    with pytest.raises(KeyError):
        table.score("dense", "PCAH", "topics", 16)
    assert "| PCAH |" in str(table)


def test_nothing_to_compare(dense):
    with pytest.raises(ValueError, match="neither flies nor vectors"):
        compare_codes()
    with pytest.raises(ValueError, match="n_runs=0"):
        compare_codes(vectors={"dense": dense}, n_runs=0)


def test_the_best_codes_of_a_length_are_in_bold_and_the_table_is_drawn(
    fitted, dense, pairs, tmp_path
):
    table = compare_codes(
        {"mine": fitted}, {"dense": dense}, pairs, [4, 8], methods={"LSH": LSH()}
    )
    header, _, *lines = str(table).splitlines()
    assert header == "| dataset | vectors | method | 4 | 8 | dense | pairs |"
    assert [line.split(" | ")[:3] for line in lines] == [
        ["| topics", "mine", "fly"],
        ["| topics", "dense", "dense"],
        ["| topics", "dense", "LSH"],
    ]
    assert str(table).count("**") == 2 * 2  # one for each length
    for length in (4, 8):
        best = max(row.spearman for row in table.rows if row.hash_length == length)
        assert f"**{best:.1f}" in str(table)
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = table.plot(tmp_path / "codes.svg", dataset="topics")
    labels = {text.get_text() for text in ax.get_legend().get_texts()}
    assert labels == {"mine, fly", "dense, dense", "dense, LSH"}
