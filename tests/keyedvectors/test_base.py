import copy
import pickle

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy import sparse

from skfly import FlyKeyedVectors
from skfly.index._bits import pack_rows


class TestTheClass:
    def test_is_one_of_gensim(self, wv):
        assert isinstance(wv, KeyedVectors)

    def test_every_public_name_of_gensim_is_there(self, wv):
        public = {name for name in dir(KeyedVectors(3)) if not name.startswith("_")}

        assert public - set(dir(wv)) == set()

    def test_prints_as_gensim_does(self, wv):
        assert str(wv) == "FlyKeyedVectors<vector_size=100, 60 keys>"

    @pytest.mark.parametrize("size", [0, -1, 2.5, "4", None])
    def test_a_width_that_is_none(self, size):
        with pytest.raises(ValueError, match="vector_size must be a number of cells"):
            FlyKeyedVectors(size)

    @pytest.mark.parametrize("length", [0, 11])
    def test_a_hash_length_that_is_none(self, length):
        with pytest.raises(ValueError, match=f"hash_length={length}"):
            FlyKeyedVectors(10, hash_length=length)

    def test_a_measure_that_is_none(self):
        with pytest.raises(ValueError, match="measure must be one of"):
            FlyKeyedVectors(10, similarity_measure="dice")


class TestLookup:
    def test_vectors_are_those_of_gensim(self, wv, kv, words):
        for key in [*words, 0, 59, np.int64(3)]:
            np.testing.assert_array_equal(wv[key], kv[key])
            assert wv[key].dtype == kv[key].dtype
            np.testing.assert_array_equal(wv.get_vector(key), kv.get_vector(key))
            np.testing.assert_allclose(
                wv.get_vector(key, norm=True), kv.get_vector(key, norm=True), rtol=1e-6
            )

    def test_several_at_once(self, wv, kv):
        np.testing.assert_array_equal(wv[["w3", "w1", 7]], kv[["w3", "w1", 7]])

    def test_a_vector_is_read_only(self, wv):
        with pytest.raises(ValueError, match="read-only"):
            wv["w1"][0] = 5

    def test_membership_and_length(self, wv, kv):
        assert len(wv) == len(kv)
        for key in ["w1", "none", 3, 60, -1]:
            assert (key in wv) == (key in kv)
            assert wv.has_index_for(key) == kv.has_index_for(key)

    def test_indices(self, wv, kv):
        assert wv.get_index("w5") == kv.get_index("w5")
        assert wv.get_index("none", default=7) == 7
        assert wv.index_to_key == kv.index_to_key
        assert wv.key_to_index == kv.key_to_index

    @pytest.mark.parametrize("ask", ["__getitem__", "get_index", "get_vector", "most_similar"])
    def test_an_unknown_key_gets_the_error_of_gensim(self, wv, kv, ask):
        with pytest.raises(KeyError) as theirs:
            getattr(kv, ask)("none")
        with pytest.raises(KeyError) as ours:
            getattr(wv, ask)("none")

        assert str(ours.value) == str(theirs.value)

    @pytest.mark.parametrize("name", ["index2word", "index2entity", "vocab", "vectors_norm"])
    def test_names_of_older_gensims_say_what_to_use(self, wv, name):
        with pytest.raises(AttributeError, match=r"Gensim 4\.0\.0"):
            getattr(wv, name)

    def test_word_vec_is_deprecated_there_too(self, wv, kv):
        with pytest.warns(DeprecationWarning, match="get_vector"):
            np.testing.assert_array_equal(wv.word_vec("w1"), kv.get_vector("w1"))

    def test_similarity_unseen_docs_is_of_doc2vec(self, wv):
        with pytest.raises(NotImplementedError, match="Doc2Vec"):
            wv.similarity_unseen_docs()


class TestMeans:
    @pytest.mark.parametrize("pre", [True, False])
    @pytest.mark.parametrize("post", [True, False])
    @pytest.mark.parametrize("weights", [None, [1.0, -2.0, 0.5, 3.0], np.array([1, 2, 3, 4.0])])
    def test_are_those_of_gensim(self, wv, kv, pre, post, weights):
        keys = ["w1", 7, "none", np.random.default_rng(0).normal(size=100)]

        ours, theirs = (
            some.get_mean_vector(keys, weights, pre_normalize=pre, post_normalize=post)
            for some in (wv, kv)
        )

        np.testing.assert_allclose(ours, theirs, atol=1e-6)
        assert ours.dtype == np.float32

    def test_of_a_sparse_row(self, wv):
        row = sparse.csr_array(wv["w2"][None])

        np.testing.assert_allclose(wv.get_mean_vector([row]), wv["w2"])

    def test_of_nothing(self, wv):
        with pytest.raises(ValueError, match="cannot compute mean with no input"):
            wv.get_mean_vector([])

    def test_with_a_weight_too_few(self, wv):
        with pytest.raises(ValueError, match="same number of elements"):
            wv.get_mean_vector(["w1", "w2"], [1.0])

    def test_of_an_unknown_key_if_none_may_miss(self, wv):
        with pytest.raises(KeyError, match="Key 'none' not present in vocabulary"):
            wv.get_mean_vector(["none"], ignore_missing=False)

    def test_of_a_vector_of_another_width(self, wv):
        with pytest.raises(ValueError, match="100 cells wide"):
            wv.get_mean_vector([np.ones(7)])


