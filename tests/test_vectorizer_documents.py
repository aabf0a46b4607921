"""Cells of documents, as users of the estimator meet them."""

import copy

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer, FlyModel

N_TOPICS = 4


def texts_of(n_documents, n_words=40, seed=0):
    """Return documents of one topic each, and the topics."""
    random = np.random.default_rng(seed)
    topics = random.integers(N_TOPICS, size=n_documents)
    texts = []
    for topic in topics:
        own = random.integers(12, size=n_words)
        is_own = random.random(n_words) < 0.4
        texts.append(
            " ".join(
                f"topic{topic}word{w}" if mine else f"common{w}"
                for w, mine in zip(own, is_own, strict=True)
            )
        )
    return texts, topics


TEXTS, TOPICS = texts_of(160)
OTHERS, OTHER_TOPICS = texts_of(60, seed=1)
SHORT, SHORT_TOPICS = texts_of(1200, n_words=8)


@pytest.fixture(scope="module")
def fly(make_fly):
    return make_fly(n_epochs=1).fit(TEXTS)


def changed(fly, **params):
    return copy.copy(fly).set_params(**params)


def same(one, other):
    return one.shape == other.shape and (one != other).nnz == 0


def test_fit_learns_cells_of_documents(fly):
    assert fly.model_.document_coder.weights.shape == (len(fly.vocabulary_), 20)
    codes = fly.transform(OTHERS).toarray()
    assert (codes.sum(axis=1) == 4).all()
    shared = codes @ codes.T
    is_same = OTHER_TOPICS[:, None] == OTHER_TOPICS
    assert shared[is_same].mean() > 3 * shared[~is_same].mean()


def test_fit_transform_gives_the_codes_of_transform(fly, make_fly):
    assert same(make_fly(n_epochs=1).fit_transform(TEXTS), fly.transform(TEXTS))


def test_the_number_of_threads_does_not_matter(fly, make_fly):
    assert same(make_fly(n_epochs=1, n_jobs=3).fit(TEXTS).transform(TEXTS), fly.transform(TEXTS))


def test_a_classifier_of_codes(make_fly):
    for kind in ("binary", "graded"):
        model = make_pipeline(make_fly(n_epochs=1, document_codes=kind), LogisticRegression())
        assert model.fit(TEXTS, TOPICS).score(OTHERS, OTHER_TOPICS) > 0.9


def test_graded_codes_are_the_same_cells(fly):
    binary, graded = fly.transform(OTHERS), changed(fly, document_codes="graded").transform(OTHERS)
    np.testing.assert_allclose((graded.toarray() ** 2).sum(axis=1), 1, rtol=1e-5)
    assert ((graded.toarray() > 0) <= (binary.toarray() > 0)).all()
    assert graded.dtype == binary.dtype == np.float32


class TestCellsOfWords:
    """``document_cells="words"``: codes of documents that can be compared with those of words."""

    def test_after_fit(self, fly, make_fly):
        in_words_space = changed(fly, document_cells="words").transform(OTHERS)
        never_learned = make_fly(n_epochs=1, document_cells="words").fit(TEXTS)
        assert never_learned.model_.document_coder is None
        assert same(in_words_space, never_learned.transform(OTHERS))
        assert not same(in_words_space, fly.transform(OTHERS))

    def test_a_word_by_itself(self, fly):
        fly = changed(fly, document_cells="words", word_codes="synapses")
        text = " ".join(["topic1word1", "topic1word2", "topic1word3"])
        word, document = fly.hash_words(["topic1word4"]), fly.transform([text])
        other = fly.transform(["topic2word1 topic2word2 topic2word3"])
        assert (word @ document.T).sum() > (word @ other.T).sum()

    @pytest.mark.parametrize(
        "texts",
        [TEXTS[:99], [" ".join(text.split()[:3]) for text in TEXTS], ["same words"] * 200],
        ids=["few", "sentences", "same"],
    )
    def test_where_there_is_little_to_learn_from(self, make_fly, texts):
        assert make_fly(n_epochs=1, subsample=0).fit(texts).model_.document_coder is None

    def test_counts_are_of_words(self, fly):
        counts = changed(fly, document_codes="counts")
        assert same(
            counts.transform(OTHERS), changed(counts, document_cells="words").transform(OTHERS)
        )


