import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly import FlyHashVectorizer
from skfly.text import (
    EncodedCorpus,
    PhraseJoiner,
    TextAnalyzer,
    _blocks,
    _phrases,
    count_words,
    learn_phrases,
)

phrases_of_gensim = pytest.importorskip("gensim.models.phrases").Phrases

WORDS = ["new", "york", "times", "the", "is", "new_york", "york_times"]
sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)
texts = st.lists(sentence, min_size=1, max_size=25)


def gensim_joined(sentences, min_count, threshold):
    """Return sentences with pairs, and pairs of pairs, joined by gensim."""
    for _ in range(2):
        found = phrases_of_gensim(sentences, min_count=min_count, threshold=threshold)
        sentences = list(found[sentences])
    return sentences


class TestAgainstGensim:
    @settings(max_examples=150, deadline=None)
    @given(texts, st.integers(1, 3), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
    def test_the_same_are_joined(self, sentences, min_count, threshold):
        corpus = EncodedCorpus.from_documents(sentences)

        joined = learn_phrases(corpus, min_count, threshold)

        assert list(joined) == gensim_joined(sentences, min_count, threshold)

    @given(texts)
    def test_parts_of_a_corpus_do_not_change_it(self, sentences):
        corpus = EncodedCorpus.from_documents(sentences)
        whole = learn_phrases(corpus, 1, 1.0)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_phrases, "_WORDS_AT_A_TIME", 5)
            parts = learn_phrases(corpus, 1, 1.0)

        assert list(parts) == list(whole)
        assert parts.text_params == whole.text_params
        assert parts.vocabulary.counts.sum() == parts.n_words

    def test_defaults_are_those_of_gensim(self):
        random = np.random.default_rng(0)
        words = [f"w{i}" for i in random.zipf(1.2, 30_000) % 2000]
        words[::60] = ["hot"] * len(words[::60])
        words[1::60] = ["dog"] * len(words[1::60])
        words[2::120] = ["stand"] * len(words[2::120])
        sentences = [words[i : i + 20] for i in range(0, len(words), 20)]

        joined = learn_phrases(EncodedCorpus.from_documents(sentences))

        assert list(joined) == gensim_joined(sentences, 5, 10.0)
        assert {"hot_dog", "hot_dog_stand"} <= set(joined.vocabulary.words)


PHRASES = ["new\tyork", "york\ttimes", "", "new_york\ttimes", "the\tnew_york"]


class TestJoiner:
    @given(texts)
    def test_in_words_in_blocks_and_in_a_corpus_alike(self, sentences):
        joiner = PhraseJoiner.from_list(PHRASES)
        corpus = EncodedCorpus.from_documents([[words] for words in sentences])

        joined = _phrases.join_corpus(corpus, joiner)

        expected = [joiner.join(words) for words in sentences]
        assert list(joined) == expected
        assert np.diff(joined.documents).tolist() == [len(words) for words in expected]

    def test_gaps_are_never_joined(self):
        corpus = EncodedCorpus.from_documents(["new moon york", "new york"], min_count=2)

        joined = _phrases.join_corpus(corpus, PhraseJoiner.from_list(PHRASES))

        assert list(joined) == [["new", "york"], ["new_york"]]

    @pytest.mark.parametrize("wrong", ["new\tyork", ["new york"], [1], {"a": 1}])
    def test_what_are_no_phrases(self, wrong):
        with pytest.raises(ValueError, match=r"list of str|not a pair of words"):
            TextAnalyzer(phrases=wrong)

    def test_compiled_and_plain_reading_give_the_same(self, monkeypatch):
        documents = ["The New York Times. New York", "york times the new", "moon"] * 3
        analyzer = TextAnalyzer(phrases=PHRASES)
        known = {"new_york": 0, "the_new_york": 1, "york_times": 2, "times": 3, "moon": 4}

        slow = [part.toarray() for part in count_words(documents, known, 5, analyzer)]
        monkeypatch.setattr(_blocks, "WORTH_COMPILING", 0)
        fast = [part.toarray() for part in count_words(documents, known, 5, analyzer)]

        np.testing.assert_array_equal(np.concatenate(fast), np.concatenate(slow))
        assert np.concatenate(slow)[:2].tolist() == [[1, 1, 0, 1, 0], [0, 0, 1, 0, 0]]


@pytest.fixture(scope="module")
def documents():
    random = np.random.default_rng(0)
    filler = [f"w{i}" for i in range(300)]
    return [
        " ".join([*random.choice(filler, 12), "hot dog", *random.choice(filler, 8)])
        for _ in range(300)
    ]


@pytest.fixture(scope="module")
def fly(documents):
    params = {"n_kenyon_cells": 20, "hash_length": 4, "n_epochs": 1, "n_jobs": 1}
    return FlyHashVectorizer(**params, min_count=1, phrases=True, random_state=0).fit(documents)


class TestEstimator:
    def test_phrases_are_words(self, fly, documents):
        assert fly.phrases_ == ["hot_dog"]
        assert fly.vocabulary_["hot_dog"] == 0
        assert "dog" not in fly.vocabulary_
        assert fly.hash_words(["hot_dog"]).nnz == 4
        assert fly.transform(["hot dog"]).nnz == 4
        assert fly.transform(["dog hot"]).nnz == 0
        assert fly.hash_in_context(["a hot dog"], ["hot_dog"]).nnz == 4

    def test_a_corpus_is_joined_too(self, fly, documents):
        corpus = EncodedCorpus.from_documents(documents)

        assert (fly.transform(corpus) != fly.transform(documents)).nnz == 0
        again = FlyHashVectorizer(**fly.get_params())
        codes = again.fit_transform(corpus)
        assert again.phrases_ == ["hot_dog"]
        assert (codes != fly.transform(documents)).nnz == 0

    def test_they_are_in_files_and_stay_in_partial_fit(self, fly, documents, tmp_path):
        fly.save(tmp_path / "a.skfly")

        loaded = FlyHashVectorizer.load(tmp_path / "a.skfly")

        assert loaded.phrases is True
        assert loaded.phrases_ == ["hot_dog"]
        assert (loaded.transform(documents) != fly.transform(documents)).nnz == 0
        before = loaded.word_counts_[0]
        loaded.partial_fit(["hot dog w1"] * 7)
        loaded.partial_fit(EncodedCorpus.from_documents(["hot dog w1"] * 3))
        assert loaded.word_counts_[0] == before + 10
        assert loaded.phrases_ == ["hot_dog"]

    def test_fit_finds_others(self, fly, documents):
        again = FlyHashVectorizer(**fly.get_params()).fit(documents)

        again.fit([text.replace("hot dog", "ice cream") for text in documents])

        assert again.phrases_ == ["ice_cream"]
        assert again.set_params(phrases=False).fit(documents).phrases_ == []
        assert "dog" in again.vocabulary_

    def test_a_given_vocabulary_may_have_some(self, documents):
        fly = FlyHashVectorizer(
            10, 2, vocabulary=["hot_dog", "w1", "w2"], phrases=True, random_state=0
        ).fit(documents)

        assert fly.word_counts_[0] == 300
