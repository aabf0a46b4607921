"""An estimator that begins with a pretrained model."""

import pickle

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer

TEXTS = [
    "the zorkmid is a disk drive with a fast controller",
    "install the driver of the zorkmid drive on your computer",
    "the team won the hockey game in the last minute",
    "the players of the league lost every game this season",
] * 10
LABELS = ["disk", "disk", "game", "game"] * 10


def fly(**params):
    return FlyHashVectorizer(**{"pretrained": "en", "hash_length": 64, "random_state": 0} | params)


@pytest.fixture(scope="module")
def frozen():
    return FlyHashVectorizer.from_pretrained("en")


@pytest.mark.parametrize("adapt", ["nothing", "documents", "words"])
def test_it_is_an_estimator_like_any_other(adapt):
    given = fly(adapt=adapt)
    codes = clone(given).fit(TEXTS).transform(TEXTS)
    assert codes.shape == (40, 1000)
    again = clone(given)
    assert (again.fit_transform(TEXTS) != codes).nnz == 0
    assert again.get_params() == given.get_params()
    copied = pickle.loads(pickle.dumps(again))
    assert (copied.transform(TEXTS) != codes).nnz == 0


def test_a_search_over_hash_lengths():
    pipeline = make_pipeline(fly(), LogisticRegression())
    grid = {"flyhashvectorizer__hash_length": [8, 512]}  # more than n_kenyon_cells
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0


def test_with_nothing_the_model_stays_as_it_is(frozen):
    found = fly(adapt="nothing", unknown_words="spelling", sentence_splitter=None).fit([])
    assert found.model_.fingerprint() == frozen.model_.fingerprint()
    assert (found.transform(TEXTS) != frozen.transform(TEXTS)).nnz == 0


def test_cells_of_documents_are_learned(make_fly, tmp_path, documents):
    make_fly().fit(documents).save(tmp_path / "base.skfly", compact=True)
    texts = [" ".join([text] * 10) for text in documents] * 4
    found = FlyHashVectorizer(pretrained=tmp_path / "base.skfly", hash_length=4).fit(texts)
    assert found.model_.document_coder is not None
    words = found.set_params(document_cells="words")
    assert words.transform(texts).shape == (len(texts), found.n_features_out_)


def test_new_words_get_a_meaning():
    pytest.importorskip("gensim")
    found = fly(adapt="words").fit(TEXTS)
    assert "zorkmid" in found.vocabulary_
    assert found.wv.similarity("zorkmid", "disk") > found.wv.similarity("zorkmid", "hockey") + 0.2


def test_old_words_keep_theirs(frozen):
    found = fly(adapt="words").fit(TEXTS)
    words = ["disk", "hockey", "river"]
    assert (found.hash_words(words) != frozen.hash_words(words)).nnz == 0


def test_words_need_vectors(make_fly, documents, tmp_path):
    make_fly(learning="lloyd").fit(documents).save(tmp_path / "lloyd.skfly")
    found = FlyHashVectorizer(pretrained=tmp_path / "lloyd.skfly", hash_length=4, adapt="words")
    with pytest.raises(ValueError, match="needs a pretrained model with vectors of words"):
        found.fit(documents)
    assert not hasattr(found, "vocabulary_")


def test_partial_fit_does_not_continue():
    found = fly(adapt="nothing").partial_fit(TEXTS)
    with pytest.raises(ValueError, match="began with pretrained='en'"):
        found.partial_fit(TEXTS)


def test_a_file_does_not_name_another(tmp_path):
    fly(adapt="nothing").fit([]).save(tmp_path / "fly.skfly")
    assert FlyHashVectorizer.load(tmp_path / "fly.skfly").pretrained is None


def test_directories_and_file_addresses(make_fly, documents, tmp_path):
    make_fly().fit(documents).save(tmp_path / "model.skfly")
    for name in (tmp_path, str(tmp_path), f"file:{tmp_path}", (tmp_path / "model.skfly").as_uri()):
        assert FlyHashVectorizer.from_pretrained(name).n_features_out_ == 20
    with pytest.raises(ValueError, match="on another machine"):
        FlyHashVectorizer.from_pretrained("file://elsewhere/model.skfly")
    (tmp_path / "model.skfly").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no model\.skfly"):
        FlyHashVectorizer.from_pretrained(tmp_path)


@pytest.mark.parametrize("params", [{"adapt": "all"}, {"pretrained": 3}])
def test_wrong_parameters(params):
    with pytest.raises(ValueError, match="must be"):
        fly(**params).fit(TEXTS)
