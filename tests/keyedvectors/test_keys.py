import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly import FlyKeyedVectors
from skfly.keyedvectors._keys import KeyList, KeyPlaces, KeyTable

any_words = st.lists(st.text(st.characters(), max_size=12), unique=True, max_size=60)
WORDS = ["fly", "", "moth", "Käfer", "蝇", "\0", "\udcff", "a b", "ÿ", "fly\n", "bee"]


@pytest.fixture
def words():
    return KeyList(KeyTable.of(WORDS))


@pytest.fixture
def places():
    return KeyPlaces(KeyTable.of(WORDS))


@given(any_words, any_words)
def test_every_word_is_found_and_no_other(words, others):
    table = KeyTable.of(words)
    table.check()

    assert len(table) == len(words)
    assert [table.find(word) for word in words] == list(range(len(words)))
    assert [table.word(i).decode("utf-8", "surrogatepass") for i in range(len(words))] == words
    for word in set(others) - set(words):
        assert table.find(word) == -1


def test_many_words():
    words = [str(number) for number in range(30_000)]
    table = KeyTable.of(words)

    assert all(table.find(word) == i for i, word in enumerate(words))
    assert list(KeyList(table)) == words
    assert all(table.find(f"{word}x") == -1 for word in words)
    n_bytes = table.text.nbytes + table.starts.nbytes + table.slots.nbytes
    assert n_bytes < sum(map(len, words)) + 7 * len(words)


def test_words_with_the_same_checksum(monkeypatch):
    monkeypatch.setattr("skfly.keyedvectors._keys.crc32", lambda word: 2**32 - 1)
    table = KeyTable.of(WORDS)
    table.check()

    assert [table.find(word) for word in WORDS] == list(range(len(WORDS)))
    assert table.find("none") == -1


@pytest.mark.parametrize("keys", [["fly", 1], ["fly", None], [np.int64(3)], [b"fly"]])
def test_keys_that_are_no_words_are_not_taken(keys):
    assert KeyTable.of(keys) is None


@pytest.mark.parametrize("key", [3, None, b"fly", ("fly",)])
def test_what_is_no_word_is_not_there(places, key):
    assert key not in places
    assert places.get(key) is None


class TestList:
    @given(any_words, st.slices(60))
    def test_slices(self, words, part):
        assert KeyList(KeyTable.of(words))[part] == words[part]

    @pytest.mark.parametrize("place", [0, -1, 10, -11, np.int64(4)])
    def test_places(self, words, place):
        assert words[place] == WORDS[place]

    @pytest.mark.parametrize("place", [11, -12])
    def test_places_beyond(self, words, place):
        with pytest.raises(IndexError):
            words[place]

    def test_what_lists_do(self, words):
        assert words == WORDS
        assert WORDS == words  # noqa: SIM300
        assert words != WORDS[1:]
        assert words == KeyList(KeyTable.of(WORDS))
        assert words != tuple(WORDS)
        assert list(words) == WORDS
        assert list(reversed(words)) == WORDS[::-1]
        assert sorted(words) == sorted(WORDS)
        assert words.index("moth") == 2
        assert "moth" in words
        assert "none" not in words
        assert words.count("moth") == 1
        assert words + ["x"] == [*WORDS, "x"]  # noqa: RUF005
        assert ["x"] + words == ["x", *WORDS]  # noqa: RUF005
        assert words.copy() == WORDS
        assert repr(words) == repr(WORDS)
        assert np.array(words).tolist() == np.array(WORDS).tolist()
        assert words.table is not None

    @pytest.mark.parametrize(
        "change",
        [
            lambda words: words.append("x"),
            lambda words: words.extend(["x", "y"]),
            lambda words: words.insert(2, "x"),
            lambda words: words.__setitem__(0, "x"),
            lambda words: words.__setitem__(slice(2), ["x"]),
            lambda words: words.__delitem__(3),
            lambda words: words.pop(),
            lambda words: words.remove("moth"),
            lambda words: words.reverse(),
            lambda words: words.clear(),
            lambda words: words.sort(key=len, reverse=True),
            lambda words: words.__iadd__(["x"]),
        ],
        ids=range(12),
    )
    def test_it_changes_like_a_list(self, words, change):
        expected = list(WORDS)
        for some in (words, expected):
            change(some)

        assert words == expected
        assert len(words) == len(expected)
        assert words[1:3] == expected[1:3]
        assert ("moth" in words) == ("moth" in expected)
        assert words == copy.deepcopy(words)


