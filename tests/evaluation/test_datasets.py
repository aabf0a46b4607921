"""Datasets of word pairs, in the forms that they circulate in."""

import warnings

import pytest

from skfly.evaluation import WordPairs, load_word_pairs, read_word_pairs

PAIRS = (("tiger", "cat", 7.35), ("book", "paper", 7.46), ("sugar", "approach", 0.88))


@pytest.fixture
def write(tmp_path):
    def to(content, name="pairs.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


@pytest.mark.parametrize(
    "content",
    [
        "tiger\tcat\t7.35\nbook\tpaper\t7.46\nsugar\tapproach\t0.88\n",
        "tiger cat 7.35\nbook   paper 7.46\n  sugar approach 0.88",
        "tiger,cat,7.35\nbook,paper,7.46\nsugar,approach,0.88\n",
        'tiger, cat, 7.35\n"book", "paper", 7.46\nsugar ,approach , 0.88\n',
        "tiger;cat;7.35\nbook;paper;7.46\nsugar;approach;0.88\n",
        "tiger\tcat\t7.35\r\nbook\tpaper\t7.46\r\nsugar\tapproach\t0.88\r\n",
        "tiger cat\t7.35\nbook paper\t7.46\nsugar approach\t0.88\n",
        "tiger\tcat\t7.35\nbook paper 7.46\nsugar,approach,0.88\n",
        "\ufefftiger\tcat\t7.35\nbook\tpaper\t7.46\nsugar\tapproach\t0.88\n",
        "Word 1,Word 2,Human (mean)\ntiger,cat,7.35\nbook,paper,7.46\nsugar,approach,0.88\n",
        "word1 word2 score\ntiger cat 7.35\nbook paper 7.46\nsugar approach 0.88\n",
        "# two words\n\ntiger cat 7.35\n   \nbook paper 7.46\n # more\n\nsugar approach 0.88\n\n",
        "tiger\tcat\t7.35\t9\tn\nbook\tpaper\t7.46\t1\nsugar\tapproach\t0.88\tx y z\n",
        "word1\tword2\tPOS\tscore\tconc\ntiger\tcat\tN\t7.35\t1\nbook\tpaper\tN\t7.46\t2\n"
        "sugar\tapproach\tN\t0.88\t3\n",
    ],
)
def test_a_file_may_look_like_this(write, content):
    path = write(content)
    assert read_word_pairs(path) == WordPairs("pairs", PAIRS)


def test_words_of_more_than_one_part_and_in_upper_case_are_kept(write):
    data = read_word_pairs(write("hot dog\tFood\t7\nNew York\tcity\t8\n"))
    assert data.pairs == (("hot dog", "Food", 7.0), ("New York", "city", 8.0))
    assert data.words == ("hot dog", "Food", "New York", "city")


def test_lines_without_a_score_are_left_out_and_reported(write):
    path = write(
        "tiger\tcat\t7.35\nbook\tpaper\t\nbook\tpaper\nplane\tcar\tn/a\nsun\tday\tnan\n"
        "\tcar\t3\nfork\tspoon\tinf\nlone\nsugar\tapproach\t0.88\n"
    )
    with pytest.warns(UserWarning, match=r"7 of 9 pairs left out, .* \(line 2, 3, 4, 5, 6, ...\)"):
        data = read_word_pairs(path)
    assert data.pairs == (PAIRS[0], PAIRS[2])
    assert data.n_skipped == 7


def test_a_first_line_without_a_score_is_not_taken_for_a_header(write):
    with pytest.warns(UserWarning, match=r"1 of 2 pairs left out, .* \(line 1\)"):
        read_word_pairs(write("tiger\tcat\t\nbook\tpaper\t7.46\n"))


def test_a_missing_score_is_not_taken_from_the_next_column(write):
    with pytest.warns(UserWarning, match="1 of 2 pairs"):
        data = read_word_pairs(write("tiger\tcat\t\t12\nbook\tpaper\t7.46\t13\n"))
    assert data.pairs == (PAIRS[1],)


@pytest.mark.parametrize("content", ["", "\n\n# nothing\n", "only two\nwords here\n", "a b c\n"])
def test_a_file_without_pairs_is_named_with_what_was_expected(write, content):
    path = write(content)
    with pytest.raises(ValueError, match=r"word1 word2 score.*separated by tabs") as raised:
        read_word_pairs(path)
    assert str(path) in str(raised.value)


def test_a_file_in_another_encoding(write):
    with pytest.raises(ValueError, match=r"pairs\.txt is not text in UTF-8"):
        read_word_pairs(write(b"K\xe4se Brot 5\n"))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("EN-MEN-TR-3k.txt", "MEN"),
        ("EN-WS-353-ALL.txt", "WS353"),
        ("wordsim353.tsv", "WS353"),
        ("EN-SIMLEX-999.txt", "SimLex"),
        ("simlex999.txt", "SimLex"),
        ("EN-RW-STANFORD.txt", "RW"),
        ("EN-RG-65.txt", "RG"),
        ("EN-MTurk-287.txt", "MTurk-287"),
        ("EN-MTurk-771.txt", "EN-MTurk-771"),
        ("my.pairs.csv", "my.pairs"),
    ],
)
def test_names(write, file, name):
    assert read_word_pairs(write("a b 1", file)).name == name


