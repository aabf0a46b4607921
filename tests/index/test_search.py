import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skfly.codes import pack_codes, similarity
from skfly.index import InvertedIndex, PackedIndex, _packed
from skfly.index._bits import pack_rows

MEASURES = ("cosine", "overlap", "sokal-michener", "jaccard")
KINDS = (PackedIndex, InvertedIndex)


@st.composite
def problems(draw):
    """Codes, queries, and how many neighbours to look for."""
    n_codes, n_cells = draw(st.integers(1, 200)), draw(st.integers(1, 200))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["one length", "some empty", "any", "few cells"]))
    if kind in ("one length", "some empty"):
        length = draw(st.integers(1, n_cells))
        codes = np.argsort(random.random((n_codes, n_cells)), axis=1) < length
        if kind == "some empty":
            codes[random.random(n_codes) < 0.3] = False
    else:
        share = random.random((n_codes, 1)) if kind == "any" else 0.03
        codes = random.random((n_codes, n_cells)) < share
    n_queries = draw(st.integers(1, 5))
    queries = codes[random.integers(n_codes, size=n_queries)].copy()
    queries ^= random.random(queries.shape) < 0.02
    return codes, queries, draw(st.integers(1, n_codes + 3))


def in_order(codes, query, measure, skip_empty=False, first=0, last=None):
    """Return all codes and their similarities, as a sort of all of them gives them."""
    ids = np.arange(len(codes))[first:last]
    if skip_empty:
        ids = ids[codes[ids].any(axis=1)]
    scores = similarity(np.repeat(query[None], len(ids), axis=0), codes[ids], measure)
    order = np.argsort(-np.round(scores, 12), kind="stable")
    return ids[order], scores[order]


def assert_found(index, codes, queries, n, measure, **how):
    ids, scores = index.search(queries, n, measure=measure, n_jobs=1, **how)
    for i, query in enumerate(queries):
        expected = in_order(codes, query, measure, **how)
        np.testing.assert_array_equal(ids[i], expected[0][:n])
        np.testing.assert_allclose(scores[i], expected[1][:n])


def assert_within(index, codes, queries, least, measure, **how):
    ids, scores = index.within(queries, least, measure=measure, n_jobs=1, **how)
    assert len(ids) == len(scores) == len(queries)
    for i, query in enumerate(queries):
        expected = in_order(codes, query, measure, **how)
        n = np.count_nonzero(np.round(expected[1], 12) >= np.round(least, 12))
        np.testing.assert_array_equal(ids[i], expected[0][:n])
        np.testing.assert_allclose(scores[i], expected[1][:n])


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=60)
@given(problem=problems(), skip_empty=st.booleans(), data=st.data())
def test_finds_what_sorting_all_codes_finds(measure, problem, skip_empty, data):
    codes, queries, n = problem
    first = data.draw(st.integers(0, len(codes)))
    last = data.draw(st.integers(first, len(codes)))
    query, code = queries[0], codes[data.draw(st.integers(0, len(codes) - 1))]
    least = similarity(query[None], code[None], measure)[0]  # what some code just reaches

    for kind in KINDS:
        index = kind(codes)
        for part in ({}, {"first": first, "last": last}):
            assert_found(index, codes, queries, n, measure, skip_empty=skip_empty, **part)
        assert_within(index, codes, queries, least, measure, skip_empty=skip_empty)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_queries", [1, 3, 70])
@pytest.mark.parametrize("n", [1, 30, 3000])
def test_threads_find_the_same(monkeypatch, kind, n_queries, n):
    random = np.random.default_rng(0)
    codes = np.argsort(random.random((3000, 90)), axis=1) < 9
    codes[::7] = False
    index = kind(codes)
    expected = [index.search(codes[:n_queries], n, skip_empty=s, n_jobs=1) for s in (0, 1)]
    near = index.within(codes[:n_queries], 1 / 3, n_jobs=1)
    monkeypatch.setattr(_packed, "_WORTH_THREADS", 0)

    for skip_empty in (0, 1):
        found = index.search(codes[:n_queries], n, skip_empty=skip_empty, n_jobs=3)
        for ours, theirs in zip(found, expected[skip_empty], strict=True):
            np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(index.within(codes[:n_queries], 1 / 3, n_jobs=3), near, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_ties_come_in_order(kind):
    codes = np.repeat([[1, 1, 0], [0, 1, 1]], 500, axis=0)

    ids, _ = kind(codes).search([[0, 1, 1]], 502)

    assert ids[0].tolist() == [*range(500, 1000), 0, 1]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_similarities_that_differ_by_rounding_only_are_ties(order):
    # codes of 2 and 18 ones that share 1 and 3 cells with the query
    codes = np.zeros((2, 30), dtype=int)
    codes[0, [0, 10]] = codes[1, :3] = codes[1, 10:25] = 1
    query = np.zeros((1, 30), dtype=int)
    query[0, :5] = 1
    assert 1 / np.sqrt(2) < 3 / np.sqrt(18)  # in floating point
    index = PackedIndex(codes[order])

    assert index.search(query, 2)[0].tolist() == [[0, 1]]
    larger = similarity(np.repeat(query, 2, axis=0), codes, "cosine").max()
    assert index.within(query, np.nextafter(larger, 1))[0][0].tolist() == [0, 1]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
class TestEmptyCodes:
    codes = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]])

    def test_are_never_returned_if_skipped(self, kind, measure):
        index = kind(self.codes)
        for query in ([[1, 1, 0, 0]], [[0, 0, 0, 1]], [[0, 0, 0, 0]]):
            ids, _ = index.search(query, 5, measure=measure, skip_empty=True)
            assert sorted(ids[0].tolist()) == [1, 3, 4]
            ids, _ = index.within(query, -1, measure=measure, skip_empty=True)
            assert sorted(ids[0].tolist()) == [1, 3, 4]

    def test_are_returned_if_not(self, kind, measure):
        index = kind(self.codes)
        for query in ([[1, 1, 0, 0]], [[0, 0, 0, 0]]):
            assert sorted(index.search(query, 9, measure=measure)[0][0]) == [0, 1, 2, 3, 4]
            assert sorted(index.within(query, -1, measure=measure)[0][0]) == [0, 1, 2, 3, 4]

    def test_only_empty_codes(self, kind, measure):
        index = kind(np.zeros((3, 4)))

        assert index.search(self.codes, 2, measure=measure, skip_empty=True)[0].shape == (5, 0)
        found = index.within(self.codes, -1, measure=measure, skip_empty=True)
        assert [len(ids) for ids in found[0]] == [0] * 5


