"""The compiled reader gives the words and sentences of the analyzer, on any text."""

import os
import subprocess
import sys
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from skfly.text import (
    TextAnalyzer,
    TextLines,
    Vocabulary,
    _blocks,
    _encode,
    _fast,
    count_words,
    encode_documents,
)
from skfly.text._blocks import read_blocks
from skfly.text._fast import FastReader, join_texts

# Characters that one rule or another treats in a way of their own.
ENDS = ".!?…。！？\"'”’)]"
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000"
LETTERS = "aAzZéÉßẞΣσςİıKÅȺⱥﬁДдאبखㄱ漢字Ǆǆ𐐀𐐨𝒜𠀀ªⅧ²½"
OTHERS = "_09٤२𝟗-,\0\1\u0301\u0307\u200b\u200d\u200e\ufeff\xad🪰😀\ud800\udfff·:"
telling = st.text(ENDS + SPACES + LETTERS + OTHERS, max_size=40)
words = st.lists(
    st.sampled_from(
        [
            "The",
            "fly",
            "FLY.",
            "J.",
            "x",
            "ΣΟΦΟΣ",
            "ΑΣ.",
            "İstanbul",
            "42nd",
            "¿Qué?",
            "\n",
            "\r\n",
            "end!”",
        ]
    )
).map(" ".join)
texts = telling | words | st.text(max_size=40)

rules = st.fixed_dictionaries(
    {
        "sentence_splitter": st.sampled_from(["punctuation", "line", None]),
        "lowercase": st.booleans(),
        "fold_numbers": st.booleans(),
        "stop_words": st.sampled_from([None, ["the", "fly", "<NUM>"]]),
    }
)


def without_surrogates(text):
    return text.encode("utf-8", "ignore").decode()


def by_analyzer(documents, analyzer):
    """Sentences with words of each document, by the documented path."""
    return [[words for words in analyzer.sentences(text) if words] for text in documents]


def sentences_of(block):
    """The same from a block."""
    words = [block.numbering.words[i] for i in block.ids.tolist()]
    sentences = [words[first:last] for first, last in pairwise([0, *block.sentences.tolist()])]
    before = np.searchsorted(block.sentences, block.documents, side="right").tolist()
    return [sentences[first:last] for first, last in pairwise([0, *before])]


def parts(corpus):
    return (
        corpus.ids.tolist(),
        corpus.sentences.tolist(),
        corpus.documents.tolist(),
        corpus.vocabulary.words,
        corpus.vocabulary.counts.tolist(),
    )


@pytest.fixture
def always_fast(monkeypatch):
    monkeypatch.setattr(_blocks, "WORTH_COMPILING", 1)


class TestReader:
    @given(st.lists(texts, max_size=4), rules)
    @example(["ΑΣ. Β", "Σ", "İİ. İi"], {"sentence_splitter": "punctuation"})
    @example(["a.. B", "A.) B", "AB.) CD", "x\n \nyz", "one\n\ntwo"], {})
    def test_words_and_sentences_are_those_of_the_analyzer(self, documents, params):
        analyzer = TextAnalyzer(**params)

        block = FastReader(analyzer).read(join_texts(documents), "\0")

        assert sentences_of(block) == by_analyzer(documents, analyzer)

    @given(st.lists(st.lists(texts, max_size=3), max_size=4), rules)
    def test_a_reader_goes_on_with_its_numbers_from_block_to_block(self, several, params):
        analyzer = TextAnalyzer(**params)
        reader = FastReader(analyzer)

        blocks = [reader.read(join_texts(documents), "\0") for documents in several]

        assert list(map(sentences_of, blocks)) == [by_analyzer(d, analyzer) for d in several]
        numbered = [block.numbering.words for block in blocks]
        assert all(words is numbered[0] for words in numbered)
        assert numbered == [] or len(set(numbered[0])) == len(numbered[0])

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("splitter", "lowercase"), [("punctuation", True), ("line", True), (None, False)]
    )
    def test_every_character_is_treated_as_the_analyzer_does(self, splitter, lowercase):
        analyzer = TextAnalyzer(sentence_splitter=splitter, lowercase=lowercase)
        around = [f"ab{chr(i)}cd. x{chr(i)}. ef{chr(i)} gh" for i in range(0x30000)]

        block = FastReader(analyzer).read(join_texts(around), "\0")

        assert sentences_of(block) == by_analyzer(around, analyzer)

    def test_many_different_words_are_told_apart(self):
        # some differ only in their first or last characters, or have the same characters
        documents = [
            f"{i} w{i} {i:09d} {i:017d} x{i:08d} {i:08d}x {'ж' * (i % 9)}{i}"
            for i in range(30_000)
        ]
        analyzer = TextAnalyzer()

        block = FastReader(analyzer).read(join_texts(documents), "\0")

        assert sentences_of(block) == by_analyzer(documents, analyzer)

    def test_it_begins_anew_when_it_knows_too_many_words(self, monkeypatch):
        monkeypatch.setattr(_fast, "MAX_NUMBERED", 2)
        reader = FastReader(TextAnalyzer(fold_numbers=True))

        blocks = [reader.read(text, "\n") for text in (b"one two 33\n", b"two four\n")]

        assert blocks[0].numbering is not blocks[1].numbering
        assert [sentences_of(block) for block in blocks] == [
            [[["one", "two", "<NUM>"]]],
            [[["two", "four"]]],
        ]


