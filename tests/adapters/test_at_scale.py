"""Recipes for tools that read much text: the model is mapped once in each worker."""

import os
import sys

import numpy as np
import pandas as pd
import pytest

from skfly import FlyHashVectorizer

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages are theirs


@pytest.fixture(scope="module")
def packed(fly, texts):
    return fly.as_packed(texts)


def test_spacy(model_path, texts, packed):
    spacy = pytest.importorskip("spacy")

    @spacy.Language.factory("fly", default_config={"model": "en"})
    def make(nlp, name, model):
        fly = FlyHashVectorizer.from_pretrained(model)

        def add_code(doc):
            doc._.code = fly.as_packed([doc.text])[0]
            return doc

        return add_code

    spacy.tokens.Doc.set_extension("code", default=None, force=True)
    nlp = spacy.blank("en")
    nlp.add_pipe("fly", config={"model": str(model_path)})

    np.testing.assert_array_equal([doc._.code for doc in nlp.pipe(texts)], packed)


def test_polars(fly, texts, packed):
    pl = pytest.importorskip("polars")
    code = pl.col("text").map_batches(
        lambda batch: pl.Series(fly.as_packed(batch)), return_dtype=pl.Array(pl.UInt8, 3)
    )
    table = pl.LazyFrame({"text": texts}).with_columns(code.alias("code")).collect()

    np.testing.assert_array_equal(table["code"].to_numpy(), packed)


def test_hugging_face_datasets(model_path, texts, packed, tmp_path):
    datasets = pytest.importorskip("datasets")

    def add_codes(batch, model):
        fly = FlyHashVectorizer.load(model, mmap=True)
        return {"code": fly.as_packed(batch["text"])}

    found = datasets.Dataset.from_dict({"text": texts}).map(
        add_codes,
        batched=True,
        num_proc=2,
        fn_kwargs={"model": str(model_path)},
        cache_file_name=str(tmp_path / "codes.arrow"),
    )

    np.testing.assert_array_equal(found["code"], packed)


def test_dask(model_path, texts, packed):
    frames = pytest.importorskip("dask.dataframe")

    def codes(part, model):
        fly = FlyHashVectorizer.load(model, mmap=True)
        return pd.DataFrame(fly.as_packed(part["text"]), index=part.index)

    table = frames.from_pandas(pd.DataFrame({"text": texts}), npartitions=2)
    found = table.map_partitions(codes, model_path, meta=dict.fromkeys(range(3), "u1"))

    np.testing.assert_array_equal(found.compute(scheduler="threads"), packed)


def test_ray(model_path, texts, packed):
    ray = pytest.importorskip("ray")

    class Codes:
        def __init__(self, model):
            self.fly = FlyHashVectorizer.load(model, mmap=True)

        def __call__(self, batch):
            return batch | {"code": self.fly.as_packed(batch["text"])}

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        rows = ray.data.from_items([{"text": text} for text in texts])
        found = rows.map_batches(
            Codes,
            fn_constructor_args=(str(model_path),),
            compute=ray.data.ActorPoolStrategy(size=1),
        ).take_all()
    finally:
        ray.shutdown()

    codes = {row["text"]: row["code"] for row in found}
    np.testing.assert_array_equal([codes[text] for text in texts], packed)


def test_spark(model_path, texts, packed, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    path = str(model_path)

    def codes(parts):
        fly = FlyHashVectorizer.load(path, mmap=True)
        for part in parts:
            rows = [code.tobytes() for code in fly.as_packed(part["text"])]
            yield pd.DataFrame({"text": part["text"], "code": rows})

    local = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        local = local.config(name, "127.0.0.1")
    try:
        spark = local.getOrCreate()
    except Exception as error:
        pytest.skip(f"Spark does not start, it needs Java: {error!r:.100}")
    try:
        table = spark.createDataFrame([(text,) for text in texts], ["text"])
        found = table.mapInPandas(codes, "text string, code binary").collect()
    finally:
        spark.stop()

    assert {row.text: bytes(row.code) for row in found} == {
        text: code.tobytes() for text, code in zip(texts, packed, strict=True)
    }
