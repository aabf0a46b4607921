import errno
import json
import logging
import os
import pickle
import stat
import struct
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from skfly import _model_file
from skfly._model_file import FORMAT_VERSION, ModelFileError, read_model_file, write_model_file

ARRAYS = {
    "synapses_": np.arange(12, dtype=np.float32).reshape(4, 3) / 7,
    "cell_norms_": np.array([0.1, 0.2, 0.3]),
    "word_counts_": np.array([5, 2**40]),
}
CONTENT = {"params": {"window": 11, "dtype": "float32"}, "words": ["fly", "naïve", "蝇"]}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.skfly"
    write_model_file(path, ARRAYS, CONTENT)
    return path


def write_with_metadata(path, metadata, array=ARRAYS["synapses_"]):
    safetensors.numpy.save_file({"synapses_": array}, path, metadata=metadata)


def ours(**changes):
    """Return the metadata of an older file, which has no checksums."""
    return {"skfly": json.dumps({"version": 2, "content": {}} | changes)}


def metadata_of(path):
    with safetensors.safe_open(path, framework="numpy") as file:
        return file.metadata()["skfly"]


class TestRoundTrip:
    @pytest.mark.parametrize("mmap", [False, True])
    def test_arrays_and_content_come_back(self, path, mmap):
        arrays, content = read_model_file(path, mmap=mmap)

        assert content == CONTENT
        assert set(arrays) == set(ARRAYS)
        for name, array in ARRAYS.items():
            assert arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(arrays[name], array)

    @pytest.mark.parametrize("mmap", [False, True])
    def test_a_file_replaced_while_it_is_read_is_read_again(self, path, mmap, monkeypatch):
        other = path.with_name("other")
        write_model_file(other, {"counts": np.arange(5)}, {"new": True})
        read_arrays = _model_file._read_arrays

        def replace_and_read(*args):
            if other.exists():
                other.replace(path)
            return read_arrays(*args)

        monkeypatch.setattr(_model_file, "_read_arrays", replace_and_read)
        arrays, content = read_model_file(path, mmap=mmap)
        assert content == {"new": True}
        assert arrays["counts"].tolist() == [0, 1, 2, 3, 4]

    def test_mapped_arrays_are_read_only(self, path):
        arrays, _ = read_model_file(path, mmap=True)

        for array in arrays.values():
            assert isinstance(array.base.base, np.memmap)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0

    def test_arrays_that_were_read_can_be_changed_without_changing_the_file(self, path):
        before = path.read_bytes()
        arrays, _ = read_model_file(path)
        arrays["synapses_"][...] = 0

        assert path.read_bytes() == before

    @pytest.mark.parametrize("mmap", [False, True])
    def test_the_order_in_memory_of_an_array_makes_no_difference(self, tmp_path, mmap):
        array = np.arange(24, dtype=np.float32).reshape(4, 6)
        given_ = {"fortran": np.asfortranarray(array), "strided": array[::2, ::-1]}
        write_model_file(tmp_path / "m", given_, {})

        arrays, _ = read_model_file(tmp_path / "m", mmap=mmap)

        np.testing.assert_array_equal(arrays["fortran"], array)
        np.testing.assert_array_equal(arrays["strided"], array[::2, ::-1])

    def test_a_str_is_as_good_as_a_path(self, tmp_path):
        write_model_file(str(tmp_path / "m"), ARRAYS, CONTENT)

        assert read_model_file(str(tmp_path / "m"))[1] == CONTENT

    def test_the_file_may_be_read_by_whom_the_umask_allows(self, tmp_path):
        before = os.umask(0o027)
        try:
            write_model_file(tmp_path / "m", ARRAYS, CONTENT)
        finally:
            os.umask(before)

        assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o640


class TestDamage:
    def test_no_flipped_bit_goes_unnoticed(self, path):
        sound = path.read_bytes()
        noticed = 0
        for place in range(0, 8 * len(sound), 7):
            damaged = bytearray(sound)
            damaged[place // 8] ^= 1 << place % 8
            path.write_bytes(damaged)
            try:
                arrays, content = read_model_file(path)
            except ModelFileError:
                noticed += 1
                continue
            # the case of a letter in "\\u8747" is no damage
            assert content == CONTENT
            assert all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)
        assert noticed > 0.98 * len(range(0, 8 * len(sound), 7))

    def test_large_arrays_of_a_mapped_file_are_checked_when_asked_to(self, tmp_path):
        path = tmp_path / "m"
        write_model_file(path, {"large": np.zeros(300_000, np.float32), "n": np.arange(3)}, {})
        with open(path, "rb+") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"x")

        arrays, _ = read_model_file(path, mmap=True)
        for _ in range(2):  # and again, if the first error was caught
            with pytest.raises(
                ModelFileError, match="damaged: 'large' does not match its checksum"
            ):
                arrays.check()

        with pytest.raises(ModelFileError, match="'large' does not match its checksum"):
            read_model_file(path)

    @pytest.mark.parametrize("mmap", [False, True])
    def test_an_array_more_or_less(self, path, mmap):
        metadata = {"skfly": metadata_of(path)}
        arrays = {name: ARRAYS[name] for name in sorted(ARRAYS)[1:]}
        safetensors.numpy.save_file(arrays, path, metadata=metadata)

        with pytest.raises(ModelFileError, match="its arrays are not those that it lists"):
            read_model_file(path, mmap=mmap)

    def test_an_older_file_is_read_with_a_note(self, path, caplog):
        write_with_metadata(path, ours())

        with caplog.at_level(logging.INFO, logger="skfly"):
            arrays, _ = read_model_file(path)

        np.testing.assert_array_equal(arrays["synapses_"], ARRAYS["synapses_"])
        assert [record.levelname for record in caplog.records] == ["INFO"]
        assert "no checksums" in caplog.text

    def test_content_with_keys_that_json_turns_into_strings(self, tmp_path):
        write_model_file(tmp_path / "m", {}, {"names": {10: "ten", 9: ("nine",)}})
        assert read_model_file(tmp_path / "m")[1] == {"names": {"9": ["nine"], "10": "ten"}}


