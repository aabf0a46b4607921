"""Tools that build on scikit-learn: their tables, samplers, files and explanations."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs


@pytest.fixture
def small():
    return FlyHashVectorizer(n_kenyon_cells=24, hash_length=4, random_state=0)


@pytest.fixture(scope="module")
def many(texts):
    return [f"{text} in the year {year}" for year, text in enumerate(texts * 20)]


@pytest.fixture(scope="module")
def labels(many):
    return np.array(["bank" in text for text in many])


def test_samplers_of_imbalanced_learn_pass_columns(small, many, labels):
    sampling = pytest.importorskip("imblearn.over_sampling")
    make = pytest.importorskip("imblearn.pipeline").make_pipeline
    for table in (pd.DataFrame({"text": many}), np.array(many)[:, None]):
        model = make(sampling.RandomOverSampler(random_state=0), small, LogisticRegression())
        model.fit(table, labels)
        assert model.score(table, labels) == 1.0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_skrub_encodes_the_text_of_a_table(small, many, labels, library):
    skrub = pytest.importorskip("skrub")
    frames = pytest.importorskip(library)
    texts = [None, *many[1:]]
    table = frames.DataFrame({"text": texts, "year": np.arange(len(many))})
    small.set_params(missing="empty", feature_names="words")
    vectorizer = skrub.TableVectorizer(high_cardinality=small)
    codes = vectorizer.fit_transform(table)

    names = small.fit(texts).get_feature_names_out().tolist()
    assert list(codes.columns) == [*names, "year"]
    np.testing.assert_array_equal(codes.to_numpy()[:, :-1], small.transform(texts).toarray())
    model = make_pipeline(vectorizer, LogisticRegression(max_iter=10_000)).fit(table, labels)
    assert model.score(table, labels) > 0.99


@pytest.mark.parametrize("form", ["full", "compact", "mapped"])
@pytest.mark.parametrize("rule", ["whiten", "lloyd", "comply"])
def test_skops_trusts_what_a_fly_is_made_of(small, many, tmp_path, rule, form):
    skops = pytest.importorskip("skops.io")
    from skfly.adapters.skops import TRUSTED_TYPES

    longer = [" ".join(many[i : i + 5]) for i in range(len(many))]  # documents with own cells
    fly = small.set_params(learning=rule, n_epochs=1, window=5, phrases=True).fit(longer)
    assert fly.model_.document_coder is not None
    if form != "full":
        fly.save(tmp_path / "fly.skfly", compact=form == "compact")
        fly = FlyHashVectorizer.load(tmp_path / "fly.skfly", mmap=form == "mapped")
    again = skops.loads(skops.dumps(fly), trusted=TRUSTED_TYPES)

    assert (again.transform(longer) != fly.transform(longer)).nnz == 0


def test_mlflow_loads_a_pipeline_and_calls_it_with_tables(small, many, labels, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn")
    pyfunc = pytest.importorskip("mlflow.pyfunc")
    pytest.importorskip("skops")
    from skfly.adapters.skops import TRUSTED_TYPES

    pipeline = make_pipeline(small, LogisticRegression()).fit(many, labels)
    path = str(tmp_path / "model")
    mlflow.save_model(
        pipeline, path, serialization_format="skops", skops_trusted_types=TRUSTED_TYPES
    )

    assert mlflow.load_model(path).predict(many).tolist() == labels.tolist()
    called = pyfunc.load_model(path).predict(pd.DataFrame({"text": many}))
    assert called.tolist() == labels.tolist()


def test_explanations_speak_of_words(small, many, labels):
    shap = pytest.importorskip("shap")
    eli5 = pytest.importorskip("eli5")
    fly = small.set_params(feature_names="words").set_output(transform="pandas")
    codes = fly.fit_transform(many)
    model = LogisticRegression().fit(codes, labels)

    explained = shap.LinearExplainer(model, codes)(codes)
    assert explained.feature_names == fly.cell_feature_names().tolist()
    shown = eli5.format_as_text(eli5.explain_weights(model, vec=fly, top=4))
    best = np.argmax(model.coef_[0])
    assert fly.cell_feature_names()[best] in shown


def test_xgboost_takes_the_names(small, many, labels):
    xgboost = pytest.importorskip("xgboost")
    fly = small.set_params(feature_names="words").set_output(transform="pandas")
    codes = fly.fit_transform(many)
    model = xgboost.XGBClassifier(n_estimators=3).fit(codes, labels)

    assert model.get_booster().feature_names == fly.cell_feature_names().tolist()
