"""Where cells lie in pictures, and what they are called."""

import numpy as np
import pytest
from scipy import sparse

from skfly.model._layout import arrange_cells
from skfly.model._names import distinctive_words, is_stop_word


def planted(n_groups=6, size=20, n_words=600):
    """Codes of words of some topics, each of which has cells of its own, in no order."""
    random = np.random.RandomState(1)
    shuffled = random.permutation(n_groups * size)
    rows = np.repeat(np.arange(n_words), 8)
    within = random.randint(0, size, len(rows))
    columns = shuffled[(rows % n_groups) * size + within]
    codes = np.zeros((n_words, n_groups * size), np.float32)
    codes[rows, columns] = 1
    group = np.empty(n_groups * size, int)
    group[shuffled] = np.arange(n_groups * size) // size
    return sparse.csr_array(codes), group


def test_cells_of_the_same_words_lie_side_by_side():
    codes, group = planted()
    layout = arrange_cells(codes)
    at = np.full(layout.n_rows * layout.n_columns, -1)
    at[layout.places] = group
    grid = at.reshape(layout.n_rows, layout.n_columns)
    same = [grid[:, 1:] == grid[:, :-1], grid[1:] == grid[:-1]]
    # by chance, one of six neighbours would be of the same group
    assert np.mean(np.concatenate([pairs.ravel() for pairs in same])) > 0.6


@pytest.mark.parametrize("n_cells", [1, 2, 7, 40, 1100])
def test_every_cell_has_a_place_of_its_own(n_cells):
    codes = sparse.random_array((50, n_cells), density=0.1, random_state=0, format="csr")
    layout = arrange_cells(codes)
    assert len(set(layout.places.tolist())) == n_cells
    assert layout.places.max() < layout.n_rows * layout.n_columns
    assert layout.n_rows * layout.n_columns - n_cells < layout.n_columns
    assert set(layout.regions.tolist()) == set(range(min(10, n_cells)))


def test_cells_that_no_word_uses():
    layout = arrange_cells(sparse.csr_array((5, 12), dtype=np.float32))
    assert sorted(layout.places.tolist()) == list(range(12))


def test_the_same_codes_give_the_same_layout():
    codes, _ = planted()
    first, second = arrange_cells(codes), arrange_cells(codes.copy())
    np.testing.assert_array_equal(first.places, second.places)
    np.testing.assert_array_equal(first.regions, second.regions)


def test_a_layout_does_not_depend_on_the_hash_length(fitted):
    model = fitted.model_
    shorter = model.with_(hash_length=1)
    np.testing.assert_array_equal(model.cell_layout().places, shorter.cell_layout().places)


def test_names_of_cells(fitted):
    names = fitted.model_.cell_names(2)
    assert len(names) == fitted.model_.n_cells
    assert names == fitted.model_.cell_names(2)
    known = fitted.model_.known_words()
    for words in names:
        assert 1 <= len(words) <= 2
        assert all(word in known for word in words)
    with pytest.raises(ValueError, match="at least 1; got 0"):
        fitted.model_.cell_names(0)


def test_words_of_few_cells_make_names():
    words = [["money", "bank", "loan"], ["money", "river", "shore"], ["money", "coin", "mint"]]
    assert distinctive_words(words, 2) == [("bank", "loan"), ("river", "shore"), ("coin", "mint")]


def test_stop_words():
    assert all(map(is_stop_word, ["the", "The", "in", "12", "<NUM>", "didn", "-"]))
    assert not any(map(is_stop_word, ["river", "苹果", "ja-nein"]))
