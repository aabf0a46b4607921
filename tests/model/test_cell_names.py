"""Names of cells."""

import pytest

from skfly import FlyHashVectorizer

TEXTS = ["ripe fruit smells sweet", "the bank lends money"] * 30


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=3, random_state=0).fit(TEXTS)


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
    with pytest.raises(ValueError, match="of must be 'words' or 'documents'; got 'cells'"):
        fly.model_.cell_names(of="cells")
