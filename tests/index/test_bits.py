import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.codes import pack_codes
from skfly.index import _bits
from skfly.index._bits import as_packed, count_ones, pack_rows, to_words, unpack_rows

matrices = hnp.arrays(np.bool_, st.tuples(st.integers(0, 9), st.integers(1, 140)))
forms = st.sampled_from([np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array])


@given(matrices)
def test_words_hold_the_same_bits_as_bytes(codes):
    words = pack_rows(codes)

    assert words.dtype == np.uint64
    assert words.shape == (len(codes), -(-codes.shape[1] // 64))
    np.testing.assert_array_equal(unpack_rows(words, codes.shape[1]), codes)
    np.testing.assert_array_equal(to_words(pack_codes(codes)), words)


def test_a_literal_example():
    code = np.zeros((1, 70), dtype=int)
    code[0, [0, 2, 63, 64]] = 1

    assert pack_rows(code).tolist() == [[1 + 4 + 2**63, 1]]


@given(matrices, forms)
def test_large_matrices_are_packed_in_parts(codes, form):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bits, "_CELLS_AT_A_TIME", 2 * codes.shape[1])
        parts = pack_codes(form(codes))

    np.testing.assert_array_equal(parts, np.packbits(codes, axis=1, bitorder="little"))


@given(hnp.arrays(np.uint8, 30))
def test_ones_are_counted_by_older_numpys_too(values):
    expected = [bin(value).count("1") for value in values]

    assert count_ones(values).tolist() == expected
    assert _bits._count_by_table(values).tolist() == expected


@given(matrices, forms)
def test_queries_may_be_codes_or_packed(codes, form):
    n_cells, expected = codes.shape[1], pack_codes(codes)
    for given_codes in (form(codes), codes.tolist(), expected, pack_rows(codes)):
        if len(codes):  # no list of widths is known otherwise
            np.testing.assert_array_equal(as_packed(given_codes, n_cells), expected)


@pytest.mark.parametrize(
    ("codes", "match"),
    [
        (np.ones((2, 69)), r"70 cells wide.*got float64 of shape \(2, 69\)"),
        (np.ones((2, 8), np.uint8), "9 uint8 or 2 uint64 a row"),
        (np.full((1, 9), 255, np.uint8), "beyond their 70 cells"),
        (np.full((1, 2), 1 << 63, np.uint64), "beyond their 70 cells"),
        (np.full((1, 70), "x"), "70 cells wide"),
        (np.ones(70), "one row a code"),
        ([[1, 0], [1]], "all of one width"),
        (None, "one row a code"),
    ],
)
def test_what_are_no_codes(codes, match):
    with pytest.raises(ValueError, match=match):
        as_packed(codes, 70)


def test_a_matrix_is_refused_where_only_packed_codes_are_taken():
    with pytest.raises(ValueError, match="packed codes of 9 uint8"):
        as_packed(np.ones((2, 70), np.uint8), 70, packed_only=True)
