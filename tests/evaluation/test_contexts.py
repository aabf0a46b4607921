"""Words in context: folds, what is chosen, and the scores."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.model_selection import KFold

from skfly import FlyHashVectorizer
from skfly.evaluation import ContextPairs, Table, WordUse, word_in_context
from skfly.evaluation._context_scores import Setting
from skfly.evaluation._contexts import _choose, _Ranking, _YesOrNo

FRUIT = ["ripe", "sweet", "banana", "peach"]
MONEY = ["loan", "money", "interest", "credit"]


def _use(random, topic):
    words = random.choice(topic, size=3, replace=False).tolist()
    return WordUse(" ".join(words[:2]), "fly", words[2])


@pytest.fixture(scope="module")
def senses():
    """Pairs of uses of one word in two senses, which its context tells."""
    random = np.random.default_rng(0)
    pairs = []
    for _ in range(60):
        topics = [(FRUIT, MONEY)[i] for i in random.integers(2, size=2)]
        same = float(topics[0] is topics[1])
        pairs.append((_use(random, topics[0]), _use(random, topics[1]), same))
    return ContextPairs("senses", tuple(pairs), graded=False)


@pytest.fixture(scope="module")
def fly():
    random = np.random.default_rng(1)
    texts = [
        " ".join(["fly", *random.choice(topic, size=4).tolist()])
        for topic in (FRUIT, MONEY)
        for _ in range(100)
    ]
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=4, random_state=0).fit(texts)


def test_a_fly_tells_senses_by_their_context(fly, senses):
    table = word_in_context(fly, senses, windows=[0, 7], hash_lengths=[4], n_neighbors=[4])
    [row] = table.rows
    assert (row.measure, row.n_pairs, row.n_pairs_in_all, row.n_folds) == ("accuracy", 60, 60, 5)
    assert row.score > 90
    assert row.window == 7
    alone = word_in_context(fly, senses, windows=[0], hash_lengths=[4]).rows[0]
    assert alone.score < 70


def test_vectors_and_a_function_give_the_same_as_each_other(senses):
    vectors = {word: [1.0, 0.1] for word in FRUIT} | {word: [0.1, 1.0] for word in MONEY}

    def mean(sentence, target):
        around = sentence[: target.start] + sentence[target.end :]
        return np.mean([vectors[word] for word in around.split()], axis=0)

    by_window = word_in_context(vectors, senses, windows=[7], use_target=[False]).rows[0]
    by_function = word_in_context(mean, senses).rows[0]
    assert by_window.score == by_function.score == 100.0
    assert (by_window.window, by_window.use_target) == (7, False)
    assert (by_function.window, by_function.alpha) == (None, None)


def test_only_the_first_fold_chooses(senses):
    """Turn the truth of all other folds round: the choice stays, and scores turn round."""
    vectors = {word: [1.0, 0.1] for word in FRUIT} | {word: [0.1, 1.0] for word in MONEY}
    folds = [fold for _, fold in KFold(5, shuffle=True, random_state=0).split(senses.pairs)]
    first = set(folds[0].tolist())
    turned = ContextPairs(
        "turned",
        tuple(
            (left, right, gold if i in first else 1 - gold)
            for i, (left, right, gold) in enumerate(senses.pairs)
        ),
        graded=False,
    )
    before = word_in_context(vectors, senses, windows=[3, 7]).rows[0]
    after = word_in_context(vectors, turned, windows=[3, 7]).rows[0]
    assert (after.window, after.threshold) == (before.window, before.threshold)
    assert after.first_fold == before.first_fold == 100.0
    assert after.score == pytest.approx(100 - before.score)


def graded(n=40, unknown=0):
    random = np.random.default_rng(0)
    pairs = []
    for i in range(n):
        left, right = random.choice(6, size=2)
        word = "zebra" if i < unknown else f"w{left}"
        rating = 10.0 - abs(left - right)
        pairs.append((WordUse("", word, ""), WordUse("", f"w{right}", ""), rating))
    return ContextPairs("graded", tuple(pairs), graded=True)


ANGLES = {f"w{i}": [np.cos(i / 5), np.sin(i / 5)] for i in range(6)}


def test_degrees_are_ranked_and_pairs_with_an_unknown_target_do_not_count():
    row = word_in_context(ANGLES, graded(unknown=5), windows=[0], use_target=[True]).rows[0]
    assert (row.measure, row.n_pairs, row.n_pairs_in_all) == ("spearman", 35, 40)
    assert row.score > 90


def test_mean_and_deviation_are_those_of_the_other_folds():
    random = np.random.default_rng(3)
    noisy = {word: vector + random.normal(size=2) for word, vector in ANGLES.items()}
    data = graded(60)
    row = word_in_context(noisy, data, windows=[0], use_target=[True], random_state=7).rows[0]
    folds = [fold for _, fold in KFold(5, shuffle=True, random_state=7).split(data.pairs)]

    def score(fold):
        cosines, gold = [], []
        for left, right, rating in (data.pairs[i] for i in fold):
            a, b = noisy[left.word], noisy[right.word]
            cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            cosines.append(cosine if cosine > row.threshold else 0.0)
            gold.append(rating)
        return 100 * spearmanr(cosines, gold).statistic

    others = [score(fold) for fold in folds[1:]]
    assert row.score == pytest.approx(np.mean(others))
    assert row.std == pytest.approx(np.std(others, ddof=1))
    assert row.first_fold == pytest.approx(score(folds[0]))


def test_without_known_pairs_there_is_no_score():
    with pytest.warns(UserWarning, match="no score for graded: 0 of its 40 pairs are known"):
        table = word_in_context({"other": [1.0]}, graded())
    assert table.score("graded") is None
    assert str(table).splitlines()[-1] == "| graded | spearman | - | - | - | 0 of 40 | - |"


def test_too_few_pairs_or_folds():
    with pytest.raises(ValueError, match="graded has 6 pairs, too few for 5 folds"):
        word_in_context(ANGLES, graded(6))
    with pytest.raises(ValueError, match="n_folds=1"):
        word_in_context(ANGLES, graded(), n_folds=1)


def test_the_table_is_written(tmp_path, senses):
    vectors = {word: [1.0, 0.1] for word in FRUIT} | {word: [0.1, 1.0] for word in MONEY}
    with pytest.warns(UserWarning, match="no score for graded"):
        table = word_in_context(vectors, [senses, graded()], windows=[7], use_target=[False])
    assert isinstance(table, Table)
    table.to_csv(tmp_path / "t.csv")
    table.to_json(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == table.to_dict()
    with open(tmp_path / "t.csv", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["dataset"], first["window"], first["hash_length"]) == ("senses", "7", "")
    with pytest.raises(KeyError, match="other"):
        table.score("other")


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=12),
)
def test_no_threshold_is_better_than_the_best(pairs):
    scores = np.array([score / 4 for score, _ in pairs])
    gold = np.array([float(yes) for _, yes in pairs])
    threshold, best = _YesOrNo.best(scores, gold)
    assert _YesOrNo.score(scores, gold, threshold) == pytest.approx(best)
    tried = [-9.0, *scores.tolist()]
    assert best == pytest.approx(max(_YesOrNo.score(scores, gold, t) for t in tried))


def test_what_is_not_above_the_threshold_counts_0():
    scores, gold = np.array([0.1, 0.3, 0.2, 0.9]), np.array([3.0, 1.0, 2.0, 9.0])
    expected = 100 * spearmanr([0, 0, 0, 0.9], gold).statistic
    assert _Ranking.score(scores, gold, 0.3) == pytest.approx(expected)
    assert _Ranking.score(scores, gold, 0.9) == 0.0
    threshold, best = _Ranking.best(scores, gold)
    assert best == pytest.approx(_Ranking.score(scores, gold, threshold))
    assert best >= _Ranking.score(scores, gold, -1.0)


class Scores:
    """A scorer with the scores of each window at hand."""

    def __init__(self, **by_window):
        self._scores = {int(name[1:]): scores for name, scores in by_window.items()}

    def candidates(self, left, right):
        return ((Setting(window=w), scores) for w, scores in self._scores.items())


def test_a_larger_window_must_gain_more_than_chance():
    random = np.random.default_rng(0)
    rating = np.arange(100.0)
    use = WordUse("", "fly", "")
    data = ContextPairs("graded", tuple((use, use, one) for one in rating), graded=True)
    noise = random.normal(size=100)
    noisy, less = rating + 40 * noise, rating + 35 * noise
    fold = np.arange(100)
    assert spearmanr(less, rating).statistic > spearmanr(noisy, rating).statistic
    small, _, score = _choose(Scores(w3=noisy, w7=less), data, fold, _Ranking)
    assert small.window == 3
    assert score == pytest.approx(100 * spearmanr(noisy, rating).statistic)
    large, _, score = _choose(Scores(w3=noisy, w7=rating), data, fold, _Ranking)
    assert (large.window, score) == (7, pytest.approx(100.0))


def test_so_must_a_threshold():
    random = np.random.default_rng(0)
    scores = random.uniform(size=200)
    gold = scores + random.normal(scale=0.3, size=200)
    threshold, best = _Ranking.best(scores, gold)
    assert threshold < 0  # none
    assert best == pytest.approx(100 * spearmanr(scores, gold).statistic)
    gold = np.where(scores > 0.5, 10 + scores, -scores)  # below it, the order is turned round
    threshold, best = _Ranking.best(scores, gold)
    assert 0.3 < threshold < 0.6
    assert best > 100 * spearmanr(scores, gold).statistic


def test_the_error_is_the_deviation_of_samples():
    random = np.random.default_rng(0)
    found = []
    for _ in range(300):
        first = random.normal(size=200)
        found.append(100 * spearmanr(first, first + random.normal(size=200)).statistic)
    assert _Ranking.error(np.mean(found), 200) == pytest.approx(np.std(found), rel=0.15)
    assert _YesOrNo.error(50.0, 100) == 5.0