class TestShortDocuments:
    """They get cells of their own if there are many, and too little text to learn words from."""

    @pytest.fixture
    def much_text(self, monkeypatch):
        monkeypatch.setattr("skfly.fit._documents._LITTLE_TEXT", 9000)

    def test_a_classifier_of_their_codes(self, make_fly):
        fly = make_fly(n_epochs=1, document_codes="graded").fit(SHORT)
        assert fly.model_.document_coder is not None
        test, topics = texts_of(300, n_words=8, seed=1)
        model = LogisticRegression().fit(fly.transform(SHORT), SHORT_TOPICS)
        assert model.score(fly.transform(test), topics) > 0.85

    def test_few_of_them_have_none(self, make_fly):
        assert make_fly(n_epochs=1).fit(SHORT[:999]).model_.document_coder is None

    def test_nor_have_those_of_much_text(self, make_fly, much_text):
        assert make_fly(n_epochs=1).fit(SHORT).model_.document_coder is None

    def test_nor_have_those_of_a_stream_that_becomes_long(self, make_fly, much_text):
        fly = make_fly(n_epochs=1).partial_fit(SHORT[:1000])
        assert fly.model_.document_coder is not None
        assert fly.partial_fit(SHORT[1000:]).model_.document_coder is None
        assert fly.partial_fit(TEXTS).model_.document_coder is None

    def test_long_documents_of_much_text_have_them(self, make_fly, much_text):
        fly = make_fly(n_epochs=1).partial_fit(SHORT[:1000])
        assert fly.partial_fit(texts_of(2000)[0]).model_.document_coder is not None


class TestMore:
    def test_partial_fit_adds_counts(self, fly):
        more = copy.deepcopy(fly).partial_fit(OTHERS)
        counts = more._training.documents.counts
        assert counts.documents[-1] == len(TEXTS) + len(OTHERS)
        before, after = fly.transform(OTHERS), more.transform(OTHERS)
        assert before.multiply(after).sum() > 0.7 * before.sum()
        assert fly._training.documents.counts.documents[-1] == len(TEXTS)

    def test_the_first_part_decides(self, make_fly):
        fly = make_fly(n_epochs=1).partial_fit(TEXTS[:50]).partial_fit(TEXTS)
        assert fly.model_.document_coder is None

    def test_a_file_continues_alike(self, fly, tmp_path):
        fly.save(tmp_path / "model.skfly")
        read = FlyHashVectorizer.load(tmp_path / "model.skfly")
        assert same(read.transform(OTHERS), fly.transform(OTHERS))
        assert same(
            read.partial_fit(OTHERS).transform(TEXTS),
            copy.deepcopy(fly).partial_fit(OTHERS).transform(TEXTS),
        )
        model = FlyModel.load(tmp_path / "model.skfly", mmap=True)
        assert same(model.documents(OTHERS), fly.transform(OTHERS))


@pytest.mark.parametrize("form", ["full", "compact"])
def test_columns_are_named_after_the_words_of_their_own_cells(fly, form, tmp_path):
    fly = changed(fly, feature_names="words")
    if form == "compact":
        fly.save(tmp_path / "small.skfly", compact=True)
        fly = FlyHashVectorizer.load(tmp_path / "small.skfly")
    names = fly.get_feature_names_out()
    words = [" ".join(name.split("_")[2:]) for name in names]
    codes = fly.transform(words).toarray()

    assert all(name.startswith(f"cell_{i}_") for i, name in enumerate(names))
    assert np.diag(codes).mean() > 0.9
    of_words = fly.model_.cell_names()
    assert words != [" ".join(name) for name in of_words]
    by_words = changed(fly, document_cells="words").get_feature_names_out()
    assert [name.split("_")[2:] for name in by_words] == [list(name) for name in of_words]
