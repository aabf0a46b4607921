"""Stores and searches of codes with arrays that kernels must not get."""

import numpy as np
import pytest

from skfly.backends import get_backend
from skfly.codes import (
    CodeSearch,
    Hasher,
    InvertedIndex,
    ListedCodes,
    PackedCodes,
    codes_to_csr,
    pack_rows,
)

N_CELLS, N_CODES = 70, 30


@pytest.fixture(params=[PackedCodes, ListedCodes])
def store(request):
    codes = np.zeros((N_CODES, N_CELLS), dtype=np.uint8)
    for row, code in enumerate(codes):
        code[(row * 7 + np.arange(5) * 11) % N_CELLS] = 1
    return request.param.from_rows(pack_rows(codes), N_CELLS)


@pytest.fixture
def queries(store):
    return store.packed(slice(0, 3))


BAD_QUERIES = {
    "float": lambda q: q.astype(np.float64),
    "signed": lambda q: q.astype(np.int64),
    "bytes": lambda q: q.view(np.uint8),
    "wide": lambda q: np.concatenate([q, q], axis=1),
    "narrow": lambda q: q[:, :1],
    "flat": lambda q: q.ravel(),
    "beyond": lambda q: q | np.array([0, 1 << 63], dtype=np.uint64),
    "object": lambda q: q.astype(object),
    "none": lambda q: None,
}


class TestQueries:
    @pytest.mark.parametrize("bad", BAD_QUERIES)
    @pytest.mark.parametrize("indexed", [False, True])
    def test_bad_ones_are_refused(self, store, queries, bad, indexed):
        index = InvertedIndex(store) if indexed else None
        with pytest.raises(ValueError, match="packed codes"):
            CodeSearch(store, "jaccard", index).best(BAD_QUERIES[bad](queries), 3)

    @pytest.mark.parametrize("bad", ["float", "wide", "beyond"])
    def test_of_overlaps(self, store, queries, bad):
        with pytest.raises(ValueError, match="packed codes"):
            store.overlaps(BAD_QUERIES[bad](queries)[0], 0, N_CODES)

    @pytest.mark.parametrize("bad", ["float", "wide", "beyond"])
    def test_of_the_index(self, store, queries, bad):
        room = np.empty((3, 2), np.int64)
        table = CodeSearch(store, "overlap")._ranking(1)[:3]
        with pytest.raises(ValueError, match="packed codes"):
            InvertedIndex(store).best(BAD_QUERIES[bad](queries), *table, room, room.copy())

    def test_strided_and_read_only_ones_are_as_good(self, store, queries):
        search = CodeSearch(store, "cosine")
        expected = search.best(queries, 4)
        read_only = queries.copy()
        read_only.setflags(write=False)

        for some in (read_only, np.repeat(queries, 2, axis=1)[:, ::2], np.asfortranarray(queries)):
            for one, other in zip(search.best(some, 4), expected, strict=True):
                np.testing.assert_array_equal(one, other)


