"""Where codes come from."""

import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from scipy import sparse
from sklearn.preprocessing import Binarizer

from skfly import FlyKeyedVectors
from skfly.binarize import LSH
from skfly.codes import pack_codes


@pytest.fixture
def dense():
    kv = KeyedVectors(12)
    kv.add_vectors(["a", "b", "c", "d"], np.random.default_rng(0).normal(size=(4, 12)))
    kv.expandos["count"] = np.array([4, 3, 2, 1])
    return kv


class TestFromCodes:
    @pytest.mark.parametrize(
        "form",
        [
            np.asarray,
            sparse.csr_array,
            sparse.csr_matrix,
            sparse.coo_array,
            lambda codes: codes.tolist(),
            lambda codes: codes.astype(bool),
            lambda codes: codes.astype(np.float64),
        ],
        ids=range(7),
    )
    def test_any_form(self, words, codes, form):
        np.testing.assert_array_equal(
            FlyKeyedVectors.from_codes(words, form(codes)).vectors, codes
        )

    @pytest.mark.parametrize("width", [1, 8, 63, 64, 65, 100])
    def test_packed(self, codes, words, width):
        codes = codes[:, :width]
        plain = FlyKeyedVectors.from_codes(words, codes)

        for packed in (pack_codes(codes), plain.codes):
            made = FlyKeyedVectors.from_codes(words, packed, n_cells=width)
            np.testing.assert_array_equal(made.vectors, codes)

    def test_counts_become_an_attribute(self, words, codes):
        wv = FlyKeyedVectors.from_codes(words, codes, counts=range(60))

        assert wv.get_vecattr("w7", "count") == 7

    def test_what_is_given_is_not_shared(self, words, codes):
        wv = FlyKeyedVectors.from_codes(words, codes)
        before = codes.copy()
        words.append("other")
        codes[:] = 0

        assert len(wv) == 60
        np.testing.assert_array_equal(wv.vectors, before)

    def test_no_words(self):
        wv = FlyKeyedVectors.from_codes([], np.zeros((0, 9)))

        assert len(wv) == 0
        assert wv.similar_by_vector(np.ones(9)) == []

    @pytest.mark.parametrize(
        ("words", "codes", "params", "match"),
        [
            (["a", "a"], [[1, 0], [0, 1]], {}, "'a' occurs twice"),
            (["a"], [[1, 0], [0, 1]], {}, "1 words and 2 codes"),
            ("ab", [[1, 0], [0, 1]], {}, "a single str"),
            (["a", "b"], [[1, 0], [0, 2]], {}, "ones and zeros; got 2"),
            (["a", "b"], [[1, 0], [0, -1]], {}, "ones and zeros; got -1"),
            (["a", "b"], [[1, 0], [0, 0.5]], {}, "ones and zeros; got 0.5"),
            (["a", "b"], sparse.csr_array([[1, 0], [0, 3]]), {}, "ones and zeros; got 3"),
            (["a", "b"], [[1, 0], [0, np.nan]], {}, "ones and zeros; got nan"),
            (["a", "b"], [["x", "y"], ["x", "y"]], {}, "ones and zeros; got values of type"),
            (["a", "b"], [[1, 0], [0, 1, 1]], {}, r"all of one width; got rows of .*\[2, 3\]"),
            (["a", "b"], [1, 0], {}, r"one row a code.*got shape \(2,\)"),
            (["a", "b"], [[1, 0], [1, 1]], {"hash_length": 1}, "1 ones .*got one with 2"),
            (["a", "b"], [[1, 0], [1, 1]], {"hash_length": 3}, "hash_length=3"),
            (["a", "b"], [[1, 0], [1, 1]], {"counts": [1]}, "2 words and counts"),
            (["a", "b"], [[1, 0], [1, 1]], {"similarity_measure": "?"}, "measure must be one of"),
            (["a"], np.zeros((1, 3), np.uint8), {"n_cells": 9}, "2 uint8 or 1 uint64 a row"),
            (["a"], np.zeros((1, 1)), {"n_cells": 9}, "got float64"),
            (["a"], np.full((1, 1), 255, np.uint8), {"n_cells": 7}, "beyond their 7 cells"),
        ],
    )
    def test_bad_input(self, words, codes, params, match):
        with pytest.raises(ValueError, match=match):
            FlyKeyedVectors.from_codes(words, codes, **params)

    def test_words_of_another_type(self):
        with pytest.raises(TypeError, match="words must be str"):
            FlyKeyedVectors.from_codes([("a", "b")], [[1, 0]])


