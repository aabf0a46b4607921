import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.text import TextAnalyzer, Vocabulary, encode_documents
from skfly.text._encode import MAX_SENTENCE

LONG = 1_200_000  # words: more than are held before memory is looked at

words = st.text("abc", min_size=1, max_size=2)
tokenized = st.lists(st.lists(st.lists(words, max_size=5), min_size=1, max_size=3), max_size=5)


def parts(corpus):
    """Return what makes a corpus, as plain lists."""
    return (
        corpus.ids.tolist(),
        corpus.sentences.tolist(),
        corpus.documents.tolist(),
        corpus.vocabulary.words,
        corpus.vocabulary.counts.tolist(),
    )


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The directory that temporary files go to, empty at first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


class TestOnePass:
    def test_documents_are_iterated_once(self):
        class Counted:
            times = 0

            def __iter__(self):
                self.times += 1
                yield from ["one fly", "two flies"]

        documents = Counted()
        encode_documents(documents, min_count=1)

        assert documents.times == 1

    def test_a_generator_gives_the_same_as_a_list(self):
        texts = ["One fly. Two flies!", "", "No fly"]

        assert parts(encode_documents(text for text in texts)) == parts(encode_documents(texts))

    def test_no_documents_give_an_empty_corpus(self):
        assert parts(encode_documents(iter([]))) == ([], [0], [0], [], [])


def test_a_literal_corpus():
    corpus = encode_documents(["One fly flies. One sleeps.", "a", "No fly"])

    assert corpus.vocabulary.words == ["fly", "one", "flies", "no", "sleeps"]
    assert corpus.vocabulary.counts.tolist() == [2, 2, 1, 1, 1]
    assert corpus.ids.tolist() == [1, 0, 2, 1, 4, 3, 0]
    assert corpus.sentences.tolist() == [0, 3, 5, 7]
    assert corpus.documents.tolist() == [0, 5, 5, 7]


@given(tokenized)
def test_ids_decode_back_to_the_words(documents):
    corpus = encode_documents(documents)

    assert list(corpus) == [
        sentence for document in documents for sentence in document if sentence
    ]
    assert corpus.n_documents == len(documents)
    assert np.diff(corpus.documents).tolist() == [sum(map(len, d)) for d in documents]


class TestVocabularyIsChosenFromTheText:
    @given(tokenized, st.randoms())
    def test_its_order_does_not_depend_on_the_order_of_documents(self, documents, random):
        shuffled = list(documents)
        random.shuffle(shuffled)

        one, other = encode_documents(documents).vocabulary, encode_documents(shuffled).vocabulary

        assert one.words == other.words
        assert one.counts.tolist() == other.counts.tolist()

    def test_it_is_ordered_by_falling_count_then_alphabetically(self):
        corpus = encode_documents([["c", "b", "a", "b"], ["b", "c", "d", "a"]])

        assert corpus.vocabulary.words == ["b", "a", "c", "d"]
        assert corpus.vocabulary.counts.tolist() == [3, 2, 2, 1]

    def test_words_under_min_count_become_gaps(self):
        corpus = encode_documents([["a", "b", "a", "c", "b"]], min_count=2)

        assert corpus.vocabulary.words == ["a", "b"]
        assert corpus.ids.tolist() == [0, 1, 0, -1, 1]

    def test_words_past_max_words_become_gaps(self):
        corpus = encode_documents([["a", "b", "a", "c", "b"]], max_words=1)

        assert corpus.vocabulary.words == ["a"]
        assert corpus.ids.tolist() == [0, -1, 0, -1, -1]

    def test_rare_words_are_forgotten_past_max_types(self):
        corpus = encode_documents([["a", "b", "c", "a", "b", "a", "d"]], max_types=2)

        assert corpus.vocabulary.words == ["a", "b"]
        assert corpus.vocabulary.counts.tolist() == [3, 2]
        assert corpus.ids.tolist() == [0, 1, -1, 0, 1, 0, -1]

    def test_forgetting_goes_on_until_the_bound_holds(self):
        corpus = encode_documents([["a", "b", "c", "d"] * 2 + ["a"]], max_types=1)

        assert corpus.vocabulary.words == ["a"]

    def test_a_forgotten_word_that_comes_again_counts_from_there(self):
        corpus = encode_documents([["z", "b"] + ["a"] * LONG, ["z", "z"]], max_types=2)

        assert corpus.vocabulary.words == ["a", "z"]
        assert corpus.vocabulary.counts.tolist() == [LONG, 2]
        assert corpus.ids[:3].tolist() == [-1, -1, 0]
        assert corpus.ids[-3:].tolist() == [0, 1, 1]


