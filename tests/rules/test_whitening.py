"""From counts of pairs to vectors and cells."""

import numpy as np
import pytest
from scipy import sparse

from skfly.engine import get_engine
from skfly.rules._whitening import (
    Contexts,
    compete,
    decorrelate,
    find_cells,
    find_contexts,
    lean_on_spelling,
    log_shares,
    share,
    whiten,
    word_vectors,
)

ENGINES = ("numpy", "numba")


def random_pairs(n_words=60, seed=0, density=0.3):
    random = np.random.default_rng(seed)
    counts = random.poisson(2, (n_words, n_words)) * (random.random((n_words,) * 2) < density)
    return sparse.csr_array(counts.astype(np.int32))


def information_of(counts):
    """The formula, word by word."""
    counts = counts.toarray().astype(float)
    smooth = [sums**0.875 * (sums > 0) for sums in (counts.sum(axis=1), counts.sum(axis=0))]
    before, after = (sums / sums.sum() for sums in smooth)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(counts / counts.sum() / np.outer(before, after))
    return np.where(counts > 0, np.maximum(found, 0), 0)


def contexts_of(near, wide) -> Contexts:
    return find_contexts(near, wide, np.arange(near.shape[0]))[0]


def test_contexts_are_the_formula():
    near, wide = random_pairs(seed=1), random_pairs(seed=2)
    contexts = contexts_of(near, wide)
    np.testing.assert_allclose(contexts.after.toarray(), 0.7 * information_of(near), atol=1e-5)
    np.testing.assert_allclose(contexts.around.toarray(), information_of(wide + wide.T), atol=1e-5)
    np.testing.assert_array_equal(contexts.before.toarray(), contexts.after.toarray().T)


def test_words_that_never_came_have_no_share():
    shares = np.exp(log_shares(np.array([3, 0, 5])))
    assert shares[1] == 1  # its logarithm is 0 and is never used
    assert shares[[0, 2]].sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ENGINES)
def test_vectors_are_those_of_the_singular_value_decomposition(name):
    contexts = contexts_of(random_pairs(seed=1), random_pairs(seed=2))
    matrix = np.hstack([contexts.after.toarray(), contexts.before.toarray()])
    matrix = np.hstack([matrix, contexts.around.toarray()]).astype(float)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    expected = (left * values**0.25)[:, :10]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found, _ = whiten(contexts, 10, 12, get_engine(name))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=5e-3)


def test_vectors_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr("skfly.engine._numba._WORTH_THREADS", 0)
    monkeypatch.setattr("skfly.rules._whitening._ROWS_AT_A_TIME", 16)
    contexts = contexts_of(random_pairs(seed=1), random_pairs(seed=2))
    found = [whiten(contexts, 10, 4, get_engine("numba", n))[0] for n in (1, 2, 3)]
    cells = [compete(found[0], 7, 5, get_engine("numba", n)) for n in (1, 2, 3)]
    for vectors, their_cells in zip(found[1:], cells[1:], strict=True):
        np.testing.assert_array_equal(vectors, found[0])
        np.testing.assert_array_equal(their_cells, cells[0])


def test_directions_project_words_on_their_vectors():
    contexts = contexts_of(random_pairs(seed=1), random_pairs(seed=2))
    engine = get_engine("numba")
    vectors, directions = whiten(contexts, 10, 12, engine)
    found = contexts.covariance(engine, directions)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    np.testing.assert_allclose(found, vectors, atol=1e-2)


def test_other_words_are_the_formula_among_the_common_ones():
    near, wide = random_pairs(seed=1), random_pairs(seed=2)
    common = np.array([0, 2, 3, 5, 8, 13, 21, 34, 55])
    others = np.setdiff1d(np.arange(60), common)
    contexts, of_others = find_contexts(near, wide, common)
    both_ways = information_of(wide + wide.T)
    in_order = 0.7 * information_of(near)
    for words, found in ((common, contexts), (others, of_others)):
        there = np.ix_(words, common)
        np.testing.assert_allclose(found.after.toarray(), in_order[there], atol=1e-5)
        np.testing.assert_allclose(found.before.toarray(), in_order.T[there], atol=1e-5)
        np.testing.assert_allclose(found.around.toarray(), both_ways[there], atol=1e-5)


@pytest.mark.parametrize("name", ENGINES)
def test_other_words_lie_on_the_directions_of_the_common_ones(name):
    engine = get_engine(name)
    common = np.arange(0, 60, 2)
    order = np.arange(60)
    order[41] = 40  # this word has the contexts of a common one
    near, wide = (random_pairs(seed=seed)[order][:, order] for seed in (1, 2))
    contexts, of_others = find_contexts(near, wide, common)
    vectors = word_vectors(contexts, of_others, common, 8, 12, engine)
    np.testing.assert_allclose(vectors[common], whiten(contexts, 8, 12, engine)[0])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert vectors[40] @ vectors[41] > 0.99


