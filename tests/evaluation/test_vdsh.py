"""The protocol of the papers on semantic hashing."""

import pytest

from skfly.evaluation import LabelledTexts, vdsh_split


@pytest.fixture
def data():
    texts = tuple(f"plum pear fig quince medlar word{i} the" for i in range(100))
    return LabelledTexts("fruit", texts[:70], ("a",) * 70, texts[70:], ("b",) * 30)


def test_sixty_twenty_twenty_at_random(data):
    test, validation = vdsh_split(data), vdsh_split(data, "validation")
    assert len(test.train_texts) == 60
    assert len(test.test_texts) == len(validation.test_texts) == 20
    assert test.train_texts == validation.train_texts
    assert set(test.train_labels) == set(test.test_labels) == {"a", "b"}  # both old parts
    names = [*test.train_texts, *test.test_texts, *validation.test_texts]
    assert all(name.startswith("plum pear fig quince medlar") for name in names)
    assert vdsh_split(data, random_state=1).train_texts != test.train_texts


def test_words_are_those_of_the_training_part_without_stop_words(data):
    split = vdsh_split(data)
    assert "the" not in split.train_texts[0].split()
    assert len(split.train_texts[0].split()) == 6
    assert {len(text.split()) for text in split.test_texts} == {5}  # their last word is new
    few = vdsh_split(data, n_words=5)
    assert set(few.train_texts) == {"plum pear fig quince medlar"}


def test_texts_of_five_to_five_hundred_words():
    texts = ("plum " * 4, "plum " * 5, "plum " * 500, "plum " * 501) * 10
    data = LabelledTexts("fruit", texts, ("x,y",) * 40, ("plum " * 9,), ("x",), True)
    split = vdsh_split(data)
    lengths = {len(text.split()) for text in (*split.train_texts, *split.test_texts)}
    assert lengths <= {5, 9, 500}
    assert {5, 500} <= lengths
    assert split.several_topics


def test_no_such_part(data):
    with pytest.raises(ValueError, match="part must be 'test' or 'validation'; got 'train'"):
        vdsh_split(data, "train")


def test_newsgroups_are_read_without_headers_footers_and_quotes(tmp_path):
    for part in ("train", "test"):
        for i in range(10):
            file = tmp_path / f"20news-bydate-{part}" / "rec.fruit" / str(i)
            file.parent.mkdir(parents=True, exist_ok=True)
            body = "plum pear fig quince medlar\n> quoted\n\n--\nsigned"
            file.write_text(f"From: fly\n\n{body}")
    split = vdsh_split(tmp_path)
    assert set(split.train_texts) == {"plum pear fig quince medlar"}
    assert split.name == "20 Newsgroups, no headers, footers, quotes, VDSH split"
