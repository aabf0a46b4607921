import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.codes import codes_to_csr, pack_codes, spread_rows, unpack_codes

binary = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40))


class TestCodesToCsr:
    def test_a_literal_example(self):
        codes = codes_to_csr(np.array([[2, 0], [-1, -1], [3, 1]]), n_cells=4)

        assert codes.toarray().tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
        assert codes.format == "csr"
        assert codes.dtype == np.float32

    def test_indices_come_sorted(self):
        codes = codes_to_csr(np.array([[7, 2, 5]]), n_cells=8)

        assert codes.indices.tolist() == [2, 5, 7]

    @pytest.mark.parametrize("dtype", [np.uint8, np.float64, bool])
    def test_the_ones_have_the_dtype_asked_for(self, dtype):
        assert codes_to_csr(np.array([[1]]), 2, dtype).dtype == dtype

    @pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
    def test_no_codes_and_no_active_cells_are_fine(self, shape):
        codes = codes_to_csr(np.zeros(shape, dtype=np.int32), n_cells=5)

        assert codes.shape == (shape[0], 5)
        assert codes.nnz == 0

    @given(st.data())
    def test_the_active_cells_are_the_columns_that_are_on(self, data):
        n_cells = data.draw(st.integers(1, 20))
        hash_length = data.draw(st.integers(1, n_cells))
        code = st.permutations(range(n_cells)).map(lambda cells: cells[:hash_length])
        rows = data.draw(st.lists(code | st.just([-1] * hash_length), min_size=1, max_size=5))

        dense = codes_to_csr(np.array(rows), n_cells).toarray()

        assert [set(np.flatnonzero(row)) for row in dense] == [set(row) - {-1} for row in rows]
        assert set(np.unique(dense)) <= {0, 1}


class TestSpreadRows:
    def test_rows_go_where_they_should_and_the_others_are_empty(self):
        codes = sparse.csr_array(np.array([[1, 0, 0], [1, 1, 0]], dtype=np.float32))

        spread = spread_rows(codes, np.array([1, 2]), 5)

        assert spread.toarray().tolist() == [[0] * 3, [1, 0, 0], [1, 1, 0], [0] * 3, [0] * 3]
        assert spread.dtype == np.float32
        assert spread.indptr.dtype == codes.indptr.dtype

    def test_of_no_rows_all_are_empty(self):
        spread = spread_rows(sparse.csr_array((0, 4)), np.array([], dtype=int), 2)

        assert spread.shape == (2, 4)
        assert spread.nnz == 0


class TestPackedBits:
    def test_cell_m_is_bit_m_modulo_8_of_byte_m_over_8(self):
        codes = np.zeros((2, 18))
        codes[0, [0, 3, 8]] = 1
        codes[1, [7, 17]] = 1

        assert pack_codes(codes).tolist() == [[0b1001, 1, 0], [0b1000_0000, 0, 0b10]]

    @given(binary)
    def test_unpacking_gives_back_what_was_packed(self, codes):
        unpacked = unpack_codes(pack_codes(codes), codes.shape[1])

        np.testing.assert_array_equal(unpacked.toarray(), codes)

    @given(binary, st.sampled_from(["csr", "csc", "coo", "lil"]))
    def test_sparse_and_dense_codes_give_the_same_bytes(self, codes, form):
        from_sparse = pack_codes(sparse.csr_array(codes).asformat(form))

        assert from_sparse.dtype == np.uint8
        np.testing.assert_array_equal(from_sparse, pack_codes(codes))

    @given(binary)
    def test_unused_bits_are_zero(self, codes):
        packed = pack_codes(sparse.csr_array(codes))

        assert packed.shape == (len(codes), (codes.shape[1] + 7) // 8)
        assert np.unpackbits(packed).sum() == codes.sum()

    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
    def test_anything_not_zero_counts_as_one(self, form):
        assert pack_codes(form(np.array([[0, 3, -2, 0.5]]))).tolist() == [[0b1110]]

    def test_a_zero_that_is_stored_stays_a_zero(self):
        codes = sparse.csr_array(np.array([[1.0, 1.0]]))
        codes.data[0] = 0

        assert pack_codes(codes).tolist() == [[0b10]]

    @pytest.mark.parametrize("dtype", [np.float32, np.uint8, bool])
    def test_unpacked_ones_have_the_dtype_asked_for(self, dtype):
        codes = unpack_codes(np.array([[5]], dtype=np.uint8), 3, dtype)

        assert codes.dtype == dtype
        assert codes.toarray().tolist() == [[1, 0, 1]]

    def test_no_codes_are_fine(self):
        assert pack_codes(np.zeros((0, 9))).shape == (0, 2)
        assert pack_codes(sparse.csr_array((0, 9))).shape == (0, 2)
        assert unpack_codes(np.zeros((0, 2), dtype=np.uint8), 9).shape == (0, 9)