class TestWithin:
    @pytest.mark.parametrize("kind", KINDS)
    def test_more_neighbours_than_are_guessed_at_first(self, kind, monkeypatch):
        monkeypatch.setattr(_packed, "_FIRST_GUESS", 2)
        monkeypatch.setattr(_packed, "_NUMBERS_AT_A_TIME", 6)
        random = np.random.default_rng(0)
        codes = np.argsort(random.random((300, 20)), axis=1) < 4
        index = kind(codes)

        for least in (0.0, 0.25, 0.5, 1.0):
            assert_within(index, codes, codes[:7], least, "cosine")

    def test_queries_of_several_sizes(self):
        random = np.random.default_rng(0)
        codes = random.random((100, 50)) < random.random((100, 1))

        for measure in MEASURES:
            for least in (0.3, 0.9, 5.0):
                assert_within(PackedIndex(codes), codes, codes[:20], least, measure)

    def test_nothing_is_near_enough(self):
        ids, scores = PackedIndex(np.eye(3)).within(np.eye(2, 3), 1.1)

        assert [row.tolist() for row in ids] == [row.tolist() for row in scores] == [[], []]

    def test_no_codes_or_queries(self):
        assert PackedIndex(np.zeros((0, 3))).within(np.eye(1, 3), 0)[0][0].tolist() == []
        assert PackedIndex(np.eye(3)).within(np.zeros((0, 3)), 0) == ([], [])

    def test_what_is_no_number(self):
        with pytest.raises(ValueError, match="least must be a number"):
            PackedIndex(np.eye(3)).within(np.eye(3), np.nan)

    def test_memory_is_that_of_what_is_found(self):
        index = PackedIndex(np.random.default_rng(0).random((20_000, 512)) < 0.06)
        queries = index.packed(slice(2000))
        index.within(queries[:1], 0.99)  # compiles

        tracemalloc.start()
        ids, _ = index.within(queries, 0.99, n_jobs=1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert [row[0] for row in ids] == list(range(2000))
        assert peak < 2000 * 20_000 / 4


class TestInput:
    @pytest.mark.parametrize("n", [0, -3])
    def test_none_are_asked_for(self, n):
        assert PackedIndex(np.eye(3)).search(np.eye(2, 3), n)[0].shape == (2, 0)

    def test_no_queries(self):
        assert PackedIndex(np.eye(3)).search(np.zeros((0, 3)), 2)[0].shape == (0, 2)

    def test_no_codes(self):
        assert PackedIndex(np.zeros((0, 3))).search(np.eye(3), 2)[0].shape == (3, 0)

    @pytest.mark.parametrize(
        "form",
        [sparse.csr_array, sparse.coo_array, pack_codes, pack_rows, np.ndarray.tolist],
        ids=range(5),
    )
    def test_queries_in_any_form(self, form):
        codes = np.tri(9, 70, 5, dtype=int)
        index = PackedIndex(codes)

        ids, _ = index.search(form(codes), 1)

        assert ids.ravel().tolist() == list(range(9))

    @pytest.mark.parametrize("ask", ["search", "within"])
    def test_an_unknown_measure(self, ask):
        with pytest.raises(ValueError, match=r"measure must be one of.*got 'dice'"):
            getattr(PackedIndex(np.eye(3)), ask)(np.eye(3), 1, measure="dice")

    def test_rankings_of_many_query_sizes_are_not_all_kept(self):
        random = np.random.default_rng(0)
        codes = random.random((50, 200)) < random.random((50, 1))
        queries = np.tri(100, 200, dtype=bool)
        index = PackedIndex(codes)

        assert_found(index, codes, queries, 5, "jaccard")

        assert len(index._rankings) <= 64
