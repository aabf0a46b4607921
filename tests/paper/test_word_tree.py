"""The tree of words: agreement with scikit-learn, cuts, parts, and the drawing."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from skfly import FlyKeyedVectors
from word_tree import word_tree


@pytest.fixture(scope="module")
def vectors():
    random = np.random.default_rng(0)
    return {f"w{i}": row for i, row in enumerate(random.normal(size=(60, 5)))}


@pytest.fixture(scope="module")
def tree(vectors):
    return word_tree(vectors)


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")  # older sklearn
@pytest.mark.parametrize("n_clusters", [1, 2, 7, 25, 60])
def test_cuts_are_those_of_scikit_learn(tree, vectors, n_clusters):
    peer = AgglomerativeClustering(n_clusters, metric="cosine", linkage="complete")
    expected = peer.fit_predict(np.stack(list(vectors.values())))
    assert adjusted_rand_score(tree.cut(n_clusters), expected) == 1.0
    assert len(tree.clusters(n_clusters)) == n_clusters


def test_more_rows_than_are_taken_at_a_time_give_the_same_tree(vectors, tree, monkeypatch):
    monkeypatch.setattr("word_tree._ROWS_AT_A_TIME", 7)
    np.testing.assert_allclose(word_tree(vectors).links, tree.links, atol=1e-6)


def test_a_fly_is_clustered_by_its_codes(fitted, topics):
    words = [*topics["fruit"], *topics["money"]]
    packed = FlyKeyedVectors.from_codes(words, fitted.hash_words(words))
    codes, vectors = word_tree(fitted, words), word_tree(packed, words)
    np.testing.assert_allclose(codes.links, vectors.links, atol=1e-6)


def test_without_words_all_are_clustered(fitted):
    assert set(word_tree(fitted).words) == set(fitted.vocabulary_)


def test_a_part_has_the_word_and_no_more_words_than_asked_for(tree):
    part = tree.subtree("w7", 12)
    assert "w7" in part.words
    assert 2 <= len(part) <= 12
    # it is one cluster of the whole at some cut, and its own links cut it as the whole's do
    n_clusters = next(
        n for n in range(1, 61) if sorted(part.words) in map(sorted, tree.clusters(n))
    )
    assert len(part.clusters(1)) == 1
    larger = next(c for c in tree.clusters(n_clusters - 1) if "w7" in c)
    assert len(larger) > 12
    assert part.links[-1, 3] == len(part)
    np.testing.assert_array_equal(np.sort(part.links[:, 2]), part.links[:, 2])


def test_a_part_of_all_words_is_the_tree(tree):
    whole = tree.subtree("w7", 60)
    assert whole.words == tree.words
    np.testing.assert_array_equal(whole.links, tree.links)


def test_bad_input(vectors, tree):
    with pytest.raises(KeyError, match="'dodo' is not in the tree"):
        tree.subtree("dodo")
    with pytest.raises(ValueError, match="two words at least"):
        tree.subtree("w1", 1)
    with pytest.raises(ValueError, match="only where they are more than 2: ask for 3 words"):
        word_tree({"a": [1.0, 0.0], "b": [1.0, 0.1], "c": [0.0, 1.0]}).subtree("c", 2)
    with pytest.raises(ValueError, match="n_clusters=61"):
        tree.cut(61)
    with pytest.raises(ValueError, match="given twice"):
        word_tree(vectors, ["w1", "w1"])
    with pytest.raises(ValueError, match="two words at least; got 1"):
        word_tree(vectors, ["w1"])
    with pytest.raises(ValueError, match="1 of the 2 words are not known: dodo"):
        word_tree(vectors, ["w1", "dodo"])
    with pytest.raises(ValueError, match="'b' has values that are not finite"):
        word_tree({"a": [1.0, 0.0], "b": [np.nan, 0.0]})


def test_rows_of_zeros_are_like_nothing():
    tree = word_tree({"a": [1.0, 0.0], "zero": [0.0, 0.0], "b": [1.0, 0.1]})
    assert tree.clusters(2) == [["a", "b"], ["zero"]]


def test_the_drawing_names_words_and_joins(tmp_path):
    pytest.importorskip("matplotlib")
    tree = word_tree({"fly": [1.0, 0.0], "moth": [0.9, 0.1], "bank": [0.0, 1.0]})
    ax = tree.plot(tmp_path / "tree.png")
    assert {label.get_text() for label in ax.get_yticklabels()} == {"fly", "moth", "bank"}
    names = [text.get_text() for text in ax.texts]
    assert names[0] in ("fly (2)", "moth (2)")
    assert names[1].endswith("(3)")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
