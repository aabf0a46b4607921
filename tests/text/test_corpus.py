import json
import logging
import os
import tempfile
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly.text import EncodedCorpus, TextAnalyzer, Vocabulary, encode_documents

ARRAYS = ["ids.npy", "sentences.npy", "documents.npy", "counts.npy"]
TEXTS = ["One fly flies. One sleeps.", "", "No fly"]


def assert_same(one, other):
    np.testing.assert_array_equal(one.ids, other.ids)
    np.testing.assert_array_equal(one.sentences, other.sentences)
    np.testing.assert_array_equal(one.documents, other.documents)
    assert list(one.vocabulary.words) == list(other.vocabulary.words)
    assert one.vocabulary.counts.tolist() == other.vocabulary.counts.tolist()
    assert one.text_params == other.text_params


@pytest.fixture
def corpus():
    return encode_documents(TEXTS, stop_words=["no"], tokenizer=None)


@pytest.fixture
def directory(corpus, tmp_path):
    corpus.save(tmp_path / "corpus")
    return tmp_path / "corpus"


class TestIteration:
    def test_gives_the_sentences_as_words_any_number_of_times(self, corpus):
        sentences = [["one", "fly", "flies"], ["one", "sleeps"], ["fly"]]

        assert list(corpus) == sentences
        assert list(corpus) == sentences
        assert len(corpus) == 3

    def test_leaves_gaps_out(self):
        assert list(encode_documents(TEXTS, min_count=2)) == [["one", "fly"], ["one"], ["fly"]]

    @pytest.mark.parametrize("mmap", [True, False])
    def test_gensim_trains_on_it(self, directory, mmap):
        word2vec = pytest.importorskip("gensim.models").Word2Vec
        corpus = EncodedCorpus.load(directory, mmap=mmap)

        model = word2vec(corpus, vector_size=3, min_count=1, epochs=2, workers=1, seed=0)

        assert set(model.wv.key_to_index) == set(corpus.vocabulary)
        assert model.corpus_count == corpus.n_sentences
        assert np.isfinite(model.wv.vectors).all()


def test_repr_tells_how_much_there_is(corpus):
    assert repr(corpus) == ("EncodedCorpus(6 words, 3 sentences, 3 documents, 4 different words)")


def test_from_documents_is_encode_documents():
    assert_same(
        EncodedCorpus.from_documents(TEXTS, min_count=2), encode_documents(TEXTS, min_count=2)
    )


class TestSaveAndLoad:
    @pytest.mark.parametrize("mmap", [True, False])
    def test_what_is_loaded_is_what_was_saved(self, corpus, directory, mmap):
        loaded = EncodedCorpus.load(directory, mmap=mmap)

        assert_same(loaded, corpus)
        assert isinstance(loaded.ids, np.memmap) == mmap

    @settings(max_examples=30)
    @given(st.lists(st.lists(st.text(st.characters(), max_size=3), max_size=4), max_size=4))
    def test_any_words_come_back(self, documents):
        corpus = encode_documents(documents)
        with tempfile.TemporaryDirectory() as place:
            corpus.save(f"{place}/corpus")
            assert_same(EncodedCorpus.load(f"{place}/corpus", mmap=False), corpus)

    @pytest.mark.parametrize("mmap", [True, False])
    def test_a_corpus_without_words_comes_back(self, tmp_path, mmap):
        corpus = encode_documents(["", ""])
        corpus.save(tmp_path / "corpus")

        assert_same(EncodedCorpus.load(tmp_path / "corpus", mmap=mmap), corpus)

    def test_a_spooled_corpus_can_be_saved(self, corpus, tmp_path):
        with encode_documents(TEXTS, stop_words=["no"], tokenizer=None, max_memory=0) as spooled:
            spooled.save(tmp_path / "corpus")

        assert_same(EncodedCorpus.load(tmp_path / "corpus"), corpus)

    def test_a_loaded_corpus_stays_on_disk_when_closed(self, directory):
        with EncodedCorpus.load(directory) as loaded:
            assert loaded.n_words == 6

        assert EncodedCorpus.load(directory).n_words == 6

    def test_missing_parent_directories_are_made(self, corpus, tmp_path):
        corpus.save(tmp_path / "a" / "b" / "corpus")

        assert_same(EncodedCorpus.load(tmp_path / "a" / "b" / "corpus"), corpus)

    def test_text_parameters_are_kept(self, directory):
        loaded = EncodedCorpus.load(directory)

        assert loaded.text_params["stop_words"] == ["no"]
        assert loaded.text_params["sentence_splitter"] == "punctuation"

    @pytest.mark.parametrize("make", ["mkdir", "touch"])
    def test_what_exists_is_not_overwritten(self, corpus, tmp_path, make):
        existing = tmp_path / "corpus"
        getattr(existing, make)()

        with pytest.raises(FileExistsError, match="exists; remove it"):
            corpus.save(existing)

        assert list(tmp_path.rglob("*")) == [existing]

    @pytest.mark.parametrize("failure", [OSError(28, "No space left"), KeyboardInterrupt("stop")])
    def test_a_save_that_fails_leaves_nothing_behind(self, corpus, tmp_path, monkeypatch, failure):
        real = np.save

        def fails_at_the_second(path, array):
            if path.name == "sentences.npy":
                path.write_bytes(b"half of it")
                raise failure
            real(path, array)

        monkeypatch.setattr(np, "save", fails_at_the_second)

        with pytest.raises(type(failure), match=str(failure.args[-1])):
            corpus.save(tmp_path / "corpus")

        assert not list(tmp_path.iterdir())


