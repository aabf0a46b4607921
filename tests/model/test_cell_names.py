"""Names of cells."""

import numpy as np
import pytest

from skfly import FlyHashVectorizer
from skfly.model._cell_names import name_cells

TEXTS = ["ripe fruit smells sweet", "the bank lends money"] * 30


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=3, random_state=0).fit(TEXTS)


def test_stop_words_single_characters_and_words_that_inhibit_are_left_out():
    strengths = [np.array([5.0, 4.0, -3.0, 1.0])]
    assert name_cells(strengths, ["the", "x", "moth", "fly"], 3) == [("fly",)]


def test_equally_strong_words_come_in_the_order_of_the_vocabulary():
    assert name_cells([np.ones(3)], ["moth", "fly", "bee"], 2) == [("moth", "fly")]


def test_every_cell_has_the_first_of_its_words_without_stop_words(fly):
    names = fly.model_.cell_names(n_words=2)

    assert len(names) == 20
    for name, cell in zip(names, fly.model_.describe_cells(range(20), 8), strict=True):
        expected = [word for word, _ in cell.words if word != "the"][:2]
        assert list(name) == expected[: len(name)]
        assert name


def test_names_are_the_same_every_time_and_after_a_file(fly, tmp_path):
    fly.save(tmp_path / "a.skfly")
    again = FlyHashVectorizer.load(tmp_path / "a.skfly")
    assert again.model_.cell_names() == fly.model_.cell_names()


def test_names_of_columns_have_the_number_and_the_words(fly):
    names = fly.cell_feature_names(n_words=2)

    assert names[17] == "_".join(["cell", "17", *fly.model_.cell_names(2)[17]])
    assert len(set(names)) == 20


def test_no_words_are_refused(fly):
    with pytest.raises(ValueError, match="n_words must be at least 1; got 0"):
        fly.model_.cell_names(0)
