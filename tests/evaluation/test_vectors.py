"""Word vectors from files."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec

from skfly.evaluation import load_vectors

WORDS = ["fly", "moth", "bank"]


@pytest.fixture
def vectors():
    kv = KeyedVectors(vector_size=3)
    kv.add_vectors(WORDS, np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32))
    return kv


def same(left, right):
    assert left.index_to_key == right.index_to_key
    np.testing.assert_allclose(left.vectors, right.vectors, rtol=1e-6)


@pytest.mark.parametrize("suffix", [".txt", ".vec", ".bin", ".TXT"])
def test_files_in_the_format_of_word2vec(vectors, tmp_path, suffix):
    path = tmp_path / f"vectors{suffix}"
    vectors.save_word2vec_format(str(path), binary=suffix == ".bin")
    same(load_vectors(path), vectors)


def test_text_without_its_first_line_and_compressed(vectors, tmp_path):
    path = tmp_path / "vectors.txt"
    vectors.save_word2vec_format(str(path))
    lines = path.read_bytes().splitlines(keepends=True)[1:]
    path.write_bytes(b"".join(lines))
    same(load_vectors(path), vectors)
    packed = tmp_path / "vectors.txt.gz"
    packed.write_bytes(gzip.compress(b"".join(lines)))
    same(load_vectors(packed), vectors)


def test_what_gensim_saved(vectors, tmp_path):
    vectors.save(str(tmp_path / "v.kv"))
    same(load_vectors(tmp_path / "v.kv", trusted=True), vectors)
    model = Word2Vec([WORDS] * 5, vector_size=3, min_count=1, workers=1, seed=0)
    model.save(str(tmp_path / "model.kv"))
    same(load_vectors(tmp_path / "model.kv", trusted=True), model.wv)


class LeavesAMark:
    """When a pickle of it is opened, a file is made."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_pickle_is_not_opened_unless_it_is_trusted(tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "v.kv").write_bytes(pickle.dumps(LeavesAMark(mark)))
    with pytest.raises(ValueError, match=r"v\.kv is a pickle.*trusted=True \(--trust-pickle"):
        load_vectors(tmp_path / "v.kv")
    assert not mark.exists()
    with pytest.raises(ValueError, match="cannot be read as word vectors"):
        load_vectors(tmp_path / "v.kv", trusted=True)
    assert mark.exists()  # so the test can fail


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.bin", b"\x00\x01nonsense"),
        ("a.txt", b"fly one two\n"),
        ("a.kv", b"nonsense"),
        ("b.txt", b""),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} cannot be read as word vectors"):
        load_vectors(tmp_path / name, trusted=True)


def test_other_endings_and_missing_files(tmp_path):
    with pytest.raises(ValueError, match=r"does not end in one of \.kv, \.bin, \.txt, \.vec"):
        load_vectors(tmp_path / "fly.skfly")
    with pytest.raises(FileNotFoundError, match=r"no file .*none\.txt"):
        load_vectors(tmp_path / "none.txt")
