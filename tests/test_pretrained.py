"""The model that comes with the package."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from skfly import FlyHashVectorizer, FlyKeyedVectors
from skfly._pretrained import PRETRAINED, find_model

DIGESTS = {"en": "c4fb02e2e8301740e0c4572e0c9a597130cf2fdea5722a174074c0447975ec82"}


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer.from_pretrained("en")


@pytest.mark.parametrize("name", PRETRAINED)
def test_the_file_is_the_one_that_was_trained(name):
    assert hashlib.sha256(find_model(name).read_bytes()).hexdigest() == DIGESTS[name]


def test_it_is_small_and_says_where_it_comes_from(fly):
    assert find_model("en").stat().st_size < 11e6
    provenance = fly.model_.provenance
    assert "Wikipedia" in provenance.text
    assert "CC BY-SA" in provenance.text
    assert provenance.n_tokens > 40e6


def test_neighbours_make_sense(fly):
    assert {"loans", "borrow"} <= {word for word, _ in fly.wv.most_similar("loan")}
    vectors = FlyKeyedVectors.from_pretrained("en")
    assert vectors.most_similar("king") == fly.wv.most_similar("king")


def test_contexts_tell_meanings_apart(fly):
    money, water = (
        {word for word, _ in fly.wv.similar_by_vector(code.toarray().ravel(), topn=10)}
        for code in fly.hash_in_context(
            ["the bank raised interest rates", "the bank of the river was flooded"],
            ["bank", "bank"],
        )
    )
    assert {"currency", "lending"} <= money - water
    assert {"river", "flooded"} <= water - money


def test_a_path_works_too(fly, tmp_path):
    fly.model_.save(tmp_path / "copy.skfly")
    loaded = FlyHashVectorizer.from_pretrained(tmp_path / "copy.skfly")
    texts = ["a bank by the river", "a loan"]
    assert (loaded.transform(texts) != fly.transform(texts)).nnz == 0


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        FileNotFoundError, match="klingon; the models that come with skfly are: en"
    ):
        FlyHashVectorizer.from_pretrained("klingon")


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("en").write_bytes(b"no model")
    with pytest.raises(ValueError, match="not a model file"):
        FlyHashVectorizer.from_pretrained("en")


def test_it_does_not_learn_on(fly):
    with pytest.raises(ValueError, match="no learning state"):
        fly.partial_fit(["more text"])


def test_unknown_words_have_codes_by_their_spelling(fly):
    assert np.diff(fly.hash_words(["unfriendliness", "ξψωξ"]).indptr).tolist() == [64, 0]


class TestUnknownWords:
    WORD = "monarchicalness"

    def test_texts_and_contexts_of_one_unknown_word_have_the_code_of_the_word(self, fly):
        code = fly.hash_words([self.WORD]).toarray()
        np.testing.assert_array_equal(fly.transform([self.WORD]).toarray(), code)
        in_context = fly.hash_in_context([self.WORD], [self.WORD])
        np.testing.assert_array_equal(in_context.toarray(), code)

    def test_a_text_does_not_depend_on_the_unknown_words_of_others(self, fly):
        texts = ["zebrafishes swim", f"the {self.WORD} of kings", "qxzqxz", "kings"]
        together = fly.transform(texts).toarray()
        alone = np.vstack([fly.transform([text]).toarray() for text in texts])
        np.testing.assert_array_equal(together, alone)
        assert not together[2].any()

    def test_they_are_ignored_on_demand(self, fly):
        ignoring = FlyHashVectorizer.from_pretrained("en").set_params(unknown_words="ignore")
        assert not ignoring.transform([self.WORD]).nnz
        assert not ignoring.hash_in_context([self.WORD], [self.WORD]).nnz
        with pytest.raises(KeyError):
            ignoring.wv[self.WORD]

    def test_vectors_have_them_too(self, fly):
        wv = fly.wv
        assert self.WORD not in wv
        np.testing.assert_array_equal(wv[self.WORD], fly.hash_words([self.WORD]).toarray()[0])
        best, score = wv.most_similar(self.WORD, topn=1)[0]
        assert best == "monarchical"
        assert wv.similarity(self.WORD, best) == pytest.approx(score)
        with pytest.raises(KeyError):
            wv["qxzqxz"]
