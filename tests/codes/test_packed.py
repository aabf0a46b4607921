import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.codes import (
    ListedCodes,
    PackedCodes,
    _packed,
    as_packed,
    count_bits,
    pack_rows,
    smallest,
    unpack_rows,
)

matrices = hnp.arrays(np.bool_, st.tuples(st.integers(0, 9), st.integers(1, 140)))


class TestRows:
    @given(matrices)
    def test_unpacking_is_the_inverse_of_packing(self, codes):
        rows = pack_rows(codes)

        assert rows.dtype == np.uint64
        assert rows.shape == (len(codes), -(-codes.shape[1] // 64))
        np.testing.assert_array_equal(unpack_rows(rows, codes.shape[1]), codes)
        np.testing.assert_array_equal(pack_rows(sparse.csr_array(codes)), rows)

    @given(matrices)
    def test_ones_are_counted(self, codes):
        np.testing.assert_array_equal(count_bits(pack_rows(codes)), codes.sum(axis=1))

    @given(matrices)
    def test_ones_are_counted_by_older_numpys(self, codes):
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(np, "bitwise_count", raising=False)
            np.testing.assert_array_equal(count_bits(pack_rows(codes)), codes.sum(axis=1))

    def test_a_literal_example(self):
        code = np.zeros((1, 70), dtype=int)
        code[0, [0, 2, 63, 64]] = 1

        assert pack_rows(code).tolist() == [[1 + 4 + 2**63, 1]]


class TestStores:
    @pytest.fixture(params=[PackedCodes, ListedCodes])
    def form(self, request):
        return request.param

    @pytest.fixture
    def codes(self):
        codes = np.eye(6, 70, dtype=np.uint8) + np.eye(6, 70, 64, dtype=np.uint8)
        codes[2] = 0
        return codes

    def test_hold_the_same_codes(self, form, codes):
        store = form.from_rows(pack_rows(codes), 70)

        assert len(store) == 6
        assert store.sizes.tolist() == [2, 2, 0, 2, 2, 2]
        np.testing.assert_array_equal(store.dense(), codes)
        np.testing.assert_array_equal(store.packed(slice(None)), pack_rows(codes))
        np.testing.assert_array_equal(store.packed([5, 2]), pack_rows(codes[[5, 2]]))
        np.testing.assert_array_equal(as_packed(store).dense(), codes)

    def test_take(self, form, codes):
        store = form.from_rows(pack_rows(codes), 70)
        taken = store.take([3, 0, 3])

        assert type(taken) is form
        np.testing.assert_array_equal(taken.dense(), codes[[3, 0, 3]])

    def test_may_be_frozen(self, form, codes):
        store = form.from_rows(pack_rows(codes), 70)
        store.freeze()

        for frozen in (store.columns, store.sizes):
            with pytest.raises(ValueError, match="read-only"):
                frozen[..., 0] = 0

    def test_replace_and_append(self, codes):
        store = PackedCodes.from_rows(pack_rows(codes), 70)
        store.replace([1, 2], pack_rows(codes[[0, 3]]))
        longer = store.append(pack_rows(codes[:2]))

        np.testing.assert_array_equal(longer.dense(), codes[[0, 0, 3, 3, 4, 5, 0, 1]])
        assert longer.sizes.tolist() == [2] * 8

    def test_replace_where_all_codes_had_one_size(self):
        store = smallest(PackedCodes.from_rows(pack_rows(np.tri(3, 8, 4) - np.tri(3, 8)), 8))
        store.replace([1], pack_rows(np.eye(1, 8)))

        assert store.sizes.tolist() == [4, 1, 4]

    def test_many_codes_are_made_a_part_at_a_time(self, form, codes, monkeypatch):
        monkeypatch.setattr(_packed, "_ROWS_AT_A_TIME", 2)

        self.test_hold_the_same_codes(form, codes)

    def test_overlaps_and_sums_of_a_part(self, form, codes):
        store = form.from_rows(pack_rows(codes), 70)
        query = codes[3] | codes[4]

        overlaps = store.overlaps(pack_rows(query[None])[0], 1, 5)
        assert overlaps.tolist() == [0, 0, 2, 2]
        assert overlaps.dtype == np.int32
        assert store.sums(list(range(70)), 1, 6).tolist() == [66, 0, 70, 72, 74]

    def test_more_ones_than_16_bits_can_count(self):
        store = PackedCodes.from_rows(pack_rows(np.ones((1, 65_536))), 65_536)

        assert store.sizes.tolist() == [65_536]

    def test_no_codes(self, form):
        store = form.from_rows(np.zeros((0, 2), np.uint64), 70)

        assert len(store) == 0
        assert store.dense().shape == (0, 70)
        assert len(smallest(store)) == 0


class TestSmallest:
    @pytest.mark.parametrize(
        ("n_ones", "n_cells", "form"),
        [
            (32, 400, PackedCodes),  # 64 bytes as cells, 50 as bits
            (25, 400, PackedCodes),
            (24, 400, ListedCodes),
            (16, 2000, ListedCodes),
            (1, 64, ListedCodes),
            (4, 64, PackedCodes),
            (3, 65_535, ListedCodes),
            (3, 65_536, ListedCodes),  # whose number needs more than 16 bits
            (3, 70_000, ListedCodes),
        ],
    )
    def test_takes_the_smaller_form(self, n_ones, n_cells, form):
        codes = np.zeros((3, n_cells), dtype=bool)
        codes[:, -n_ones:] = True
        codes[1] = np.roll(codes[1], 7)
        codes[2] = False

        store = smallest(PackedCodes.from_rows(pack_rows(codes), n_cells))

        assert isinstance(store, form)
        np.testing.assert_array_equal(store.dense(), codes)

    def test_codes_of_several_lengths_are_bits(self):
        codes = np.tri(3, 400, dtype=bool)

        assert isinstance(smallest(PackedCodes.from_rows(pack_rows(codes), 400)), PackedCodes)

    def test_empty_codes_are_no_hindrance(self):
        codes = np.eye(3, 400, dtype=bool)
        codes[1] = False

        store = smallest(PackedCodes.from_rows(pack_rows(codes), 400))

        assert isinstance(store, ListedCodes)
        np.testing.assert_array_equal(store.dense(), codes)
