import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skfly.codes import KenyonCell, describe_cell

WORDS = ["fly", "moth", "bee"]
SYNAPSES = np.array([[9, 0], [9, 9], [9, 9], [0.1, 0.3], [0.3, 0.3], [0.2, 0.4]], dtype=np.float32)


def test_words_come_by_falling_synapse_as_targets():
    cell = describe_cell(SYNAPSES, WORDS, 0, 1.5, n_words=3, temperature=0.1)

    assert isinstance(cell, KenyonCell)
    assert (cell.number, cell.activation) == (0, 1.5)
    assert [word for word, _ in cell.words] == ["moth", "bee", "fly"]


def test_equally_likely_words_come_in_the_order_of_the_vocabulary():
    cell = describe_cell(SYNAPSES, WORDS, 1, 0.0, n_words=3, temperature=0.1)

    assert [word for word, _ in cell.words] == ["bee", "fly", "moth"]


def test_a_difference_of_one_temperature_is_a_factor_of_e():
    # the strongest synapse is 0.3, the next 0.2: a third of it
    (_, first), (_, second) = describe_cell(SYNAPSES, WORDS, 0, 0.0, 2, temperature=1 / 3).words

    assert first / second == pytest.approx(np.e, rel=1e-5)


@pytest.mark.parametrize(("n_words", "given_"), [(1, 1), (2, 2), (30, 3)])
def test_as_many_words_as_asked_for_or_as_there_are(n_words, given_):
    assert len(describe_cell(SYNAPSES, WORDS, 0, 0.0, n_words, 0.1).words) == given_


@given(
    hnp.arrays(np.float32, (12, 2), elements=st.floats(-1, 1, width=32)),
    st.integers(0, 1),
    st.floats(1e-4, 10),
)
def test_probabilities_of_the_whole_vocabulary_sum_to_one(synapses, cell, temperature):
    words = [f"w{i}" for i in range(6)]

    described = describe_cell(synapses, words, cell, 0.0, n_words=6, temperature=temperature)
    chances = [chance for _, chance in described.words]

    assert sorted(word for word, _ in described.words) == words
    assert sum(chances) == pytest.approx(1)
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)


def test_the_unit_of_the_synapses_does_not_matter():
    cell = describe_cell(SYNAPSES, WORDS, 0, 0.0, 3, temperature=0.5)
    scaled = describe_cell(SYNAPSES * np.float32(0.01), WORDS, 0, 0.0, 3, temperature=0.5)

    assert [p for _, p in cell.words] == pytest.approx([p for _, p in scaled.words], rel=1e-5)


def test_a_cell_without_synapses_stands_for_every_word_alike():
    cell = describe_cell(np.zeros((4, 1), np.float32), ["fly", "bee"], 0, 0.0, 2, 0.1)

    assert cell.words == [("fly", 0.5), ("bee", 0.5)]
