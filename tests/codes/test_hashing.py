from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.backends import get_backend
from skfly.codes import Hasher, consensus_scores
from skfly.codes._hashing import _to_unit

SYNAPSES = np.array(
    [
        [0.5, 0.0, 0.0, 0.1],  # word 0 as context
        [0.0, 0.5, 0.0, 0.1],  # word 1 as context
        [0.0, 0.0, 0.5, 0.2],  # word 0 as target
        [0.3, 0.0, 0.0, 0.4],  # word 1 as target
    ],
    dtype=np.float32,
)
CONSENSUS = np.array([[4, 0, 1, 0], [4, 0, 0, 8]], dtype=np.float32)


def ids(*numbers):
    return np.array(numbers, dtype=np.int32)


def cells(codes):
    return [set(np.flatnonzero(row).tolist()) for row in codes.toarray()]


@pytest.fixture(params=["numpy", "numba"])
def backend(request):
    return get_backend(request.param, n_jobs=1)


@pytest.fixture
def hasher(backend):
    return Hasher(backend, SYNAPSES, None, hash_length=2)


class TestBags:
    def test_the_cells_that_respond_most_to_the_sum_are_on(self, hasher):
        codes = hasher.bags(ids(0, 1, 2), np.array([0, 2, 2, 3]))

        assert cells(codes) == [{0, 1}, set(), {2, 3}]
        assert codes.shape == (3, 4)

    def test_ties_go_to_the_cells_with_the_lowest_numbers(self, backend):
        even = Hasher(backend, np.full((2, 5), 0.25, np.float32), None, hash_length=3)

        assert cells(even.bags(ids(0), np.array([0, 1]))) == [{0, 1, 2}]

    def test_a_code_has_exactly_hash_length_ones_even_if_fewer_cells_respond(self, backend):
        hasher = Hasher(backend, SYNAPSES, None, hash_length=4)

        assert cells(hasher.bags(ids(0), np.array([0, 1]))) == [{0, 1, 2, 3}]

    def test_a_bag_to_which_no_cell_responds_has_an_empty_code(self, backend):
        silent = Hasher(backend, np.zeros((2, 3), np.float32), None, hash_length=1)

        assert cells(silent.bags(ids(0), np.array([0, 1]))) == [set()]

    @pytest.mark.parametrize("dtype", [np.float32, np.int8, bool])
    def test_codes_have_the_dtype_asked_for(self, backend, dtype):
        hasher = Hasher(backend, SYNAPSES, None, 2, dtype)

        assert hasher.bags(ids(0), np.array([0, 1])).dtype == dtype
        assert hasher.words(ids(0, -1)).dtype == dtype


class TestInContext:
    def test_target_and_context_are_both_on(self, hasher):
        codes = hasher.in_context(ids(0), [ids(1)])

        assert cells(codes) == [{1, 2}]  # 0.5 each; cell 3 has 0.1 + 0.2

    def test_unknown_words_give_no_input(self, hasher):
        codes = hasher.in_context(ids(-1, 1, -1), [ids(0, -1), ids(-1), ids(-1, -1)])

        assert cells(codes) == [{0, 3}, {0, 3}, set()]

    def test_an_empty_context_leaves_the_target(self, hasher):
        assert cells(hasher.in_context(ids(0), [ids()])) == [{2, 3}]

    def test_a_word_of_the_context_counts_once(self, backend):
        synapses = np.array([[0.4, 0.0], [0.0, 0.6]], dtype=np.float32)
        hasher = Hasher(backend, synapses, None, hash_length=1)

        assert cells(hasher.in_context(ids(0), [ids(0, 0)])) == [{1}]

    def test_no_contexts_give_no_codes(self, hasher):
        assert hasher.in_context(ids(), []).shape == (0, 4)

    def test_each_target_needs_a_context(self, hasher):
        with pytest.raises(ValueError, match="zip"):
            hasher.in_context(ids(0, 1), [ids(1)])


