"""Compact models: nearly the same codes in a fraction of the memory."""

import math

import numpy as np
import pytest

from skfly import FlyHashVectorizer, FlyModel, ModelFileError
from skfly._model_file import read_model_file, write_model_file
from skfly.model import DocumentCoder
from skfly.model._factors import Factors, PackedRows

RULES = [
    {},
    {"learning": "lloyd"},
    {"learning": "hebbian", "word_codes": "synapses"},
    {"learning": "comply"},
]


def overlap(left, right):
    return left.multiply(right).sum() / max(left.sum(), 1)


@pytest.fixture(params=RULES, ids=lambda params: params.get("learning", "whiten"))
def fly(request, make_fly, documents):
    return make_fly(**request.param).fit(documents)


def test_codes_are_nearly_the_same(fly, documents):
    model, compact = fly.model_, fly.model_.compact()
    assert compact.is_compact
    assert not model.is_compact
    assert overlap(model.word_codes(), compact.word_codes()) > 0.7
    assert overlap(model.documents(documents), compact.documents(documents)) > 0.7
    contexts, targets = ["ripe fruit"], ["fruit"]
    assert compact.contexts(contexts, targets).nnz == model.contexts(contexts, targets).nnz
    assert len(compact.cells("ripe fruit")) == len(model.cells("ripe fruit"))
    assert compact.with_(unknown_words="spelling").words(["fruity"]).nnz == model.hash_length


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_gives_the_same_bits(fly, documents, tmp_path, mmap):
    fly.save(tmp_path / "small.skfly", compact=True)
    loaded = FlyHashVectorizer.load(tmp_path / "small.skfly", mmap=mmap)
    compact = fly.model_.compact()
    assert loaded.model_.is_compact
    assert (loaded.model_.word_codes() != compact.word_codes()).nnz == 0
    assert (loaded.transform(documents) != compact.documents(documents)).nnz == 0
    assert loaded.kenyon_cells("ripe fruit") == compact.cells("ripe fruit")


def test_partial_fit_is_refused_and_fit_is_not(fly, documents, tmp_path):
    fly.save(tmp_path / "small.skfly", compact=True)
    loaded = FlyHashVectorizer.load(tmp_path / "small.skfly")
    with pytest.raises(ValueError, match="it is compact"):
        loaded.partial_fit(documents)
    assert not loaded.fit(documents).model_.is_compact


def test_a_compact_model_is_its_own_compact_form(fly, documents):
    once = fly.model_.compact()
    twice = once.compact()
    assert (once.documents(documents) != twice.documents(documents)).nnz == 0


def test_cells_of_documents_become_factors():
    random = np.random.default_rng(0)
    weights = random.standard_normal((300, 4)) @ random.standard_normal((4, 64))
    coder = DocumentCoder.from_weights(weights, np.zeros(64), np.ones(300))
    compact = coder.compact()
    assert isinstance(compact.weights, Factors)
    assert sum(a.nbytes for a in compact.arrays.values()) < coder.weights.nbytes
    again = DocumentCoder.from_arrays(compact.arrays, 300)
    assert again.n_cells == 64
    with pytest.raises(ValueError, match="rows"):
        DocumentCoder.from_arrays(compact.arrays | {"factors.rows": np.zeros((3, 1), "u1")}, 300)


def test_rows_come_back_within_half_a_step():
    rows = np.random.default_rng(0).standard_normal((50, 33))
    packed, scales = PackedRows.quantise(rows)
    error = packed[:] * scales[:, None] - rows
    assert np.sqrt((error**2).mean()) < 0.13
    assert packed.packed.shape == (50, 17)


def test_an_older_version_would_say_that_it_is_too_old(fly, tmp_path, monkeypatch):
    fly.save(tmp_path / "small.skfly", compact=True)
    monkeypatch.setattr("skfly._model_file.FORMAT_VERSION", 3)
    with pytest.raises(ModelFileError, match="has model format 4, written by a newer skfly"):
        FlyModel.load(tmp_path / "small.skfly")


def test_arrays_of_other_shapes_are_refused(make_fly, documents, tmp_path):
    path = tmp_path / "small.skfly"
    make_fly().fit(documents).save(path, compact=True)
    arrays, content = read_model_file(path)
    arrays["coder.vectors"] = arrays["coder.vectors"][:, :1].copy()
    write_model_file(path, arrays, content, 4)
    with pytest.raises(ModelFileError, match="vectors must have shape"):
        FlyModel.load(path)


@pytest.mark.parametrize("n_bits", [3, 4])
@pytest.mark.parametrize("n_columns", [1, 2, 7, 8, 9, 300])
def test_rows_of_a_few_bits_are_those_that_were_packed(n_bits, n_columns):
    rows = np.random.default_rng(0).standard_normal((6, n_columns))
    packed, units = PackedRows.quantise(rows, n_bits)
    largest = 2 ** (n_bits - 1) - 1
    found = packed[np.arange(6)]
    assert packed.packed.shape == (6, math.ceil(n_bits * n_columns / 8))
    assert np.abs(found).max() <= largest
    steps = {3: 0.65, 4: 0.355}[n_bits] * np.sqrt((rows**2).mean(axis=1, keepdims=True))
    np.testing.assert_array_equal(found, np.clip(np.rint(rows / steps), -largest, largest))
    if n_columns == 300:
        lost = ((found * units[:, None] - rows) ** 2).mean() / (rows**2).mean()
        assert lost < {3: 0.06, 4: 0.02}[n_bits]
