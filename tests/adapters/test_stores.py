"""Vector stores find what brute force finds, empty documents included."""

import os
import sqlite3

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs


@pytest.fixture(scope="module")
def overlaps(codes):
    return (codes @ codes.T).astype(int)


def distances(overlaps):
    ones = np.diag(overlaps)
    return ones[:, None] + ones[None, :] - 2 * overlaps


def test_faiss_binary(fly, texts, overlaps):
    faiss = pytest.importorskip("faiss")
    packed = fly.as_packed(texts)
    index = faiss.IndexBinaryFlat(8 * packed.shape[1])
    index.add(packed)
    found, ids = index.search(packed, len(texts))

    np.testing.assert_array_equal(found, np.take_along_axis(distances(overlaps), ids, axis=1))


def test_usearch(fly, texts, overlaps):
    module = pytest.importorskip("usearch.index")
    packed = fly.as_packed(texts)
    index = module.Index(ndim=8 * packed.shape[1], metric="hamming", dtype="b1")
    index.add(np.arange(len(texts)), packed)
    found = index.search(packed, len(texts), exact=True)

    keys = np.asarray(found.keys, dtype=np.int64)
    expected = np.take_along_axis(distances(overlaps), keys, axis=1)
    np.testing.assert_array_equal(found.distances, expected)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_qdrant(fly, texts, overlaps, kind):
    qdrant = pytest.importorskip("qdrant_client")
    models = qdrant.models
    client = qdrant.QdrantClient(":memory:")
    if kind == "dense":
        params = models.VectorParams(size=24, distance=models.Distance.DOT)
        client.create_collection("texts", vectors_config=params)
        vectors, using = fly.embed_documents(texts), None
    else:
        client.create_collection(
            "texts",
            vectors_config={},
            sparse_vectors_config={"code": models.SparseVectorParams()},
        )
        rows = fly.as_sparse(texts)
        vectors = [
            models.SparseVector(indices=rows[[i]].indices.tolist(), values=rows[[i]].data.tolist())
            for i in range(len(texts))
        ]
        using = "code"
    points = [
        models.PointStruct(id=i, vector=vector if using is None else {using: vector})
        for i, vector in enumerate(vectors)
    ]
    client.upsert("texts", points)

    for i in range(len(texts) - 1):  # the last one is empty and has no neighbours
        found = client.query_points("texts", query=vectors[i], using=using, limit=3).points
        nearest = sorted(overlaps[i], reverse=True)[:3]
        if kind == "sparse":  # which leaves out what has no cell in common
            nearest = [score for score in nearest if score]
        assert [point.score for point in found] == nearest
        assert all(point.score == overlaps[i][point.id] for point in found)


def test_chroma(fly, texts, overlaps):
    chromadb = pytest.importorskip("chromadb")
    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    made = client.create_collection(
        "codes", embedding_function=None, configuration={"hnsw": {"space": "ip"}}
    )
    made.add(ids=[str(i) for i in range(len(texts))], embeddings=fly.as_dense(texts))
    found = made.query(query_embeddings=fly.as_dense(texts), n_results=len(texts))

    for i, (ids, distances_) in enumerate(zip(found["ids"], found["distances"], strict=True)):
        expected = [1.0 - overlaps[i, int(j)] for j in ids]
        assert sorted(map(int, ids)) == list(range(len(texts)))
        assert distances_ == pytest.approx(expected)
        assert expected == sorted(expected)


def test_lancedb(fly, texts, overlaps, tmp_path):
    lancedb = pytest.importorskip("lancedb")
    vectors = fly.as_dense(texts)
    rows = [{"id": i, "vector": vector} for i, vector in enumerate(vectors)]
    table = lancedb.connect(tmp_path).create_table("codes", rows)
    for i, vector in enumerate(vectors):
        found = table.search(vector).distance_type("dot").limit(len(texts)).to_list()
        expected = [1.0 - overlaps[i, row["id"]] for row in found]
        assert [row["_distance"] for row in found] == expected == sorted(expected)
        assert len(found) == len(texts)


def test_duckdb(fly, texts, overlaps):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    base.execute("CREATE TABLE texts (id INTEGER, code BIT)")
    bits = np.unpackbits(fly.as_packed(texts, bit_order="big"), axis=1)
    strings = ["".join(map(str, row)) for row in bits.tolist()]
    base.executemany("INSERT INTO texts VALUES (?, ?::BIT)", list(enumerate(strings)))
    for i, string in enumerate(strings):
        rows = base.execute(
            "SELECT bit_count(code & ?::BIT) FROM texts ORDER BY id", [string]
        ).fetchall()
        assert [n for (n,) in rows] == overlaps[i].tolist()


def test_sqlite_vec(fly, texts, overlaps):
    sqlite_vec = pytest.importorskip("sqlite_vec")
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        base = sqlite3.connect(":memory:")
    else:
        base = pytest.importorskip("apsw").Connection(":memory:")
    base.enable_load_extension(True)
    sqlite_vec.load(base)
    base.execute("CREATE VIRTUAL TABLE texts USING vec0(code bit[24])")
    packed = fly.as_packed(texts)
    for i, row in enumerate(packed):
        base.execute("INSERT INTO texts(rowid, code) VALUES (?, vec_bit(?))", (i, row.tobytes()))
    for i, row in enumerate(packed):
        found = base.execute(
            "SELECT rowid, distance FROM texts WHERE code MATCH vec_bit(?) AND k = 6",
            (row.tobytes(),),
        ).fetchall()
        assert {j: int(d) for j, d in found} == dict(enumerate(distances(overlaps)[i].tolist()))
    base.close()


def test_postgresql(fly, texts, overlaps):
    psycopg = pytest.importorskip("psycopg")
    where = os.environ.get("SKFLY_POSTGRESQL")  # for example "host=127.0.0.1 dbname=test"
    if where is None:
        pytest.skip("SKFLY_POSTGRESQL names no server to try")
    bits = np.unpackbits(fly.as_packed(texts, bit_order="big"), axis=1)
    strings = ["".join(map(str, row)) for row in bits.tolist()]
    with psycopg.connect(where) as base:
        base.execute("CREATE TEMPORARY TABLE texts (id integer, code bit(24))")
        with base.cursor() as cursor:
            rows = list(enumerate(strings))
            cursor.executemany("INSERT INTO texts VALUES (%s, %s::bit(24))", rows)
        for i, string in enumerate(strings):
            found = base.execute(
                "SELECT id, bit_count(code & %s::bit(24)) AS shared FROM texts "
                "ORDER BY shared DESC, id",
                [string],
            ).fetchall()
            nearest = np.argsort(-overlaps[i], kind="stable")
            assert found == [(j, overlaps[i, j]) for j in nearest.tolist()]
