"""From counts of pairs to vectors and cells."""

import numpy as np
import pytest
from scipy import sparse

from skfly.engine import get_engine
from skfly.rules._whitening import Contexts, compete, decorrelate, log_shares, whiten

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


def test_contexts_are_the_formula():
    near, wide = random_pairs(seed=1), random_pairs(seed=2)
    contexts = Contexts.of(near, wide)
    np.testing.assert_allclose(contexts.after.toarray(), 0.7 * information_of(near), atol=1e-5)
    np.testing.assert_allclose(contexts.around.toarray(), information_of(wide + wide.T), atol=1e-5)
    np.testing.assert_array_equal(contexts.before.toarray(), contexts.after.toarray().T)


def test_words_that_never_came_have_no_share():
    shares = np.exp(log_shares(np.array([3, 0, 5])))
    assert shares[1] == 1  # its logarithm is 0 and is never used
    assert shares[[0, 2]].sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ENGINES)
def test_vectors_are_those_of_the_singular_value_decomposition(name):
    contexts = Contexts.of(random_pairs(seed=1), random_pairs(seed=2))
    matrix = np.hstack([contexts.after.toarray(), contexts.before.toarray()])
    matrix = np.hstack([matrix, contexts.around.toarray()]).astype(float)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    expected = (left * values**0.25)[:, :10]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = whiten(contexts, 10, 12, get_engine(name))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=5e-3)


def test_vectors_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr("skfly.engine._numba._WORTH_THREADS", 0)
    monkeypatch.setattr("skfly.rules._whitening._ROWS_AT_A_TIME", 16)
    contexts = Contexts.of(random_pairs(seed=1), random_pairs(seed=2))
    found = [whiten(contexts, 10, 4, get_engine("numba", n)) for n in (1, 2, 3)]
    cells = [compete(found[0], 7, 5, get_engine("numba", n)) for n in (1, 2, 3)]
    for vectors, their_cells in zip(found[1:], cells[1:], strict=True):
        np.testing.assert_array_equal(vectors, found[0])
        np.testing.assert_array_equal(their_cells, cells[0])


def test_without_information_there_are_no_directions():
    nothing = sparse.csr_array((4, 4), dtype=np.int32)
    vectors = whiten(Contexts.of(nothing, nothing), 2, 3, get_engine("numpy"))
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
