"""Indexes and searches with arrays that kernels must not get."""

import numpy as np
import pytest

from skfly.index import InvertedIndex, PackedIndex
from skfly.index._bits import pack_rows

N_CELLS, N_CODES = 70, 30


@pytest.fixture
def codes():
    codes = np.zeros((N_CODES, N_CELLS), dtype=np.uint8)
    for row, code in enumerate(codes):
        code[(row * 7 + np.arange(5) * 11) % N_CELLS] = 1
    return codes


@pytest.fixture(params=[PackedIndex, InvertedIndex])
def index(request, codes):
    return request.param(codes)


@pytest.fixture
def queries(codes):
    return pack_rows(codes[:3])


BAD_QUERIES = {
    "float": lambda q: q.astype(np.float64),
    "signed": lambda q: q.astype(np.int64),
    "more bytes": lambda q: q.view(np.uint8),
    "wide": lambda q: np.concatenate([q, q], axis=1),
    "narrow": lambda q: q[:, :1],
    "flat": lambda q: q.ravel(),
    "beyond": lambda q: q | np.array([0, 1 << 63], dtype=np.uint64),
    "object": lambda q: q.astype(object),
    "none": lambda q: None,
}


class TestQueries:
    @pytest.mark.parametrize("bad", BAD_QUERIES)
    def test_bad_ones_are_refused(self, index, queries, bad):
        with pytest.raises(ValueError, match="codes"):
            index.search(BAD_QUERIES[bad](queries), 3, measure="jaccard")
        with pytest.raises(ValueError, match="codes"):
            index.within(BAD_QUERIES[bad](queries), 0.5)

    @pytest.mark.parametrize("bad", ["float", "wide", "beyond"])
    def test_of_overlaps(self, index, queries, bad):
        with pytest.raises(ValueError, match="codes"):
            index.overlaps(BAD_QUERIES[bad](queries)[0], 0, N_CODES)

    def test_strided_and_read_only_ones_are_as_good(self, index, queries):
        expected = index.search(queries, 4)
        read_only = queries.copy()
        read_only.setflags(write=False)

        for some in (read_only, np.repeat(queries, 2, axis=1)[:, ::2], np.asfortranarray(queries)):
            for one, other in zip(index.search(some, 4), expected, strict=True):
                np.testing.assert_array_equal(one, other)


class TestRanges:
    @pytest.mark.parametrize(
        ("first", "last"), [(-1, 5), (0, N_CODES + 1), (5, 4), (0, 10**12), (0.5, 5)]
    )
    def test_outside_are_refused(self, index, queries, first, last):
        calls = [
            lambda: index.overlaps(index.packed([0])[0], first, last),
            lambda: index.weighted_sums(np.ones(N_CELLS), first, last),
            lambda: index.search(queries, 2, first=first, last=last),
        ]
        for call in calls:
            with pytest.raises(
                (TypeError, ValueError), match=r"there are no|is not a range of|integer"
            ):
                call()

    @pytest.mark.parametrize("n_weights", [0, N_CELLS - 1, N_CELLS + 1, 10_000])
    def test_weights_are_one_a_cell(self, index, n_weights):
        with pytest.raises(ValueError, match="70 weights"):
            index.weighted_sums(np.ones(n_weights), 0, N_CODES)


class TestColumns:
    @pytest.mark.parametrize(
        "columns",
        [
            np.zeros((8, 4), np.uint8),
            np.zeros((10, 4), np.uint8),
            np.zeros((9, 4), np.uint16),
            np.zeros(9, np.uint8),
            np.full((9, 4), 255, np.uint8),
            np.zeros((4, 9), np.uint8).T,
        ],
        ids=["few", "many", "type", "flat", "beyond", "order"],
    )
    def test_that_are_no_codes(self, columns):
        with pytest.raises((TypeError, ValueError), match="codes"):
            PackedIndex.from_columns(columns, N_CELLS)

    @pytest.mark.parametrize(
        "packed",
        [np.ones((4, N_CELLS), np.uint8), np.ones((4, 9)), np.full((4, 9), 255, np.uint8)],
        ids=["matrix", "type", "beyond"],
    )
    def test_that_replace_or_follow_codes(self, codes, packed):
        index = PackedIndex(codes)
        with pytest.raises(ValueError, match="packed codes"):
            index.append(packed)
        with pytest.raises(ValueError, match="packed codes"):
            index.replace([0, 1, 2, 3], packed)
        np.testing.assert_array_equal(index.dense(), codes)