class TestTableOfWords:
    @given(
        st.sets(
            st.text("ab", min_size=2, max_size=40)
            | st.builds("{}{}".format, st.sampled_from(["a" * 23, "蝇" * 9]), st.text("aé𐐨蝇"))
            | st.text("aé蝇𐐨_9", min_size=2),
        ),
        st.randoms(),
    )
    def test_words_are_sorted_as_strings_are(self, words, random):
        words = random.sample(sorted(words), len(words))
        reader = FastReader(TextAnalyzer(sentence_splitter=None))
        table = reader.read(" ".join([*words, "\n"]).encode(), "\n").numbering.table

        numbers = table.alphabetical(np.arange(len(words)))

        assert table.words_of(numbers) == sorted(words)
        assert [words[i] for i in numbers] == sorted(words)


documents = st.lists(texts | st.lists(st.text("ab", min_size=1), max_size=3), max_size=6)


def _words_of(document):
    return document.split() if isinstance(document, str) else document


class TestEncoding:
    @given(
        documents,
        rules,
        st.integers(1, 20),
        st.sampled_from([1, 2, 3]),
        st.sampled_from([10_000_000, 3]),
        st.sampled_from([{}, {"max_words": 2}, {"min_count": 2}]),
        st.booleans(),
    )
    def test_it_is_the_same_with_and_without_the_kernel(
        self, documents, params, block, n_jobs, max_types, chosen, as_generator
    ):
        params = {**params, **chosen, "max_types": max_types}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_encode, "_BLOCK", block)
            expected = encode_documents(documents, **params)
            patch.setattr(_blocks, "WORTH_COMPILING", 1)
            given_ = iter(documents) if as_generator else documents
            found = encode_documents(given_, n_jobs=n_jobs, **params)

        assert parts(found) == parts(expected)

    @pytest.mark.parametrize(
        "others", [[["moth", "fly"]], [["moth"], "fly fly", ["bank"]], ["fly moth"] * 9]
    )
    @pytest.mark.parametrize("max_types", [10_000_000, 3])
    def test_counts_go_on_when_the_analyzer_takes_over(
        self, always_fast, monkeypatch, others, max_types
    ):
        monkeypatch.setattr(_encode, "_BLOCK", 4)
        texts = ["bank fly bank", "fly lamp", *others]

        found = encode_documents(texts, max_types=max_types)
        expected = encode_documents(map(_words_of, texts), max_types=max_types)

        assert parts(found) == parts(expected)

    def test_it_is_the_same_for_given_words(self, always_fast):
        vocabulary = Vocabulary(["fly", "<NUM>", "the"])
        corpus = encode_documents(
            ["The fly, 1 of 20.", "No fly"], vocabulary=vocabulary, fold_numbers=True
        )

        assert corpus.ids.tolist() == [2, 0, -1, 1, -1, 0]
        assert corpus.vocabulary.counts.tolist() == [2, 1, 1]

    def test_bytes_and_files_are_read_by_the_kernel_too(self, always_fast, tmp_path):
        (tmp_path / "fly.txt").write_text("One fly. Two flies.", encoding="latin-1")

        assert list(encode_documents([b"caf\xe9 noir"], encoding="latin-1")) == [["café", "noir"]]
        assert list(encode_documents([tmp_path / "fly.txt"], input="filename")) == [
            ["one", "fly"],
            ["two", "flies"],
        ]

    def test_strings_of_numpy_are_strings(self, always_fast):
        corpus = encode_documents(np.array(["One fly", "two flies"]))

        assert list(corpus) == [["one", "fly"], ["two", "flies"]]

    def test_a_str_that_lowercases_in_its_own_way_is_left_to_the_analyzer(self, always_fast):
        class Loud(str):
            def lower(self):
                return self.upper()

        assert list(encode_documents([Loud("a fly")])) == [["FLY"]]

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_an_error_names_its_document_though_texts_are_read_in_blocks(
        self, always_fast, n_jobs
    ):
        with pytest.raises(UnicodeDecodeError) as caught:
            encode_documents(["one", ["two"], b"three", b"caf\xe9"], n_jobs=n_jobs)

        assert "document number 3" in "\n".join(caught.value.__notes__)

    def test_a_long_text_gives_several_blocks_in_order(self):
        documents = [f"number {i} of many" for i in range(150_000)]
        one, two = (
            list(read_blocks(documents, TextAnalyzer(), n_jobs, 1 << 17)) for n_jobs in (1, 2)
        )

        assert len(one) > 2
        assert [sentences_of(b) for b in one] == [sentences_of(b) for b in two]
        assert [words for b in one for [words] in sentences_of(b)] == [
            [word for word in text.split() if len(word) > 1] for text in documents
        ]

    def test_a_short_rest_is_read_by_the_kernel_too(self):
        blocks = list(read_blocks(["One fly"] * 35_000, TextAnalyzer(), None, 1 << 16))

        assert len(blocks) == 2
        assert all(block.numbering.table is not None for block in blocks)


