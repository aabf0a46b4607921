"""FlyHashVectorizer among scikit-learn's other parts."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def labels(documents):
    return np.resize(["fruit", "money"], len(documents))


def same(left, right):
    return left.shape == right.shape and (left != right).nnz == 0


@pytest.mark.parametrize("document_codes", ["binary", "counts"])
def test_a_pipeline_with_a_classifier_tells_the_topics(
    make_fly, documents, labels, document_codes
):
    model = make_pipeline(make_fly(document_codes=document_codes), LogisticRegression())
    model.fit(documents[:80], labels[:80])
    assert model.score(documents[80:], labels[80:]) > 0.95


def test_a_union_with_tfidf_has_the_features_of_both(make_fly, documents, fitted):
    union = FeatureUnion([("fly", make_fly()), ("words", TfidfVectorizer())])
    features = union.fit_transform(documents)
    n_words = len(union["words"].vocabulary_)
    assert features.shape == (len(documents), 20 + n_words)
    assert same(sparse.csr_matrix(features)[:, :20], fitted.transform(documents))
    names = union.get_feature_names_out()
    assert len(names) == 20 + n_words
    assert names[0] == "fly__flyhashvectorizer0"


def test_a_column_of_text(make_fly, documents, fitted):
    table = pd.DataFrame({"text": documents, "length": [float(len(t)) for t in documents]})
    columns = ColumnTransformer(
        [("fly", make_fly(), "text"), ("scaled", StandardScaler(), ["length"])],
        sparse_threshold=1.0,
    )
    features = columns.fit_transform(table)
    assert features.shape == (len(documents), 21)
    assert same(sparse.csr_matrix(features)[:, :20], fitted.transform(documents))
    assert columns.get_feature_names_out()[-1] == "scaled__length"


def test_a_list_of_one_column_is_that_column_and_two_are_refused(make_fly, documents, fitted):
    table = pd.DataFrame({"text": documents, "title": documents})
    columns = ColumnTransformer([("fly", make_fly(), ["text"])], sparse_threshold=1.0)
    assert same(sparse.csr_matrix(columns.fit_transform(table)), fitted.transform(documents))

    columns = ColumnTransformer([("fly", make_fly(), ["text", "title"])])
    with pytest.raises(ValueError, match="the column's name as a str instead of a list"):
        columns.fit(table)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_data_frames_need_no_other_parameter(make_fly, documents, fitted, kind):
    pytest.importorskip(kind)
    fly = make_fly().set_output(transform=kind)
    for frame in (fly.fit_transform(documents), fly.transform(documents)):
        assert type(frame).__module__.startswith(kind)
        np.testing.assert_array_equal(frame.to_numpy(), fitted.transform(documents).toarray())


def test_a_data_frame_of_codes_keeps_the_rows_in_place(make_fly, documents, fitted):
    table = pd.DataFrame({"text": documents}, index=range(7, 7 + len(documents)))
    columns = ColumnTransformer([("fly", make_fly(sparse_output=False), "text")])
    frame = columns.set_output(transform="pandas").fit_transform(table)
    assert list(frame.index) == list(columns.transform(table).index)
    assert frame.columns[0] == "fly__flyhashvectorizer0"
    np.testing.assert_array_equal(frame, fitted.transform(documents).toarray())


def test_a_grid_search_with_two_workers(make_fly, documents, labels):
    model = make_pipeline(make_fly(), LogisticRegression())
    grid = {
        "flyhashvectorizer__hash_length": [2, 5],
        "flyhashvectorizer__n_kenyon_cells": [10, 20],
    }
    alone, together = (
        GridSearchCV(model, grid, cv=2, n_jobs=n_jobs, error_score="raise").fit(documents, labels)
        for n_jobs in (1, 2)
    )
    for score in ("split0_test_score", "split1_test_score"):
        np.testing.assert_array_equal(together.cv_results_[score], alone.cv_results_[score])
    assert together.best_score_ > 0.9
    assert together.predict(documents[:2]).tolist() == ["fruit", "money"]


def test_a_clone_is_not_fitted_and_learns_the_same(fitted, documents, fingerprint):
    fly = clone(fitted)
    assert fly.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        fly.transform(documents)
    assert fingerprint(fly.fit(documents)) == fingerprint(fitted)


@pytest.mark.parametrize("through", ["pickle", "joblib", "joblib mmap", "deepcopy"])
def test_a_copy_gives_the_same_bits(fitted, documents, fingerprint, tmp_path, through):
    if through == "pickle":
        fly = pickle.loads(pickle.dumps(fitted))
    elif through == "deepcopy":
        fly = copy.deepcopy(fitted)
    else:
        joblib.dump(fitted, tmp_path / "fly.joblib")
        mode = "r" if through == "joblib mmap" else None
        fly = joblib.load(tmp_path / "fly.joblib", mmap_mode=mode)
        assert isinstance(fly.model_.coder.vectors, np.memmap) == (mode == "r")
    assert fingerprint(fly) == fingerprint(fitted)
    assert same(fly.transform(documents), fitted.transform(documents))
    assert same(fly.hash_words(["fly"]), fitted.hash_words(["fly"]))
    assert same(
        fly.hash_in_context(["ripe fruit"], ["fruit"]),
        fitted.hash_in_context(["ripe fruit"], ["fruit"]),
    )
    assert fly.kenyon_cells("ripe fruit") == fitted.kenyon_cells("ripe fruit")
    again = copy.deepcopy(fitted).partial_fit(documents[:30])
    assert fingerprint(fly.partial_fit(documents[:30])) == fingerprint(again)


@pytest.mark.skipif(
    "sparse_interface" not in sklearn.get_config(), reason="needs scikit-learn 1.9 or newer"
)
@pytest.mark.parametrize(
    ("interface", "kind"), [("sparray", sparse.csr_array), ("spmatrix", sparse.csr_matrix)]
)
def test_sparse_matrices_are_of_the_kind_set_in_scikit_learn(
    make_fly, documents, fitted, interface, kind
):
    with sklearn.config_context(sparse_interface=interface):
        for codes in (
            fitted.transform(documents),
            fitted.hash_words(["fly"]),
            fitted.hash_in_context(["ripe fruit"], ["fruit"]),
            fitted.word_codes_,
            make_fly(document_codes="counts").fit_transform(documents[:5]),
        ):
            assert type(codes) is kind


def test_dense_output_has_the_same_values(make_fly, documents, fitted):
    dense = make_fly(sparse_output=False).fit_transform(documents)
    assert type(dense) is np.ndarray
    np.testing.assert_array_equal(dense, fitted.transform(documents).toarray())


def test_features_are_named_after_the_class(fitted):
    names = fitted.get_feature_names_out()
    assert [names[0], names[-1], len(names)] == ["flyhashvectorizer0", "flyhashvectorizer19", 20]


def test_features_can_be_named_after_words_without_learning_again(fitted, documents):
    fly = copy.copy(fitted).set_params(feature_names="words").set_output(transform="pandas")
    names = fly.get_feature_names_out()
    assert names.tolist() == fitted.cell_feature_names().tolist()
    assert fly.transform(documents).columns.tolist() == names.tolist()


def test_names_have_no_signs_that_tools_refuse(make_fly):
    texts = ["the [river] <bank>", "the [sweet] <fruit>"] * 10
    fly = make_fly(token_pattern=r"\S+", feature_names="words").fit(texts)
    names = fly.get_feature_names_out()
    assert any("river" in name for name in names)
    assert not set("".join(names)) & set("[]<>,")


@pytest.mark.parametrize(
    "use",
    [
        lambda fly: fly.transform(["fly"]),
        lambda fly: fly.hash_words(["fly"]),
        lambda fly: fly.hash_in_context(["ripe fruit"], ["fruit"]),
        lambda fly: fly.kenyon_cells("fly"),
        lambda fly: fly.word_codes_,
        lambda fly: fly.get_feature_names_out(),
        lambda fly: fly.save("never-written"),
    ],
)
def test_nothing_works_before_fit(make_fly, use):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        use(make_fly())


BOUNDS = [
    {"min_df": 40},
    {"min_df": 0.4},
    {"max_df": 60},
    {"max_df": 0.5},
    {"min_df": 30, "max_df": 0.5},
]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_min_df_and_max_df_choose_the_words_that_tfidf_has(make_fly, documents, bounds):
    tfidf = TfidfVectorizer(**bounds).fit(documents)
    assert 0 < len(tfidf.vocabulary_) < len(TfidfVectorizer().fit(documents).vocabulary_)
    fly = make_fly(min_count=1, **bounds).fit(documents)
    assert set(fly.vocabulary_) == set(tfidf.vocabulary_)


def test_one_document_is_not_all_documents(make_fly):
    texts = ["one two", "one three", "one three two"]
    every = {"min_count": 1, "sentence_splitter": None}
    assert set(make_fly(min_df=1.0, **every).fit(texts).vocabulary_) == {"one"}
    assert set(make_fly(max_df=2, **every).fit(texts).vocabulary_) == {"two", "three"}
    with pytest.raises(ValueError, match="max_df=1 allows fewer documents than min_df=2"):
        make_fly(min_df=2, max_df=1).fit(texts)


def test_the_analyzer_and_the_stop_words_are_those_of_tfidf(make_fly, fitted):
    for params in ({}, {"stop_words": "english"}, {"stop_words": ["fly"], "lowercase": False}):
        tfidf, fly = TfidfVectorizer(**params), make_fly(**params)
        text = "The fly smells. Ripe Fruit, sweet!"
        assert fly.build_analyzer()(text) == tfidf.build_analyzer()(text)
        assert fly.get_stop_words() == tfidf.get_stop_words()
    assert fitted.build_analyzer()("A Fly") == ["fly"]
