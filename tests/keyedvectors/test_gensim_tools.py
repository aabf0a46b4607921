"""gensim's tools, each with codes and with floats of the same values."""

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel, KeyedVectors, Phrases, TranslationMatrix
from gensim.similarities import (
    SoftCosineSimilarity,
    SparseTermSimilarityMatrix,
    WmdSimilarity,
    WordEmbeddingSimilarityIndex,
)
from gensim.similarities.annoy import AnnoyIndexer

from skfly import FlyKeyedVectors

TEXTS = [
    ["fly", "smells", "ripe", "fruit"],
    ["moth", "smells", "sweet", "fruit"],
    ["bank", "lends", "money"],
    ["loan", "costs", "money"],
]


@pytest.fixture(scope="module")
def pair():
    """Codes and floats, of words that are similar within each of two topics."""
    random = np.random.default_rng(0)
    words = sorted({word for text in TEXTS for word in text})
    codes = np.zeros((len(words), 128), dtype=np.float32)
    for row, word in enumerate(words):
        half = 0 if word in TEXTS[0] + TEXTS[1] else 64
        codes[row, half + random.choice(64, size=16, replace=False)] = 1
    counts = np.arange(1, len(words) + 1)
    kv = KeyedVectors(128)
    kv.add_vectors(words, codes)
    kv.expandos["count"] = counts
    return FlyKeyedVectors.from_codes(words, codes, counts=counts), kv


def both(pair, run):
    """Return what a tool gives with ours and with gensim's vectors."""
    return run(pair[0]), run(pair[1])


# gensim divides by the length of rows that pad its blocks
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_soft_cosine_similarity(pair):
    dictionary = Dictionary(TEXTS)
    bags = [dictionary.doc2bow(text) for text in TEXTS]

    def run(vectors):
        index = WordEmbeddingSimilarityIndex(vectors)
        matrix = SparseTermSimilarityMatrix(index, dictionary, nonzero_limit=100)
        return SoftCosineSimilarity(bags, matrix)[dictionary.doc2bow(["fly", "sweet"])]

    ours, theirs = both(pair, run)

    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert ours[:2].min() > ours[2:].max()


@pytest.mark.parametrize("num_best", [None, 2])
def test_word_movers_similarity(pair, num_best):
    ours, theirs = both(
        pair, lambda vectors: WmdSimilarity(TEXTS, vectors, num_best=num_best)[["moth", "ripe"]]
    )

    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_annoy(pair):
    pytest.importorskip("annoy", reason="annoy has no wheels, and there is no compiler")

    def run(vectors):
        indexer = AnnoyIndexer(vectors, 50)
        return vectors.most_similar("fly", topn=4, indexer=indexer)

    ours, theirs = both(pair, run)

    assert [word for word, _ in ours] == [word for word, _ in theirs]
    np.testing.assert_allclose([s for _, s in ours], [s for _, s in theirs], atol=1e-5)


def test_translation_matrix(pair):
    words = pair[0].index_to_key

    def run(vectors):
        model = TranslationMatrix(vectors, vectors, word_pairs=[(w, w) for w in words])
        return model.translate(
            ["fly", "money"], topn=1, source_lang_vec=vectors, target_lang_vec=vectors
        )

    ours, theirs = both(pair, run)

    assert ours == theirs == {"fly": ["fly"], "money": ["money"]}


def test_topic_coherence(pair):
    dictionary = Dictionary(TEXTS)
    topics = [["fly", "fruit", "moth"], ["bank", "money", "loan"]]

    def run(vectors):
        return CoherenceModel(
            topics=topics,
            texts=TEXTS,
            dictionary=dictionary,
            coherence="c_w2v",
            keyed_vectors=vectors,
        ).get_coherence()

    ours, theirs = both(pair, run)

    assert ours == pytest.approx(theirs, abs=1e-5)


def test_phrases(make_fly):
    texts = [["the", "fruit", "fly", "eats"], ["a", "fruit", "fly", "sleeps"]] * 20
    phrases = Phrases(texts, min_count=5, threshold=0.22)

    wv = make_fly().fit(list(phrases[texts])).wv

    assert "fruit_fly" in wv
    assert "fruit" not in wv
    assert {word for word, _ in wv.most_similar("fruit_fly", topn=2)} <= set(wv.index_to_key)
