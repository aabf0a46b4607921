import copy
import gzip
import json
import warnings

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim.test.utils import common_texts, datapath

from skfly import FlyKeyedVectors
from skfly.evaluation import word_analogies

WORDS = ["athens", "greece", "baghdad", "iraq", "berlin", "germany", "boy", "girl", "he", "she"]
QUESTIONS = """: capitals
Athens Greece Baghdad Iraq
Baghdad Iraq Athens Greece
Athens Greece Bern Switzerland
this line is no question
: family
boy girl he she
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "questions.txt").write_text(QUESTIONS)
    return tmp_path / "questions.txt"


@pytest.fixture
def dense():
    kv = KeyedVectors(20)
    kv.add_vectors(WORDS, np.random.default_rng(0).normal(size=(10, 20)).astype(np.float32))
    return kv


@pytest.fixture
def codes(dense):
    return FlyKeyedVectors.from_dense(dense, n_cells=100, hash_length=20, random_state=0)


def test_a_literal_example(path):
    wv = KeyedVectors(3)
    wv.add_vectors(WORDS[:4], [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]])

    table = word_analogies(wv, path)

    assert [(row.section, row.n_correct, row.n_questions) for row in table.rows] == [
        ("capitals", 2, 2),
        ("family", 0, 0),
        ("all", 2, 2),
    ]
    assert [row.n_questions_in_all for row in table.rows] == [3, 1, 4]
    assert table.score() == table.score("capitals") == 100
    assert table.score("family") is None
    assert str(table).splitlines()[-2:] == [
        "| family | - | 0 of 1 |",
        "| all | 100.0 | 2 of 4 |",
    ]


@pytest.mark.parametrize("kind", ["dense", "codes"])
def test_the_numbers_are_those_of_gensim(request, kind):
    wv = request.getfixturevalue(kind)
    path = datapath("questions-words.txt")

    accuracy, sections = wv.evaluate_word_analogies(path)
    table = word_analogies(wv)

    assert table.score() == pytest.approx(100 * accuracy)
    assert len(table.rows) == len(sections) == 15
    for row, section in zip(table.rows[:-1], sections[:-1], strict=True):
        assert row.section == section["section"]
        assert row.n_correct == len(section["correct"])
        assert row.n_questions == len(section["correct"] + section["incorrect"])
    assert table.rows[-1].n_questions_in_all == 19_544
    assert table.rows[-1].n_questions > 0


def test_an_estimator_at_several_lengths(fitted, tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(": mine\nfly fruit bank money\nloan debt peach banana\n")
    before = copy.copy(fitted.get_params())

    table = word_analogies(fitted, path, [2, 4, 1000])

    assert [row.hash_length for row in table.rows] == [2, 2, 4, 4]
    for length in (2, 4):
        fly = copy.deepcopy(fitted).set_params(hash_length=length)
        assert table.score(hash_length=length) == word_analogies(fly.wv, path).score()
    assert fitted.get_params() == before
    assert "| section | 2 | 4 | questions |" in str(table)


def test_a_model_with_vectors(path):
    model = Word2Vec(common_texts, vector_size=5, min_count=1, workers=1)

    with pytest.warns(UserWarning, match=r"no question of .* has four known words"):
        assert word_analogies(model, path).score() is None


def test_words_behind_a_limit_are_not_known(dense, path):
    assert word_analogies(dense, path, restrict_vocab=4).score("family") is None
    assert word_analogies(dense, path).score("family") is not None


def test_a_compressed_file(dense, path, tmp_path):
    with gzip.open(tmp_path / "questions.txt.gz", "wt") as file:
        file.write(QUESTIONS)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert word_analogies(dense, tmp_path / "questions.txt.gz") == word_analogies(dense, path)


def test_files(dense, path, tmp_path):
    table = word_analogies(dense, path)
    table.to_json(tmp_path / "scores.json")
    table.to_csv(tmp_path / "scores.csv")

    assert json.loads((tmp_path / "scores.json").read_text()) == table.to_dict()
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert lines[0] == "section,hash_length,accuracy,n_correct,n_questions,n_questions_in_all"
    assert len(lines) == 4


@pytest.mark.parametrize("text", ["", ": empty\n", "Athens Greece Baghdad Iraq\n", ": a\nb c\n"])
def test_a_file_without_questions(dense, tmp_path, text):
    (tmp_path / "questions.txt").write_text(text)

    with pytest.raises(ValueError, match=r"has no analogies; expected lines of four words"):
        word_analogies(dense, tmp_path / "questions.txt")


def test_no_file(dense, tmp_path):
    with pytest.raises(FileNotFoundError):
        word_analogies(dense, tmp_path / "none")


def test_what_has_no_neighbours(path):
    with pytest.raises(TypeError, match="got dict"):
        word_analogies({"fly": [1, 0]}, path)


def test_no_such_score(dense, path):
    with pytest.raises(KeyError, match="no row with section='fruit'"):
        word_analogies(dense, path).score("fruit")
