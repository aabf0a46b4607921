"""Arrays in few bytes: they come back, and what is not ours is refused."""

import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from skfly.model._deflate import deflate, inflate

TYPES = st.sampled_from([np.uint8, np.uint16, np.int32, np.int64])
WORDS = np.sort(np.random.default_rng(0).integers(0, 20_000, 3000)).astype(np.uint16)
PACKED = deflate(WORDS)
FLOATS = np.random.default_rng(0).normal(size=(300, 30)).astype(np.float32)
PRODUCTS = (FLOATS.T @ FLOATS).astype(np.float64)
PACKED_PRODUCTS = deflate(PRODUCTS)


def stream(data, **settings):
    coder = zlib.compressobj(wbits=-15, **settings)
    return np.frombuffer(coder.compress(bytes(data)) + coder.flush(), np.uint8)


@given(arrays_of.arrays(TYPES, arrays_of.array_shapes(min_side=0, max_dims=2)), st.booleans())
def test_numbers_come_back(array, as_sorted):
    array = np.sort(array.ravel()) if as_sorted else array
    repeated = np.repeat(array, 50, axis=0)  # long enough to become shorter
    packed = deflate(repeated)
    if packed is not None:
        assert packed.nbytes < repeated.nbytes
        again = inflate(packed, repeated.dtype.name, list(repeated.shape))
        assert again.dtype == repeated.dtype
        np.testing.assert_array_equal(again, repeated)


@given(arrays_of.arrays(np.float64, st.integers(0, 12).map(lambda n: (n, n))))
def test_symmetric_matrices_come_back(array):
    matrix = np.kron(np.triu(array) + np.triu(array, 1).T, np.ones((9, 9)))  # long enough
    packed = deflate(matrix)
    assert (packed is None) == (not matrix.size)
    if np.isfinite(matrix).all() and matrix.size:
        again = inflate(packed, "float64", list(matrix.shape))
        assert again.tobytes() == matrix.tobytes()  # zeros have signs


def test_sums_of_short_floats_take_two_fifths():
    assert len(PACKED_PRODUCTS) < 0.4 * PRODUCTS.nbytes
    assert inflate(PACKED_PRODUCTS, "float64", (30, 30)).tobytes() == PRODUCTS.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_matrix_with_other_than_numbers_is_refused(value):
    packed = deflate(np.full((30, 30), value))
    with pytest.raises(ValueError, match="nan or infinity"):
        inflate(packed, "float64", (30, 30))


def test_counts_and_sorted_words_take_a_fraction():
    counts = np.random.default_rng(0).geometric(0.5, (100, 100)).astype(np.uint8)
    assert deflate(counts).nbytes < 0.4 * counts.nbytes
    assert PACKED.nbytes < 0.4 * WORDS.nbytes


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(100),
        np.zeros(100, np.uint64),
        np.zeros(0, np.uint8),
        np.zeros((0, 0)),
        PRODUCTS[1:],
        np.triu(PRODUCTS),
        np.array([[0.0, 0.0], [-0.0, 0.0]]).repeat(20, axis=0).repeat(20, axis=1),
        np.random.default_rng(0).integers(0, 256, 999).astype(np.uint8),
    ],
    ids=["floats", "long", "empty", "no matrix", "oblong", "triangle", "signs", "random"],
)
def test_what_would_not_be_shorter_is_left_alone(array):
    assert deflate(array) is None


def test_an_array_in_any_order_of_memory():
    array = np.asfortranarray(np.arange(600, dtype=np.uint16).reshape(20, 30))
    np.testing.assert_array_equal(inflate(deflate(array), "uint16", (20, 30)), array)


@pytest.mark.parametrize(
    ("packed", "dtype", "shape"),
    [
        (PACKED[:-1], "uint16", (3000,)),
        (PACKED[:0], "uint16", (0,)),
        (np.append(PACKED, np.uint8(0)), "uint16", (3000,)),
        (PACKED, "uint16", (2999,)),
        (PACKED, "uint16", (3001,)),
        (PACKED, "uint16", (10**30,)),
        (PACKED, "uint16", (-3000,)),
        (PACKED, "uint16", (-3000, -1)),
        (PACKED, "uint16", (3000.0,)),
        (PACKED, "uint16", "3000"),
        (PACKED, "int64", (3001,)),
        (PACKED, "uint64", (3000,)),
        (PACKED, "float64", (3000,)),
        (PACKED, "float64", (3000, 1)),
        (PACKED_PRODUCTS, "float64", (31, 31)),
        (PACKED_PRODUCTS, "float64", (30, 30, 1)),
        (PACKED_PRODUCTS[:-1], "float64", (30, 30)),
        (PACKED_PRODUCTS, "float64", (10**30, 10**30)),
        (PACKED, "object", (3000,)),
        (PACKED, ["u2"], (3000,)),
        (PACKED.astype(np.int16), "uint16", (3000,)),
        (np.full(9, 255, np.uint8), "uint16", (9,)),
        (stream([255] * 9), "uint8", (9,)),
    ],
)
def test_what_does_not_fit_is_refused(packed, dtype, shape):
    with pytest.raises(ValueError, match=r"packed numbers|is not a shape|is not the shape"):
        inflate(packed, dtype, shape)


def test_a_bomb_takes_little_memory():
    bomb = stream(bytes(100_000_000), level=9)
    assert len(bomb) < 100_000
    tracemalloc.start()
    with pytest.raises(ValueError, match="packed numbers"):
        inflate(bomb, "int32", (100_000_000,))
    assert tracemalloc.get_traced_memory()[1] < 40 * len(bomb)
    tracemalloc.stop()