class TestWords:
    def test_codes_from_the_synapses_are_those_of_the_word_as_target(self, hasher):
        assert cells(hasher.words(ids(1, -1, 0))) == [{0, 3}, set(), {2, 3}]

    def test_codes_by_consensus_take_the_largest_shares(self, backend):
        hasher = Hasher(backend, SYNAPSES, CONSENSUS, hash_length=2)

        # shares of word 0: 4/8, 0, 1/1, 0/8; of word 1: 4/8, 0, 0/1, 8/8
        assert cells(hasher.words(ids(0, -1, 1))) == [{0, 2}, set(), {0, 3}]

    def test_places_left_over_by_the_consensus_go_by_the_synapses(self, backend):
        hasher = Hasher(backend, SYNAPSES, CONSENSUS, hash_length=3)

        assert cells(hasher.words(ids(0))) == [{0, 2, 3}]

    def test_the_synapses_of_a_word_are_those_of_both_its_rows(self, backend):
        synapses = np.zeros((4, 4), np.float32)
        synapses[1, 1] = 0.2  # word 1 as context
        synapses[3, 2] = 0.3  # and as target
        hasher = Hasher(backend, synapses, CONSENSUS, hash_length=3)

        assert cells(hasher.words(ids(1))) == [{0, 2, 3}]

    @pytest.mark.parametrize("consensus", [None, CONSENSUS])
    def test_no_words_give_no_codes(self, backend, consensus):
        hasher = Hasher(backend, SYNAPSES, consensus, hash_length=2)

        assert hasher.words(ids()).shape == (0, 4)
        assert cells(hasher.words(ids(-1))) == [set()]


class TestSums:
    counts = sparse.csr_array(np.array([[2, 1], [0, 0], [0, 3]], dtype=np.float32))

    def test_codes_of_words_are_added_as_often_as_the_word_comes(self, backend):
        hasher = Hasher(backend, SYNAPSES, CONSENSUS, hash_length=2)

        assert hasher.sums(self.counts).toarray().tolist() == [
            [3, 0, 2, 1],
            [0, 0, 0, 0],
            [3, 0, 0, 3],
        ]

    @pytest.mark.parametrize("consensus", [None, CONSENSUS])
    def test_it_is_the_product_of_counts_and_codes(self, backend, consensus):
        hasher = Hasher(backend, SYNAPSES, consensus, hash_length=2)

        expected = self.counts.toarray() @ hasher.words(ids(0, 1)).toarray()

        np.testing.assert_array_equal(hasher.sums(self.counts).toarray(), expected)

    @pytest.mark.parametrize("dtype", [np.float32, np.int64])
    def test_sums_have_the_dtype_asked_for(self, backend, dtype):
        assert Hasher(backend, SYNAPSES, None, 2, dtype).sums(self.counts).dtype == dtype

    @pytest.mark.parametrize("consensus", [None, CONSENSUS])
    def test_documents_without_known_words_have_empty_rows(self, backend, consensus):
        hasher = Hasher(backend, SYNAPSES, consensus, hash_length=2)

        assert hasher.sums(sparse.csr_array((2, 2))).toarray().tolist() == [[0] * 4] * 2


class TestMostActive:
    def test_cells_come_by_falling_activation(self, hasher):
        found, activations = hasher.most_active(ids(0, 1, 3), 3)

        assert found.tolist() == [0, 3, 1]
        assert activations == pytest.approx([0.8, 0.6, 0.5])

    def test_a_long_text_does_not_overflow(self, backend):
        hasher = Hasher(backend, np.ones((2, 2), np.float32), None, hash_length=1)

        _, activations = hasher.most_active(np.zeros(5000, np.int32), 2)

        assert activations.tolist() == [5000, 5000]

    def test_a_text_without_known_words_has_no_cells(self, hasher):
        assert hasher.most_active(ids(), 2)[0].tolist() == [-1, -1]