def test_halves_take_turns():
    data = WordPairs("mine", (*PAIRS, ("a", "b", 1.0)), 5)
    assert data.half("first") == WordPairs("mine", (PAIRS[0], PAIRS[2]), 5)
    assert data.half("second") == WordPairs("mine", (PAIRS[1], ("a", "b", 1.0)), 5)
    with pytest.raises(ValueError, match="'first', 'second' or None; got 'third'"):
        data.half("third")


def test_datasets_of_gensim_are_the_default():
    data = load_word_pairs()
    assert [(d.name, len(d), d.n_skipped) for d in data] == [("WS353", 353, 0), ("SimLex", 999, 0)]


def test_a_directory_gives_its_files(write, tmp_path):
    for name in ("b.tsv", "EN-RG-65.txt", "a.csv"):
        write("tiger cat 7.35", name)
    for name in ("README.txt", "LICENSE.txt", "notes.md", ".hidden.txt"):
        write("not pairs at all", name)
    (tmp_path / "sub.txt").mkdir()
    assert [d.name for d in load_word_pairs(tmp_path)] == ["RG", "a", "b"]
    assert [d.name for d in load_word_pairs([tmp_path / "b.tsv", str(tmp_path / "a.csv")])] == [
        "b",
        "a",
    ]


def test_an_empty_directory_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"directory .* has no datasets; expected files \(.csv"):
        load_word_pairs(tmp_path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        load_word_pairs(tmp_path / "none.txt")


def test_a_dict_names_lists_files_and_word_pairs(write):
    data = load_word_pairs(
        {
            "list": [["tiger", "cat", 7], ("book", "paper", "7.46", "more")],
            "file": write("tiger cat 7.35"),
            "pairs": WordPairs("other", PAIRS),
        }
    )
    assert data == [
        WordPairs("list", (("tiger", "cat", 7.0), PAIRS[1])),
        WordPairs("file", PAIRS[:1]),
        WordPairs("pairs", PAIRS),
    ]


def test_items_without_a_score_are_left_out_and_reported():
    with pytest.warns(UserWarning, match="'mine': 2 of 3 pairs left out"):
        (data,) = load_word_pairs(
            {"mine": [*PAIRS[:1], ("a", "b", None), ("a", "b", float("nan"))]}
        )
    assert (data.pairs, data.n_skipped) == (PAIRS[:1], 2)


@pytest.mark.parametrize(
    ("datasets", "error", "message"),
    [
        ([], ValueError, "no datasets were given"),
        ({}, ValueError, "no datasets were given"),
        ({"mine": []}, ValueError, "'mine' has no pairs with a score"),
        (WordPairs("mine", ()), ValueError, "'mine' has no pairs with a score"),
        ({"mine": [("a", "b")]}, ValueError, r"item 0 of dataset 'mine' is \('a', 'b'\)"),
        ({"mine": [("a", 1, 2)]}, ValueError, "expected \\(word1, word2, score\\)"),
        ({"mine": ["abc"]}, ValueError, "item 0 of dataset 'mine' is 'abc'"),
        ({"mine": 5}, TypeError, "got int: 5"),
        (5, TypeError, "datasets must be a directory, a file, a list"),
        ([("a", "b", 1.0)], TypeError, "got tuple"),
        ([WordPairs("x", PAIRS)] * 2, ValueError, "2 datasets are called 'x'"),
    ],
)
def test_bad_datasets(datasets, error, message):
    with pytest.raises(error, match=message):
        load_word_pairs(datasets)


def test_reading_warns_of_nothing_in_a_sound_file(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_word_pairs(write("tiger cat 7.35\n"))
