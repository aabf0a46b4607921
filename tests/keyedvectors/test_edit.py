import warnings

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy import sparse

from skfly import FlyKeyedVectors


def both(width, count=0):
    return FlyKeyedVectors(width, count), KeyedVectors(width, count)


def assert_same(wv, kv):
    assert wv.index_to_key == kv.index_to_key
    assert wv.key_to_index == kv.key_to_index
    np.testing.assert_array_equal(wv.vectors, kv.vectors)


class TestAdding:
    @pytest.mark.parametrize("replace", [True, False])
    def test_several(self, wv, kv, codes, replace):
        for some in (wv, kv):
            some.add_vectors(["w1", "new", "w2", "newer"], codes[:4] * 1.0, replace=replace)

        assert_same(wv, kv)

    def test_one_in_add_vectors(self, wv, kv, codes):
        for some in (wv, kv):
            some.add_vectors("new", codes[0])

        assert_same(wv, kv)

    def test_the_answers_follow(self, wv, kv, codes, same_ranking):
        before = wv.most_similar("w1")
        wv.build_index()
        wv.add_vectors(["twin"], codes[1:2])

        assert before[0][0] != "twin"
        assert wv.most_similar("w1", topn=1) == [("twin", pytest.approx(1.0))]
        assert wv.similarity("w1", "twin") == pytest.approx(1.0)

    def test_a_sparse_matrix(self, wv, codes):
        wv.add_vectors(["x", "y"], sparse.csr_array(codes[:2]))

        np.testing.assert_array_equal(wv[["x", "y"]], codes[:2])

    def test_into_free_places(self, codes):
        wv, kv = both(100, 3)
        for some in (wv, kv):
            assert [some.add_vector(f"k{i}", codes[i]) for i in range(3)] == [0, 1, 2]

        assert_same(wv, kv)
        assert wv.next_index == kv.next_index

    def test_beyond_the_last_place_warns_as_gensim_does(self, wv, kv, codes):
        for some in (wv, kv):
            with pytest.warns(UserWarning, match="grows by one each time"):
                assert some.add_vector("new", codes[0]) == 60

        assert_same(wv, kv)

    def test_by_index(self, wv, kv, codes):
        for some in (wv, kv):
            some["new"] = codes[3] * 1.0
            some["w1"] = codes[4] * 1.0
            some[["w2", "newer"]] = [codes[5], codes[6]]

        assert_same(wv, kv)

    def test_a_sparse_row_by_index(self, wv, codes):
        wv["w1"] = sparse.csr_array(codes[7:8])

        np.testing.assert_array_equal(wv["w1"], codes[7])

    def test_extras_become_attributes(self, wv, codes):
        wv.add_vectors(
            ["w1", "new"], codes[:2], extras={"count": np.array([500, 900])}, replace=True
        )

        assert wv.get_vecattr("w1", "count") == 500
        assert wv.get_vecattr("new", "count") == 900

    def test_new_keys_have_attributes_too(self, wv, codes):
        wv.add_vectors(["new"], codes[:1])
        wv.set_vecattr("new", "count", 3)

        assert wv.get_vecattr("new", "count") == 3

    def test_to_nothing(self, codes):
        wv = FlyKeyedVectors(100)
        wv.add_vectors(["a", "b"], codes[:2])

        assert wv.most_similar("a")[0][0] == "b"


class TestBadInput:
    @pytest.mark.parametrize("value", [2, -1, 0.5, np.nan])
    def test_not_ones_and_zeros(self, wv, value):
        before = list(wv.index_to_key)
        with pytest.raises(ValueError, match=r"ones and zeros; got .*from_dense"):
            wv.add_vectors(["new"], np.full((1, 100), value))

        assert wv.index_to_key == before

    @pytest.mark.parametrize("width", [1, 99, 101])
    def test_another_width(self, wv, width):
        with pytest.raises(ValueError, match=f"100 cells wide; got {width}"):
            wv["new"] = np.ones(width)
        assert "new" not in wv

    def test_another_hash_length(self, words, codes):
        wv = FlyKeyedVectors(100, hash_length=3)
        wv["three"] = np.eye(100)[:3].sum(axis=0)
        wv["none"] = np.zeros(100)

        with pytest.raises(ValueError, match=r"must have 3 ones .*got one with 4"):
            wv["four"] = np.eye(100)[:4].sum(axis=0)
        with pytest.raises(ValueError, match="must have 3 ones"):
            wv.vectors = np.ones((2, 100))

    def test_a_word_twice(self, wv, codes):
        with pytest.raises(ValueError, match="'new' occurs twice"):
            wv.add_vectors(["new", "new"], codes[:2])

    def test_a_word_that_is_there(self, wv, codes):
        with pytest.raises(ValueError, match=r"'w1' already has a code.*wv\[word\] = code"):
            wv.add_vector("w1", codes[0])

    def test_more_words_than_codes(self, wv, codes):
        with pytest.raises(ValueError, match="2 words and 3 codes"):
            wv.add_vectors(["x", "y"], codes[:3])

    def test_scaling(self, wv):
        with pytest.raises(NotImplementedError, match=r"cannot be scaled.*get_normed_vectors"):
            wv.unit_normalize_all()
        with (
            pytest.warns(DeprecationWarning, match="fill_norms"),
            pytest.raises(NotImplementedError, match="cannot be scaled"),
        ):
            wv.init_sims(replace=True)

    def test_init_sims_without_it_fills_norms(self, wv):
        with pytest.warns(DeprecationWarning, match="fill_norms"):
            wv.init_sims()

        assert wv.norms is not None


class TestOrder:
    def test_by_falling_frequency(self, wv, kv, same_ranking):
        for some in (wv, kv):
            some.sort_by_descending_frequency()

        assert_same(wv, kv)
        np.testing.assert_array_equal(wv.expandos["count"], kv.expandos["count"])
        same_ranking(wv.most_similar("w1"), kv.most_similar("w1"))

    def test_of_nothing(self):
        empty = FlyKeyedVectors(5)
        empty.sort_by_descending_frequency()

        assert len(empty) == 0


class TestAttributes:
    def test_are_those_of_gensim(self, wv, kv):
        for some in (wv, kv):
            some.set_vecattr("w1", "count", 77)
            some.set_vecattr("w2", "tag", "noun")
            some.allocate_vecattrs(["seen"], [float])

        for key, name in [("w1", "count"), ("w2", "count"), ("w2", "tag"), (3, "seen")]:
            assert wv.get_vecattr(key, name) == kv.get_vecattr(key, name)

    def test_of_another_type_are_refused_as_in_gensim(self, wv):
        with pytest.raises(TypeError, match="conflicts with its existing type"):
            wv.set_vecattr("w1", "count", "many")


class TestResizing:
    def test_new_keys_have_empty_codes(self, wv):
        wv.index_to_key.append("new")
        wv.key_to_index["new"] = 60
        wv.resize_vectors()

        assert not wv["new"].any()
        assert wv.vectors.shape == (61, 100)
        assert wv.get_vecattr("new", "count") == 0

    def test_to_less(self, wv, codes):
        wv.index_to_key = wv.index_to_key[:7]
        wv.resize_vectors()

        np.testing.assert_array_equal(wv.vectors, codes[:7])


def test_no_change_warns(wv, codes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wv["new"] = codes[0]
        wv.sort_by_descending_frequency()