class TestSize:
    """What would take much memory is refused before it is parsed."""

    def refuse(self, path, header, match, data=b""):
        path.write_bytes(struct.pack("<Q", len(header)) + header + data)
        with pytest.raises(ModelFileError, match=match):
            read_model_file(path)

    def test_many_arrays(self, path):
        entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
        header = {"__metadata__": ours()} | {f"a{i}": entry for i in range(20_000)}
        self.refuse(path, json.dumps(header).encode(), "too many arrays")

    def test_refusing_takes_little_memory_itself(self, path):
        entry = b'"a%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
        header = b"{" + b"".join(entry % i for i in range(200_000))
        tracemalloc.start()
        try:
            self.refuse(path, header, "too many arrays")
            assert tracemalloc.get_traced_memory()[1] < 3 * len(header)
        finally:
            tracemalloc.stop()

    def test_much_metadata(self, path):
        header = {"__metadata__": ours() | {f"a{i}": "" for i in range(100_000)}}
        self.refuse(path, json.dumps(header, separators=(",", ":")).encode(), "too many arrays")

    def test_a_description_of_many_small_values(self, path):
        header = {"__metadata__": ours(content={"keys": [[]] * 600_000})}
        self.refuse(path, json.dumps(header).encode(), "too long for its arrays")

    @pytest.mark.parametrize("text", [b'\\"' * 500_000, b'"' + b"\\" * 1_000_001])
    def test_strings_without_an_end_take_no_time(self, path, text):
        self.refuse(path, text, "not a model file")

    def test_a_length_that_the_file_does_not_have(self, path):
        path.write_bytes(struct.pack("<Q", 2**63) + b"{}")
        with pytest.raises(ModelFileError, match="cut short"):
            read_model_file(path)

    def test_a_pickle_is_called_one(self, path):
        path.write_bytes(pickle.dumps({"words": ["fly"]}))
        with pytest.raises(ModelFileError, match="a pickle: open it with the package"):
            read_model_file(path)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
    def test_a_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ModelFileError, match="is a pipe or a device, not a model file"):
            read_model_file(tmp_path / "pipe")


