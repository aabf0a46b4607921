"""The compiled search kernels against the reference."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skfly.backends import _search_numpy as reference
from skfly.codes import InvertedIndex, ListedCodes, PackedCodes, pack_rows

shapes = st.tuples(st.integers(1, 150), st.integers(1, 150))
weights = st.floats(-1e3, 1e3, width=32)


@st.composite
def codes_and_query(draw):
    n_codes, n_cells = draw(shapes)
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from([0.02, 0.2, 0.5, 1.0]))
    random = np.random.default_rng(seed)
    codes = random.random((n_codes, n_cells)) < share
    query = random.random(n_cells) < draw(st.sampled_from([0.0, 0.1, 0.9]))
    return codes, query


@st.composite
def codes_of_one_length(draw):
    n_codes, n_cells = draw(shapes)
    length = draw(st.integers(1, n_cells))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.argsort(random.random((n_codes, n_cells)), axis=1) < length
    codes[random.random(n_codes) < draw(st.sampled_from([0.0, 0.2]))] = False
    return codes, random.random(n_cells) < 0.3


def stores(codes):
    """Return the codes in each form that can hold them."""
    rows, n_cells = pack_rows(codes), codes.shape[1]
    yield PackedCodes.from_rows(rows, n_cells)
    if len({*codes.sum(axis=1)} - {0}) <= 1:
        yield ListedCodes.from_rows(rows, n_cells)


@given(st.one_of(codes_and_query(), codes_of_one_length()), st.data())
def test_overlaps(drawn, data):
    codes, query = drawn
    first = data.draw(st.integers(0, len(codes)))
    last = data.draw(st.integers(first, len(codes)))
    expected = reference.overlaps(codes, query)[first:last]

    for store in stores(codes):
        found = store.overlaps(pack_rows(query[None])[0], first, last)
        np.testing.assert_array_equal(found, expected)


@given(st.one_of(codes_and_query(), codes_of_one_length()), st.data())
def test_sums(drawn, data):
    codes, _ = drawn
    values = data.draw(hnp.arrays(np.float64, codes.shape[1], elements=weights))

    for store in stores(codes):
        found = store.sums(values, 0, len(codes))
        np.testing.assert_allclose(found, reference.sums(codes, values), atol=1e-8)


@given(st.one_of(codes_and_query(), codes_of_one_length()))
def test_planes(drawn):
    codes, _ = drawn
    for store in stores(codes):
        np.testing.assert_array_equal(InvertedIndex(store).planes, reference.planes(codes))


def test_codes_of_several_blocks():
    random = np.random.default_rng(0)
    codes = random.random((5000, 70)) < 0.1
    store = PackedCodes.from_rows(pack_rows(codes), 70)

    found = store.overlaps(pack_rows(codes[3:4])[0], 7, 4999)

    np.testing.assert_array_equal(found, reference.overlaps(codes, codes[3])[7:4999])
