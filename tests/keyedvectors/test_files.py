import errno
import json
import mmap
import os

import numpy as np
import pytest
import safetensors.numpy
from gensim.models import KeyedVectors

from skfly import FlyHashVectorizer, FlyKeyedVectors, ModelFileError
from skfly._model_file import read_model_file, write_model_file

MMAP = pytest.mark.parametrize("mmap", [None, "r"])


def assert_same(ours, theirs):
    assert ours.index_to_key == theirs.index_to_key
    assert ours.key_to_index == theirs.key_to_index
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)


class TestOurOwn:
    @MMAP
    def test_everything_comes_back(self, wv, tmp_path, mmap):
        wv.similarity_measure = "jaccard"
        wv.set_vecattr("w1", "tag", "noun")
        wv.save(tmp_path / "words")

        loaded = FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)

        assert_same(loaded, wv)
        assert loaded.similarity_measure == "jaccard"
        assert loaded.get_vecattr("w1", "tag") == "noun"
        np.testing.assert_array_equal(loaded.expandos["count"], wv.expandos["count"])
        assert loaded.most_similar("w1") == wv.most_similar("w1")
        assert loaded.neighbors(["w1", "w2"]) == wv.neighbors(["w1", "w2"])

    @MMAP
    def test_one_file_without_pickle(self, wv, tmp_path, mmap):
        wv.save(str(tmp_path / "words"))

        assert [path.name for path in tmp_path.iterdir()] == ["words"]
        arrays, _ = read_model_file(tmp_path / "words", mmap=bool(mmap))
        assert arrays["words.data"].tobytes().startswith(b"w0w1")

    def test_arguments_of_gensim_are_taken(self, wv, tmp_path):
        wv.save(tmp_path / "words", separately=["vectors"], sep_limit=1, pickle_protocol=4)

        assert len(list(tmp_path.iterdir())) == 1

    def test_numbers_as_keys_and_free_places(self, tmp_path):
        wv = FlyKeyedVectors(5, 3, hash_length=2)
        wv.add_vector(0, [1, 1, 0, 0, 0])
        wv.add_vector(np.int64(7), [0, 1, 1, 0, 0])
        wv.save(tmp_path / "words")

        loaded = FlyKeyedVectors.load(tmp_path / "words")

        assert loaded.index_to_key == [0, 7, None]
        assert loaded.key_to_index == {0: 0, 7: 1}
        assert loaded.hash_length == 2

    def test_attributes_of_any_type(self, wv, tmp_path):
        wv.allocate_vecattrs(["a", "b", "c"], [np.uint32, np.bool_, np.float16])
        wv.expandos["b"][3] = True
        wv.save(tmp_path / "words")

        loaded = FlyKeyedVectors.load(tmp_path / "words")

        assert {n: v.dtype.name for n, v in loaded.expandos.items()} == {
            "count": "int64",
            "a": "uint32",
            "b": "bool",
            "c": "float16",
        }
        assert loaded.get_vecattr("w3", "b")

    def test_an_attribute_that_only_pickle_could_hold(self, wv, tmp_path):
        wv.allocate_vecattrs(["object"], [object])
        wv.expandos["object"][0] = {1, 2}

        with pytest.raises(ValueError, match="without pickle"):
            wv.save(tmp_path / "words")
        assert not list(tmp_path.iterdir())

    def test_events_in_the_life_of_the_vectors(self, wv, tmp_path):
        wv.save(tmp_path / "words")
        assert not hasattr(FlyKeyedVectors.load(tmp_path / "words"), "lifecycle_events")

        wv.add_lifecycle_event("made", log_level=False, by="hand")
        wv.save(tmp_path / "words")
        loaded = FlyKeyedVectors.load(tmp_path / "words")

        assert [event["event"] for event in loaded.lifecycle_events] == ["made"]
        assert loaded.lifecycle_events == wv.lifecycle_events
        loaded.lifecycle_events = None  # gensim's way to have none
        loaded.save(tmp_path / "words")
        assert FlyKeyedVectors.load(tmp_path / "words").lifecycle_events is None

    def test_an_event_that_only_pickle_could_hold(self, wv, tmp_path):
        wv.add_lifecycle_event("made", log_level=False, by={1, 2})

        with pytest.raises(ValueError, match=r"lifecycle_events.*without pickle"):
            wv.save(tmp_path / "words")

    def test_a_file_that_is_open_is_refused(self, wv, tmp_path):
        with (
            open(tmp_path / "words", "wb") as file,
            pytest.raises(TypeError, match="a file name, not"),
        ):
            wv.save(file)

    def test_a_failure_leaves_the_older_file(self, wv, tmp_path, monkeypatch):
        wv.save(tmp_path / "words")
        before = (tmp_path / "words").read_bytes()

        def full(tensors, filename, metadata=None):
            raise OSError(errno.ENOSPC, "No space left")

        monkeypatch.setattr(safetensors.numpy, "save_file", full)
        with pytest.raises(OSError, match="No space"):
            wv.save(tmp_path / "words")

        assert (tmp_path / "words").read_bytes() == before
        assert len(list(tmp_path.iterdir())) == 1

    @MMAP
    def test_words_of_any_letters(self, tmp_path, mmap):
        words = ["fly", "", "Käfer", "蝇", "\0", "\udcff", "a b", "ÿ", "fly\n"]
        FlyKeyedVectors.from_codes(words, np.eye(9)).save(tmp_path / "words")

        assert FlyKeyedVectors.load(tmp_path / "words", mmap=mmap).index_to_key == words

    @MMAP
    def test_no_words(self, tmp_path, mmap):
        FlyKeyedVectors.from_codes([], np.zeros((0, 5))).save(tmp_path / "words")

        assert len(FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)) == 0