class TestFloats:
    def test_vectors_are_made_when_asked_for(self, wv, codes):
        assert wv._float_vectors is None

        np.testing.assert_array_equal(wv.vectors, codes)

        assert wv.vectors.dtype == np.float32
        assert wv.vectors is wv.vectors

    def test_they_can_be_let_go(self, wv):
        assert wv.vectors is not None
        del wv.vectors

        assert wv._float_vectors is None

    def test_a_change_of_them_is_refused(self, wv):
        with pytest.raises(ValueError, match="read-only"):
            wv.vectors[0] = 0

    def test_all_may_be_set(self, wv, codes):
        wv.vectors = 1 - codes

        np.testing.assert_array_equal(wv["w3"], 1 - codes[3])

    def test_only_one_for_each_key_may_be_set(self, wv, codes):
        with pytest.raises(ValueError, match="3 vectors for 60 keys"):
            wv.vectors = codes[:3]

    def test_norms(self, wv, kv):
        assert wv.norms is None
        for some in (wv, kv):
            some.fill_norms()
            some.fill_norms(force=True)

        np.testing.assert_allclose(wv.norms, kv.norms, rtol=1e-6)
        assert wv.norms.dtype == kv.norms.dtype

    def test_normed_vectors(self, wv, kv):
        np.testing.assert_allclose(wv.get_normed_vectors(), kv.get_normed_vectors(), rtol=1e-6)

    def test_an_empty_code_has_a_normed_vector(self):
        wv = FlyKeyedVectors.from_codes(["a", "b"], [[0, 0], [1, 0]])

        np.testing.assert_array_equal(wv.get_normed_vectors(), [[0, 0], [1, 0]])
        np.testing.assert_array_equal(wv.get_vector("a", norm=True), [0, 0])

    def test_another_type(self):
        wv = FlyKeyedVectors(3, dtype=np.float64)
        wv["a"] = np.array([1, 0, 1])

        assert wv["a"].dtype == wv.vectors.dtype == np.float64


class TestCodes:
    def test_are_packed(self, wv, codes):
        np.testing.assert_array_equal(wv.codes, pack_rows(codes))

    def test_are_read_only(self, wv):
        with pytest.raises(ValueError, match="read-only"):
            wv.codes[0, 0] = 0

    def test_memory_of_the_codes(self, words):
        random = np.random.default_rng(0)
        of_any_size = FlyKeyedVectors.from_codes(words, random.integers(0, 2, size=(60, 400)))
        of_one_size = FlyKeyedVectors.from_codes(words, np.repeat([[0] * 200 + [1] * 200], 60, 0))

        assert of_any_size.nbytes == 60 * (400 / 8 + 2)
        assert of_one_size.nbytes == 60 * 400 / 8

    @pytest.mark.parametrize(
        ("codes", "length"),
        [([[1, 1, 0], [0, 1, 1]], 2), ([[1, 1, 0], [0, 0, 0]], 2), ([[1, 1, 0], [1, 0, 0]], None)],
    )
    def test_hash_length_is_that_of_all_codes(self, codes, length):
        assert FlyKeyedVectors.from_codes(["a", "b"], codes).hash_length == length

    def test_hash_length_that_was_given(self):
        assert FlyKeyedVectors(9, hash_length=4).hash_length == 4


class TestVectorsForAll:
    @pytest.mark.parametrize("copy_vecattrs", [True, False])
    @pytest.mark.parametrize("inference", [True, False])
    def test_as_in_gensim(self, wv, kv, copy_vecattrs, inference):
        keys = ["w5", "none", "w2", "w5", 7]

        ours, theirs = (
            some.vectors_for_all(keys, allow_inference=inference, copy_vecattrs=copy_vecattrs)
            for some in (wv, kv)
        )

        assert ours.index_to_key == theirs.index_to_key
        np.testing.assert_array_equal(ours.vectors, theirs.vectors)
        for key in ours.index_to_key:
            assert ours.get_vecattr(key, "count") == theirs.get_vecattr(key, "count")

    def test_keeps_class_and_measure(self, wv):
        wv.similarity_measure = "jaccard"
        made = wv.vectors_for_all(["w1"])

        assert isinstance(made, FlyKeyedVectors)
        assert made.similarity_measure == "jaccard"


class TestCopies:
    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda wv: pickle.loads(pickle.dumps(wv))]
    )
    def test_have_the_same_content(self, wv, codes, copied):
        assert wv.most_similar("w1")
        other = copied(wv)

        assert other.index_to_key == wv.index_to_key
        assert other.most_similar("w1") == wv.most_similar("w1")
        np.testing.assert_array_equal(other.vectors, codes)

    def test_floats_are_not_pickled(self, wv):
        small = len(pickle.dumps(wv))
        assert len(wv.vectors)

        assert len(pickle.dumps(wv)) == small


def test_an_unknown_key_suggests_another_capitalisation():
    wv = FlyKeyedVectors.from_codes(["bank", "NASA"], [[1, 0], [0, 1]])
    for ask in (wv.get_vector, wv.get_index, wv.most_similar):
        with pytest.raises(KeyError, match=r"'Bank' not present.*; did you mean 'bank'\?"):
            ask("Bank")
        with pytest.raises(KeyError, match=r"did you mean 'NASA'\?"):
            ask("nasa")
        with pytest.raises(KeyError) as caught:
            ask("river")
        assert "did you mean" not in str(caught.value)
    assert wv.get_index("Bank", 7) == 7


def test_repr_says_words_cells_and_ones():
    wv = FlyKeyedVectors.from_codes(["a", "b"], [[1, 0, 1], [0, 1, 1]], hash_length=2)
    assert repr(wv) == "FlyKeyedVectors(2 words, 3 cells, 2 ones per code)"
    assert repr(FlyKeyedVectors(5)) == "FlyKeyedVectors(0 words, 5 cells)"
