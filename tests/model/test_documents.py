"""Cells of documents: activations, codes and files."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skfly._model_file import ModelFileError, read_model_file, write_model_file
from skfly.engine import get_engine
from skfly.model import DocumentCoder, FlyModel, ModelSettings, SynapseCoder
from skfly.text import Vocabulary

DOCUMENTS = sparse.csr_array([[2, 1, 0], [0, 0, 3]])
WORDS = ["apple", "pear", "loan"]
WEIGHTS = np.array([[1.0, 0.5, -0.5, 0.0], [0.8, 0.0, 0.0, 0.0], [-1.0, 0.0, 2.0, 0.0]])
THRESHOLDS = [0.25, 0.25, 0.25, 0.5]
ENGINES = [get_engine("numpy"), get_engine("numba", 1)]


def a_coder():
    return DocumentCoder.from_weights(WEIGHTS, THRESHOLDS, idf=[1.0, 2.0, 1.5])


def a_model(coder=None, **settings):
    random = np.random.default_rng(0)
    words = SynapseCoder(random.random((6, 4), np.float32))
    settings = {"hash_length": 2, "word_codes": "synapses"} | settings
    return FlyModel(
        Vocabulary(WORDS, [5, 4, 3]),
        words,
        ModelSettings(**settings),
        document_coder=a_coder() if coder is None else coder,
    )


def expected_activations(coder, counts):
    x = np.where(counts > 0, (1 + np.log(np.maximum(counts, 1))) * coder.idf, 0.0)
    length = np.sqrt((x**2).sum(axis=1, keepdims=True))
    found = x / np.maximum(length, 1e-9) @ (coder.weights * coder.scales) - coder.thresholds
    return np.where(length > 0, found, 0.0)


def random_problem(seed, n_documents=6, n_words=9, n_cells=5):
    random = np.random.default_rng(seed)
    coder = DocumentCoder.from_weights(
        random.normal(size=(n_words, n_cells)),
        random.normal(size=n_cells),
        1 + random.random(n_words),
    )
    return coder, random.integers(0, 4, (n_documents, n_words)) * random.integers(
        0, 2, (n_documents, n_words)
    )


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_activations_are_those_of_the_formula(seed):
    coder, counts = random_problem(seed)
    for engine in ENGINES:
        found = coder.activations(engine, sparse.csr_array(counts))
        np.testing.assert_allclose(found, expected_activations(coder, counts), atol=2e-3)


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_a_document_has_the_same_bits_beside_any_others_and_on_any_engine(seed):
    coder, counts = random_problem(seed)
    together = coder.bags(ENGINES[0], sparse.csr_array(counts), 3)
    for engine in ENGINES:
        for row, document in enumerate(counts):
            alone = coder.bags(engine, sparse.csr_array(document[None]), 3)
            np.testing.assert_array_equal(alone.cells[0], together.cells[row])
            np.testing.assert_array_equal(alone.activations[0], together.activations[row])


def test_documents_are_taken_in_parts(monkeypatch):
    coder, counts = random_problem(3, n_documents=11)
    whole = coder.bags(ENGINES[1], sparse.csr_array(counts), 2)
    monkeypatch.setattr("skfly.model._documents._ACTIVATIONS_AT_A_TIME", 4 * 5)
    parts = coder.bags(ENGINES[1], sparse.csr_array(counts), 2)
    np.testing.assert_array_equal(parts.cells, whole.cells)


def test_no_documents():
    coder, counts = random_problem(3)
    found = coder.bags(ENGINES[1], sparse.csr_array(counts[:0]), 2)
    assert found.cells.shape == found.activations.shape == (0, 2)
    assert a_model().documents([]).shape == (0, 4)


def test_ties_go_to_the_lowest_cell():
    coder = DocumentCoder.from_weights(np.ones((1, 4)), np.zeros(4), [1.0])
    found = coder.bags(ENGINES[1], sparse.csr_array([[1]]), 2)
    assert found.cells.tolist() == [[0, 1]]


class TestCodes:
    def test_binary_codes_are_the_most_active_cells(self):
        codes = a_model().documents(["apple", "loan loan", "nothing known"]).toarray()
        assert codes.tolist() == [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]

    def test_graded_codes_are_the_same_cells_by_their_strength(self):
        model = a_model(document_codes="graded")
        codes = model.documents(["apple", "nothing known"]).toarray()
        strength = np.array([0.75, 0.25])
        expected = strength / np.linalg.norm(strength)
        np.testing.assert_allclose(codes, [[*expected, 0, 0], [0, 0, 0, 0]], atol=1e-4)

    def test_a_cell_that_responds_less_than_on_average_has_no_strength(self):
        codes = a_model(document_codes="graded").documents(["pear"])
        assert codes.toarray().tolist() == [[1, 0, 0, 0]]
        assert codes.nnz == 1

    def test_where_all_respond_less_than_on_average_the_cells_count_alike(self):
        coder = DocumentCoder.from_weights(WEIGHTS, np.full(4, 9.0), idf=np.ones(3))
        codes = a_model(coder, document_codes="graded").documents(["apple"])
        np.testing.assert_allclose(codes.toarray(), [[0.5**0.5, 0.5**0.5, 0, 0]], rtol=1e-6)

    def test_words_no_cell_responds_to_give_no_code(self):
        coder = DocumentCoder.from_weights(np.zeros((3, 4)), THRESHOLDS, idf=np.ones(3))
        for kind in ("binary", "graded"):
            assert a_model(coder, document_codes=kind).documents(["apple"]).nnz == 0

    def test_graded_codes_without_cells_of_documents(self):
        model = FlyModel(a_model().vocabulary, a_model().coder, a_model().settings)
        graded = model.with_(document_codes="graded").documents(["apple loan", "pear"])
        np.testing.assert_allclose((graded.toarray() ** 2).sum(axis=1), 1, rtol=1e-6)
        np.testing.assert_array_equal(
            graded.toarray() > 0, model.documents(["apple loan", "pear"]).toarray() > 0
        )

    def test_cells_of_words_on_request(self):
        model, texts = a_model(), ["apple loan", "pear"]
        plain = FlyModel(model.vocabulary, model.coder, model.settings)
        same = model.with_(document_cells="words").documents(texts) != plain.documents(texts)
        assert same.nnz == 0
        with pytest.raises(ValueError, match=r"document_cells must be one of .*'auto', 'words'"):
            model.with_(document_cells="own").documents(texts)


class TestFiles:
    def test_a_model_keeps_its_document_codes(self, tmp_path):
        model, texts = a_model(), ["apple pear pear", "loan", ""]
        model.save(tmp_path / "model.skfly")
        for read in (
            FlyModel.load(tmp_path / "model.skfly"),
            FlyModel.load(tmp_path / "model.skfly", mmap=True),
            pickle.loads(pickle.dumps(model)),
        ):
            assert (read.documents(texts) != model.documents(texts)).nnz == 0

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("weights", lambda a: a.astype(np.float32)),
            ("weights", lambda a: a[:, :2].copy()),
            ("idf", lambda a: a[:2].copy()),
            ("idf", lambda a: a * np.nan),
            ("scales", lambda a: np.append(a, a)),
            ("thresholds", lambda a: a * np.float32(np.inf)),
            ("thresholds", None),
        ],
    )
    def test_damage_is_found(self, tmp_path, name, change):
        path = tmp_path / "model.skfly"
        a_model().save(path)
        arrays, content = read_model_file(path)
        key = f"documents.{name}"
        if change is None:
            del arrays[key]
        else:
            arrays[key] = change(arrays[key])
        write_model_file(path, arrays, content)
        with pytest.raises(ModelFileError):
            FlyModel.load(path)

    def test_weights_of_older_files_have_two_bytes(self, tmp_path):
        path = tmp_path / "model.skfly"
        a_model().save(path)
        arrays, content = read_model_file(path)
        assert arrays["documents.weights"].dtype == np.int8
        wide = arrays["documents.weights"].astype(np.int16)
        write_model_file(path, arrays | {"documents.weights": wide * 256}, content)
        found = FlyModel.load(path).document_coder.activations(ENGINES[1], DOCUMENTS)
        coder = a_coder()
        expected = replace(coder, scales=coder.scales * 256).activations(ENGINES[1], DOCUMENTS)
        np.testing.assert_array_equal(found, expected)

    def test_cells_of_words_and_documents_are_as_many(self):
        narrow = DocumentCoder.from_weights(WEIGHTS[:, :2], THRESHOLDS[:2], idf=np.ones(3))
        with pytest.raises(ValueError, match="2 document cells, but 4 word cells"):
            a_model(narrow)
