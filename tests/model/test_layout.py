"""Where cells lie in pictures, and what they are called."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from skfly import DocumentIndex, FlyHashVectorizer, FlyModel
from skfly._model_file import read_model_file, write_model_file
from skfly.model import ModelSettings, WhitenedCoder
from skfly.model._layout import CellLayout, arrange_cells
from skfly.model._names import distinctive_words, is_stop_word, name_regions
from skfly.text import Vocabulary


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


def test_without_words_cells_have_places_all_the_same():
    layout = arrange_cells(sparse.csr_array((0, 12), dtype=np.float32))
    assert sorted(layout.places.tolist()) == list(range(12))


def same(left, right):
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


@pytest.fixture
def compute_no_more(monkeypatch):
    """Return a function after which every computation of a layout fails."""
    fail = partial(pytest.fail, "a layout was computed")
    return lambda: monkeypatch.setattr("skfly.model._model.arrange_cells", lambda _: fail())


def without_layout(path):
    """Write a file again as older versions did."""
    arrays, content = read_model_file(path)
    kept = {name: array for name, array in arrays.items() if not name.startswith("layout.")}
    assert len(kept) == len(arrays) - 2
    write_model_file(path, kept, content)


class TestOfAModel:
    @pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian", "comply"])
    def test_it_does_not_depend_on_settings(self, make_fly, documents, learning):
        model = make_fly(learning=learning).fit(documents).model_
        for settings in ({"hash_length": 1}, {"hash_length": 20}, {"word_codes": "synapses"}):
            before = model.with_(**settings)
            assert same(before.cell_layout(), model.cell_layout())
            assert model.with_(**settings).cell_layout() is model.cell_layout()

    def test_it_is_by_short_and_by_long_codes(self):
        random = np.random.default_rng(0)
        vectors, cells, long_cells = (random.standard_normal((n, 6)) for n in (80, 30, 30))
        words = Vocabulary([f"w{i}" for i in range(80)], np.ones(80, np.int64))
        coder = WhitenedCoder.from_floats(vectors, np.ones(80), cells.T, long_cells.T)
        short, long = (FlyModel(words, coder, ModelSettings(hash_length=n)) for n in (1, 29))
        only_short = FlyModel(words, replace(coder, long_cells=None), short.settings)
        assert same(short.cell_layout(), long.cell_layout())
        assert not same(short.cell_layout(), only_short.cell_layout())

    @pytest.mark.parametrize("mmap", [False, True])
    @pytest.mark.parametrize("compact", [False, True])
    def test_it_comes_back_from_a_file(self, fitted, tmp_path, mmap, compact, compute_no_more):
        fitted.save(tmp_path / "fly", compact=compact)
        expected = fitted.model_.cell_layout()
        compute_no_more()
        loaded = FlyHashVectorizer.load(tmp_path / "fly", mmap=mmap)
        assert same(loaded.model_.cell_layout(), expected)
        assert same(loaded.set_params(hash_length=9).model_.cell_layout(), expected)
        model = FlyModel.load(tmp_path / "fly", mmap=mmap)
        for again in (model, model.compact(), pickle.loads(pickle.dumps(model))):
            again.save(tmp_path / "again")
            assert same(FlyModel.load(tmp_path / "again").cell_layout(), expected)

    def test_a_compact_model_has_that_of_the_full_one(self, fitted, compute_no_more):
        compact = fitted.model_.compact()
        compute_no_more()
        assert same(compact.cell_layout(), fitted.model_.cell_layout())

    @pytest.mark.parametrize("mmap", [False, True])
    def test_older_files_have_none_and_get_the_same(self, fitted, tmp_path, mmap):
        fitted.save(tmp_path / "fly")
        without_layout(tmp_path / "fly")
        model = FlyModel.load(tmp_path / "fly", mmap=mmap)
        assert model.layout is None
        assert same(model.cell_layout(), fitted.model_.cell_layout())

    def test_it_is_no_part_of_the_fingerprint(self, fitted, tmp_path):
        fitted.save(tmp_path / "fly")
        loaded = FlyModel.load(tmp_path / "fly")
        assert loaded.fingerprint() == replace(loaded, layout=None).fingerprint()
        assert loaded.fingerprint() == fitted.model_.fingerprint()

    def test_cells_that_learn_further_are_arranged_anew(self, fitted, documents, tmp_path):
        fitted.save(tmp_path / "fly")
        fly = FlyHashVectorizer.load(tmp_path / "fly")
        fly.partial_fit([f"{text} {text}" for text in documents[::2]])
        assert fly.model_.layout is None
        fly.save(tmp_path / "fly")
        loaded = FlyModel.load(tmp_path / "fly")
        assert same(loaded.cell_layout(), replace(loaded, layout=None).cell_layout())
        assert not same(loaded.cell_layout(), fitted.model_.cell_layout())

    def test_an_index_keeps_it(self, fitted, tmp_path, compute_no_more):
        expected = fitted.model_.cell_layout()
        compute_no_more()
        index = DocumentIndex(fitted)
        index.add(["ripe fruit"])
        index.save(tmp_path / "index")
        arrays, _ = read_model_file(tmp_path / "index")
        assert arrays["model.layout.places"].tolist() == expected.places.tolist()
        DocumentIndex.load(tmp_path / "index").save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "index").read_bytes()

    def test_a_model_is_saved_whatever_its_backend(self, fitted, tmp_path):
        model = replace(fitted.model_.with_(backend="cupy"), layout=None)
        model.save(tmp_path / "model")
        assert same(FlyModel.load(tmp_path / "model").cell_layout(), fitted.model_.cell_layout())

    def test_that_of_other_cells_is_refused(self, fitted, make_fly, documents):
        other = make_fly(n_kenyon_cells=9).fit(documents).model_.cell_layout()
        with pytest.raises(ValueError, match="the layout is of 9 cells, but there are 20"):
            replace(fitted.model_, layout=other)


@pytest.mark.parametrize("n_cells", [1, 2, 7, 300, 65_536, 65_537])
def test_places_take_few_bytes_in_a_file(n_cells):
    places = np.random.default_rng(0).permutation(n_cells)
    arrays = CellLayout(1, n_cells, places, places % 10).arrays
    assert arrays["places"].itemsize == (2 if n_cells <= 2**16 else 4)
    assert arrays["regions"].itemsize == 1
    again = CellLayout.from_arrays(arrays, n_cells)
    assert again.n_rows * again.n_columns - n_cells < again.n_columns
    np.testing.assert_array_equal(again.places, places)
    np.testing.assert_array_equal(again.regions, places % 10)


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


def test_a_region_is_named_by_a_typical_word_of_it():
    layout = CellLayout(1, 4, np.arange(4), np.array([0, 0, 0, 1]))
    rows = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    words = ["river", "lake", "shore", "roughly", "bank"]
    names = name_regions(sparse.csr_array(rows), layout, words, np.array([7, 6, 5, 9, 8]))
    assert names == ["river, lake, shore", "bank"]


def test_stop_words():
    assert all(map(is_stop_word, ["the", "The", "in", "12", "<NUM>", "didn", "-"]))
    assert not any(map(is_stop_word, ["river", "苹果", "ja-nein"]))