def test_a_word_leans_on_those_spelled_alike_as_much_as_it_is_rare():
    vectors = np.eye(3, dtype=np.float32)
    alike = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=np.float32))
    words, weight = np.arange(3), 10.0
    counts = np.array([100_000, 10, 0])
    found = lean_on_spelling(vectors, counts, alike, words, weight, get_engine("numpy"))
    assert found[0, 0] == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(found[1], [0.5**0.5, 0.5**0.5, 0], atol=1e-3)
    assert not found[2].any()  # it never occurs


def test_without_information_there_are_no_directions():
    nothing = sparse.csr_array((4, 4), dtype=np.int32)
    vectors, _ = whiten(contexts_of(nothing, nothing), 2, 3, get_engine("numpy"))
    np.testing.assert_array_equal(vectors, np.zeros((4, 1)))
    np.testing.assert_array_equal(compete(vectors, 3, 5, get_engine("numpy")), np.zeros((3, 1)))


def test_cells_find_the_groups_that_there_are():
    random = np.random.default_rng(0)
    centres = np.eye(4, 6)
    vectors = np.repeat(centres, 25, axis=0) + 0.1 * random.standard_normal((100, 6))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cells = compete(vectors.astype(np.float32), 4, 10, get_engine("numba"))
    assert sorted((cells @ centres.T).argmax(axis=1)) == [0, 1, 2, 3]
    np.testing.assert_allclose((cells @ centres.T).max(axis=1), 1, atol=0.05)


def test_a_cell_that_wins_nothing_moves_to_the_worst_served_word():
    east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    vectors = np.array([east, east, east, east, north], dtype=np.float32)
    cells = compete(vectors, 2, 2, get_engine("numba"))
    assert {tuple(cell) for cell in cells} == {(1.0, 0.0), (0.0, 1.0)}


def test_more_cells_than_words_lie_between_these():
    vectors = np.eye(3, dtype=np.float32)
    cells = compete(vectors, 5, 10, get_engine("numba"))
    np.testing.assert_allclose(cells[:3], vectors)
    between = [vectors[0] + vectors[1], vectors[1] + vectors[0]]
    np.testing.assert_allclose(cells[3:], np.array(between) / np.sqrt(2), rtol=1e-6)


def test_decorrelation_of_nothing_leaves_cells_as_they_are():
    cells = np.random.default_rng(0).standard_normal((9, 4)).astype(np.float32)
    np.testing.assert_allclose(decorrelate(cells, 0.0), cells, rtol=1e-5)


def random_vectors(n_words=300, rank=12, seed=0):
    vectors = np.random.default_rng(seed).standard_normal((n_words, rank), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("name", ENGINES)
def test_cells_that_share_words_are_the_rotation_of_itq(name):
    vectors, n_top = random_vectors(), 5
    cells = vectors[:40]
    found = share(vectors, cells, n_top, 3, 1.0, get_engine(name))
    for _ in range(3):
        ranks = np.argsort(np.argsort(-(vectors @ cells.T), axis=1), axis=1)
        codes = (ranks < n_top) - n_top / 40
        left, _, right = np.linalg.svd(codes.T @ vectors, full_matrices=False)
        cells = left @ right
    np.testing.assert_allclose(found / np.linalg.norm(found), cells / np.sqrt(12), atol=2e-3)


def test_cells_that_share_words_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr("skfly.rules._whitening._ROWS_AT_A_TIME", 64)
    vectors = random_vectors()
    found = [
        share(vectors, vectors[:40], 5, 4, 1.0, get_engine("numba", n_threads))
        for n_threads in (1, 2, 3)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_cells_of_short_codes_leave_the_last_directions_out():
    vectors = random_vectors(rank=30)
    cells, long_cells = find_cells(vectors, 40, 1.0, get_engine("numba"))
    assert cells[:, :20].any(axis=0).all()
    assert not cells[:, 20:].any()
    assert long_cells.any(axis=0).all()


def test_with_few_words_for_each_cell_there_are_no_cells_of_long_codes():
    engine = get_engine("numba")
    assert find_cells(random_vectors(100, rank=30), 40, 1.0, engine)[1] is None


def test_short_codes_that_miss_no_direction_need_no_other_cells_for_long_ones():
    assert find_cells(random_vectors(rank=20), 40, 1.0, get_engine("numba"))[1] is None
