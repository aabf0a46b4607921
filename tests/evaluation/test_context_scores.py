"""Scores of pairs of uses: by codes, averaged vectors, and functions."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.distance import jensenshannon

from skfly import FlyHashVectorizer
from skfly.evaluation import WordUse
from skfly.evaluation._context_scores import (
    ContextGrid,
    Setting,
    as_context_scorer,
    count_common,
    jensen_shannon,
)

TEXTS = [
    "the green bank of the river has tall grass",
    "the bank lends us money for a house",
    "a loan of money costs interest at the bank",
    "fish swim in the river near the grass",
] * 25


def grid(**changes):
    values = {
        "windows": (0, 5),
        "use_target": (True, False),
        "hash_lengths": (3,),
        "alphas": (0.0, 0.5, 1.0),
        "n_neighbors": (2, 4),
    }
    return ContextGrid(**(values | changes))


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=30, hash_length=5, random_state=0).fit(TEXTS)


LEFT = [WordUse("The green", "Bank", "of the river ."), WordUse("", "money", "for a house")]
RIGHT = [WordUse("a", "bank", "lends us money"), WordUse("a loan of", "money", "costs a lot")]


def clone_with(fly, **params):
    return copy.copy(fly).set_params(**params)


def _neighbors(fly, code, n):
    overlaps = fly.word_codes_ @ code
    return set(np.argsort(-overlaps, kind="stable")[:n].tolist())


class TestCodes:
    def test_scores_are_those_of_the_formula(self, fly):
        scorer = as_context_scorer(fly, grid(), "auto")
        scores = scorer.scores(LEFT, RIGHT, Setting(5, True, 3, 0.5, 4))
        fly = clone_with(fly, hash_length=3)
        for i, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            codes = [
                fly.hash_in_context(
                    [" ".join([use.before, use.word, use.after])], [use.word], window=5
                ).toarray()[0]
                for use in (left, right)
            ]
            dot = codes[0] @ codes[1] / 3
            common = _neighbors(fly, codes[0], 4) & _neighbors(fly, codes[1], 4)
            assert scores[i] == pytest.approx(0.5 * dot + 0.5 * len(common) / 4)

    def test_one_setting_gives_what_the_candidates_gave(self, fly):
        scorer = as_context_scorer(fly, grid(hash_lengths=(2, 5)), "auto")
        for setting, scores in scorer.candidates(LEFT, RIGHT):
            np.testing.assert_allclose(scorer.scores(LEFT, RIGHT, setting), scores)

    def test_the_settings(self, fly):
        scorer = as_context_scorer(fly, grid(hash_lengths=(3, 99)), "auto")
        settings = [setting for setting, _ in scorer.candidates(LEFT, RIGHT)]
        assert len(settings) == len(set(settings)) == 3 * 5  # 3 contexts, 2 alphas * 2 q + 1
        assert Setting(0, True, 3, 1.0) in settings
        assert Setting(5, False, 3, 0.0, 2) in settings
        assert not any(s.window == 0 and not s.use_target for s in settings)

    def test_window_0_has_the_static_codes(self, fly):
        scorer = as_context_scorer(fly, grid(), "auto")
        same = [WordUse("in the river", "bank", "")], [WordUse("money", "bank", "loan")]
        assert scorer.scores(*same, Setting(0, True, 3, 1.0)).tolist() == [1.0]

    def test_without_the_target_only_the_context_counts(self, fly):
        scorer = as_context_scorer(fly, grid(), "auto")
        other = [WordUse(use.before, "fish", use.after) for use in LEFT]
        setting = Setting(5, False, 3, 1.0)
        np.testing.assert_array_equal(
            scorer.scores(other, RIGHT, setting), scorer.scores(LEFT, RIGHT, setting)
        )
        assert scorer.scores([WordUse("", "bank", "")], RIGHT[:1], setting).tolist() == [0.0]

    def test_the_vectorizer_is_not_changed(self, fly):
        before = fly.get_params()
        list(as_context_scorer(fly, grid(), "auto").candidates(LEFT, RIGHT))
        assert fly.get_params() == before

    def test_a_target_that_is_a_stop_word(self):
        fly = FlyHashVectorizer(
            n_kenyon_cells=10, hash_length=3, stop_words=["the"], random_state=0
        ).fit(TEXTS)
        scorer = as_context_scorer(fly, grid(), "auto")
        use = [WordUse("money in", "the", "bank")]
        assert scorer.scores(use, use, Setting(5, True, 3, 1.0)).tolist() == [1.0]

    def test_known(self, fly):
        scorer = as_context_scorer(fly, grid(), "auto")
        uses = [WordUse("", "Bank", ""), WordUse("bank", "zebra", "bank")]
        assert scorer.known(uses).tolist() == [True, False]

    def test_no_neighbors_of_nothing(self, fly):
        scorer = as_context_scorer(fly, grid(), "auto")
        nothing = [WordUse("qq", "zz", "yy")]
        assert scorer.scores(nothing, nothing, Setting(5, True, 3, 0.0, 4)).tolist() == [0.0]


@given(
    left=st.permutations(range(7)),
    right=st.permutations(range(7)),
    n=st.integers(1, 7),
)
def test_count_common(left, right, n):
    found = count_common(np.array([left[:n]]), np.array([right[:n]]))
    assert found[0].tolist() == [len({*left[:q]} & {*right[:q]}) for q in range(1, n + 1)]


VECTORS = {"bank": [1.0, 0.0], "river": [0.0, 2.0], "money": [3.0, 0.0], "Loan": [1.0, 1.0]}


class TestAveragedVectors:
    def test_the_mean_of_a_window(self):
        scorer = as_context_scorer(VECTORS, grid(), "auto")
        left, right = [WordUse("x River x", "bank", "")], [WordUse("", "Loan", "")]
        scores = [scorer.scores(left, right, Setting(w, True))[0] for w in (0, 5)]
        # bank beside Loan; (bank + river) / 2 beside Loan
        assert scores == pytest.approx([1 / np.sqrt(2), 1.5 / np.sqrt(1.25 * 2)])

    def test_nothing_known_scores_0(self):
        scorer = as_context_scorer(VECTORS, grid(), "auto")
        scores = scorer.scores(
            [WordUse("", "zz", "")], [WordUse("", "bank", "")], Setting(0, True)
        )
        assert scores.tolist() == [0.0]

    def test_the_settings_are_windows(self):
        scorer = as_context_scorer(VECTORS, grid(), "auto")
        settings = [setting for setting, _ in scorer.candidates(LEFT, RIGHT)]
        assert settings == [Setting(0, True), Setting(5, True), Setting(5, False)]

    def test_jensen_shannon(self):
        scorer = as_context_scorer(VECTORS, grid(), "jensen-shannon")
        scores = scorer.scores(
            [WordUse("", "bank", ""), WordUse("", "bank", "")],
            [WordUse("", "money", ""), WordUse("", "river", "")],
            Setting(0, True),
        )
        assert scores == pytest.approx([1.0, 0.0])
        negative = as_context_scorer({"bank": [-1.0]}, grid(), "jensen-shannon")
        use = [WordUse("", "bank", "")]
        with pytest.raises(ValueError, match="without negative values"):
            negative.scores(use, use, Setting(0, True))


@given(
    arrays.arrays(np.float64, (2, 3, 4), elements=st.floats(0.01, 10)),
)
def test_jensen_shannon_is_1_less_the_divergence(both):
    found = jensen_shannon(both[0], both[1])
    expected = [1 - jensenshannon(a, b, base=2) ** 2 for a, b in zip(*both, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


class TestFunction:
    def test_gets_the_sentence_and_the_place_of_the_target(self):
        calls = []

        def encode(sentence, target):
            calls.append((sentence, str(target), sentence[target.start : target.end]))
            return [1.0, len(sentence)]

        scorer = as_context_scorer(encode, grid(), "auto")
        [(setting, scores)] = scorer.candidates(LEFT[:1], RIGHT[:1])
        assert setting == Setting()
        assert calls == [
            ("The green Bank of the river .", "Bank", "Bank"),
            ("a bank lends us money", "bank", "bank"),
        ]
        assert 0.9 < scores[0] < 1.0

    def test_may_have_no_vector(self):
        scorer = as_context_scorer(
            lambda _, target: None if target == "Bank" else [1.0], grid(), "auto"
        )
        assert scorer.scores(LEFT, RIGHT, Setting()).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": (4,)}, r"windows must be odd numbers of words, or 0; got \(4,\)"),
        ({"alphas": (1.5,)}, "alphas must be from 0 to 1"),
        ({"n_neighbors": (0,)}, "whole numbers above 0"),
        ({"hash_lengths": ()}, "hash_lengths is empty"),
        ({"windows": (0,), "use_target": (False,)}, "it needs use_target=True"),
    ],
)
def test_bad_grids(changes, message):
    with pytest.raises(ValueError, match=message):
        grid(**changes)


def test_bad_models(fly):
    with pytest.raises(TypeError, match=r"expected a fitted FlyHashVectorizer.*got int"):
        as_context_scorer(3, grid(), "auto")
    with pytest.raises(ValueError, match="measure must be one of"):
        as_context_scorer(VECTORS, grid(), "euclid")
    with pytest.raises(ValueError, match="the model makes codes"):
        as_context_scorer(fly, grid(), "cosine")
    with pytest.raises(ValueError, match=r"none of the hash lengths \[99\] is possible"):
        as_context_scorer(fly, grid(hash_lengths=(99,)), "auto")
