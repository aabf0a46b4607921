"""Document classification: pipelines, their runs and the table."""

import csv

import numpy as np
import pytest
from gensim.models import KeyedVectors
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from document_classification import document_classification, document_pipelines
from skfly.evaluation import LabelledTexts


@pytest.fixture(scope="module")
def data(documents):
    labels = tuple(("fruit", "money")[i % 2] for i in range(len(documents)))
    return LabelledTexts(
        "topics", tuple(documents[:60]), labels[:60], tuple(documents[60:]), labels[60:]
    )


@pytest.fixture(scope="module")
def vectors(topics):
    words = [*topics["fruit"], *topics["money"]]
    random = np.random.default_rng(0)
    keyed = KeyedVectors(4)
    side = np.repeat([[1.0, 0, 0, 0], [0, 1.0, 0, 0]], 10, axis=0)
    keyed.add_vectors(words, (side + 0.1 * random.normal(size=side.shape)).astype(np.float32))
    return keyed


def test_every_feature_tells_two_topics_apart_with_both_classifiers(fitted, vectors, data):
    def lengths(texts):
        return np.array([[text.count("fruit") + text.count("bank"), len(text)] for text in texts])

    methods = document_pipelines(fitted, {"dense": vectors}, {"mine": lengths}, n_components=5)
    table = document_classification(methods, data)
    features = ["tf-idf", "LSA 5", "fly, binary", "fly, counts", "dense, averaged", "mine"]
    assert table.values("method") == [
        f"{name}, {kind}" for name in features for kind in ("LogisticRegression", "LinearSVC")
    ]
    for method in table.values("method"):
        if not method.startswith("mine"):
            assert table.score("topics", method) > 90
    assert all((row.n_train, row.n_test, row.n_classes) == (60, 60, 2) for row in table.rows)


def test_the_width_of_lsa_is_that_of_the_codes(fitted):
    assert "LSA 20, LinearSVC" in document_pipelines(fitted)


def test_a_fitted_fly_is_not_fitted_again_nor_changed(fitted, data, fingerprint):
    before, params = fingerprint(fitted), fitted.get_params()
    methods = document_pipelines(fitted)
    document_classification({"fly": methods["fly, counts, LinearSVC"]}, data)
    assert fingerprint(fitted) == before
    assert fitted.get_params() == params


def test_accuracy_is_the_share_of_right_answers(data):
    always = make_pipeline(
        CountVectorizer(), DummyClassifier(strategy="constant", constant="fruit")
    )
    table = document_classification({"always": always}, data)
    expected = 100 * sum(label == "fruit" for label in data.test_labels) / 60
    assert table.score("topics", "always") == pytest.approx(expected)
    with pytest.raises(KeyError, match="'never'"):
        table.score("topics", "never")


def test_runs_have_seeds_of_their_own(data):
    forest = make_pipeline(
        CountVectorizer(vocabulary=["the", "and", "ripe"]),
        RandomForestClassifier(n_estimators=1, max_depth=1, random_state=7),
    )
    told = []
    [row] = document_classification(
        {"forest": forest}, data, n_runs=3, on_progress=told.append
    ).rows
    assert told == [row]
    assert row.n_runs == 3
    single = [
        document_classification(
            {"f": forest.set_params(randomforestclassifier__random_state=seed)}, data
        ).rows[0]
        for seed in range(3)
    ]
    scores = [one.accuracy for one in single]
    assert row.accuracy == pytest.approx(np.mean(scores))
    assert row.std == pytest.approx(np.std(scores, ddof=1))
    assert single[0].std is None
    with pytest.raises(ValueError, match="n_runs=0"):
        document_classification({}, data, n_runs=0)


def test_what_is_no_dataset_is_refused(data):
    with pytest.raises(TypeError, match="LabelledTexts"):
        document_classification({}, ["some/path"])
    with pytest.raises(ValueError, match="no datasets"):
        document_classification({}, [])


def test_the_table_is_written(data, tmp_path):
    dummy = make_pipeline(CountVectorizer(), DummyClassifier())
    table = document_classification({"dummy": dummy}, data)
    table.to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["dataset"], row["method"], row["std"]) == ("topics", "dummy", "")
    assert float(row["accuracy"]) == table.rows[0].accuracy
