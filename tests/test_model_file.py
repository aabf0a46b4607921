import errno
import json
import os
import stat
import struct

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

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
    return {"skfly": json.dumps({"version": FORMAT_VERSION, "content": {}} | changes)}


class TestRoundTrip:
    @pytest.mark.parametrize("mmap", [False, True])
    def test_arrays_and_content_come_back(self, path, mmap):
        arrays, content = read_model_file(path, mmap=mmap)

        assert content == CONTENT
        assert set(arrays) == set(ARRAYS)
        for name, array in ARRAYS.items():
            assert arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(arrays[name], array)

    def test_mapped_arrays_are_read_only(self, path):
        arrays, _ = read_model_file(path, mmap=True)

        for array in arrays.values():
            assert isinstance(array, np.memmap)
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
        write_with_metadata(path, ours(), array=np.zeros(3, dtype=np.int8))

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