class TestConsensusScores:
    def test_a_literal_example(self):
        scores = consensus_scores(
            np.array([[4, 4, 0, 0], [0, 0, 2, 0]], dtype=np.float32),
            np.array([8, 16, 2, 0], dtype=np.float32),
            np.array([[0, 0, 0.5, -0.25], [0, 0, 0, 0]], dtype=np.float32),
        )

        np.testing.assert_allclose(scores, [[1, 0.5, -1, -1], [-1, -1, 1, -1]], atol=1e-3)
        assert scores[0, 2] > scores[0, 3]

    def test_a_word_that_never_came_up_is_ordered_by_the_fallback(self):
        scores = consensus_scores(
            np.zeros((1, 3), np.float32),
            np.array([5, 0, 1], dtype=np.float32),
            np.array([[0.1, 0.3, 0.2]], dtype=np.float32),
        )

        assert np.argsort(-scores[0]).tolist() == [1, 2, 0]

    def test_its_arguments_are_not_changed(self):
        counts, cell_counts, fallback = (
            CONSENSUS.copy(),
            CONSENSUS.sum(axis=0),
            SYNAPSES[:2].copy(),
        )
        consensus_scores(counts, cell_counts, fallback)

        np.testing.assert_array_equal(counts, CONSENSUS)
        np.testing.assert_array_equal(fallback, SYNAPSES[:2])

    @given(
        hnp.arrays(np.float32, (2, 5), elements=st.sampled_from([0, 1, 2, 50])),
        hnp.arrays(np.float32, (2, 5), elements=st.floats(-1, 1, width=32)),
        st.sampled_from([0, 10, 1_000_000]),
    )
    def test_cells_that_came_up_are_above_those_that_never_did(self, counts, fallback, others):
        elsewhere = np.array([others, 0, 0, others, 1], dtype=np.float32)

        scores = consensus_scores(counts, counts.sum(axis=0) + elsewhere, fallback)

        for row, count in zip(scores, counts, strict=True):
            never = row[count == 0]
            assert row[count > 0].min(initial=np.inf) > never.max(initial=-np.inf)