class TestReadOnly:
    @pytest.fixture
    def mapped(self, wv, tmp_path):
        wv.save(tmp_path / "words")
        return FlyKeyedVectors.load(tmp_path / "words", mmap="r")

    def test_the_arrays_are(self, mapped):
        assert not mapped._index.columns.flags.writeable
        assert not mapped.expandos["count"].flags.writeable
        owner = mapped._index.columns
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert isinstance(owner.base, mmap.mmap)

    @pytest.mark.parametrize(
        "change",
        [
            lambda wv, code: wv.add_vectors(["new"], code[None]),
            lambda wv, code: wv.add_vector("new", code),
            lambda wv, code: wv.__setitem__("w1", code),
            lambda wv, code: setattr(wv, "vectors", np.zeros((60, 100))),
            lambda wv, code: wv.set_vecattr("w1", "count", 3),
            lambda wv, code: wv.resize_vectors(),
            lambda wv, code: wv.sort_by_descending_frequency(),
            lambda wv, code: wv.intersect_word2vec_format("nowhere"),
        ],
        ids=range(8),
    )
    @pytest.mark.filterwarnings("ignore:Adding single vectors")
    def test_every_change_says_so(self, mapped, codes, change):
        with pytest.raises(ValueError, match=r"mapped read-only.*without mmap='r'"):
            change(mapped, codes[3])

        np.testing.assert_array_equal(mapped.vectors, codes)

    def test_a_file_that_was_read_can_be_changed(self, wv, codes, tmp_path):
        wv.save(tmp_path / "words")
        before = (tmp_path / "words").read_bytes()
        loaded = FlyKeyedVectors.load(tmp_path / "words")
        loaded["w1"] = codes[2]

        assert (tmp_path / "words").read_bytes() == before

    @pytest.mark.parametrize("mmap", ["r+", "c", True])
    def test_other_ways_to_map(self, wv, tmp_path, mmap):
        wv.save(tmp_path / "words")
        with pytest.raises(ValueError, match="mmap must be None or 'r'"):
            FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)


