import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from skfly.text import NUMBER, TextAnalyzer


def words_of_sklearn(document, **params):
    return list(CountVectorizer(**params).build_analyzer()(document))


def shout(text):
    return text.upper().replace("Z", " ")


def identity(value):
    return value


# Text that has something for every rule to do: stop words, accents, digits, line ends, sentences.
telling = st.lists(
    st.sampled_from(
        [
            "The",
            "fly",
            "ÉTÉ",
            "naïve",
            "ﬁne",
            "x",
            "42nd",
            "İstanbul",
            "don't",
            "Ends.",
            "\n",
            "。",
        ]
    )
).map(" ".join)
documents = st.text(max_size=60) | telling

rules = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "strip_accents": st.sampled_from([None, "ascii", "unicode", shout]),
        "stop_words": st.sampled_from([None, "english", ["the", "fly", "ete"]]),
        "preprocessor": st.sampled_from([None, shout]),
        "tokenizer": st.sampled_from([None, str.split, list]),
        "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"\w+", r"(\w)\w*", r"\S"]),
    }
)


@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
class TestTextParametersMeanWhatTheyMeanInSklearn:
    @given(documents, rules)
    def test_words_are_those_of_count_vectorizer(self, document, params):
        analyzer = TextAnalyzer(sentence_splitter=None, **params)

        assert analyzer.words(document) == words_of_sklearn(document, **params)

    @given(
        documents | st.binary(max_size=40),
        st.sampled_from(["utf-8", "latin-1", "utf-16-le", "cp1252"]),
        st.sampled_from(["ignore", "replace"]),
    )
    def test_bytes_are_decoded_as_in_count_vectorizer(self, document, encoding, decode_error):
        if isinstance(document, str):
            document = document.encode(encoding, errors="replace")
        params = {"encoding": encoding, "decode_error": decode_error}

        found = TextAnalyzer(sentence_splitter=None, **params).words(document)

        assert found == words_of_sklearn(document, **params)


def test_bytes_that_do_not_decode_raise_by_default():
    with pytest.raises(UnicodeDecodeError):
        TextAnalyzer().words(b"caf\xe9 noir")


def test_a_literal_document_with_default_rules():
    assert TextAnalyzer().words("A Fly, the fly!") == ["fly", "the", "fly"]


def test_input_filename_reads_the_named_file(tmp_path):
    path = tmp_path / "fly.txt"
    path.write_bytes("Die Fliege fällt".encode("latin-1"))
    analyzer = TextAnalyzer(input="filename", encoding="latin-1")

    assert analyzer.words(path) == ["die", "fliege", "fällt"]
    assert analyzer.words(str(path)) == ["die", "fliege", "fällt"]


@pytest.mark.parametrize("file", [io.StringIO("one fly"), io.BytesIO(b"one fly")])
def test_input_file_reads_an_open_file(file):
    assert TextAnalyzer(input="file").words(file) == ["one", "fly"]


def test_the_tokenizer_may_return_any_iterable_as_in_sklearn():
    def tokenize(text):
        yield from text.split()

    assert list(TextAnalyzer(tokenizer=tokenize).sentences("a fly")) == [["a", "fly"]]


def test_sklearn_warns_about_stop_words_that_the_tokenizer_would_change():
    with pytest.warns(UserWarning, match="stop_words may be inconsistent"):
        TextAnalyzer(stop_words=["don't"])


class TestTokenizedDocuments:
    @pytest.mark.parametrize("kind", [list, tuple])
    def test_a_list_of_words_is_one_sentence_taken_as_it_is(self, kind):
        document = kind(["The", "fly.", "a", "Don't stop"])

        assert list(TextAnalyzer().sentences(document)) == [["The", "fly.", "a", "Don't stop"]]

    def test_a_list_of_lists_of_words_is_several_sentences(self):
        document = [["A", "fly"], (), ("lands",)]

        assert list(TextAnalyzer().sentences(document)) == [["A", "fly"], [], ["lands"]]

    def test_an_empty_list_has_no_words(self):
        assert TextAnalyzer().words([]) == []

    def test_stop_words_are_left_out_and_numbers_folded(self):
        analyzer = TextAnalyzer(stop_words=["the"], fold_numbers=True)

        assert analyzer.words(["the", "7th", "fly"]) == [NUMBER, "fly"]

    @pytest.mark.parametrize(
        ("document", "kind"),
        [
            (["fly", 3], "int"),
            (["fly", b"moth"], "bytes"),
            (["fly", None], "NoneType"),
            (["fly", ["moth"]], "list"),
            ([["fly"], ["moth", 2.5]], "float"),
        ],
    )
    def test_anything_but_words_in_the_list_is_refused_by_type(self, document, kind):
        with pytest.raises(TypeError, match=rf"list of words \(str\).*\b{kind}\b"):
            TextAnalyzer().words(document)

    def test_a_bare_word_among_sentences_is_not_taken_for_a_list_of_letters(self):
        with pytest.raises(TypeError, match=r"\bstr\b.*'moth'"):
            TextAnalyzer().words([["fly"], "moth"])


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (3, "int"),
        (float("nan"), "float"),
        (None, "NoneType"),
        ({"text": "fly"}, "dict"),
        (np.array(["fly"]), "ndarray"),
        (bytearray(b"fly"), "bytearray"),
    ],
)
def test_a_document_of_another_type_is_refused_by_type(document, kind):
    with pytest.raises(TypeError, match=rf"a document must be a str, bytes.*got {kind}\b"):
        TextAnalyzer().words(document)


def test_an_error_message_shows_only_the_beginning_of_a_large_value():
    with pytest.raises(TypeError) as caught:
        TextAnalyzer().words(dict.fromkeys(range(100_000)))

    assert len(str(caught.value)) < 200


