import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skfly.codes import KenyonCell, describe_cell

WORDS = ["fly", "moth", "bee"]
RESPONSES = np.array([0.1, 0.3, 0.2], dtype=np.float32)


def test_words_come_by_falling_response():
    cell = describe_cell(7, 1.5, RESPONSES, WORDS, n_words=3, temperature=0.1)

    assert isinstance(cell, KenyonCell)
    assert (cell.number, cell.activation) == (7, 1.5)
    assert [word for word, _ in cell.words] == ["moth", "bee", "fly"]


def test_equally_likely_words_come_in_the_order_of_the_vocabulary():
    cell = describe_cell(0, 0.0, np.array([0.3, 0.3, 0.4]), WORDS, n_words=3, temperature=0.1)

    assert [word for word, _ in cell.words] == ["bee", "fly", "moth"]


def test_many_equally_likely_words_come_in_that_order_too():
    words = [f"w{i}" for i in range(200)]
    responses = np.tile([0.2, 0.1], 100)

    cell = describe_cell(0, 0.0, responses, words, n_words=200, temperature=0.5)

    assert [word for word, _ in cell.words] == words[::2] + words[1::2]


def test_a_difference_of_one_temperature_is_a_factor_of_e():
    # the strongest response is 0.3, the next 0.2: a third of it
    (_, first), (_, second) = describe_cell(0, 0.0, RESPONSES, WORDS, 2, temperature=1 / 3).words

    assert first / second == pytest.approx(np.e, rel=1e-5)


@pytest.mark.parametrize(("n_words", "given_"), [(1, 1), (2, 2), (30, 3)])
def test_as_many_words_as_asked_for_or_as_there_are(n_words, given_):
    assert len(describe_cell(0, 0.0, RESPONSES, WORDS, n_words, 0.1).words) == given_


@given(
    hnp.arrays(np.float32, (6,), elements=st.floats(-1, 1, width=32)),
    st.floats(1e-4, 10),
)
def test_probabilities_of_the_whole_vocabulary_sum_to_one(responses, temperature):
    words = [f"w{i}" for i in range(6)]

    described = describe_cell(0, 0.0, responses, words, n_words=6, temperature=temperature)
    chances = [chance for _, chance in described.words]

    assert sorted(word for word, _ in described.words) == words
    assert sum(chances) == pytest.approx(1)
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)


def test_the_unit_of_the_responses_does_not_matter():
    cell = describe_cell(0, 0.0, RESPONSES, WORDS, 3, temperature=0.5)
    scaled = describe_cell(0, 0.0, RESPONSES * np.float32(0.01), WORDS, 3, temperature=0.5)

    assert [p for _, p in cell.words] == pytest.approx([p for _, p in scaled.words], rel=1e-5)


def test_a_cell_without_a_response_stands_for_every_word_alike():
    cell = describe_cell(0, 0.0, np.zeros(2), ["fly", "bee"], 2, 0.1)

    assert cell.words == [("fly", 0.5), ("bee", 0.5)]
