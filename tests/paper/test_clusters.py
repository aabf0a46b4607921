"""Clusters of words: what is measured, by a plain computation, and the table."""

import csv

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from clusters import word_clusters
from word_tree import word_tree


@pytest.fixture(scope="module")
def vectors():
    random = np.random.default_rng(1)
    return {f"w{i}": row for i, row in enumerate(random.normal(size=(40, 6)))}


def plainly(vectors, n_clusters):
    """Return what is inside and outside each cluster, pair by pair."""
    tree = word_tree(vectors)
    cosines = cosine_similarity(np.stack(list(vectors.values())))
    place = {word: i for i, word in enumerate(tree.words)}
    within, between = [], []
    for cluster in tree.clusters(n_clusters):
        inside = [place[word] for word in cluster]
        outside = [i for i in range(len(vectors)) if i not in inside]
        between.append(cosines[np.ix_(inside, outside)].max())
        if len(inside) > 1:
            within.append(np.mean([cosines[i, j] for i in inside for j in inside if i != j]))
    return within, between


@pytest.mark.parametrize("n_clusters", [2, 5, 20])
def test_within_and_between_are_what_the_pairs_say(vectors, n_clusters, monkeypatch):
    monkeypatch.setattr("word_tree._ROWS_AT_A_TIME", 16)
    [row] = word_clusters({"dense": vectors}, [n_clusters]).rows
    within, between = plainly(vectors, n_clusters)
    assert row.within == pytest.approx(np.mean(within), abs=1e-5)
    assert row.within_std == pytest.approx(np.std(within), abs=1e-5)
    assert row.between == pytest.approx(np.mean(between), abs=1e-5)
    assert row.between_std == pytest.approx(np.std(between), abs=1e-5)
    assert row.n_single == n_clusters - len(within)


def test_codes_and_their_dense_form_give_the_same(fitted):
    dense = dict(zip(fitted.vocabulary_, fitted.word_codes_.toarray(), strict=True))
    told = []
    table = word_clusters({"codes": fitted, "dense": dense}, [3, 8, 1000], on_progress=told.append)
    assert told == table.values("method") == ["codes", "dense"]
    assert [row.n_clusters for row in table.rows] == [3, 3, 8, 8]
    for n_clusters in (3, 8):
        codes, vectors = table.row("codes", n_clusters), table.row("dense", n_clusters)
        assert codes.within == pytest.approx(vectors.within, abs=1e-5)
        assert codes.between == pytest.approx(vectors.between, abs=1e-5)


def test_models_are_compared_on_the_words_that_all_know(fitted, topics):
    random = np.random.default_rng(0)
    dense = {word.upper(): random.normal(size=3) for word in topics["fruit"]}
    dense |= {word: random.normal(size=3) for word in topics["money"]}
    table = word_clusters({"fly": fitted, "dense": dense}, [2])
    assert {row.n_words for row in table.rows} == {10}


def test_clusters_of_single_words_have_no_inside(vectors):
    table = word_clusters({"dense": vectors}, [40])
    [row] = table.rows
    assert (row.within, row.within_std, row.n_single) == (None, None, 40)
    assert "| dense | 40 | - |" in str(table)


def test_what_cannot_be_clustered_is_refused(vectors):
    with pytest.raises(ValueError, match="no models"):
        word_clusters({})
    with pytest.raises(ValueError, match="40 words cannot make"):
        word_clusters({"dense": vectors}, [200])
    with pytest.raises(ValueError, match="from 2 up"):
        word_clusters({"dense": vectors}, [1])


def test_the_table_is_written_and_drawn(vectors, tmp_path):
    pytest.importorskip("matplotlib")
    table = word_clusters({"a": vectors, "b": vectors}, [40, 5])
    table.to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        written = [
            (row["method"], row["n_clusters"], row["within"]) for row in csv.DictReader(file)
        ]
    assert written[2:] == [("a", "40", ""), ("b", "40", "")]
    ax = table.plot(tmp_path / "t.svg")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_title() == "clusters: 5"
    assert table.plot(n_clusters=40).get_legend() is None  # single words have no inside
    with pytest.raises(KeyError, match="no row with method='b', n_clusters=6"):
        table.row("b", 6)