class TestPlaces:
    def test_what_dicts_do(self, places):
        expected = {word: i for i, word in enumerate(WORDS)}

        assert places == expected
        assert expected == places
        assert places != {"fly": 0}
        assert places != WORDS
        assert places == KeyPlaces(KeyTable.of(WORDS))
        assert dict(places) == expected
        assert {**places} == expected
        assert places.copy() == expected
        assert list(places) == list(places.keys()) == WORDS
        assert list(places.values()) == list(range(11))
        assert list(places.items()) == list(expected.items())
        assert places["moth"] == 2
        assert places.get("none", 7) == 7
        assert ("moth", 2) in places.items()
        assert repr(places) == repr(expected)
        assert places.table is not None

    def test_a_word_that_is_not_there(self, places):
        with pytest.raises(KeyError, match="none"):
            places["none"]

    @pytest.mark.parametrize(
        "change",
        [
            lambda places: places.__setitem__("x", 11),
            lambda places: places.__delitem__("moth"),
            lambda places: places.update({"x": 3, "fly": 5}),
            lambda places: places.pop("moth"),
            lambda places: places.setdefault("x", 11),
            lambda places: places.clear(),
        ],
        ids=range(6),
    )
    def test_they_change_like_a_dict(self, places, change):
        expected = {word: i for i, word in enumerate(WORDS)}
        for some in (places, expected):
            change(some)

        assert places == expected
        assert list(places.items()) == list(expected.items())
        assert len(places) == len(expected)
        assert places.get("moth") == expected.get("moth")
        assert ("moth" in places) == ("moth" in expected)

    def test_deleting_what_is_not_there(self, places):
        with pytest.raises(KeyError):
            del places["none"]


class TestInVectors:
    def test_words_are_kept_small(self):
        wv = FlyKeyedVectors.from_codes(["fly", "moth"], [[1, 0], [0, 1]])

        assert wv.index_to_key.table is wv.key_to_index.table
        assert wv.index_to_key.table is not None

    def test_added_to_none_too(self):
        wv = FlyKeyedVectors(2)
        wv.add_vectors(["fly", "moth"], [[1, 0], [0, 1]])

        assert wv.index_to_key.table is not None

    def test_a_key_that_is_added_makes_them_a_list_and_a_dict(self):
        wv = FlyKeyedVectors.from_codes(["fly", "moth"], [[1, 0], [0, 1]])
        wv["bee"] = np.array([1, 1])
        wv[7] = np.array([0, 0])

        assert wv.index_to_key == ["fly", "moth", "bee", 7]
        assert wv.key_to_index == {"fly": 0, "moth": 1, "bee": 2, 7: 3}
        assert wv["bee"].tolist() == [1, 1]

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_copies_stay_small(self, copied):
        wv = copied(FlyKeyedVectors.from_codes(WORDS, np.eye(11)))

        assert wv.index_to_key == WORDS
        assert wv.index_to_key.table is wv.key_to_index.table

    def test_files_of_vectors_that_changed(self, tmp_path):
        wv = FlyKeyedVectors.from_codes(WORDS, np.eye(11))
        wv["x"] = np.ones(11)
        wv.save(tmp_path / "words")

        loaded = FlyKeyedVectors.load(tmp_path / "words")

        assert loaded.index_to_key == [*WORDS, "x"]
        assert loaded.index_to_key.table is not None

    def test_no_words(self, tmp_path):
        wv = FlyKeyedVectors.from_codes([], np.zeros((0, 5)))
        wv.save(tmp_path / "words")

        for mmap in (None, "r"):
            assert len(FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)) == 0
