import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skfly.model import FlyModel, KenyonCell, ModelSettings, SynapseCoder
from skfly.model._cells import likeliest_words, word_probabilities
from skfly.text import Vocabulary

WORDS = ["fly", "moth", "bee"]
STRENGTHS = np.array([0.1, 0.3, 0.2])


def words_of(strengths, words, n_words, temperature):
    return likeliest_words(word_probabilities(strengths, temperature), words, n_words)


def test_words_come_by_falling_strength():
    described = words_of(STRENGTHS, WORDS, n_words=3, temperature=0.1)

    assert [word for word, _ in described] == ["moth", "bee", "fly"]


def test_equally_likely_words_come_in_the_order_of_the_vocabulary():
    described = words_of(np.array([0.3, 0.3, 0.4]), WORDS, n_words=3, temperature=0.1)

    assert [word for word, _ in described] == ["bee", "fly", "moth"]


def test_many_equally_likely_words_come_in_that_order_too():
    words = [f"w{i}" for i in range(200)]

    described = words_of(np.tile([0.2, 0.1], 100), words, n_words=200, temperature=0.5)

    assert [word for word, _ in described] == words[::2] + words[1::2]


@given(
    hnp.arrays(float, st.integers(1, 30), elements=st.sampled_from([0.0, 0.1, 0.2, 0.3])),
    st.integers(1, 31),
)
def test_few_words_are_the_first_of_all(probabilities, n_words):
    words = [f"w{i}" for i in range(len(probabilities))]
    every = likeliest_words(probabilities, words, len(words))

    assert likeliest_words(probabilities, words, n_words) == every[:n_words]


def test_a_difference_of_one_temperature_is_a_factor_of_e():
    # the strongest is 0.3, the next 0.2: a third of it
    (_, first), (_, second) = words_of(STRENGTHS, WORDS, 2, temperature=1 / 3)

    assert first / second == pytest.approx(np.e, rel=1e-5)


@pytest.mark.parametrize(("n_words", "given_"), [(1, 1), (2, 2), (30, 3)])
def test_as_many_words_as_asked_for_or_as_there_are(n_words, given_):
    assert len(words_of(STRENGTHS, WORDS, n_words, 0.1)) == given_


@given(
    hnp.arrays(np.float64, (6,), elements=st.floats(-1, 1, width=32)),
    st.floats(1e-4, 10),
)
def test_probabilities_of_the_whole_vocabulary_sum_to_one(strengths, temperature):
    words = [f"w{i}" for i in range(6)]

    described = words_of(strengths, words, n_words=6, temperature=temperature)
    chances = [chance for _, chance in described]

    assert sorted(word for word, _ in described) == words
    assert sum(chances) == pytest.approx(1)
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)


def test_the_unit_of_the_strengths_does_not_matter():
    chances = word_probabilities(STRENGTHS, temperature=0.5)
    scaled = word_probabilities(STRENGTHS * 0.01, temperature=0.5)

    assert chances == pytest.approx(scaled, rel=1e-5)


def test_a_cell_without_a_strength_stands_for_every_word_alike():
    assert words_of(np.zeros(2), ["fly", "bee"], 2, 0.1) == [("fly", 0.5), ("bee", 0.5)]


class TestOfAModel:
    """Cell 0 stands for the fly, cell 1 for moth and bee alike, cell 2 for nothing."""

    AS_TARGET = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0]], dtype=np.float32)

    @pytest.fixture
    def model(self):
        coder = SynapseCoder(np.concatenate([self.AS_TARGET, self.AS_TARGET]))
        settings = ModelSettings(hash_length=1, word_codes="synapses", backend="numpy")
        return FlyModel(Vocabulary(WORDS, [1, 1, 1]), coder, settings)

    def test_cells_are_described_in_the_order_they_are_asked_for(self, model):
        cells = model.describe_cells([1, 0], n_words=2, activations=[1.5, 2.5])

        assert all(isinstance(cell, KenyonCell) for cell in cells)
        assert [(cell.number, cell.activation) for cell in cells] == [(1, 1.5), (0, 2.5)]
        assert [[word for word, _ in cell.words] for cell in cells] == [
            ["moth", "bee"],
            ["fly", "moth"],
        ]

    def test_more_cells_than_are_taken_at_a_time(self, model):
        cells = model.describe_cells([0, 1] * 40, n_words=1)

        assert [cell.words[0][0] for cell in cells] == ["fly", "moth"] * 40
        assert {cell.activation for cell in cells} == {0.0}

    def test_the_cells_of_a_text_come_by_falling_activation(self, model):
        cells = model.cells(["moth", "bee", "fly", "moth"], n_cells=2, n_words=1)

        assert [(cell.number, cell.activation) for cell in cells] == [
            (1, pytest.approx(2)),
            (0, pytest.approx(1)),
        ]
        assert model.cells(["unknown"]) == []

    def test_the_breadth_of_a_cell_is_the_number_of_its_words(self, model):
        np.testing.assert_allclose(model.cell_breadths(temperature=0.01), [1, 2, 3], rtol=1e-6)

    @pytest.mark.parametrize("temperature", [0, -1, np.nan])
    def test_a_temperature_that_is_none(self, model, temperature):
        with pytest.raises(ValueError, match="temperature must be positive"):
            model.describe_cells([0], temperature=temperature)

    @pytest.mark.parametrize("wrong", [{"n_cells": 0}, {"n_words": 0}])
    def test_no_cells_and_no_words(self, model, wrong):
        with pytest.raises(ValueError, match="must be at least 1"):
            model.cells(["fly"], **wrong)