class TestChecksums:
    @pytest.mark.parametrize("name", ["corpus.json", *ARRAYS])
    def test_no_flipped_bit_goes_unnoticed(self, directory, name):
        sound = (directory / name).read_bytes()
        for place in range(0, 8 * len(sound), 5):
            damaged = bytearray(sound)
            damaged[place // 8] ^= 1 << place % 8
            (directory / name).write_bytes(damaged)
            with pytest.raises(ValueError):  # noqa: PT011
                EncodedCorpus.load(directory)
        (directory / name).write_bytes(sound)
        EncodedCorpus.load(directory)

    def test_an_older_corpus_is_read_with_a_note(self, directory, caplog):
        without_checksums(directory)
        with caplog.at_level(logging.INFO, logger="skfly"):
            EncodedCorpus.load(directory)
        assert [record.levelname for record in caplog.records] == ["INFO"]
        assert "no checksums" in caplog.text


def without_checksums(directory):
    """Make a corpus one of the first format, in which damage of every kind can be tried."""
    path = directory / "corpus.json"
    description = json.loads(path.read_text()) | {"version": 1}
    del description["checksums"]
    path.write_text(json.dumps(description))
    return directory


@pytest.mark.parametrize("mmap", [True, False])
class TestDamagedDirectories:
    @pytest.fixture
    def directory(self, directory):
        return without_checksums(directory)

    def describe(self, directory, **changes):
        path = directory / "corpus.json"
        description = json.loads(path.read_text())
        path.write_text(json.dumps(description | changes))

    @pytest.mark.parametrize("name", ["corpus.json", *ARRAYS])
    def test_a_missing_file_is_named(self, directory, mmap, name):
        (directory / name).unlink()

        with pytest.raises(FileNotFoundError, match=name.replace(".", r"\.")):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("kept", [0, 5, 60, 128, 140, -1])
    @pytest.mark.parametrize("name", ARRAYS)
    def test_an_array_cut_short_is_refused(self, directory, mmap, name, kept):
        whole = (directory / name).read_bytes()
        (directory / name).write_bytes(whole[:kept])

        with pytest.raises(ValueError, match="damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    def test_bytes_that_are_no_array_are_refused(self, directory, mmap):
        (directory / "ids.npy").write_bytes(b"these are not the ids" * 10)

        with pytest.raises(ValueError, match="damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("wrong", [-2, 4, 2**31 - 1, -(2**31)])
    def test_ids_that_are_no_words_are_refused(self, directory, mmap, wrong):
        ids = np.load(directory / "ids.npy")
        ids[3] = wrong
        np.save(directory / "ids.npy", ids)

        with pytest.raises(ValueError, match=r"damaged.*not in the vocabulary"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize(
        "offsets", [[0, 5, 3, 6], [1, 3, 6], [0, 3, 5], [0, 3, 7], [0, -1, 6], []]
    )
    @pytest.mark.parametrize("name", ["sentences", "documents"])
    def test_offsets_that_do_not_rise_to_the_end_are_refused(self, directory, mmap, name, offsets):
        np.save(directory / f"{name}.npy", np.array(offsets, dtype=np.int64))

        with pytest.raises(ValueError, match=f"damaged.*{name} do not match the ids"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize(
        ("name", "dtype"),
        [("ids", np.int64), ("ids", np.float32), ("sentences", np.int32), ("documents", ">i8")],
    )
    def test_another_dtype_is_refused(self, directory, mmap, name, dtype):
        path = directory / f"{name}.npy"
        np.save(path, np.load(path).astype(dtype))

        with pytest.raises(ValueError, match=f"damaged.*{name} must be one-dimensional"):
            EncodedCorpus.load(directory, mmap=mmap)

    def test_more_dimensions_are_refused(self, directory, mmap):
        path = directory / "ids.npy"
        np.save(path, np.load(path).reshape(2, 3))

        with pytest.raises(ValueError, match=r"damaged.*ids must be one-dimensional"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("text", ["", "{", "no json", "\xe9", '{"format": "skfly-corpus"'])
    def test_a_description_that_is_no_json_is_refused(self, directory, mmap, text):
        (directory / "corpus.json").write_text(text, encoding="latin-1")

        with pytest.raises(ValueError, match=r"corpus\.json is damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    def test_a_long_description_is_refused(self, directory, mmap, monkeypatch):
        monkeypatch.setattr("skfly.text._corpus._LONGEST_DESCRIPTION", 99)

        with pytest.raises(ValueError, match=r"corpus\.json is damaged: it is too long"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
    @pytest.mark.parametrize("name", ["corpus.json", "ids.npy", "words.npy"])
    def test_a_pipe_is_refused(self, directory, mmap, name):
        (directory / name).unlink()
        os.mkfifo(directory / name)

        with pytest.raises(ValueError, match=f"{name} is a pipe or a device"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("text", ["[]", "3", "{}", '{"format": "other"}'])
    def test_a_description_of_something_else_is_refused(self, directory, mmap, text):
        (directory / "corpus.json").write_text(text)

        with pytest.raises(ValueError, match="not a corpus encoded by skfly"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("version", [0, 3, None, "1"])
    def test_another_version_is_refused_with_what_to_do(self, directory, mmap, version):
        self.describe(directory, version=version)

        with pytest.raises(ValueError, match=f"format {version!r}.*upgrade skfly"):
            EncodedCorpus.load(directory, mmap=mmap)

    def test_a_description_that_does_not_fit_is_refused(self, directory, mmap):
        self.describe(directory, text_params=3)

        with pytest.raises(ValueError, match="damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize(
        ("name", "array"),
        [
            ("words", np.zeros(3, np.uint8)),
            ("words", np.zeros(3, np.int64)),
            ("words", np.full(21, 0xFF, np.uint8)),
            ("word_ends", np.array([3, 6])),
            ("word_ends", np.array([9, 3, 12, 17, 21])),
            ("word_ends", np.array([-3, 6, 9, 15, 21])),
            ("word_ends", np.zeros((2, 2), np.int64)),
        ],
    )
    def test_words_that_do_not_fit_are_refused(self, directory, mmap, name, array):
        np.save(directory / f"{name}.npy", array)

        with pytest.raises(ValueError, match="damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("counts", [[1, 2], [[1], [2], [3], [4]], ["many"] * 4])
    def test_counts_that_do_not_fit_are_refused(self, directory, mmap, counts):
        np.save(directory / "counts.npy", np.array(counts))

        with pytest.raises(ValueError, match="damaged"):
            EncodedCorpus.load(directory, mmap=mmap)

    @pytest.mark.parametrize("key", ["text_params"])
    def test_a_description_with_a_part_missing_is_refused(self, directory, mmap, key):
        path = directory / "corpus.json"
        description = json.loads(path.read_text())
        del description[key]
        path.write_text(json.dumps(description))

        with pytest.raises(ValueError, match=f"damaged.*{key}"):
            EncodedCorpus.load(directory, mmap=mmap)


def test_a_directory_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.*no corpus\.json"):
        EncodedCorpus.load(tmp_path / "nowhere")


def test_arrays_that_do_not_fit_cannot_make_a_corpus():
    ids, ends = np.array([0, 1], dtype=np.int32), np.array([0, 2])

    with pytest.raises(ValueError, match="number that is not in the vocabulary"):
        EncodedCorpus(ids, ends, ends, Vocabulary(["only"]))


class TestBlocks:
    def test_a_block_is_the_words_and_lengths_of_its_sentences(self, corpus, directory):
        for place in (corpus, EncodedCorpus.load(directory)):
            for first in range(corpus.n_sentences):
                for last in range(first + 1, corpus.n_sentences + 1):
                    ids, lengths = place.block(first, last)
                    ends = corpus.sentences
                    assert ids.tolist() == corpus.ids[ends[first] : ends[last]].tolist()
                    assert lengths.tolist() == np.diff(ends[first : last + 1]).tolist()

    @pytest.mark.parametrize("part", [1, 2, 3, 1 << 18])
    @pytest.mark.parametrize("size", [1, 2, 3, 100])
    def test_block_lengths_count_the_words_of_runs_of_sentences(
        self, corpus, directory, size, part, monkeypatch
    ):
        monkeypatch.setattr("skfly.text._corpus._PART", part)
        expected = [
            corpus.sentences[min(start + size, corpus.n_sentences)] - corpus.sentences[start]
            for start in range(0, corpus.n_sentences, size)
        ]
        assert corpus.block_lengths(size).tolist() == expected
        assert EncodedCorpus.load(directory).block_lengths(size).tolist() == expected


class TestWarnIfReadOtherwise:
    def warned(self, corpus, **params):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            corpus.warn_if_read_otherwise(TextAnalyzer(**params))
        return [str(warning.message) for warning in caught]

    def test_other_rules_for_words_are_named(self):
        corpus = encode_documents(["fly"], lowercase=True, stop_words=["the"])

        (message,) = self.warned(corpus, lowercase=False, stop_words=["the"])

        assert "lowercase=True there, False here" in message
        assert "stop_words" not in message

    def test_the_same_rules_give_no_warning(self):
        rules = {"lowercase": False, "stop_words": ["the", "an"], "tokenizer": str.split}

        assert self.warned(encode_documents(["fly"], **rules), **rules) == []

    def test_the_same_rules_give_no_warning_after_save_and_load(self, tmp_path):
        rules = {"stop_words": ["the", "an"], "tokenizer": str.split, "strip_accents": "ascii"}
        encode_documents(["fly"], **rules).save(tmp_path / "corpus")

        assert self.warned(EncodedCorpus.load(tmp_path / "corpus"), **rules) == []

    def test_how_the_text_came_in_makes_no_difference(self):
        corpus = encode_documents([b"fly"], encoding="latin-1", sentence_splitter="line")

        assert self.warned(corpus, encoding="utf-8", sentence_splitter=None) == []

    def test_a_rule_left_at_its_default_when_encoding_is_compared_too(self):
        (message,) = self.warned(encode_documents(["fly"]), lowercase=False)

        assert "lowercase=True there, False here" in message

    def test_a_rule_left_at_its_default_for_new_text_is_compared_too(self):
        (message,) = self.warned(encode_documents(["fly"], lowercase=False))

        assert "lowercase=False there, True here" in message

    def test_a_default_that_is_spelled_out_gives_no_warning(self):
        assert self.warned(encode_documents(["fly"]), lowercase=True, stop_words=None) == []


def test_two_words_that_changed_places_are_another_text():
    words = [f"w{i % 50}" for i in range(300_000)]
    texts = [words[i : i + 20] for i in range(0, len(words), 20)]
    names = [encode_documents(texts).fingerprint()]
    for place in (3, 7_001, 14_998):
        changed = [list(text) for text in texts]
        changed[place][3], changed[place][4] = changed[place][4], changed[place][3]
        names.append(encode_documents(changed).fingerprint())
    assert len(set(names)) == 4