class TestGivenVocabulary:
    def test_its_words_keep_their_ids_and_are_counted_anew(self):
        given_ = Vocabulary(["b", "a", "z"], [9, 9, 9])
        corpus = encode_documents([["a", "x", "b"], ["a"]], vocabulary=given_)

        assert corpus.ids.tolist() == [1, -1, 0, 1]
        assert corpus.vocabulary.words == ["b", "a", "z"]
        assert corpus.vocabulary.counts.tolist() == [1, 2, 0]

    def test_it_is_not_changed(self):
        given_ = Vocabulary(["b", "a"], [9, 8])
        encode_documents([["a", "x", "b"]], vocabulary=given_)

        assert given_.index == {"b": 0, "a": 1}
        assert given_.counts.tolist() == [9, 8]


class TestSpool:
    @given(tokenized, st.none() | st.integers(1, 3))
    def test_a_spooled_corpus_equals_one_in_memory(self, documents, max_words):
        held = encode_documents(documents, max_words=max_words)
        with encode_documents(documents, max_words=max_words, max_memory=0) as spooled:
            assert parts(spooled) == parts(held)

    @pytest.mark.parametrize("vocabulary", [None, Vocabulary(["w3", "w1"])])
    def test_a_long_text_is_spooled_block_by_block(self, temporary, vocabulary):
        document = [f"w{i % 7}" for i in range(LONG // 2)]
        documents = [document, document[:10], document, document, document]

        held = encode_documents(documents, vocabulary=vocabulary)
        spooled = encode_documents(documents, vocabulary=vocabulary, max_memory=1000)

        with spooled:
            np.testing.assert_array_equal(spooled.ids, held.ids)
            np.testing.assert_array_equal(spooled.sentences, held.sentences)
            np.testing.assert_array_equal(spooled.documents, held.documents)
            assert spooled.vocabulary.counts.tolist() == held.vocabulary.counts.tolist()

    def test_it_is_mapped_read_only_from_a_temporary_directory(self, temporary):
        with encode_documents([["a", "b"]], max_memory=0) as corpus:
            assert isinstance(corpus.ids, np.memmap)
            assert Path(corpus.ids.filename).is_relative_to(temporary)
            with pytest.raises(ValueError, match="read-only"):
                corpus.ids[0] = 1

    def test_its_files_are_gone_after_close(self, temporary):
        corpus = encode_documents([["a", "b"]], max_memory=0)
        assert list(temporary.iterdir())

        corpus.close()
        corpus.close()  # a second time does no harm

        assert not list(temporary.iterdir())
        assert corpus.n_words == 0

    def test_its_files_are_gone_after_a_with_block_that_fails(self, temporary):
        with (
            pytest.raises(RuntimeError, match="in the block"),
            encode_documents([["a"]], max_memory=0),
        ):
            raise RuntimeError("in the block")

        assert not list(temporary.iterdir())

    def test_a_text_that_fits_in_memory_leaves_no_files(self, temporary):
        corpus = encode_documents([["a", "b"]])

        assert not isinstance(corpus.ids, np.memmap)
        assert not list(temporary.iterdir())

    @pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
    def test_its_files_are_gone_if_the_documents_fail_half_way(self, temporary, failure):
        files_half_way = []

        def documents():
            yield ["a", "b"] * (LONG // 2)
            files_half_way.extend(temporary.iterdir())
            raise failure("half way")

        with pytest.raises(failure, match="half way"):
            encode_documents(documents(), max_memory=1000)

        assert files_half_way
        assert not list(temporary.iterdir())

    def test_its_files_are_gone_if_a_document_is_wrong(self, temporary):
        with pytest.raises(TypeError, match="float"):
            encode_documents([["a"] * LONG, 1.5], max_memory=1000)

        assert not list(temporary.iterdir())

    def test_its_files_are_gone_if_the_disk_is_full_at_the_end(self, temporary, monkeypatch):
        def full(*args, **kwargs):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(np.lib.format, "open_memmap", full)

        with pytest.raises(OSError, match="No space left"):
            encode_documents([["a", "b"]], max_memory=0)

        assert not list(temporary.iterdir())


class TestLongSentences:
    def test_they_are_cut_into_pieces(self):
        document = ["a", "b"] * MAX_SENTENCE + ["c"] * 5
        corpus = encode_documents([document, ["a"]])

        pieces = [0, MAX_SENTENCE, 2 * MAX_SENTENCE, 2 * MAX_SENTENCE + 5, 2 * MAX_SENTENCE + 6]
        assert corpus.sentences.tolist() == pieces
        assert corpus.documents.tolist() == [0, *pieces[-2:]]
        assert [word for piece in list(corpus)[:3] for word in piece] == document

    def test_one_of_exactly_the_limit_stays_whole(self):
        assert encode_documents([["a"] * MAX_SENTENCE]).n_sentences == 1

    @pytest.mark.slow
    def test_a_document_of_ten_megabytes_in_one_line_works(self):
        text = "flies " * (10_000_000 // 6)
        corpus = encode_documents([text])

        assert corpus.n_words == 10_000_000 // 6
        assert np.diff(corpus.sentences).max() == MAX_SENTENCE
        assert corpus.vocabulary.words == ["flies"]


class TestErrors:
    def test_bytes_that_do_not_decode_name_the_document_and_the_way_out(self):
        with pytest.raises(UnicodeDecodeError) as caught:
            encode_documents([b"one", b"two", b"caf\xe9"])

        notes = "\n".join(caught.value.__notes__)
        assert "document number 2" in notes
        assert "encoding" in notes
        assert "decode_error" in notes

    def test_the_way_out_works(self):
        documents = [b"caf\xe9 noir"]

        assert list(encode_documents(documents, encoding="latin-1")) == [["café", "noir"]]
        assert list(encode_documents(documents, decode_error="ignore")) == [["caf", "noir"]]

    @pytest.mark.parametrize("wrong", [3, None, ["fly", 3]])
    def test_a_document_of_a_wrong_type_is_named(self, wrong):
        with pytest.raises(TypeError) as caught:
            encode_documents(["one fly", wrong])

        assert "document number 1" in "\n".join(caught.value.__notes__)

    def test_a_missing_file_is_named(self, tmp_path):
        (tmp_path / "there").write_text("one fly")

        with pytest.raises(FileNotFoundError, match="missing") as caught:
            encode_documents([tmp_path / "there", tmp_path / "missing"], input="filename")

        assert "document number 1" in "\n".join(caught.value.__notes__)

    @pytest.mark.parametrize("single", ["one fly", b"one fly", Path("fly.txt")])
    def test_a_single_document_is_refused(self, single):
        with pytest.raises(ValueError, match="got a single"):
            encode_documents(single)

    def test_a_table_is_refused(self):
        with pytest.raises(ValueError, match="one-dimensional"):
            encode_documents(np.array([["one", "fly"]]))

    def test_what_cannot_be_iterated_is_refused(self):
        with pytest.raises(TypeError, match="iterable of documents"):
            encode_documents(3)


def test_input_filename_reads_files(tmp_path):
    (tmp_path / "fly.txt").write_text("One fly. Two flies.")

    corpus = encode_documents([tmp_path / "fly.txt"], input="filename")

    assert list(corpus) == [["one", "fly"], ["two", "flies"]]


def test_a_tokenizer_that_yields_words_works():
    corpus = encode_documents(["one fly"], tokenizer=lambda text: iter(text.split()))

    assert list(corpus) == [["one", "fly"]]


def test_an_analyzer_may_be_given_in_place_of_parameters():
    corpus = encode_documents(["The Fly"], analyzer=TextAnalyzer(lowercase=False))

    assert list(corpus) == [["The", "Fly"]]
    assert corpus.text_params["lowercase"] is False


def test_progress_tells_of_every_word_once():
    amounts = []
    corpus = encode_documents([["a"] * LONG, ["b", "c"]], on_progress=amounts.append)

    assert len(amounts) > 1
    assert sum(amounts) == corpus.n_words == LONG + 2
