import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.codes import pack_codes, unpack_codes

binary = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40))


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
