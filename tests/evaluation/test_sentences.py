"""Sentences: the similarity of codes and of vectors, and human judgement."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from skfly import FlyHashVectorizer
from skfly.evaluation import SentencePairs, read_sts, sentence_similarity

LINES = (
    "main-captions\tMSRvid\t2012test\t0000\t5.000\tA ripe plum.\tThe plum is ripe.\n"
    'main-news\tx\ty\t1\t0.25\tHe said "a loan.\tSweet pears\tmore\n'
    "main-news\tx\ty\t2\t2.5\tSweet plums\tSweet pears\n"
)


@pytest.fixture
def sts(tmp_path):
    path = tmp_path / "sts-dev.csv"
    path.write_text(LINES)
    return path


@pytest.fixture(scope="module")
def fly():
    texts = ["a ripe sweet plum", "sweet ripe pears", "he has a loan", "a loan he said"] * 10
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=4, random_state=0).fit(texts)


def test_the_benchmark_is_read(sts):
    data = read_sts(sts)
    assert data.name == "sts-dev"
    assert data.pairs[1] == ('He said "a loan.', "Sweet pears", 0.25)
    assert len(data) == 3


@pytest.mark.parametrize("line", ["a\tb\tc\td\tfive\tA plum\tA pear\n", "a\tb\tc\td\t5\tA plum\n"])
def test_a_line_without_score_or_sentences_is_named(sts, line):
    sts.write_text(LINES + line)
    with pytest.raises(ValueError, match=r"line 4 of .*sts-dev.csv does not have a score in col"):
        read_sts(sts)


def test_a_fly_is_scored_by_the_cosine_of_its_codes(fly, sts):
    table = sentence_similarity(fly, sts, hash_lengths=[2, 4, 99])
    assert table.values("hash_length") == [2, 4]
    pairs = read_sts(sts).pairs
    first, second = (fly.transform([pair[i] for pair in pairs]).toarray() for i in (0, 1))
    shared = (first * second).sum(axis=1)
    gold = [score for *_, score in pairs]
    assert table.score("sts-dev", 4) == pytest.approx(100 * spearmanr(gold, shared).statistic)
    assert sentence_similarity(fly, sts).values("hash_length") == [4]
    assert sentence_similarity(fly.model_, sts).rows == sentence_similarity(fly, sts).rows


def test_vectors_functions_and_transformers(fly, sts):
    vectors = {"plum": [1.0, 0.0], "plums": [1.0, 0.2], "pears": [0.8, 1.0], "loan": [0.0, 1.0]}
    data = [sts, SentencePairs("mine", (("plum", "plums", 5), ("plum", "loan", 0)))]
    table = sentence_similarity(vectors, data)
    assert table.values("dataset") == ["sts-dev", "mine"]
    assert table.score("mine") == pytest.approx(100.0)

    def encode(sentences):
        return fly.transform(sentences).toarray()

    by_function, by_transformer = (sentence_similarity(m, sts) for m in (encode, fly))
    assert by_function.score("sts-dev") == pytest.approx(by_transformer.score("sts-dev", 4))


def test_what_cannot_be_scored(sts):
    with pytest.raises(TypeError, match="got int"):
        sentence_similarity(3, sts)
    with pytest.raises(ValueError, match="hash_lengths are for models"):
        sentence_similarity({"plum": [1.0]}, sts, hash_lengths=[4])
    with pytest.warns(UserWarning, match="no score for sts-dev: all pairs are equally similar"):
        assert sentence_similarity(lambda s: np.ones((len(s), 1)), sts).score("sts-dev") is None
