import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import cosine_similarity

from skfly.codes import nearest, overlap, similarity

FORMULAS = {
    "sokal-michener": lambda a, b: np.mean(a == b),
    "overlap": lambda a, b: np.sum(a & b),
    "cosine": lambda a, b: cosine_similarity([a], [b])[0, 0],
    "jaccard": lambda a, b: jaccard_score(a, b, zero_division=0),
}

shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)
pairs = shapes.flatmap(
    lambda shape: st.tuples(hnp.arrays(np.bool_, shape), hnp.arrays(np.bool_, shape))
)
forms = st.sampled_from([np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array])


class TestPairs:
    @given(pairs, forms, forms)
    def test_overlap_is_the_number_of_common_cells(self, pair, form_left, form_right):
        left, right = pair

        found = overlap(form_left(left), form_right(right))

        assert found.dtype == np.int64
        assert found.tolist() == (left & right).sum(axis=1).tolist()

    @pytest.mark.parametrize("measure", FORMULAS)
    @settings(max_examples=50)
    @given(pair=pairs, form=forms)
    def test_each_measure_follows_its_formula(self, measure, pair, form):
        left, right = pair
        expected = [FORMULAS[measure](a, b) for a, b in zip(left, right, strict=True)]

        found = similarity(form(left), form(right), measure)

        np.testing.assert_allclose(found, expected)

    @pytest.mark.parametrize(
        ("measure", "value"),
        [("sokal-michener", 0.5), ("overlap", 1.0), ("cosine", 0.5), ("jaccard", 1 / 3)],
    )
    def test_a_literal_example(self, measure, value):
        left, right = np.array([[1, 1, 0, 0]]), np.array([[1, 0, 1, 0]])

        assert similarity(left, right, measure).tolist() == pytest.approx([value])

    def test_the_measure_of_the_paper_is_the_default(self):
        left, right = np.array([[1, 1, 0, 0, 0]]), np.array([[1, 0, 1, 0, 0]])

        assert similarity(left, right).tolist() == [3 / 5]

    @pytest.mark.parametrize("measure", FORMULAS)
    def test_anything_not_zero_counts_as_one(self, measure):
        left, right = np.array([[7, 0, -1, 0]]), np.array([[0.5, 2, 0, 0]])

        found = similarity(left, right, measure)

        assert found.tolist() == similarity(left != 0, right != 0, measure).tolist()

    @pytest.mark.parametrize(
        ("measure", "value"),
        [("sokal-michener", 0.5), ("overlap", 0), ("cosine", 0), ("jaccard", 0)],
    )
    def test_a_pair_with_an_empty_code(self, measure, value):
        assert similarity(np.array([[0, 0]]), np.array([[1, 0]]), measure).tolist() == [value]

    def test_codes_that_cannot_be_paired_are_refused_with_their_shapes(self):
        with pytest.raises(ValueError, match=r"\(2, 3\) and \(1, 3\) cannot be paired"):
            overlap(np.ones((2, 3)), np.ones((1, 3)))

    def test_an_unknown_measure_is_refused_with_those_there_are(self):
        with pytest.raises(ValueError, match=r"sokal-michener.*jaccard.*got 'hamming'"):
            similarity(np.ones((1, 3)), np.ones((1, 3)), "hamming")


class TestNearest:
    @given(st.data(), forms)
    def test_agrees_with_brute_force_and_ties_come_in_order(self, data, form):
        n_cells = data.draw(st.integers(1, 4))  # few cells: many ties
        codes = data.draw(hnp.arrays(np.bool_, (data.draw(st.integers(1, 8)), n_cells)))
        queries = data.draw(hnp.arrays(np.bool_, (data.draw(st.integers(1, 3)), n_cells)))
        n_nearest = data.draw(st.integers(1, len(codes)))

        rows, counts = nearest(form(queries), form(codes), n_nearest)

        for query, found, common in zip(queries, rows, counts, strict=True):
            overlaps = [int((query & code).sum()) for code in codes]
            expected = sorted(range(len(codes)), key=lambda i: (-overlaps[i], i))[:n_nearest]
            assert found.tolist() == expected
            assert common.tolist() == [overlaps[i] for i in expected]

    def test_more_than_there_are_gives_all(self):
        rows, counts = nearest(np.array([[1, 0]]), np.array([[0, 1], [1, 1]]), 10)

        assert rows.tolist() == [[1, 0]]
        assert counts.tolist() == [[1, 0]]

    def test_no_matrix_of_all_pairs_is_made(self):
        codes = sparse.csr_array(np.random.default_rng(0).random((20_000, 128)) < 0.05)
        nearest(codes[:1], codes[:9], 1)  # compiles

        tracemalloc.start()
        rows, _ = nearest(codes[:2000], codes, 5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert rows.shape == (2000, 5)
        assert peak < 2000 * 20_000 / 2

    def test_codes_of_another_width_are_refused(self):
        with pytest.raises(ValueError, match=r"codes must be 3 cells wide.*shape \(1, 2\)"):
            nearest(np.array([[1, 0]]), np.eye(3), 1)