class TestWhatIsNoFileOfOursIsRefused:
    @MMAP
    @pytest.mark.parametrize("share", [0, 0.3, 0.9, 0.999])
    def test_cut_short(self, wv, tmp_path, mmap, share):
        path = tmp_path / "words"
        wv.save(path)
        os.truncate(path, int(path.stat().st_size * share))

        with pytest.raises(ModelFileError, match="cut short"):
            FlyKeyedVectors.load(path, mmap=mmap)

    def test_a_file_of_gensim(self, kv, tmp_path):
        kv.save(str(tmp_path / "words"))

        with pytest.raises(ModelFileError, match="not a model file of skfly"):
            FlyKeyedVectors.load(tmp_path / "words")

    @pytest.mark.parametrize(
        "damage",
        [
            lambda arrays, content: content.update(keys=[f"w{i}" for i in range(59)]),
            lambda arrays, content: content.update(keys=["w1"] * 60),
            lambda arrays, content: content.update(keys=[["w"]] * 60),
            lambda arrays, content: content.pop("keys"),
            lambda arrays, content: content.update(n_cells=5),
            lambda arrays, content: content.update(n_cells="100"),
            lambda arrays, content: content.update(similarity_measure="dice"),
            lambda arrays, content: content.update(hash_length=1000),
            lambda arrays, content: content.update(attributes=3),
            lambda arrays, content: content.update(attributes={"a": {"values": []}}),
            lambda arrays, content: arrays.update({"attribute.x": np.zeros(61)}),
            lambda arrays, content: arrays.pop("packed"),
            lambda arrays, content: arrays.update({k: v[0] for k, v in arrays.items()}),
            lambda arrays, content: arrays.update(
                {k: np.full_like(v, np.iinfo(v.dtype).max) for k, v in arrays.items()}
            ),
            lambda arrays, content: arrays.pop("words.data"),
            lambda arrays, content: arrays.update({"words.data": arrays["words.data"][1:]}),
            lambda arrays, content: arrays.update({"words.data": arrays["words.data"] | 255}),
            lambda arrays, content: arrays.update({"words.ends": arrays["words.ends"][::-1]}),
            lambda arrays, content: arrays.update({"words.ends": arrays["words.ends"] * 1.0}),
            lambda arrays, content: content.update(keys={"n_keys": 60, "n_slots": 73}),
        ],
        ids=range(20),
    )
    @MMAP
    def test_content_that_does_not_fit(self, words, codes, tmp_path, damage, mmap):
        FlyKeyedVectors.from_codes(words, codes).save(tmp_path / "words")
        arrays, content = read_model_file(tmp_path / "words")
        damage(arrays, content)
        write_model_file(tmp_path / "words", arrays, content)

        with pytest.raises(ModelFileError, match="damaged"):
            FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)

    @pytest.mark.parametrize(
        ("text", "n_keys"),
        [
            (b"fly\xffmoth\xff", 3),
            (b"fly\xffmoth\xff", "2"),
            (b"fly\xffmoth", 2),
            (b"fly\xfffly\xff", 2),
            (b"fly\xff\xfe\xff", 2),
            (b"", 2),
        ],
    )
    def test_keys_of_0_1_that_do_not_fit(self, tmp_path, text, n_keys):
        FlyKeyedVectors.from_codes(["fly", "moth"], np.eye(2)).save(tmp_path / "words")
        arrays, content = read_model_file(tmp_path / "words")
        arrays["keys.text"] = np.frombuffer(text, np.uint8)
        content["keys"] = {"n_keys": n_keys, "n_slots": 3}
        write_model_file(tmp_path / "words", arrays, content)

        with pytest.raises(ModelFileError, match="damaged"):
            FlyKeyedVectors.load(tmp_path / "words")

    @pytest.mark.parametrize(
        "cells",
        [
            np.zeros(60, np.uint16),
            np.zeros((2, 60), np.uint16),
            np.full((1, 60), 101, np.uint16),
            np.zeros((1, 60), np.int32),
            np.zeros((1, 59), np.uint16),
        ],
        ids=["flat", "a cell twice", "beyond", "type", "few"],
    )
    @MMAP
    def test_lists_of_cells_that_do_not_fit(self, words, codes, tmp_path, cells, mmap):
        """Release 0.1 wrote such lists where codes had few ones."""
        FlyKeyedVectors.from_codes(words, codes).save(tmp_path / "words")
        arrays, content = read_model_file(tmp_path / "words")
        del arrays["packed"]
        write_model_file(tmp_path / "words", arrays | {"cells": cells}, content)

        with pytest.raises(ModelFileError, match="damaged"):
            FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)


