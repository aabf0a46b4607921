"""``skfly export``: codes for other programs."""

import json

import faiss
import numpy as np
import pytest
from gensim.models import KeyedVectors

from skfly import FlyKeyedVectors


@pytest.mark.parametrize(("name", "binary"), [("v.txt", False), ("v.vec", False), ("v.bin", True)])
def test_word2vec(skfly, fly, model, tmp_path, name, binary):
    code, out, err = skfly("export", model, tmp_path / name)
    assert code == 0
    assert out.startswith(f"{tmp_path / name}: ")
    assert err == "skfly: writing 13 codes\n"
    vectors = KeyedVectors.load_word2vec_format(tmp_path / name, binary=binary)
    assert set(vectors.index_to_key) == set(fly.wv.index_to_key)
    for word in vectors.index_to_key:
        np.testing.assert_array_equal(vectors[word], fly.wv[word])


def test_numpy(skfly, fly, model, tmp_path):
    out = skfly("export", model, tmp_path / "c.npz", "--json", "--quiet", "--hash-length", 2)
    assert out.err == ""
    assert json.loads(out.out) == {
        "format": "numpy",
        "files": [str(tmp_path / "c.npz")],
        "words": 13,
        "cells": 20,
    }
    with np.load(tmp_path / "c.npz") as found:
        assert found["words"].tolist() == fly.wv.index_to_key
        assert found["counts"].tolist() == [
            fly.wv.get_vecattr(word, "count") for word in fly.wv.index_to_key
        ]
        assert int(found["hash_length"]) == 2
        codes = np.unpackbits(found["codes"], axis=1, count=20, bitorder="little")
    assert codes.sum(axis=1).tolist() == [2] * 13


def test_faiss(skfly, fly, model, tmp_path):
    place = tmp_path / "c.faiss"
    assert skfly("export", model, place).code == 0
    words = json.loads((tmp_path / "c.faiss.json").read_text())
    index = faiss.read_index_binary(str(place))
    vectors = FlyKeyedVectors.from_faiss(index, words, n_cells=20)
    assert vectors.index_to_key == fly.wv.index_to_key
    np.testing.assert_array_equal(vectors.vectors, fly.wv.vectors)


def test_projector(skfly, fly, model, tmp_path):
    place = tmp_path / "projector"
    assert skfly("export", model, place, "--format", "projector", "--top", 5).code == 0
    assert {path.name for path in place.iterdir()} == {
        "vectors.tsv", "metadata.tsv", "projector_config.pbtxt",
    }  # fmt: skip
    vectors = np.loadtxt(place / "vectors.tsv", delimiter="\t")
    head, *rows = (place / "metadata.tsv").read_text().splitlines()
    assert head == "word\tcount"
    assert len(rows) == len(vectors) == 5
    for row, vector in zip(rows, vectors, strict=True):
        word, count = row.split("\t")
        assert int(count) == fly.wv.get_vecattr(word, "count") >= 20
        np.testing.assert_array_equal(vector, fly.wv[word])
    config = (place / "projector_config.pbtxt").read_text()
    assert 'tensor_path: "vectors.tsv"' in config
    assert skfly("export", model, place, "--format", "projector").code == 2  # it is there
    assert skfly("export", model, place, "--format", "projector", "--force").code == 0


def test_what_cannot_be_written(skfly, model, tmp_path):
    for args, message in (
        (["codes"], "does not end in .txt, .vec, .bin, .npz, .faiss"),
        (["none/codes.npz"], "there is no directory"),
        (["model.skfly", "--format", "projector"], "is a file, but projector writes a directory"),
        (["c.npz", "--hash-length", "21"], "the model has 20 Kenyon cells"),
    ):
        code, out, err = skfly("export", model, tmp_path / args[0], *args[1:])
        assert (code, out) == (2, "")
        assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["model.skfly"]


def test_a_compact_model(skfly, fly, model, tmp_path):
    out = skfly("export", model, tmp_path / "small.skfly", "--json")
    assert json.loads(out.out)["format"] == "compact"
    assert json.loads(skfly("info", tmp_path / "small.skfly", "--json").out)["compact"] is True
    assert "cannot learn further" in skfly("info", tmp_path / "small.skfly").out
    assert skfly("export", model, tmp_path / "small.skfly", "--force", "--top", 3).code == 2
