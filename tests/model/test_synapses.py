"""The coder of cells that competed for windows."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from skfly.engine import get_engine
from skfly.model import FlyModel, ModelSettings, SynapseCoder, top_of_scores
from skfly.model._synapses import consensus_scores
from skfly.text import Vocabulary

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
CODER = SynapseCoder(SYNAPSES)
BY_CONSENSUS = SynapseCoder(SYNAPSES, consensus=CONSENSUS)


def ids(*numbers):
    return np.array(numbers, dtype=np.int32)


def bags(*words, n_words=2):
    """Return bags of words as rows of counts, each word once."""
    indptr = np.cumsum([0, *map(len, words)])
    indices = np.concatenate([*map(np.asarray, words), ids()]).astype(np.int32)
    counts = np.ones(len(indices), dtype=np.float32)
    return sparse.csr_array((counts, indices, indptr), shape=(len(words), n_words))


def cells(active):
    """Return the code of each input: nothing where no cell responds."""
    active.cells[active.activations[:, 0] == 0] = -1
    found = [set(row.tolist()) for row in active.cells]
    assert all(row == {-1} or len(row) == active.cells.shape[1] for row in found)
    return [row - {-1} for row in found]


@pytest.fixture(params=["numpy", "numba"])
def engine(request):
    return get_engine(request.param, n_jobs=1)


class TestBags:
    def test_the_cells_that_respond_most_to_the_sum_are_on(self, engine):
        active = CODER.bags(engine, bags([0, 1], [], [1]), 2)

        assert cells(active) == [{0, 1}, set(), {1, 3}]
        assert active.cells.shape == active.activations.shape == (3, 2)

    def test_ties_go_to_the_cells_with_the_lowest_numbers(self, engine):
        even = SynapseCoder(np.full((2, 5), 0.25, np.float32))

        assert cells(even.bags(engine, bags([0], n_words=1), 3)) == [{0, 1, 2}]

    def test_a_code_has_exactly_hash_length_ones_even_if_fewer_cells_respond(self, engine):
        assert cells(CODER.bags(engine, bags([0]), 4)) == [{0, 1, 2, 3}]

    def test_a_bag_to_which_no_cell_responds_has_an_empty_code(self, engine):
        silent = SynapseCoder(np.zeros((2, 3), np.float32))

        assert cells(silent.bags(engine, bags([0], n_words=1), 1)) == [set()]

    def test_cells_come_by_falling_activation(self, engine):
        active = CODER.bags(engine, bags([0, 1]), 3)

        assert active.cells.tolist() == [[0, 1, 3]]
        assert active.activations[0] == pytest.approx([0.5, 0.5, 0.2])

    def test_a_long_text_does_not_overflow(self, engine):
        coder = SynapseCoder(np.ones((10_000, 2), np.float32))

        active = coder.bags(engine, bags(range(5000), n_words=5000), 2)

        assert active.activations.tolist() == [[5000, 5000]]

    def test_a_text_without_known_words_has_no_cells(self, engine):
        assert CODER.bags(engine, bags([]), 2).cells.tolist() == [[-1, -1]]

    def test_a_word_that_is_none_is_refused(self, engine):
        with pytest.raises(ValueError, match="rows"):
            CODER.bags(engine, bags([4]), 2)


class TestContexts:
    def test_target_and_context_are_both_on(self, engine):
        active = CODER.contexts(engine, ids(0), [ids(1)], 2)

        assert cells(active) == [{1, 2}]  # 0.5 each; cell 3 has 0.1 + 0.2
        assert active.activations[0] == pytest.approx([0.5, 0.5])

    def test_cells_come_by_falling_activation(self, engine):
        active = CODER.contexts(engine, ids(1), [ids(0, 1)], 3)

        assert active.cells.tolist() == [[0, 3, 1]]
        assert active.activations[0] == pytest.approx([0.8, 0.6, 0.5])

    def test_unknown_words_give_no_input(self, engine):
        around = [ids(0, -1), ids(-1), ids(-1, -1)]

        assert cells(CODER.contexts(engine, ids(-1, 1, -1), around, 2)) == [
            {0, 3},
            {0, 3},
            set(),
        ]

    def test_an_empty_context_leaves_the_target(self, engine):
        assert cells(CODER.contexts(engine, ids(0), [ids()], 2)) == [{2, 3}]

    def test_a_word_of_the_context_counts_once(self, engine):
        coder = SynapseCoder(np.array([[0.4, 0.0], [0.0, 0.6]], dtype=np.float32))

        assert cells(coder.contexts(engine, ids(0), [ids(0, 0)], 1)) == [{1}]

    def test_no_contexts_give_no_codes(self, engine):
        assert CODER.contexts(engine, ids(), [], 2).cells.shape == (0, 2)

    def test_each_target_needs_a_context(self, engine):
        with pytest.raises(ValueError, match="zip"):
            CODER.contexts(engine, ids(0, 1), [ids(1)], 2)


class TestWords:
    def test_codes_from_the_synapses_are_those_of_the_word_as_target(self, engine):
        for coder in (CODER, BY_CONSENSUS):
            assert cells(coder.words(engine, ids(1, 0), 2, "synapses")) == [{0, 3}, {2, 3}]

    def test_codes_by_consensus_take_the_largest_shares(self, engine):
        # shares of word 0: 4/8, 0, 1/1, 0/8; of word 1: 4/8, 0, 0/1, 8/8
        active = BY_CONSENSUS.words(engine, ids(0, 1), 2, "consensus")

        assert cells(active) == [{0, 2}, {0, 3}]

    def test_places_left_over_by_the_consensus_go_by_the_synapses(self, engine):
        assert cells(BY_CONSENSUS.words(engine, ids(0), 3, "consensus")) == [{0, 2, 3}]

    def test_the_synapses_of_a_word_are_those_of_both_its_rows(self, engine):
        synapses = np.zeros((4, 4), np.float32)
        synapses[1, 1] = 0.2  # word 1 as context
        synapses[3, 2] = 0.3  # and as target
        coder = SynapseCoder(synapses, consensus=CONSENSUS)

        assert cells(coder.words(engine, ids(1), 3, "consensus")) == [{0, 2, 3}]

    @pytest.mark.parametrize("word_codes", ["synapses", "consensus"])
    def test_no_words_give_no_codes(self, engine, word_codes):
        assert BY_CONSENSUS.words(engine, ids(), 2, word_codes).cells.shape == (0, 2)

    @pytest.mark.parametrize("word", [-1, 2])
    @pytest.mark.parametrize("word_codes", ["synapses", "consensus"])
    def test_a_word_that_is_none_is_refused(self, engine, word, word_codes):
        with pytest.raises(ValueError, match="ids"):
            BY_CONSENSUS.words(engine, ids(0, word), 2, word_codes)

    def test_a_consensus_that_was_not_counted_is_told(self, engine):
        with pytest.raises(ValueError, match="has no consensus: set word_codes='synapses'"):
            CODER.words(engine, ids(0), 2, "consensus")


def model_of(coder, engine, **settings):
    vocabulary = Vocabulary(["fly", "moth"], [2, 2])
    word_codes = "synapses" if coder.consensus is None else "consensus"
    params = {"hash_length": 2, "word_codes": word_codes, "backend": engine.name, "n_jobs": 1}
    return FlyModel(vocabulary, coder, ModelSettings(**(params | settings)))


class TestMatrices:
    """The same as sparse matrices, as a model returns them."""

    @pytest.mark.parametrize("coder", [CODER, BY_CONSENSUS], ids=["synapses", "consensus"])
    def test_an_unknown_word_has_an_empty_row(self, engine, coder):
        model = model_of(coder, engine)
        known = [set(row.nonzero()[0]) for row in model.words(["fly", "moth"]).toarray()]
        found = [set(row.nonzero()[0]) for row in model.words(["moth", "bee", "fly"]).toarray()]

        assert found == [known[1], set(), known[0]]
        assert model.words(["bee"]).shape == (1, 4)
        assert model.words(["bee"]).nnz == 0
        assert model.words([]).shape == (0, 4)

    @pytest.mark.parametrize("dtype", [np.float32, np.int8, bool])
    def test_codes_have_the_dtype_asked_for(self, engine, dtype):
        model = model_of(CODER, engine, dtype=dtype)

        assert model.documents([["fly"]]).dtype == dtype
        assert model.words(["fly", "bee"]).dtype == dtype
        assert model.contexts([["fly"]], ["fly"]).dtype == dtype


class TestSums:
    texts = (["fly", "fly", "moth"], [], ["moth"] * 3)
    counts = np.array([[2, 1], [0, 0], [0, 3]])

    def sums(self, coder, engine, texts=texts, **settings):
        return model_of(coder, engine, document_codes="counts", **settings).documents(texts)

    def test_codes_of_words_are_added_as_often_as_the_word_comes(self, engine):
        assert self.sums(BY_CONSENSUS, engine).toarray().tolist() == [
            [3, 0, 2, 1],
            [0, 0, 0, 0],
            [3, 0, 0, 3],
        ]

    @pytest.mark.parametrize("coder", [CODER, BY_CONSENSUS], ids=["synapses", "consensus"])
    def test_it_is_the_product_of_counts_and_codes(self, engine, coder):
        expected = self.counts @ model_of(coder, engine).word_codes().toarray()

        np.testing.assert_array_equal(self.sums(coder, engine).toarray(), expected)

    @pytest.mark.parametrize("dtype", [np.float32, np.int64])
    def test_sums_have_the_dtype_asked_for(self, engine, dtype):
        assert self.sums(CODER, engine, dtype=dtype).dtype == dtype

    @pytest.mark.parametrize("coder", [CODER, BY_CONSENSUS], ids=["synapses", "consensus"])
    def test_documents_without_known_words_have_empty_rows(self, engine, coder):
        found = self.sums(coder, engine, texts=[[], ["bee"]])

        assert found.toarray().tolist() == [[0] * 4] * 2


class TestMostActive:
    def test_cells_come_by_falling_activation_and_a_word_counts_once(self, engine):
        found, activations = model_of(CODER, engine).most_active(ids(1, 0, 1, 1), 3)

        assert found.tolist() == [0, 1, 3]
        assert activations == pytest.approx([0.5, 0.5, 0.2])

    def test_no_more_than_there_are(self, engine):
        assert len(model_of(CODER, engine).most_active(ids(0), 99).cells) == 4

    def test_a_text_without_known_words_has_none(self, engine):
        assert model_of(CODER, engine).most_active(ids(), 2).cells.tolist() == []


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
    CODER = SynapseCoder(SYNAPSES, lateral=LATERAL)

    def by_consensus(self, *counts):
        consensus = np.array(counts, dtype=np.float32)
        return SynapseCoder(SYNAPSES, consensus=consensus, lateral=self.LATERAL)

    def test_cells_act_on_one_another_before_the_top_is_taken(self, engine):
        active = self.CODER.contexts(engine, ids(-1, 1), [ids(0), ids()], 2)

        assert cells(active) == [{0, 1}, {0, 1}]
        assert cells(self.CODER.bags(engine, bags([0]), 2)) == [{0, 1}]
        assert cells(self.CODER.words(engine, ids(1), 2, "synapses")) == [{0, 1}]

    def test_synapses_below_the_floor_are_not_passed_on(self, engine):
        synapses = np.array([[-1, 0, 0.5, 0.2], [0, 0, 0, 0]], dtype=np.float32)
        lateral = np.eye(4, dtype=np.float32)
        lateral[0, 1] = -1
        free = SynapseCoder(synapses, lateral=lateral)
        floored = replace(free, floor=0.0)

        assert cells(floored.bags(engine, bags([0], n_words=1), 1)) == [{2}]
        assert cells(free.bags(engine, bags([0], n_words=1), 1)) == [{1}]

    def test_a_word_has_the_code_of_its_connected_evidence(self, engine):
        coder = self.by_consensus([9, 0, 3, 0], [1, 5, 7, 20])

        # 2 has evidence too, but less than 3/4 of 0's
        assert cells(coder.words(engine, ids(0), 2, "consensus")) == [{0, 1}]

    def test_a_word_without_a_count_falls_back_on_its_synapses(self, engine):
        coder = self.by_consensus([0, 0, 0, 0], [1, 5, 7, 20])

        assert cells(coder.words(engine, ids(0), 2, "consensus")) == [{0, 2}]

    def test_activations_are_those_of_the_connected_cells(self, engine):
        active = self.CODER.bags(engine, bags([0]), 2)

        assert active.cells.tolist() == [[0, 1]]
        np.testing.assert_allclose(active.activations, [[0.5, 0.375]], atol=1e-3)

    def test_responses_add_up_to_the_activation(self, engine):
        for coder in (self.CODER, CODER):
            (found,), (activations,) = coder.bags(engine, bags([0, 1]), 4)
            added = coder.responses(engine, ids(0, 1)).sum(axis=0)
            np.testing.assert_allclose(added[found], activations, atol=1e-3)

    @pytest.mark.parametrize("lateral", [None, np.eye(4, dtype=np.float32)])
    def test_responses_are_not_below_the_floor(self, engine, lateral):
        coder = SynapseCoder(SYNAPSES, floor=0.25, lateral=lateral)

        expected = np.maximum(SYNAPSES, 0.25)
        strengths = coder.strengths(np.array([3]), np.array([1, 1]))
        np.testing.assert_allclose(strengths[:, 0], expected[2:, 3])
        np.testing.assert_allclose(coder.responses(engine, ids(1, 0)), expected[[1, 0]], atol=1e-3)

    @given(st.integers(0, 10_000))
    def test_the_same_input_has_the_same_code_in_any_company(self, seed):
        random = np.random.default_rng(seed)
        synapses = random.normal(size=(40, 9)).astype(np.float32)
        lateral = random.normal(size=(9, 9)).astype(np.float32)
        weights = random.random(20).astype(np.float32)
        engine = get_engine("numpy", 1)

        def fresh():  # with no response computed yet
            return SynapseCoder(synapses, lateral=lateral, weights=weights, largest=4)

        bag, others = random.choice(20, size=5, replace=False), random.choice(20, size=12)
        target, other = ids(*random.integers(20, size=2)).reshape(2, 1)
        alone = fresh().bags(engine, bags(bag, n_words=20), 3)
        among = fresh().bags(engine, bags(others, bag, n_words=20), 3)
        assert cells(alone) == cells(among)[1:]

        alone = fresh().contexts(engine, target, [bag], 3)
        coder = fresh()
        coder.contexts(engine, other, [others], 3)
        among = coder.contexts(engine, np.append(other, target), [others, bag], 3)
        assert cells(alone) == cells(among)[1:]


class TestStrengths:
    COUNTS = np.array([4, 9])

    def test_they_are_the_synapses_of_words_as_targets(self):
        found = CODER.strengths(np.array([3, 0]), self.COUNTS)

        np.testing.assert_allclose(found, SYNAPSES[2:][:, [3, 0]])

    def test_of_connected_cells_those_that_they_are_given(self):
        coder = TestLateral.CODER
        found = coder.strengths(np.array([1, 0]), self.COUNTS)

        np.testing.assert_allclose(found[:, 0], [0, 0.225], atol=1e-6)
        for column, cell in enumerate([1, 0]):
            alone = coder.strengths(np.array([cell]), self.COUNTS)
            np.testing.assert_array_equal(found[:, column], alone[:, 0])

    @pytest.mark.parametrize("lateral", [None, TestLateral.LATERAL])
    def test_ratios_of_words_seen_a_few_times_count_less(self, lateral):
        plain = SynapseCoder(SYNAPSES, lateral=lateral)
        ratios = replace(plain, log_ratios=True)
        every = np.arange(4)

        np.testing.assert_allclose(
            ratios.strengths(every, self.COUNTS),
            plain.strengths(every, self.COUNTS) * [[2], [3]],
            rtol=1e-6,
        )


class TestWeights:
    def test_a_word_counts_less_as_context_and_fully_as_target(self, engine):
        coder = SynapseCoder(SYNAPSES, weights=np.array([0.1, 1.0], dtype=np.float32))

        assert cells(coder.bags(engine, bags([0, 1]), 1)) == [{1}]
        assert cells(coder.contexts(engine, ids(1), [ids(0)], 1)) == [{3}]
        assert cells(coder.contexts(engine, ids(0), [ids(1)], 1)) == [{1}]


class TestMixtures:
    @pytest.mark.parametrize("lateral", [None, TestLateral.LATERAL])
    @pytest.mark.parametrize("consensus", [None, CONSENSUS])
    def test_a_mixture_of_one_word_is_the_word(self, engine, consensus, lateral):
        one = sparse.csr_array(np.array([[0, 3], [0.5, 0]], dtype=np.float32))
        coder = SynapseCoder(SYNAPSES, consensus=consensus, lateral=lateral)
        for word_codes in ["synapses"] if consensus is None else ["synapses", "consensus"]:
            assert cells(coder.mixtures(engine, one, 1, word_codes)) == cells(
                coder.words(engine, ids(1, 0), 1, word_codes)
            )

    def test_the_word_with_more_weight_decides(self, engine):
        weights = sparse.csr_array(np.array([[9, 1], [1, 9]], dtype=np.float32))

        assert cells(CODER.mixtures(engine, weights, 1, "synapses")) == [{2}, {3}]

    def test_a_mixture_of_nothing_has_no_cell(self, engine):
        nothing = sparse.csr_array((2, 2), dtype=np.float32)

        assert cells(BY_CONSENSUS.mixtures(engine, nothing, 1, "consensus")) == [set()] * 2


def test_each_row_of_scores_has_a_unit_of_its_own():
    # else words of which little is known would be lost in the rounding of those that are frequent
    scores = np.array([[2e6, -4e6], [3e-6, 1.5e-6], [0, 0]], dtype=np.float32)

    active = top_of_scores(get_engine("numpy"), scores, 2)
    np.testing.assert_allclose(active.activations, [[0.5, -1], [1, 0.5], [0, 0]])
    np.testing.assert_array_equal(active.cells, [[0, 1], [0, 1], [0, 1]])


class TestFiles:
    WHOLE = SynapseCoder(
        SYNAPSES,
        consensus=CONSENSUS,
        lateral=TestLateral.LATERAL,
        weights=np.array([0.5, 1], dtype=np.float32),
        largest=0.5,
        floor=0.0,
        log_ratios=True,
    )

    @pytest.mark.parametrize("coder", [WHOLE, CODER], ids=["whole", "synapses alone"])
    def test_a_coder_comes_back_from_its_arrays_and_numbers(self, coder):
        again = SynapseCoder.from_arrays(coder.arrays, coder.numbers, coder.n_words)

        assert again.arrays.keys() == coder.arrays.keys()
        for name, array in coder.arrays.items():
            np.testing.assert_array_equal(again.arrays[name], array)
        assert (again.largest, again.floor) == (coder.largest, coder.floor)
        assert again.log_ratios is coder.log_ratios

    @pytest.mark.parametrize("name", ["synapses", "consensus", "lateral", "weights"])
    def test_arrays_of_another_shape_or_type_are_refused(self, name):
        arrays = self.WHOLE.arrays
        for wrong in (arrays[name][:-1], arrays[name].astype(np.float64)):
            with pytest.raises((ValueError, TypeError), match=name):
                SynapseCoder.from_arrays(arrays | {name: wrong}, self.WHOLE.numbers, 2)

    @pytest.mark.parametrize(
        "wrong", [{"largest": -1.0}, {"largest": np.inf}, {"largest": np.nan}, {"floor": 0.3}]
    )
    def test_numbers_that_none_can_be_are_refused(self, wrong):
        with pytest.raises(ValueError, match="largest is"):
            SynapseCoder.from_arrays(self.WHOLE.arrays, self.WHOLE.numbers | wrong, 2)

    def test_it_is_frozen(self):
        with pytest.raises(FrozenInstanceError):
            CODER.floor = 0.0

    def test_a_pickle_has_no_responses_that_can_be_computed_again(self):
        engine, coder = get_engine("numpy"), replace(self.WHOLE)
        before = pickle.dumps(coder)
        active = coder.bags(engine, bags([0, 1]), 2)

        assert len(pickle.dumps(coder)) == len(before)
        again = pickle.loads(before).bags(engine, bags([0, 1]), 2)
        np.testing.assert_array_equal(again.cells, active.cells)

    def test_cell_counts_are_the_sums_of_the_consensus(self):
        assert BY_CONSENSUS.cell_counts.tolist() == [8, 0, 1, 8]
        assert CODER.cell_counts is None