class TestRanges:
    @pytest.mark.parametrize(
        ("first", "last"), [(-1, 5), (0, N_CODES + 1), (5, 4), (0, 10**12), (0.0, 5), (None, 5)]
    )
    def test_outside_are_refused(self, store, queries, first, last):
        room = np.empty((3, 2), np.int64)
        table = CodeSearch(store, "overlap")._ranking(1)[:3]
        planes = np.zeros((N_CELLS, 1), np.uint64)
        calls = [
            lambda: store.overlaps(queries[0], first, last),
            lambda: store.sums(np.ones(N_CELLS), first, last),
            lambda: store.best(queries, table, first, last, room, room.copy()),
            lambda: store.fill_planes(first, last, planes),
            lambda: CodeSearch(store).best(queries, 2, first, last),
            lambda: CodeSearch(store).scores(queries[0], first, last),
        ]
        for call in calls:
            with pytest.raises(ValueError, match="no items"):
                call()

    @pytest.mark.parametrize("n_weights", [0, N_CELLS - 1, N_CELLS + 1, 10_000])
    def test_weights_are_one_a_cell(self, store, n_weights):
        with pytest.raises(ValueError, match="70 weights"):
            store.sums(np.ones(n_weights), 0, N_CODES)

    @pytest.mark.parametrize(
        "planes",
        [
            np.zeros((N_CELLS - 1, 1), np.uint64),
            np.zeros((N_CELLS, 0), np.uint64),
            np.zeros((N_CELLS, 1), np.uint32),
            np.broadcast_to(np.uint64(0), (N_CELLS, 1)),
        ],
        ids=["few", "short", "type", "read-only"],
    )
    def test_planes_have_room(self, store, planes):
        with pytest.raises((TypeError, ValueError), match="planes"):
            store.fill_planes(0, N_CODES, planes)

    def test_what_is_found_has_room(self, store, queries):
        table = CodeSearch(store, "overlap")._ranking(1)[:3]
        room = np.empty((3, 2), np.int64)
        read_only = room.copy()
        read_only.setflags(write=False)
        for found, ranks in [
            (room.astype(np.int32), room),
            (room, room[:, :1].copy()),
            (np.asfortranarray(room), room),
            (np.broadcast_to(np.int64(0), (3, 2)), room),
            (read_only, room),
            (room, read_only),
        ]:
            with pytest.raises((TypeError, ValueError), match=r"found|ranks"):
                store.best(queries, table, 0, N_CODES, found, ranks)


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
    def test_of_bits(self, columns):
        with pytest.raises((TypeError, ValueError), match="codes"):
            PackedCodes(columns, N_CELLS)

    @pytest.mark.parametrize(
        "columns",
        [
            [[0, 1], [1, 71]],
            [[0, 1], [0, 2]],
            [[1, 1], [0, 2]],
            [[70, 1], [1, 2]],
            [[0, 1], [70, 2]],
            [[65535, 1], [65535, 2]],
        ],
        ids=["beyond", "twice", "falling", "half empty", "half full", "far beyond"],
    )
    def test_of_cells(self, columns):
        with pytest.raises(ValueError, match="rising numbers"):
            ListedCodes(np.array(columns, dtype=np.uint16), N_CELLS)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.float32])
    def test_of_cells_of_another_type(self, dtype):
        with pytest.raises(TypeError, match="uint16"):
            ListedCodes(np.zeros((1, 3), dtype), N_CELLS)


class TestMatrices:
    @pytest.mark.parametrize("cells", [[[3, 0]], [[2, -1]], [[0, 10**9]]])
    def test_cells_that_there_are_not(self, cells):
        with pytest.raises(ValueError, match="from 0 to 2"):
            codes_to_csr(np.array(cells), n_cells=3)


class TestHasher:
    @pytest.fixture(params=[False, True], ids=["synapses", "consensus"])
    def hasher(self, request):
        random = np.random.default_rng(0)
        synapses = random.normal(size=(8, 20)).astype(np.float32)
        consensus = np.abs(synapses[:4]) if request.param else None
        return Hasher(get_backend("numba", 1), synapses, consensus, 3, largest=5.0)

    @pytest.mark.parametrize("bad", [4, -2, 2**31, -(2**40)])
    def test_ids_of_words_that_there_are_not(self, hasher, bad):
        ids = np.array([0, bad])
        with pytest.raises(ValueError, match="ids must be"):
            hasher.words(ids)
        with pytest.raises(ValueError, match="rows must be"):
            hasher.bags(np.array([0, 8, bad]), np.array([0, 3]))

    def test_targets_that_there_are_not(self, hasher):
        with pytest.raises(ValueError, match="rows must be"):
            hasher.in_context(np.array([4]), [np.array([0])])

    def test_ids_that_are_no_whole_numbers(self, hasher):
        with pytest.raises(TypeError, match="whole numbers"):
            hasher.words(np.array([0.0, 1.0]))