class TestFilesOfTheEstimator:
    @MMAP
    def test_are_opened(self, fitted, tmp_path, mmap):
        fitted.save(tmp_path / "fly")

        loaded = FlyKeyedVectors.load(tmp_path / "fly", mmap=mmap)

        assert type(loaded) is FlyKeyedVectors
        assert_same(loaded, fitted.wv)
        assert loaded.hash_length == fitted.hash_length
        assert loaded.most_similar("fly") == fitted.wv.most_similar("fly")

    def test_one_that_has_no_codes_as_it_is_set(self, make_lloyd, documents, tmp_path):
        fly = make_lloyd(word_codes="synapses").fit(documents)
        fly.set_params(word_codes="consensus").save(tmp_path / "fly")

        with pytest.raises(ModelFileError, match=r"no codes: word_codes='consensus'.*fit again"):
            FlyKeyedVectors.load(tmp_path / "fly")

    def test_are_read_only_if_mapped(self, fitted, tmp_path):
        fitted.save(tmp_path / "fly")
        loaded = FlyKeyedVectors.load(tmp_path / "fly", mmap="r")

        with pytest.raises(ValueError, match="mapped read-only"):
            loaded["new"] = loaded["fly"]

    def test_ours_are_not_files_of_the_estimator(self, wv, tmp_path):
        wv.save(tmp_path / "words")
        with pytest.raises(ModelFileError):
            FlyHashVectorizer.load(tmp_path / "words")