class TestWriting:
    def test_replaces_an_older_file(self, path):
        write_model_file(path, {"cell_norms_": np.zeros(2)}, {"words": []})

        arrays, content = read_model_file(path)

        assert list(arrays) == ["cell_norms_"]
        assert content == {"words": []}

    def test_leaves_nothing_but_the_file(self, path):
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize(
        "failure", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt("stop")]
    )
    @pytest.mark.parametrize("older", [True, False])
    def test_a_failure_half_way_leaves_everything_as_it_was(
        self, tmp_path, monkeypatch, failure, older
    ):
        path = tmp_path / "model.skfly"
        if older:
            write_model_file(path, ARRAYS, CONTENT)
        before = {entry: entry.read_bytes() for entry in tmp_path.iterdir()}
        real, wrote = safetensors.numpy.save_file, []

        def half(tensors, filename, metadata=None):
            real(tensors, filename, metadata=metadata)
            os.truncate(filename, os.path.getsize(filename) // 2)
            wrote.append(filename)
            raise failure

        monkeypatch.setattr(safetensors.numpy, "save_file", half)

        with pytest.raises(type(failure), match=str(failure.args[-1])):
            write_model_file(path, {"synapses_": np.ones((100, 100))}, {})

        assert wrote
        assert {entry: entry.read_bytes() for entry in tmp_path.iterdir()} == before

    def test_what_the_system_says_of_a_failed_write_is_raised(self, path):
        resource = pytest.importorskip("resource")
        before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large") as raised:
                write_model_file(path, {"large": np.zeros(1000)}, {})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (raised.value.errno, raised.value.filename) == (errno.EFBIG, str(path))
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_content_that_json_cannot_hold_leaves_everything_as_it_was(self, path):
        before = path.read_bytes()

        with pytest.raises(TypeError, match="JSON"):
            write_model_file(path, ARRAYS, {"tokenizer": len})

        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_a_directory_is_not_replaced(self, tmp_path):
        (tmp_path / "model").mkdir()

        with pytest.raises(OSError, match="model"):
            write_model_file(tmp_path / "model", ARRAYS, CONTENT)

        assert [entry.name for entry in tmp_path.iterdir()] == ["model"]

    def test_a_missing_directory_is_not_made(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            write_model_file(tmp_path / "nowhere" / "m", ARRAYS, CONTENT)

        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mmap", [False, True])
class TestWhatIsNoModelIsRefused:
    @pytest.mark.parametrize("share", [0, 0.01, 0.1, 0.5, 0.9])
    def test_a_file_cut_short(self, path, mmap, share):
        os.truncate(path, int(path.stat().st_size * share))

        with pytest.raises(ModelFileError, match=r"model\.skfly.*cut short"):
            read_model_file(path, mmap=mmap)

    def test_a_file_cut_short_by_one_byte(self, path, mmap):
        os.truncate(path, path.stat().st_size - 1)

        with pytest.raises(ModelFileError, match="cut short"):
            read_model_file(path, mmap=mmap)

    def test_a_file_with_bytes_to_spare(self, path, mmap):
        path.write_bytes(path.read_bytes() + b"x")

        with pytest.raises(ModelFileError, match="not a model file"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize(
        "content", [b"fly" * 1000, bytes(1000), b"\xff" * 1000, b"PK\x03\x04" + bytes(100)]
    )
    def test_other_bytes(self, path, mmap, content):
        path.write_bytes(content)

        with pytest.raises(ModelFileError, match="not a model file"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"skfly2": "{}"}])
    def test_a_safetensors_file_of_others(self, path, mmap, metadata):
        write_with_metadata(path, metadata)

        with pytest.raises(ModelFileError, match="a safetensors file, but not a model of skfly"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize("version", [FORMAT_VERSION + 1, 10, 10**20])
    def test_a_newer_version_says_to_upgrade(self, path, mmap, version):
        write_with_metadata(path, ours(version=version))

        with pytest.raises(ModelFileError, match=rf"format {version}.*upgrade.*pip install -U"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize("version", ["", "1", -1, 0, 1.0, None, [1], {"a" * 5000: 1}])
    def test_a_version_that_makes_no_sense(self, path, mmap, version):
        write_with_metadata(path, ours(version=version))

        with pytest.raises(ModelFileError, match="damaged: its version"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize(
        "description",
        ["", "{", "words", "{'words': 1}", "[" * 100_000, '{"version": ' + "9" * 5000 + "}"],
        ids=range(6),
    )
    def test_a_description_that_is_no_json(self, path, mmap, description):
        write_with_metadata(path, {"skfly": description})

        with pytest.raises(ModelFileError, match="damaged: its description cannot be read"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize("content", [[], 3, None, "words"])
    def test_content_that_is_no_table(self, path, mmap, content):
        write_with_metadata(path, ours(content=content))

        with pytest.raises(ModelFileError, match="damaged: its content is not a table"):
            read_model_file(path, mmap=mmap)

    @pytest.mark.parametrize("description", ['{"version": 1}', '{"content": {}}', "[]", "1"])
    def test_a_description_with_a_part_missing(self, path, mmap, description):
        write_with_metadata(path, {"skfly": description})

        with pytest.raises(ModelFileError, match="damaged"):
            read_model_file(path, mmap=mmap)

    def test_arrays_of_a_type_that_models_do_not_have(self, path, mmap):
        write_with_metadata(path, ours(), array=np.zeros(3, dtype=np.float16))

        with pytest.raises(ModelFileError, match="synapses_"):
            read_model_file(path, mmap=mmap)

    def test_arrays_of_a_type_that_numpy_does_not_have(self, path, mmap):
        header = json.dumps(
            {
                "__metadata__": ours(),
                "synapses_": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
            }
        ).encode()
        path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))

        with pytest.raises(ModelFileError, match="synapses_"):
            read_model_file(path, mmap=mmap)

    def test_a_directory(self, tmp_path, mmap):
        with pytest.raises(ModelFileError, match="is a directory"):
            read_model_file(tmp_path, mmap=mmap)

    def test_a_missing_file_is_a_missing_file(self, tmp_path, mmap):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read_model_file(tmp_path / "nowhere", mmap=mmap)


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_another_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "random.skfly"
    path.write_bytes(content)

    with pytest.raises(ModelFileError):
        read_model_file(path)


def test_the_error_is_a_value_error():
    assert issubclass(ModelFileError, ValueError)


def test_what_could_not_be_read_again_is_not_written(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="a model file has room for"):
        write_model_file(path, ARRAYS, CONTENT | {"words": ["x" * 1_000_000] * 101})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
