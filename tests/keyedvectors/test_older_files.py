"""Files that release 0.1 wrote, with what it read from them (``vectors.json``).

``packed``, ``cells``, ``attributes`` and ``numbered`` are as 0.1 saved them. ``words`` has the
form that came before: 64 cells a number, and the keys as a list.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from skfly import FlyKeyedVectors

FOLDER = Path(__file__).parents[1] / "data" / "0.1"
EXPECTED = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))

pytestmark = [
    pytest.mark.parametrize("name", EXPECTED),
    pytest.mark.parametrize("mmap", [None, "r"]),
]


@pytest.fixture
def wv(name, mmap):
    return FlyKeyedVectors.load(FOLDER / f"{name}.safetensors", mmap=mmap)


@pytest.fixture
def expected(name):
    return EXPECTED[name]


def test_words_and_codes_are_the_same(wv, expected):
    assert wv.index_to_key == expected["keys"]
    assert wv.key_to_index == {k: i for i, k in enumerate(expected["keys"]) if k is not None}
    assert wv.vector_size == expected["n_cells"]
    assert wv.hash_length == expected["hash_length"]
    assert [np.flatnonzero(row).tolist() for row in wv.vectors] == expected["cells"]


def test_counts_and_other_attributes_are_the_same(wv, expected):
    assert {name: array.tolist() for name, array in wv.expandos.items()} == expected["attributes"]


def test_similarities_are_the_same(wv, expected):
    assert wv.similarity_measure == expected["measure"]
    for left, right, value in expected["similarity"]:
        assert wv.similarity(left, right) == value
    for key, neighbours in expected["most_similar"].items():
        key = key if key in wv else int(key)
        assert wv.most_similar(key, topn=5) == list(map(tuple, neighbours))


def test_codes_can_be_changed_unless_mapped(wv, mmap):
    assert wv._index.columns.flags.writeable == (mmap is None)


def test_saving_again_keeps_everything(wv, expected, tmp_path):
    wv.save(tmp_path / "words")
    again = FlyKeyedVectors.load(tmp_path / "words")

    assert again.index_to_key == expected["keys"]
    np.testing.assert_array_equal(again.codes, wv.codes)
    assert {name: array.tolist() for name, array in again.expandos.items()} == (
        expected["attributes"]
    )
