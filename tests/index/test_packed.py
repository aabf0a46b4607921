import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.codes import pack_codes
from skfly.index import GpuIndex, Index, InvertedIndex, PackedIndex, _packed
from skfly.index._bits import pack_rows

shapes = st.tuples(st.integers(1, 150), st.integers(1, 150))


@pytest.fixture
def codes():
    codes = np.eye(6, 70, dtype=np.uint8) + np.eye(6, 70, 64, dtype=np.uint8)
    codes[2] = 0
    return codes


class TestCodes:
    @pytest.mark.parametrize(
        "made",
        [
            PackedIndex,
            lambda codes: PackedIndex(codes.tolist()),
            lambda codes: PackedIndex(sparse.csr_array(codes)),
            lambda codes: PackedIndex(sparse.coo_array(codes)),
            lambda codes: PackedIndex(codes * -0.5),
            lambda codes: PackedIndex(pack_codes(codes), 70),
            lambda codes: PackedIndex(pack_rows(codes), n_cells=70),
            lambda codes: PackedIndex(PackedIndex(codes)),
            lambda codes: PackedIndex(InvertedIndex(codes)),
            lambda codes: PackedIndex.from_columns(pack_codes(codes).T.copy(), 70),
            lambda codes: pickle.loads(pickle.dumps(PackedIndex(codes))),
        ],
        ids=range(11),
    )
    def test_are_kept_as_bits(self, made, codes):
        index = made(codes)

        assert type(index) is PackedIndex
        assert len(index) == 6
        assert index.n_cells == 70
        assert index.sizes.tolist() == [2, 2, 0, 2, 2, 2]
        np.testing.assert_array_equal(index.dense(), codes)
        np.testing.assert_array_equal(index.packed(), pack_codes(codes))
        np.testing.assert_array_equal(index.packed([5, 2]), pack_codes(codes[[5, 2]]))

    def test_many_are_counted_and_unpacked_in_parts(self, codes, monkeypatch):
        monkeypatch.setattr(_packed, "_CODES_AT_A_TIME", 2)

        self.test_are_kept_as_bits(PackedIndex, codes)

    def test_take(self, codes):
        taken = PackedIndex(codes).take([3, 0, 3])

        np.testing.assert_array_equal(taken.dense(), codes[[3, 0, 3]])

    def test_replace_and_append(self, codes):
        index = PackedIndex(codes)
        index.replace([1, 2], pack_codes(codes[[0, 3]]))
        longer = index.append(pack_codes(codes[:2]))

        np.testing.assert_array_equal(longer.dense(), codes[[0, 0, 3, 3, 4, 5, 0, 1]])
        assert longer.sizes.tolist() == [2] * 8

    def test_replace_where_all_codes_had_one_size(self):
        index = PackedIndex(np.tri(3, 8, 4) - np.tri(3, 8))
        assert index.search(np.eye(1, 8), 1)[0].shape == (1, 1)
        index.replace([1], pack_codes(np.eye(1, 8)))

        assert index.sizes.tolist() == [4, 1, 4]
        assert index.search(np.eye(1, 8), 1)[1].tolist() == [[1.0]]

    def test_replace_in_an_index_that_is_built_of_the_codes(self, codes):
        with pytest.raises(TypeError, match="codes of InvertedIndex cannot be replaced"):
            InvertedIndex(codes).replace([0], pack_codes(codes[:1]))

    def test_more_ones_than_16_bits_can_count(self):
        assert PackedIndex(np.ones((1, 65_536))).sizes.tolist() == [65_536]

    def test_memory(self, codes):
        assert PackedIndex(codes).nbytes == 6 * (9 + 2)
        assert PackedIndex(codes[:2]).nbytes == 2 * 9

    def test_none(self):
        index = PackedIndex(np.zeros((0, 70)))

        assert len(index) == 0
        assert index.dense().shape == (0, 70)

    def test_a_pickle_has_no_more_than_the_codes(self, codes):
        index = PackedIndex(codes)
        before = len(pickle.dumps(index))
        index.search(codes, 1)

        assert len(pickle.dumps(index)) == before


class TestCounts:
    @given(shapes, st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.9]), st.data())
    def test_overlaps_and_sums(self, shape, seed, share, data):
        random = np.random.default_rng(seed)
        codes = random.random(shape) < random.random()
        query = random.random(shape[1]) < share
        weights = data.draw(
            hnp.arrays(np.float64, shape[1], elements=st.floats(-1e3, 1e3, width=32))
        )
        first = data.draw(st.integers(0, len(codes)))
        last = data.draw(st.integers(first, len(codes)))
        index = PackedIndex(codes)

        overlaps = index.overlaps(pack_codes(query[None])[0], first, last)
        sums = index.weighted_sums(weights, first, last)

        assert overlaps.dtype == np.int32
        np.testing.assert_array_equal(overlaps, (codes & query).sum(axis=1)[first:last])
        np.testing.assert_allclose(sums, (codes @ weights)[first:last], atol=1e-8)

    def test_of_several_blocks(self):
        codes = np.random.default_rng(0).random((5000, 70)) < 0.1

        found = PackedIndex(codes).overlaps(pack_codes(codes[3:4])[0], 7, 4999)

        np.testing.assert_array_equal(found, (codes & codes[3]).sum(axis=1)[7:4999])


@pytest.mark.parametrize("kind", [PackedIndex, InvertedIndex, GpuIndex])
def test_every_index_has_the_methods_of_the_protocol(kind):
    methods = {name for name, value in vars(Index).items() if callable(value)}

    assert {"search", "within", "__len__"} <= methods
    for name in ("search", "within"):
        ours, theirs = getattr(kind, name), getattr(Index, name)
        wanted = theirs.__code__.co_varnames[: theirs.__code__.co_argcount]
        assert ours.__code__.co_varnames[: len(wanted)] == wanted
        assert theirs.__kwdefaults__.items() <= ours.__kwdefaults__.items()


class TestWithout:
    def test_codes_that_count_as_empty_are_not_found(self):
        codes = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 0]])
        index = PackedIndex(codes)

        left = index.without([0, 2])

        assert left.columns is index.columns
        assert left.search(codes[:1], 4, skip_empty=True)[0].tolist() == [[1, 3]]
        assert [ids.tolist() for ids in left.within(codes[:1], 0.1, skip_empty=True)[0]] == [
            [1, 3]
        ]
        assert index.search(codes[:1], 1, skip_empty=True)[0].tolist() == [[0]]

    def test_none_is_left(self):
        index = PackedIndex(np.eye(3, 70)).without([0, 1, 2])

        assert index.search(np.eye(1, 70), 3, skip_empty=True)[0].shape == (1, 0)
        assert index.within(np.eye(1, 70), 0.0, skip_empty=True)[0][0].shape == (0,)

    def test_joined_they_stay_empty(self):
        parts = [PackedIndex(np.eye(3, 9)).without([1]), PackedIndex(np.ones((2, 9)))]

        whole = PackedIndex.concatenate(parts)

        assert whole.sizes.tolist() == [1, 0, 1, 9, 9]
        assert whole.search(np.eye(3, 9)[1:2], 5, skip_empty=True)[0].tolist() == [[3, 4, 0, 2]]