class TestPreprocessorThatTakesAnyObject:
    def test_it_gets_the_document_as_it_is(self):
        analyzer = TextAnalyzer(preprocessor=lambda row: row["title"] + ". " + row["text"])

        found = analyzer.sentences({"title": "Two flies", "text": "They compete"})

        assert list(found) == [["Two", "flies"], ["They", "compete"]]

    def test_it_gets_lists_too(self):
        assert TextAnalyzer(preprocessor=" ".join).words(["one fly", "lands"]) == [
            "one",
            "fly",
            "lands",
        ]

    def test_identity_as_preprocessor_and_tokenizer_passes_words_through_as_in_sklearn(self):
        analyzer = TextAnalyzer(preprocessor=identity, tokenizer=identity)

        assert analyzer.words(["Already", "a", "list"]) == ["Already", "a", "list"]


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            ("Flies compete. Cells learn.", [["flies", "compete"], ["cells", "learn"]]),
            ("Is it? It is! Yes… no", [["is", "it"], ["it", "is"], ["yes"], ["no"]]),
            ('He said "fly!" Then "go." So', [["he", "said", "fly"], ["then", "go"], ["so"]]),
            ("J. R. Doe came", [["doe", "came"]]),
            ("pi is 3.14 or so", [["pi", "is", "14", "or", "so"]]),
            ("one line\nsame sentence", [["one", "line", "same", "sentence"]]),
            ("a title\n \nthe text", [["title"], ["the", "text"]]),
            ("苍蝇。蜜蜂！是吗？对的", [["苍蝇"], ["蜜蜂"], ["是吗"], ["对的"]]),
        ],
    )
    def test_punctuation_and_empty_lines_end_a_sentence(self, text, sentences):
        assert [words for words in TextAnalyzer().sentences(text) if words] == sentences

    def test_line_ends_a_sentence_where_lines_are_sentences(self):
        found = TextAnalyzer(sentence_splitter="line").sentences("St. Ives. So far!\nHere")

        assert list(found) == [["st", "ives", "so", "far"], ["here"]]

    def test_none_makes_a_document_one_sentence(self):
        found = TextAnalyzer(sentence_splitter=None).sentences("One. Two!\n\nThree")

        assert list(found) == [["one", "two", "three"]]

    def test_a_callable_gets_the_preprocessed_text(self):
        found = TextAnalyzer(sentence_splitter=lambda t: t.split("stop")).sentences("Go STOP Now")

        assert list(found) == [["go"], ["now"]]

    def test_an_unknown_name_is_refused_with_the_names_there_are(self):
        with pytest.raises(ValueError, match=r"sentence_splitter.*punctuation.*line.*'paragraph'"):
            TextAnalyzer(sentence_splitter="paragraph")

    @given(documents, st.sampled_from(["punctuation", "line"]))
    def test_cutting_into_sentences_loses_no_word(self, document, splitter):
        whole = TextAnalyzer(sentence_splitter=None).words(document)

        assert TextAnalyzer(sentence_splitter=splitter).words(document) == whole


class TestNumbers:
    def test_every_word_with_a_digit_becomes_the_same_word(self):
        found = TextAnalyzer(fold_numbers=True).words("In 1984 the 2nd b2b fly had ٤٢ legs")

        assert found == ["in", NUMBER, "the", NUMBER, NUMBER, "fly", "had", NUMBER, "legs"]

    def test_numbers_stay_by_default(self):
        assert TextAnalyzer().words("In 1984") == ["in", "1984"]

    @given(documents)
    def test_no_word_with_a_digit_is_left(self, document):
        found = TextAnalyzer(fold_numbers=True).words(document)

        assert not [word for word in found if re.search(r"\d", word)]


class TestNormalize:
    def test_a_word_is_given_as_preprocessing_leaves_it(self):
        assert TextAnalyzer(strip_accents="unicode").normalize("ÉTÉ") == "ete"
        assert TextAnalyzer(lowercase=False).normalize("Fly") == "Fly"
        assert TextAnalyzer(fold_numbers=True).normalize("747s") == NUMBER

    def test_a_preprocessor_of_other_objects_than_text_leaves_words_alone(self):
        assert TextAnalyzer(preprocessor=lambda row: row["text"]).normalize("Fly") == "Fly"


class TestParams:
    def test_callables_are_named_and_collections_sorted(self):
        analyzer = TextAnalyzer(
            tokenizer=shout, stop_words=("the", "an"), sentence_splitter=None, lowercase=False
        )

        assert (
            analyzer.params.items()
            >= {
                "tokenizer": "shout",
                "stop_words": ["an", "the"],
                "sentence_splitter": None,
                "fold_numbers": False,
                "lowercase": False,
            }.items()
        )


def test_many_stop_words_are_not_each_read_as_a_text(monkeypatch):
    read = []
    check = CountVectorizer._check_stop_words_consistency
    monkeypatch.setattr(
        CountVectorizer,
        "_check_stop_words_consistency",
        lambda self, words, *rest: read.append(len(words or ())) or check(self, words, *rest),
    )
    TextAnalyzer(stop_words=["the"])
    many = TextAnalyzer(stop_words=[f"w{i}" for i in range(20_000)])
    assert max(read) <= 1
    assert list(many.sentences("w1 fly w19999")) == [["fly"]]


@pytest.mark.parametrize("splitter", ["paragraphs", [], 3])
def test_a_way_to_cut_sentences_that_there_is_not(splitter):
    with pytest.raises(ValueError, match="sentence_splitter must be one of"):
        TextAnalyzer(sentence_splitter=splitter)
