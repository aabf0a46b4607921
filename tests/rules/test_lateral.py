import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from threadpoolctl import threadpool_limits

from skfly.model import evidence
from skfly.rules._lateral import LATERAL_STEPS, _by_rank, _power, _rank_weights, learn_lateral


def planted(seed=0, n_words=600, n_topics=12, cells_per_topic=4):
    """Words of topics, and cells of which several stand for the same topic."""
    random = np.random.default_rng(seed)
    topics = random.integers(n_topics, size=n_words)
    cells = np.repeat(np.arange(n_topics), cells_per_topic)
    rate = np.where(topics[:, None] == cells, 20.0, 0.5)
    return random.poisson(rate).astype(np.float32), topics


class TestEvidence:
    def test_by_hand(self):
        counts = np.array([[3, 1, 0]], dtype=np.float32)
        # expected: 4 words, of which 1/2, 1/4, 1/4
        found = evidence(counts, np.array([20, 10, 10], dtype=np.float32))

        np.testing.assert_allclose(found, [[np.log(3 / 2), 0, 0]], rtol=1e-6)

    @given(hnp.arrays(np.float32, (5, 4), elements=st.integers(0, 1000)))
    def test_it_is_finite_and_never_below_zero(self, counts):
        found = evidence(counts, counts.sum(axis=0))

        assert np.isfinite(found).all()
        assert (found >= 0).all()
        assert not found[counts == 0].any()

    def test_more_text_of_the_same_kind_changes_nothing(self):
        counts, _ = planted()

        np.testing.assert_allclose(
            evidence(counts, counts.sum(axis=0)),
            evidence(7 * counts, 7 * counts.sum(axis=0)),
            atol=1e-5,
        )


class TestLearnLateral:
    def test_too_few_words_for_a_map(self):
        counts, _ = planted(n_words=95)

        assert learn_lateral(counts, 0.25) is None

    def test_words_that_never_came_do_not_count(self):
        counts, _ = planted(n_words=100)
        counts[90:] = 0

        assert learn_lateral(counts, 0.25) is None

    def test_without_decorrelation_it_is_a_rotation(self):
        counts, _ = planted()
        lateral = learn_lateral(counts, 0.0)

        np.testing.assert_allclose(lateral.T @ lateral, np.eye(48), atol=1e-4)

    def test_decorrelation_makes_cells_that_respond_alike_differ(self):
        counts, _ = planted()
        known = evidence(counts, counts.sum(axis=0))

        def alike(decorrelation):
            moved = known @ learn_lateral(counts, decorrelation)
            return np.abs(np.corrcoef(moved.T) - np.eye(48)).mean()

        assert alike(1.0) < alike(0.5) < alike(0.0)

    def test_whole_decorrelation_leaves_no_correlation(self):
        random = np.random.default_rng(0)
        counts = random.poisson(5 * random.gamma(1.0, size=(600, 24))).astype(np.float32)
        moved = evidence(counts, counts.sum(axis=0)) @ learn_lateral(counts, 1.0)
        moments = moved.T @ moved

        np.testing.assert_allclose(moments / moments.trace() * 24, np.eye(24), atol=0.02)

    def test_cells_stay_what_they_are(self):
        random = np.random.default_rng(0)
        rate = random.gamma(0.2, size=(600, 48)) * random.gamma(2, size=(600, 1))
        lateral = learn_lateral(random.poisson(50 * rate).astype(np.float32), 0.25)

        assert (np.abs(lateral).argmax(axis=0) == np.arange(48)).all()

    def test_cells_that_no_word_has_stay_what_they_are(self):
        counts = np.random.default_rng(0).integers(1, 9, size=(600, 48)).astype(np.float32)
        unused = [3, 20, 21, 47]
        counts[:, unused] = 0
        lateral = learn_lateral(counts, 0.0)

        np.testing.assert_allclose(lateral[np.ix_(unused, unused)], np.eye(4), atol=1e-3)

    def test_the_rotation_brings_evidence_nearer_to_its_codes(self):
        counts, _ = planted(cells_per_topic=2)
        known = evidence(counts, counts.sum(axis=0))
        known /= np.linalg.norm(known, axis=1, keepdims=True)

        def loss(moved):
            top = np.sort(moved, axis=1)[:, -4:].sum(axis=1)
            return 1 - top.mean() / 2  # the part of a unit code of 4 that is missed

        assert loss(known @ learn_lateral(counts, 0.0)) < loss(known)

    def test_the_number_of_threads_does_not_show(self):
        counts, _ = planted()
        with threadpool_limits(1):
            one = learn_lateral(counts, 0.25)
        with threadpool_limits(2):
            two = learn_lateral(counts, 0.25)

        np.testing.assert_array_equal(one, two)

    def test_the_number_of_our_own_threads_does_not_show(self, monkeypatch):
        monkeypatch.setattr("skfly.rules._lateral._WORDS_AT_A_TIME", 100)
        counts, _ = planted()

        one, two, seven = (learn_lateral(counts, 0.25, n_threads=n) for n in (1, 2, 7))

        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, seven)

    def test_steps_are_told(self):
        counts, _ = planted()
        told = []
        learn_lateral(counts, 0.25, told.append)

        assert told == [600] * LATERAL_STEPS

    @pytest.mark.parametrize("decorrelation", [0.0, 0.25, 1.0])
    @given(seed=st.integers(0, 100))
    def test_it_is_finite_for_any_counts(self, decorrelation, seed):
        random = np.random.default_rng(seed)
        counts = random.integers(0, 3, size=(20, 5)) * (random.random((20, 5)) < 0.3)
        counts[:, 0] += 1  # every word was seen; one cell for all, some perhaps for none

        assert np.isfinite(learn_lateral(counts.astype(np.float32), decorrelation)).all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_power_of_moments_is_that_of_their_shares(scale):
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    moments = turn @ np.diag([1.0, 3.0]) @ turn.T

    found = _power((scale * moments).astype(np.float32), -0.5)

    # of a mean of 2, with a thousandth added
    shares = np.array([0.501, 1.501]) ** -0.5
    np.testing.assert_allclose(found, turn @ np.diag(shares) @ turn.T, rtol=1e-4)


def test_ranks_are_those_of_a_sort():
    activations = np.random.default_rng(0).standard_normal((200, 400)).astype(np.float32)
    weights = np.arange(128, 0, -1).astype(np.float32)

    found = _by_rank(activations, weights)

    ranked = np.argsort(-activations, axis=1)
    expected = np.zeros_like(activations)
    np.put_along_axis(expected, ranked[:, :128], weights, axis=1)
    np.testing.assert_array_equal(found, expected)


class TestRankWeights:
    def test_each_length_is_a_code_of_unit_length(self):
        # codes of 4 and 8; 16 would be more than a third of the cells
        np.testing.assert_allclose(
            _rank_weights(24), [1 / 2 + 1 / np.sqrt(8)] * 4 + [1 / np.sqrt(8)] * 4, rtol=1e-6
        )

    @pytest.mark.parametrize(
        ("n_cells", "longest"), [(2, 1), (12, 4), (400, 128), (600, 128), (601, 64), (5000, 64)]
    )
    def test_the_longest_code_that_is_aimed_at(self, n_cells, longest):
        assert len(_rank_weights(n_cells)) == longest