class TestWord2Vec:
    @pytest.mark.parametrize("binary", [True, False])
    def test_gensim_reads_what_we_write(self, wv, kv, tmp_path, binary):
        ours, theirs = tmp_path / "ours", tmp_path / "theirs"
        wv.save_word2vec_format(str(ours), binary=binary)
        kv.save_word2vec_format(str(theirs), binary=binary)

        assert ours.read_bytes() == theirs.read_bytes()
        assert wv._float_vectors is None

    @pytest.mark.parametrize("binary", [True, False])
    @pytest.mark.parametrize("limit", [None, 7])
    def test_we_read_what_gensim_writes(self, kv, tmp_path, binary, limit):
        path = str(tmp_path / "words")
        kv.save_word2vec_format(path, str(tmp_path / "counts"), binary=binary)
        theirs = KeyedVectors.load_word2vec_format(
            path, str(tmp_path / "counts"), binary=binary, limit=limit
        )

        ours = FlyKeyedVectors.load_word2vec_format(
            path, str(tmp_path / "counts"), binary=binary, limit=limit
        )

        assert type(ours) is FlyKeyedVectors
        assert ours._float_vectors is None
        assert_same(ours, theirs)
        for key in ours.index_to_key:
            assert ours.get_vecattr(key, "count") == kv.get_vecattr(key, "count")

    @pytest.mark.filterwarnings("ignore::ResourceWarning")  # gensim forgets to close the file
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_without_a_header(self, wv, tmp_path):
        path = tmp_path / "words"
        wv.save_word2vec_format(path, write_header=False, sort_attr="none")

        assert_same(FlyKeyedVectors.load_word2vec_format(path, no_header=True), wv)

    def test_floats_are_refused(self, tmp_path):
        kv = KeyedVectors(2)
        kv.add_vectors(["a"], [[0.5, 1]])
        kv.save_word2vec_format(str(tmp_path / "words"))

        with pytest.raises(ValueError, match=r"ones and zeros; got 0\.5.*from_dense"):
            FlyKeyedVectors.load_word2vec_format(tmp_path / "words")

    @pytest.mark.parametrize(
        ("errors", "words"), [("replace", ["ab\ufffd", "c\ufffdd"]), ("ignore", ["ab", "cd"])]
    )
    def test_words_that_are_cut_within_a_character(self, tmp_path, errors, words):
        path = tmp_path / "words"
        path.write_bytes(b"2 3\nab\xe3 1 0 1\nc\xe3d 0 1 1\n")
        counts = tmp_path / "counts"
        counts.write_bytes(b"ab\xe3 123\nc\xe3d 789\n")
        with pytest.raises(UnicodeDecodeError):
            FlyKeyedVectors.load_word2vec_format(path)

        wv = FlyKeyedVectors.load_word2vec_format(path, counts, unicode_errors=errors)

        assert wv.index_to_key == words
        assert wv.get_vecattr(words[1], "count") == 789
        np.testing.assert_array_equal(wv.vectors, [[1, 0, 1], [0, 1, 1]])

    def test_a_file_cut_short(self, wv, tmp_path):
        path = tmp_path / "words"
        wv.save_word2vec_format(path, binary=True)
        os.truncate(path, path.stat().st_size - 5)

        with pytest.raises(EOFError, match="unexpected end of input"):
            FlyKeyedVectors.load_word2vec_format(path, binary=True)

    def test_intersection_as_in_gensim(self, wv, kv, codes, tmp_path):
        other = KeyedVectors(100)
        other.add_vectors(["w5", "none", "w7"], codes[:3] * 1.0)
        other.save_word2vec_format(str(tmp_path / "words"))
        kv.vectors_lockf = np.ones(60)  # gensim expects that a model has set it

        for some in (wv, kv):
            some.intersect_word2vec_format(str(tmp_path / "words"))

        assert_same(wv, kv)

    def test_intersection_with_a_binary_file(self, wv, codes, tmp_path):
        other = FlyKeyedVectors.from_codes(["w5", "none"], codes[:2])
        other.save_word2vec_format(tmp_path / "words", binary=True)
        wv.intersect_word2vec_format(tmp_path / "words", binary=True)

        np.testing.assert_array_equal(wv["w5"], codes[0])
        assert "none" not in wv

    def test_intersection_of_other_widths(self, wv, tmp_path):
        FlyKeyedVectors.from_codes(["w5"], [[1, 0]]).save_word2vec_format(tmp_path / "words")

        with pytest.raises(ValueError, match="incompatible vector size 2"):
            wv.intersect_word2vec_format(tmp_path / "words")


def test_the_file_is_as_small_as_the_codes(tmp_path):
    codes = np.random.default_rng(0).integers(0, 2, size=(1000, 400))
    words = [f"w{i}" for i in range(1000)]
    FlyKeyedVectors.from_codes(words, codes).save(tmp_path / "words")

    assert (tmp_path / "words").stat().st_size < 1000 * 56 + 2 * len(json.dumps(words)) + 1000


@pytest.mark.parametrize("mmap", [None, "r"])
def test_a_flipped_bit_is_noticed(tmp_path, mmap):
    FlyKeyedVectors.from_codes(["fly", "moth"], np.eye(2, 16)).save(tmp_path / "words")
    damaged = bytearray((tmp_path / "words").read_bytes())
    damaged[-1] ^= 4
    (tmp_path / "words").write_bytes(damaged)

    with pytest.raises(ModelFileError, match="does not match its checksum"):
        FlyKeyedVectors.load(tmp_path / "words", mmap=mmap)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("word", ["new york", "two\nlines", "tab\t", "\u2028", ""])
def test_words_that_word2vec_files_cannot_hold_are_refused(tmp_path, word, binary):
    vectors = FlyKeyedVectors.from_codes(["fly", word], np.eye(2, 16))
    with pytest.raises(ValueError, match="could not be read back"):
        vectors.save_word2vec_format(str(tmp_path / "words"), binary=binary)
    assert list(tmp_path.iterdir()) == []
    vectors.save(tmp_path / "own")
    assert list(FlyKeyedVectors.load(tmp_path / "own").index_to_key) == ["fly", word]
