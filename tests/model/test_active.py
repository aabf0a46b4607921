import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from skfly.engine import get_engine
from skfly.model import codes_to_csr, spread_rows
from skfly.model._active import multiply_whole, stack


class TestCodesToCsr:
    def test_a_literal_example(self):
        codes = codes_to_csr(np.array([[2, 0], [-1, -1], [3, 1]]), n_cells=4)

        assert codes.toarray().tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
        assert codes.format == "csr"
        assert codes.dtype == np.float32

    def test_indices_come_sorted(self):
        codes = codes_to_csr(np.array([[7, 2, 5]]), n_cells=8)

        assert codes.indices.tolist() == [2, 5, 7]

    @pytest.mark.parametrize("dtype", [np.uint8, np.float64, bool])
    def test_the_ones_have_the_dtype_asked_for(self, dtype):
        assert codes_to_csr(np.array([[1]]), 2, dtype).dtype == dtype

    @pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
    def test_no_codes_and_no_active_cells_are_fine(self, shape):
        codes = codes_to_csr(np.zeros(shape, dtype=np.int32), n_cells=5)

        assert codes.shape == (shape[0], 5)
        assert codes.nnz == 0

    @given(st.data())
    def test_the_active_cells_are_the_columns_that_are_on(self, data):
        n_cells = data.draw(st.integers(1, 20))
        hash_length = data.draw(st.integers(1, n_cells))
        code = st.permutations(range(n_cells)).map(lambda cells: cells[:hash_length])
        rows = data.draw(st.lists(code | st.just([-1] * hash_length), min_size=1, max_size=5))

        dense = codes_to_csr(np.array(rows), n_cells).toarray()

        assert [set(np.flatnonzero(row)) for row in dense] == [set(row) - {-1} for row in rows]
        assert set(np.unique(dense)) <= {0, 1}


class TestSpreadRows:
    def test_rows_go_where_they_should_and_the_others_are_empty(self):
        codes = sparse.csr_array(np.array([[1, 0, 0], [1, 1, 0]], dtype=np.float32))

        spread = spread_rows(codes, np.array([1, 2]), 5)

        assert spread.toarray().tolist() == [[0] * 3, [1, 0, 0], [1, 1, 0], [0] * 3, [0] * 3]
        assert spread.dtype == np.float32
        assert spread.indptr.dtype == codes.indptr.dtype

    def test_of_no_rows_all_are_empty(self):
        spread = spread_rows(sparse.csr_array((0, 4)), np.array([], dtype=int), 2)

        assert spread.shape == (2, 4)
        assert spread.nnz == 0


@pytest.mark.parametrize("cells", [[5], [0, -1]])
def test_cells_that_are_none_are_refused(cells):
    with pytest.raises(ValueError, match="from 0 to 4"):
        codes_to_csr(np.array([cells]), n_cells=5)


class TestStack:
    def test_one_below_the_other(self):
        parts = [sparse.csr_array(np.eye(2)), sparse.csr_array((0, 2)), sparse.csr_array([[3, 0]])]

        assert stack(parts).toarray().tolist() == [[1, 0], [0, 1], [3, 0]]

    @pytest.mark.parametrize("n_parts", [1, 2])
    def test_indices_have_32_bits_where_they_fit(self, n_parts):
        part = sparse.csr_array(np.eye(2))
        part.indices, part.indptr = part.indices.astype(np.int64), part.indptr.astype(np.int64)
        stacked = stack([part] * n_parts)

        assert stacked.indices.dtype == stacked.indptr.dtype == np.int32


@pytest.mark.parametrize("limit", [0, 1 << 23])
@pytest.mark.parametrize(
    "engine", [get_engine("numpy"), get_engine("numba", 1), get_engine("numba", 3)]
)
class TestMultiplyWhole:
    @pytest.fixture(autouse=True)
    def _with_and_without_blas(self, limit, monkeypatch):
        monkeypatch.setattr("skfly.model._active._LITTLE_WORK", limit)

    @pytest.mark.parametrize("n_rows", [0, 1, 7, 64, 65, 300])
    @pytest.mark.parametrize(("n_inner", "n_columns"), [(1, 1), (40, 33), (33, 0), (0, 5)])
    def test_products_are_exact(self, engine, n_rows, n_inner, n_columns):
        random = np.random.default_rng(n_rows)
        # their sums have more bits than float32, and just fit doubles
        left = random.integers(-(2**23), 2**23, (n_rows, n_inner))
        right = random.integers(-(2**23), 2**23, (n_inner, n_columns))
        left[random.random(left.shape) < 0.8] = 0
        found = multiply_whole(engine, left.astype(np.float64), right.astype(np.float64))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, left @ right)

    @pytest.mark.parametrize("n_rows", [3, 65])
    def test_products_with_zeros_are_zero(self, engine, n_rows):
        left, right = np.zeros((n_rows, 4)), np.arange(20.0).reshape(4, 5)
        np.testing.assert_array_equal(multiply_whole(engine, left, right), np.zeros((n_rows, 5)))
        left[1, 2] = 1
        found = multiply_whole(engine, left, right)
        np.testing.assert_array_equal(found[:3], [np.zeros(5), right[2], np.zeros(5)])
        left[:] = 1
        found = multiply_whole(engine, left, 0 * right)
        np.testing.assert_array_equal(found, np.zeros((n_rows, 5)))

    @pytest.mark.parametrize("n_rows", [3, 100])
    def test_other_types_and_shapes_are_refused(self, engine, n_rows):
        left, right = np.ones((n_rows, 4)), np.ones((4, 7))
        with pytest.raises(TypeError, match=r"^left must be an array of float64"):
            multiply_whole(engine, left.astype(np.float32), right)
        with pytest.raises(TypeError, match=r"^right must be an array of float64"):
            multiply_whole(engine, left, right.astype(np.float32))
        with pytest.raises(ValueError, match=r"^left must have shape"):
            multiply_whole(engine, left, np.ones((5, 7)))
