"""What release 0.1 wrote and learned: files load with the same codes, fits give the same bits."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from skfly import FlyHashVectorizer, FlyModel

DATA = Path(__file__).parent / "data" / "0.1"
EXPECTED = json.loads((DATA / "expected.json").read_text())
WORDS = ["fly", "bank", "Peach", "the", "no such word", "bananas"]
CONTEXTS = (
    ["the bank lends money for fruit", "ripe fruit", "nothing known here"],
    ["bank", "peach", 0],
)
ARRAYS = ("synapses_", "consensus_", "cell_counts_", "word_counts_")


def digest(array):
    array = np.ascontiguousarray(array)
    described = array.tobytes() + str((array.dtype.str, array.shape)).encode()
    return hashlib.blake2b(described, digest_size=12).hexdigest()


def listed(codes):
    codes = sparse.csr_array(codes)
    codes.sort_indices()
    return [
        [
            [cell, value] if value != 1 else cell
            for cell, value in zip(
                codes.indices[a:b].tolist(), codes.data[a:b].tolist(), strict=True
            )
        ]
        for a, b in zip(codes.indptr[:-1], codes.indptr[1:], strict=True)
    ]


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_0_1_gives_the_same_codes(name, mmap, documents):
    expected = EXPECTED[name]
    fly = FlyHashVectorizer.load(DATA / f"{name}.skfly", mmap=mmap)
    assert list(fly.vocabulary_) == expected["vocabulary"]
    assert listed(fly.hash_words(WORDS)) == expected["words"]
    assert listed(fly.hash_in_context(*CONTEXTS)) == expected["contexts"]
    texts = [*documents[:12], "no word of this is known", ""]
    assert listed(fly.transform(texts)) == expected["documents"]
    cells = fly.kenyon_cells("ripe fruit and money", n_cells=3, n_words=4)
    for cell, (number, activation, words) in zip(cells, expected["cells"], strict=True):
        assert cell.number == number
        assert cell.activation == activation
        assert [word for word, _ in cell.words] == [word for word, _ in words]
        np.testing.assert_allclose([p for _, p in cell.words], [p for _, p in words], rtol=1e-6)
    for array, wanted in expected["digests"].items():
        found = getattr(fly, array)
        assert (None if found is None else digest(found)) == wanted, array
    for setting, wanted in expected["settings"].items():
        assert getattr(fly, setting) == wanted, setting
    model = FlyModel.load(DATA / f"{name}.skfly", mmap=mmap)
    assert listed(model.words(WORDS)) == expected["words"]
    assert listed(model.documents(texts)) == expected["documents"]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fit_gives_the_bits_of_0_1(name, documents):
    expected = EXPECTED[name]
    params = {"learning": "lloyd", "random_state": 0, "n_jobs": 1} | expected["params"]
    fly = FlyHashVectorizer(**params).fit(documents)
    if name == "lloyd":
        fly.partial_fit(documents[:30])
    for array in ARRAYS:
        found, wanted = getattr(fly, array), expected["digests"][array]
        assert (None if found is None else digest(found)) == wanted, array
    for part, wanted in expected["state"].items():
        assert digest(fly.rule_state_[part]) == wanted, part
    for setting, wanted in expected["settings"].items():
        assert getattr(fly, setting) == wanted, setting
    # its digits depend on the linear algebra library
    old = FlyHashVectorizer.load(DATA / f"{name}.skfly").lateral_
    assert (fly.lateral_ is None) == (old is None)
    if old is not None:
        np.testing.assert_allclose(fly.lateral_, old, atol=1e-4)


def test_a_file_of_0_1_can_be_continued_and_saved_again(tmp_path, documents):
    fly = FlyHashVectorizer.load(DATA / "lloyd.skfly")
    fly.partial_fit(documents[30:60])
    fly.save(tmp_path / "new.skfly")
    again = FlyHashVectorizer.load(tmp_path / "new.skfly")
    assert again.n_words_seen_ > EXPECTED["lloyd"]["settings"]["n_words_seen_"]
    np.testing.assert_array_equal(
        fly.transform(documents).toarray(), again.transform(documents).toarray()
    )
