"""The model that comes with the package."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from skfly import FlyHashVectorizer, FlyKeyedVectors
from skfly._pretrained import PRETRAINED, find_model

DIGESTS = {"en": "c18cfb794e5ffbbc801e20fa561496a875e00a4c9ce063fa94a3f6869cdda800"}


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
    assert {"loans", "debt"} <= {word for word, _ in fly.wv.most_similar("loan")}
    vectors = FlyKeyedVectors.from_pretrained("en")
    assert vectors.most_similar("king") == fly.wv.most_similar("king")


def test_contexts_tell_meanings_apart(fly):
    money, water = (
        {word for word, _ in fly.wv.similar_by_vector(code.toarray().ravel(), topn=10)}
        for code in fly.hash_in_context(
            ["the bank raised interest rates", "they sat on the bank of the river"],
            ["bank", "bank"],
        )
    )
    assert {"rates", "fund"} & (money - water)
    assert {"river", "valley"} <= water - money


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