class TestLateral:
    """Cell 0 gives to cell 1, cell 3 is silenced."""

    LATERAL = np.array(
        [[1, 0.75, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=np.float32
    )

    def make(self, backend, consensus=None, **params):
        return Hasher(backend, SYNAPSES, consensus, 2, lateral=self.LATERAL, **params)

    def test_cells_act_on_one_another_before_the_top_is_taken(self, backend):
        codes = self.make(backend).bags(ids(0, 3), np.array([0, 1, 2]))

        assert cells(codes) == [{0, 1}, {0, 1}]

    def test_synapses_below_the_floor_are_not_passed_on(self, backend):
        synapses = np.array([[-1, 0, 0.5, 0.2], [0, 0, 0, 0]], dtype=np.float32)
        lateral = np.eye(4, dtype=np.float32)
        lateral[0, 1] = -1
        floored = Hasher(backend, synapses, None, 1, floor=0.0, lateral=lateral)
        free = Hasher(backend, synapses, None, 1, lateral=lateral)

        assert cells(floored.bags(ids(0), np.array([0, 1]))) == [{2}]
        assert cells(free.bags(ids(0), np.array([0, 1]))) == [{1}]

    def test_a_word_has_the_code_of_its_connected_evidence(self, backend):
        consensus = np.array([[9, 0, 3, 0], [1, 5, 7, 20]], dtype=np.float32)
        codes = self.make(backend, consensus).words(ids(0, -1))

        assert cells(codes) == [{0, 1}, set()]  # 2 has evidence too, but less than 3/4 of 0's

    def test_a_word_without_a_count_falls_back_on_its_synapses(self, backend):
        consensus = np.array([[0, 0, 0, 0], [1, 5, 7, 20]], dtype=np.float32)

        assert cells(self.make(backend, consensus).words(ids(0))) == [{0, 2}]

    def test_the_most_active_cells_are_those_of_the_code(self, backend):
        hasher = self.make(backend)
        found, activations = hasher.most_active(ids(0), 2)

        assert found.tolist() == [0, 1]
        np.testing.assert_allclose(activations, [0.5, 0.375], atol=1e-3)
        np.testing.assert_allclose(hasher.responses_to_targets(1), [0, 0.225], atol=1e-6)
        both = hasher.responses_to_targets([1, 0])
        np.testing.assert_array_equal(both[:, 0], hasher.responses_to_targets(1))
        np.testing.assert_array_equal(both[:, 1], hasher.responses_to_targets(0))

    @pytest.mark.parametrize("lateral", [None, np.eye(4, dtype=np.float32)])
    def test_responses_are_not_below_the_floor(self, backend, lateral):
        hasher = Hasher(backend, SYNAPSES, None, 2, floor=0.25, lateral=lateral)

        expected = np.maximum(SYNAPSES, 0.25)
        np.testing.assert_allclose(hasher.responses_to_targets(3), expected[2:, 3])
        np.testing.assert_allclose(hasher.responses(ids(1, 2)), expected[[1, 2]], atol=1e-3)

    def test_responses_add_up_to_the_activation(self, backend):
        for hasher in (self.make(backend), replace(self.make(backend), lateral=None)):
            cells, activations = hasher.most_active(ids(0, 1), 4)
            added = hasher.responses(ids(0, 1)).sum(axis=0)
            np.testing.assert_allclose(added[cells], activations, atol=1e-3)

    @given(st.integers(0, 10_000))
    def test_the_same_bag_has_the_same_code_in_any_company(self, seed):
        random = np.random.default_rng(seed)
        synapses = random.normal(size=(40, 9)).astype(np.float32)
        lateral = random.normal(size=(9, 9)).astype(np.float32)
        weights = random.random(20).astype(np.float32)
        hasher = Hasher(
            get_backend("numpy", 1), synapses, None, 3, lateral=lateral, weights=weights, largest=4
        )
        bag = random.choice(40, size=5, replace=False)
        alone = hasher.bags(bag, np.array([0, 5]))
        others = random.choice(40, size=30)
        among = hasher.bags(np.concatenate([others, bag]), np.array([0, 30, 35]))

        assert cells(alone) == cells(among)[1:]


class TestWeights:
    def test_a_word_counts_less_as_context_and_fully_as_target(self, backend):
        weights = np.array([0.1, 1.0], dtype=np.float32)
        hasher = Hasher(backend, SYNAPSES, None, 1, weights=weights)

        assert cells(hasher.bags(ids(0, 1), np.array([0, 2]))) == [{1}]
        assert cells(hasher.bags(ids(0, 3), np.array([0, 2]))) == [{3}]
        assert cells(hasher.bags(ids(1, 2), np.array([0, 2]))) == [{1}]


class TestMixtures:
    def test_a_mixture_of_one_word_is_the_word(self, backend):
        one = sparse.csr_array(np.array([[0, 3], [0.5, 0]], dtype=np.float32))
        for consensus in (None, CONSENSUS):
            for lateral in (None, TestLateral.LATERAL):
                hasher = Hasher(backend, SYNAPSES, consensus, 1, lateral=lateral)

                assert cells(hasher.mixtures(one)) == cells(hasher.words(ids(1, 0)))

    def test_the_word_with_more_weight_decides(self, backend):
        hasher = Hasher(backend, SYNAPSES, None, 1)
        weights = sparse.csr_array(np.array([[9, 1], [1, 9]], dtype=np.float32))

        assert cells(hasher.mixtures(weights)) == [{2}, {3}]

    def test_a_mixture_of_nothing_has_no_cell(self, backend):
        hasher = Hasher(backend, SYNAPSES, CONSENSUS, 1)

        assert cells(hasher.mixtures(sparse.csr_array((2, 2), dtype=np.float32))) == [set()] * 2


def test_each_row_of_scores_has_a_unit_of_its_own():
    # else words of which little is known would be lost in the rounding of those that are frequent
    scores = np.array([[2e6, -4e6], [3e-6, 1.5e-6], [0, 0]], dtype=np.float32)

    np.testing.assert_allclose(_to_unit(scores), [[0.5, -1], [1, 0.5], [0, 0]])
