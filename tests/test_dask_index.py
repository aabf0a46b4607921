"""An index whose parts are on a cluster finds what an index of all finds."""

import numpy as np
import pytest

from skfly import DocumentIndex, FlyHashVectorizer

distributed = pytest.importorskip("distributed")
bag = pytest.importorskip("dask.bag")

from skfly.dask import DaskDocumentIndex  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::ResourceWarning",
    "ignore:Creating scratch directories is taking:UserWarning",
    "ignore:Sending large graph:UserWarning",
)
WORDS = [
    "ripe",
    "fruit",
    "sweet",
    "banana",
    "bank",
    "money",
    "loan",
    "interest",
    "moth",
    "lamp",
    "dark",
    "night",
]
TEXTS = [" ".join(np.random.default_rng(i).choice(WORDS, 4)) for i in range(30)] + ["", "zzz"]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def fly():
    params = {"n_kenyon_cells": 20, "hash_length": 4, "n_jobs": 1, "random_state": 0}
    return FlyHashVectorizer(**params, min_count=1).fit(TEXTS * 10)


@pytest.fixture(scope="module")
def index(fly):
    index = DocumentIndex(fly)
    index.add(TEXTS)
    return index


@pytest.mark.parametrize("kind", ["bag", "series"])
def test_finds_what_one_index_finds(client, fly, index, kind):
    if kind == "bag":
        documents = bag.from_sequence(TEXTS, npartitions=3)
    else:
        frames = pytest.importorskip("dask.dataframe")
        pandas = pytest.importorskip("pandas")
        documents = frames.from_pandas(pandas.DataFrame({"text": TEXTS}), npartitions=3)["text"]

    there = DaskDocumentIndex(fly, documents, client=client, keep_texts=True)

    assert len(there) == len(TEXTS)
    assert repr(there) == "DaskDocumentIndex(32 documents in 3 parts)"
    queries = ["sweet fruit", "money in the bank", "dark night"]
    for found, expected in zip(there.search(queries, 7), index.search(queries, 7), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert there.texts([31, 0]) == [TEXTS[31], TEXTS[0]]
    with pytest.raises(ValueError, match="no document with the id 32"):
        there.texts([32])
    gathered = there.gather()
    assert gathered.ids.tolist() == list(range(32))
    assert gathered.search(queries)[0].tolist() == index.search(queries)[0].tolist()


def test_a_query_without_a_known_word(client, fly):
    there = DaskDocumentIndex(fly, bag.from_sequence(TEXTS, npartitions=2), client=client)

    with pytest.warns(UserWarning, match="1 of 2 queries"):
        ids, scores = there.search(["zzzz", "ripe fruit"], 3)

    assert ids[0].tolist() == [-1, -1, -1]
    assert np.isnan(scores[0]).all()
    assert (ids[1] >= 0).all()


def test_texts_that_are_here(client, fly):
    with pytest.raises(TypeError, match="a Dask bag or series; got list"):
        DaskDocumentIndex(fly, TEXTS, client=client)
