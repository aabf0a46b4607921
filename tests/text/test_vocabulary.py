import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.text import Vocabulary
from skfly.text._vocabulary import PackedWords


def test_words_get_ids_in_their_order():
    vocabulary = Vocabulary(["fly", "cell"], [7, 3])

    assert vocabulary.index == {"fly": 0, "cell": 1}
    assert list(vocabulary) == ["fly", "cell"]
    assert len(vocabulary) == 2
    assert "cell" in vocabulary
    assert "moth" not in vocabulary
    assert repr(vocabulary) == "Vocabulary(2 words, 10 occurrences)"


def test_counts_are_zero_if_not_given():
    assert Vocabulary(["fly", "cell"]).counts.tolist() == [0, 0]


def test_encode_gives_minus_one_for_unknown_words():
    ids = Vocabulary(["fly", "cell"]).encode(["cell", "moth", "fly"])

    assert ids.tolist() == [1, -1, 0]
    assert ids.dtype == np.int32


def test_a_word_that_comes_twice_is_refused_by_name():
    with pytest.raises(ValueError, match="'cell' is in the vocabulary more than once"):
        Vocabulary(["fly", "cell", "moth", "cell"])


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], [[1, 2]]])
def test_counts_that_do_not_match_the_words_are_refused(counts):
    with pytest.raises(ValueError, match="one count per word"):
        Vocabulary(["fly", "cell"], counts)


class TestFromParameter:
    @pytest.mark.parametrize(
        ("given_", "words"),
        [
            (["b", "a"], ["b", "a"]),
            (("b", "a"), ["b", "a"]),
            (iter(["b", "a"]), ["b", "a"]),
            ({"b", "a"}, ["a", "b"]),
            (frozenset("ba"), ["a", "b"]),
            ({"a": 1, "b": 0}, ["b", "a"]),
            ({"a": np.int64(1), "b": np.int64(0)}, ["b", "a"]),
        ],
    )
    def test_takes_what_sklearn_takes(self, given_, words):
        assert Vocabulary.from_parameter(given_).words == words

    @pytest.mark.parametrize("ids", [{"a": 1, "b": 2}, {"a": 0, "b": 0}, {"a": 0, "b": 2}])
    def test_ids_with_holes_or_repeats_are_refused(self, ids):
        with pytest.raises(ValueError, match="0 to n-1, each used once"):
            Vocabulary.from_parameter(ids)

    @pytest.mark.parametrize("nothing", [[], {}, set()])
    def test_no_words_are_refused(self, nothing):
        with pytest.raises(ValueError, match="empty"):
            Vocabulary.from_parameter(nothing)

    def test_a_single_string_is_not_a_list_of_its_letters(self):
        with pytest.raises(ValueError, match="list of words"):
            Vocabulary.from_parameter("fly")

    @pytest.mark.parametrize("given_", [["fly", 3], {"fly": 0, 3: 1}])
    def test_anything_but_words_is_refused_by_type(self, given_):
        with pytest.raises(TypeError, match="got int: 3"):
            Vocabulary.from_parameter(given_)


class TestMostFrequent:
    counted = Vocabulary(["d", "c", "b", "a"], [1, 5, 2, 5])

    def test_orders_by_falling_count_then_alphabetically(self):
        found = self.counted.most_frequent()

        assert found.words == ["a", "c", "b", "d"]
        assert found.counts.tolist() == [5, 5, 2, 1]

    def test_keeps_at_most_max_words(self):
        assert self.counted.most_frequent(max_words=1).words == ["a"]
        assert self.counted.most_frequent(max_words=9).words == ["a", "c", "b", "d"]

    def test_keeps_no_word_if_told_to_keep_none(self):
        assert self.counted.most_frequent(max_words=0).words == []

    def test_keeps_words_seen_min_count_times(self):
        assert self.counted.most_frequent(min_count=2).words == ["a", "c", "b"]

    def test_may_be_left_with_no_word(self):
        found = self.counted.most_frequent(min_count=6)

        assert found.words == []
        assert found.counts.shape == (0,)

    @given(
        st.dictionaries(st.text(max_size=3), st.integers(0, 3)),
        st.none() | st.integers(1, 6),
        st.integers(0, 3),
    )
    def test_agrees_with_sorting_all_words(self, counts, max_words, min_count):
        expected = sorted(
            (word for word, n in counts.items() if n >= min_count),
            key=lambda word: (-counts[word], word),
        )[:max_words]

        found = Vocabulary(counts, list(counts.values())).most_frequent(max_words, min_count)

        assert found.words == expected
        assert found.counts.tolist() == [counts[word] for word in expected]

    @given(st.dictionaries(st.text(max_size=3), st.integers(0, 3)), st.randoms())
    def test_does_not_depend_on_the_order_of_the_words(self, counts, random):
        shuffled = list(counts.items())
        random.shuffle(shuffled)

        one = Vocabulary(counts, list(counts.values())).most_frequent(5)
        other = Vocabulary([w for w, _ in shuffled], [n for _, n in shuffled]).most_frequent(5)

        assert one.words == other.words
        assert one.counts.tolist() == other.counts.tolist()


class TestPackedWords:
    @given(st.lists(st.text(st.characters(codec=None)), max_size=20))
    def test_any_words_come_back(self, words):
        packed = PackedWords.pack(words)

        assert list(packed) == words
        assert [packed[i] for i in range(-len(words), len(words))] == words * 2
        assert packed[1:5] == words[1:5]

    def test_parts_that_are_read_at_a_time_do_not_show(self, monkeypatch):
        words = ["fly", "", "蝇", "moth", "bee"]
        monkeypatch.setattr("skfly.text._vocabulary._WORDS_AT_A_TIME", 2)

        assert list(PackedWords.pack(words)) == words

    def test_there_is_no_word_past_the_last(self):
        with pytest.raises(IndexError):
            PackedWords.pack(["fly"])[1]

    def test_a_word_does_not_end_within_a_character(self):
        packed = PackedWords.pack(["蝇"])
        with pytest.raises(ValueError, match="within a character"):
            PackedWords(np.tile(packed.data, 2), np.array([4, 6]))

    def test_a_vocabulary_takes_them_as_they_are(self):
        vocabulary = Vocabulary(PackedWords.pack(["moth", "fly", "bee"]), [1, 5, 5])

        assert vocabulary.most_frequent(2).words == ["bee", "fly"]
        assert vocabulary.encode(["fly", "wasp"]).tolist() == [1, -1]