class TestLinesOfAFile:
    @given(st.lists(texts.map(without_surrogates)), st.integers(1, 9))
    def test_they_are_those_that_python_reads(self, tmp_path_factory, lines, n_bytes):
        path = tmp_path_factory.mktemp("lines") / "text.txt"
        path.write_bytes("\n".join(lines).encode())
        expected = [line.rstrip("\n") for line in TextLines(path)]

        blocks = list(TextLines(path).blocks(n_bytes))

        assert all(block.endswith(b"\n") for block in blocks)
        assert b"".join(blocks).decode().split("\n")[:-1] == expected

    @given(st.binary(max_size=40), st.sampled_from(["ignore", "replace"]), st.integers(1, 9))
    def test_bytes_that_do_not_decode_are_treated_as_python_does(
        self, tmp_path_factory, data, errors, n_bytes
    ):
        path = tmp_path_factory.mktemp("lines") / "text.txt"
        path.write_bytes(data)
        lines = TextLines(path, errors=errors)

        expected = [line.rstrip("\n") for line in lines]

        assert b"".join(lines.blocks(n_bytes)).decode().split("\n")[:-1] == expected

    @given(st.binary(max_size=12))
    @example(b"ab\xed\xa0\x80")
    @example(b"\xfc\x80\x80\x80")
    @example(b"\xa2\x80 \xf4\x90\x80\x80")
    def test_the_kernel_takes_just_what_python_decodes(self, data):
        data = data.replace(b"\n", b"") + b"\n"
        reader = FastReader(TextAnalyzer())
        try:
            text = data.decode()
        except UnicodeDecodeError:
            with pytest.raises(UnicodeDecodeError):
                reader.read(data, "\n")
        else:
            assert sentences_of(reader.read(data, "\n")) == by_analyzer([text], TextAnalyzer())

    @pytest.mark.slow
    def test_the_kernel_takes_no_wrong_sequence_of_bytes(self):
        reader = FastReader(TextAnalyzer())
        tails = [b"", b"\x80", b"\xbf\x80", b"\x80\x80\x80", b"\x90\xbf\x80", b"\xa0\x80"]
        for lead, second, tail in product(range(0x80, 0x100), range(0x40, 0x100, 8), tails):
            data = bytes([lead, second]) + tail + b"\n"
            try:
                data.decode()
            except UnicodeDecodeError:
                with pytest.raises(UnicodeDecodeError):
                    reader.read(data, "\n")
            else:
                reader.read(data, "\n")

    @pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "latin-1"])
    @pytest.mark.parametrize("kernel", [True, False])
    def test_a_file_is_encoded_as_its_lines_are(self, tmp_path, monkeypatch, encoding, kernel):
        monkeypatch.setattr(_blocks, "WORTH_COMPILING", 1 if kernel else 1 << 30)
        path = tmp_path / "text.txt"
        path.write_bytes("Élan vital. So\r\n\nIt\rwas one fly".encode(encoding))
        lines = TextLines(path, encoding=encoding)

        assert parts(encode_documents(lines)) == parts(encode_documents(list(lines)))
        assert encode_documents(lines).n_documents == 4

    @pytest.mark.parametrize("kernel", [True, False])
    def test_an_error_names_the_file(self, tmp_path, monkeypatch, kernel):
        monkeypatch.setattr(_blocks, "WORTH_COMPILING", 1 if kernel else 1 << 30)
        path = tmp_path / "text.txt"
        path.write_bytes(b"one\ncaf\xe9\n")

        with pytest.raises(UnicodeDecodeError) as caught:
            encode_documents(TextLines(path))

        assert caught.value.__notes__ == [f"while reading {path}"]


class TestCounting:
    @given(documents, rules)
    def test_it_is_the_same_with_and_without_the_kernel(self, documents, params):
        known = {"fly": 0, "the": 2, "<NUM>": 1, "42nd": 3, "ab": 4, "σοφος": 5, "σοφοσ": 6}
        analyzer = TextAnalyzer(**params)

        def counted():
            return sparse.vstack(list(count_words(documents, known, 7, analyzer))).toarray()

        with pytest.MonkeyPatch.context() as patch:
            expected = counted()
            patch.setattr(_blocks, "WORTH_COMPILING", 1)
            found = counted()

        np.testing.assert_array_equal(found, expected)


def test_a_short_text_does_not_import_numba():
    code = (
        "import sys; from skfly.text import encode_documents; "
        "encode_documents(['one fly. two flies'] * 1000); print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )

    assert done.stdout.strip() == "False"
