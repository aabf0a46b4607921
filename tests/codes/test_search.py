import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly.backends import _search_numpy as reference
from skfly.codes import (
    CodeSearch,
    InvertedIndex,
    ListedCodes,
    PackedCodes,
    pack_rows,
    similarity,
    smallest,
)
from skfly.codes import _search as module

MEASURES = ("cosine", "overlap", "sokal-michener", "jaccard")


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


def brute_force(codes, query, measure, n_best, first=0, last=None):
    part = codes[first:last]
    scores = similarity(np.repeat(query[None], len(part), axis=0), part, measure)
    rows, _ = reference.best_codes(part, query, scores, n_best)
    return rows + first, scores[rows]


def assert_found(search, codes, queries, n_best, first=0, last=None, n_jobs=1):
    rows, scores = search.best(pack_rows(queries), n_best, first, last, n_jobs=n_jobs)
    for i, query in enumerate(queries):
        expected = brute_force(codes, query, search.measure, n_best, first, last)
        np.testing.assert_array_equal(rows[i], expected[0])
        np.testing.assert_allclose(scores[i], expected[1])


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=60)
@given(problem=problems(), data=st.data())
def test_finds_what_brute_force_finds(measure, problem, data):
    codes, queries, n_best = problem
    store = smallest(PackedCodes.from_rows(pack_rows(codes), codes.shape[1]))
    first = data.draw(st.integers(0, len(codes)))
    last = data.draw(st.integers(first, len(codes)))

    for index in (None, InvertedIndex(store)):
        search = CodeSearch(store, measure, index)
        assert_found(search, codes, queries, n_best)
        assert_found(search, codes, queries, n_best, first, last)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=30)
@given(problem=problems())
def test_planes_find_the_same_where_they_do_not_pay(measure, problem):
    codes, queries, n_best = problem
    store = PackedCodes.from_rows(pack_rows(codes), codes.shape[1])
    index = InvertedIndex(store)
    index.pays = lambda sizes: True

    assert_found(CodeSearch(store, measure, index), codes, queries, n_best)


def test_planes_are_used_for_the_whole_store_and_for_nothing_less(monkeypatch):
    codes = np.argsort(np.random.default_rng(0).random((50, 90)), axis=1) < 9
    store = PackedCodes.from_rows(pack_rows(codes), 90)
    index = InvertedIndex(store)
    searched = {"planes": 0, "codes": 0}

    def counted(name, best):
        def call(*args):
            searched[name] += 1
            return best(*args)

        return call

    monkeypatch.setattr(index, "best", counted("planes", index.best))
    monkeypatch.setattr(store, "best", counted("codes", store.best))
    search = CodeSearch(store, "cosine", index)
    assert_found(search, codes, codes[:2], 5)
    assert searched == {"planes": 1, "codes": 0}
    for first, last in ((1, 50), (0, 49)):
        assert_found(search, codes, codes[:2], 5, first, last)
    assert searched == {"planes": 1, "codes": 2}


@pytest.mark.parametrize("form", [PackedCodes, ListedCodes])
@pytest.mark.parametrize("n_queries", [1, 3, 70])
@pytest.mark.parametrize("n_best", [1, 30, 3000])
def test_threads_find_the_same(monkeypatch, form, n_queries, n_best):
    monkeypatch.setattr(module, "_WORTH_THREADS", 0)
    random = np.random.default_rng(0)
    codes = np.argsort(random.random((3000, 90)), axis=1) < 9
    queries = pack_rows(codes[:n_queries])
    search = CodeSearch(form.from_rows(pack_rows(codes), 90))

    expected = search.best(queries, n_best, n_jobs=1)
    found = search.best(queries, n_best, n_jobs=3)

    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_equals_come_in_the_order_of_the_store():
    codes = np.repeat([[1, 1, 0], [0, 1, 1]], 500, axis=0)
    search = CodeSearch(PackedCodes.from_rows(pack_rows(codes), 3))

    rows, _ = search.best(pack_rows([[0, 1, 1]]), 502)

    assert rows[0].tolist() == [*range(500, 1000), 0, 1]


def test_scores_that_are_equal_but_for_rounding_are_equal():
    # 1 / sqrt(2) and 2 / sqrt(8)
    codes = np.zeros((2, 8), dtype=int)
    codes[0], codes[1, :2] = 1, [1, 0]
    codes[1] = [1, 0, 1, 0, 0, 0, 0, 0]
    search = CodeSearch(PackedCodes.from_rows(pack_rows(codes), 8))

    rows, _ = search.best(pack_rows([[1, 1, 0, 0, 0, 0, 0, 0]]), 1)

    assert rows.tolist() == [[0]]


@pytest.mark.parametrize("n_best", [0, -3])
def test_none_are_asked_for(n_best):
    store = PackedCodes.from_rows(pack_rows(np.eye(3)), 3)

    assert CodeSearch(store).best(pack_rows(np.eye(2, 3)), n_best)[0].shape == (2, 0)


def test_no_queries():
    store = PackedCodes.from_rows(pack_rows(np.eye(3)), 3)

    assert CodeSearch(store).best(np.zeros((0, 1), np.uint64), 2)[0].shape == (0, 2)


def test_no_codes():
    store = PackedCodes.from_rows(np.zeros((0, 1), np.uint64), 3)

    assert CodeSearch(store).best(pack_rows(np.eye(3)), 2)[0].shape == (3, 0)


def test_tables_of_many_query_sizes_are_not_all_kept():
    random = np.random.default_rng(0)
    codes = random.random((50, 200)) < random.random((50, 1))
    queries = np.tri(100, 200, dtype=bool)
    search = CodeSearch(PackedCodes.from_rows(pack_rows(codes), 200), "jaccard")

    assert_found(search, codes, queries, 5)

    assert len(search._rankings) <= 64