class TestFromDense:
    @pytest.mark.parametrize("method", ["randexp", "RandExp", "rand-exp"])
    def test_random_expansion(self, dense, method):
        wv = FlyKeyedVectors.from_dense(dense, method, n_cells=50, hash_length=4, random_state=0)

        assert wv.index_to_key == ["a", "b", "c", "d"]
        assert (wv.vector_size, wv.hash_length) == (50, 4)
        assert wv.get_vecattr("b", "count") == 3

    def test_lsh_is_that_of_the_transformer(self, dense):
        wv = FlyKeyedVectors.from_dense(dense, "lsh", n_bits=30, random_state=0)

        np.testing.assert_array_equal(
            wv.vectors, LSH(30, random_state=0).fit_transform(dense.vectors)
        )

    def test_any_transformer(self, dense):
        wv = FlyKeyedVectors.from_dense(dense, Binarizer(), similarity_measure="jaccard")

        np.testing.assert_array_equal(wv.vectors, dense.vectors > 0)
        assert wv.similarity_measure == "jaccard"

    def test_a_model_with_vectors(self):
        model = Word2Vec([["fly", "moth"]] * 10, min_count=1, vector_size=5, workers=1)

        assert "moth" in FlyKeyedVectors.from_dense(model, "lsh", n_bits=8)

    def test_a_method_that_there_is_not(self, dense):
        with pytest.raises(ValueError, match=r"method must be one of .*'lsh'.*got 'pca'"):
            FlyKeyedVectors.from_dense(dense, "pca")

    def test_parameters_of_a_transformer_that_is_made(self, dense):
        with pytest.raises(ValueError, match=r"'n_bits'.*transformer already"):
            FlyKeyedVectors.from_dense(dense, LSH(), n_bits=3)

    def test_what_are_no_vectors(self):
        with pytest.raises(TypeError, match=r"expected gensim KeyedVectors, .* got dict"):
            FlyKeyedVectors.from_dense({"a": [1, 2]})


class TestFaiss:
    @pytest.mark.parametrize("width", [96, 100])
    def test_there_and_back(self, words, codes, width):
        wv = FlyKeyedVectors.from_codes(words, codes[:, :width])
        index = wv.to_faiss()

        back = FlyKeyedVectors.from_faiss(index, words, width, similarity_measure="overlap")

        assert index.ntotal == 60
        np.testing.assert_array_equal(back.vectors, wv.vectors)
        assert back.similarity_measure == "overlap"

    def test_width_is_that_of_the_index(self, words, codes):
        index = FlyKeyedVectors.from_codes(words, codes).to_faiss()

        assert FlyKeyedVectors.from_faiss(index, words).vector_size == 104

    def test_finds_the_same_distances(self, wv, codes):
        import faiss

        index = wv.to_faiss()
        queries = faiss.vector_to_array(index.xb).reshape(60, -1)[:7]
        wv.similarity_measure = "sokal-michener"

        distances, _ = index.search(np.ascontiguousarray(queries), 5)

        ours = [[100 * (1 - s) for _, s in row] for row in wv.neighbors(codes[:7], 5)]
        np.testing.assert_allclose(distances, ours, atol=1e-9)

    def test_a_wrong_width(self, wv, words):
        with pytest.raises(ValueError, match="n_cells=90, but the index has codes of 104 bits"):
            FlyKeyedVectors.from_faiss(wv.to_faiss(), words, 90)

    def test_an_index_without_codes(self, words):
        import faiss

        with pytest.raises(TypeError, match="IndexFlatL2"):
            FlyKeyedVectors.from_faiss(faiss.IndexFlatL2(8), words)

    def test_without_faiss_the_extra_is_named(self, wv, monkeypatch):
        monkeypatch.setitem(sys.modules, "faiss", None)
        with pytest.raises(ImportError, match=r'pip install "skfly\[faiss\]"'):
            wv.to_faiss()


def test_importing_skfly_imports_neither_gensim_nor_numba():
    import subprocess

    code = (
        "import skfly, sys; print([m for m in ('gensim', 'numba', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
