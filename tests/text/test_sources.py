import bz2
import gzip
import lzma
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfly.text import TextLines, check_documents, encode_documents

OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": None}


def open_to_write(path):
    if path.suffix == ".zst":
        return pytest.importorskip("zstandard").open(path, "wb")
    return OPENERS[path.suffix.replace(".txt", "")](path, "wb")


@pytest.mark.parametrize("suffix", OPENERS)
class TestTextLines:
    def path(self, tmp_path, suffix, content):
        path = tmp_path / f"corpus.txt{suffix}"
        with open_to_write(path) as file:
            file.write(content)
        return path

    def test_gives_the_lines_again_for_every_iteration(self, tmp_path, suffix):
        lines = TextLines(self.path(tmp_path, suffix, "Eine Fliege\nfällt".encode()))

        first, second = ([line.rstrip("\n") for line in lines] for _ in range(2))

        assert first == second == ["Eine Fliege", "fällt"]

    def test_a_broken_off_iteration_does_not_disturb_the_next(self, tmp_path, suffix):
        lines = TextLines(self.path(tmp_path, suffix, b"one\ntwo\n"))

        assert next(iter(lines)).strip() == "one"
        assert [line.strip() for line in lines] == ["one", "two"]

    def test_decodes_as_told(self, tmp_path, suffix):
        path = self.path(tmp_path, suffix, b"f\xe4llt")

        assert list(TextLines(path, encoding="latin-1")) == ["fällt"]

    def test_bytes_that_do_not_decode_raise_or_are_handled_as_told(self, tmp_path, suffix):
        path = self.path(tmp_path, suffix, b"f\xe4llt")

        assert list(TextLines(path, errors="ignore")) == ["fllt"]
        assert list(TextLines(path, errors="replace")) == ["f\N{REPLACEMENT CHARACTER}llt"]
        with pytest.raises(UnicodeDecodeError):
            list(TextLines(path))

    def test_a_missing_file_raises_when_it_is_read(self, tmp_path, suffix):
        with pytest.raises(FileNotFoundError):
            list(TextLines(tmp_path / f"no.txt{suffix}"))


class TestZstandard:
    def test_several_frames_are_one_text(self, tmp_path):
        zstandard = pytest.importorskip("zstandard")
        path = tmp_path / "text.zst"
        compress = zstandard.ZstdCompressor().compress
        path.write_bytes(compress(b"one\ntw") + compress(b"o\nthree\n") + compress(b""))

        assert list(TextLines(path)) == ["one\n", "two\n", "three\n"]
        assert b"".join(TextLines(path).blocks(5)) == b"one\ntwo\nthree\n"

    def test_a_file_that_is_cut_short_or_another_is_told(self, tmp_path):
        zstandard = pytest.importorskip("zstandard")
        data = zstandard.ZstdCompressor().compress(b"one fly\n" * 1000)
        path = tmp_path / "text.zst"
        path.write_bytes(data[:-9])
        with pytest.raises(EOFError, match="ended before") as caught:
            list(TextLines(path))
        assert caught.value.__notes__ == [f"while reading {path}"]
        path.write_bytes(b"one fly\n" * 1000)
        with pytest.raises(OSError, match="not compressed as its name says"):
            list(TextLines(path))

    def test_without_the_package_the_extra_is_named(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "zstandard", None)
        path = tmp_path / "text.zst"
        path.write_bytes(b"")
        with pytest.raises(ImportError, match=r"skfly\[zstd\]"):
            list(TextLines(path))


class TestCompressed:
    """What ``gzip``, ``xz`` and the others write is read; what would take much memory is not."""

    @pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
    def test_several_streams_and_padding_are_one_text(self, tmp_path, compress):
        path = tmp_path / f"text.{compress.__module__.replace('gzip', 'gz').replace('lzma', 'xz')}"
        path.write_bytes(compress(b"one\ntw") + compress(b"o\n") + bytes(2048) + compress(b"3"))

        assert list(TextLines(path)) == ["one\n", "two\n", "3"]

    @pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
    def test_a_file_that_is_cut_short_or_empty_or_damaged_is_told(self, tmp_path, suffix):
        path = tmp_path / f"text{suffix}"
        with OPENERS[suffix](path, "wb") as file:
            file.write(b"one fly\n" * 1000)
        data = path.read_bytes()
        for cut in (data[:-9], b""):
            path.write_bytes(cut)
            with pytest.raises(EOFError, match="ended before"):
                list(TextLines(path))
        path.write_bytes(data[:-6] + bytes(6))
        with pytest.raises(OSError, match="or damaged"):
            list(TextLines(path))
        path.write_bytes(bytes(64))
        with pytest.raises(OSError, match="not compressed as its name says"):
            list(TextLines(path))

    def test_what_xz_writes_at_its_largest_setting_is_read(self, tmp_path):
        path = tmp_path / "text.xz"
        path.write_bytes(lzma.compress(b"one fly\n", preset=9 | lzma.PRESET_EXTREME))

        assert list(TextLines(path)) == ["one fly\n"]

    def test_a_large_xz_dictionary_is_refused(self, tmp_path):
        path = tmp_path / "text.xz"
        data = bytearray(lzma.compress(b"one fly\n"))
        stop = 12 + 4 * data[12]  # of the block's header; behind it is its checksum
        data[16] = 40  # a dictionary of 4 GB
        data[stop : stop + 4] = zlib.crc32(data[12:stop]).to_bytes(4, "little")
        path.write_bytes(data)

        with pytest.raises(OSError, match="takes more than 64 MB of memory"):
            list(TextLines(path))

    @pytest.mark.parametrize("log", [26, 27, 30])
    def test_a_large_zstd_window_is_refused(self, tmp_path, log):
        zstandard = pytest.importorskip("zstandard")
        params = zstandard.ZstdCompressionParameters(window_log=log)
        compressor = zstandard.ZstdCompressor(compression_params=params).compressobj()
        path = tmp_path / "text.zst"
        path.write_bytes(compressor.compress(b"one fly\n") + compressor.flush())

        if log == 26:
            assert list(TextLines(path)) == ["one fly\n"]
        else:
            with pytest.raises(OSError, match="takes more than 64 MB of memory"):
                list(TextLines(path))

    def test_little_is_decompressed_at_a_time(self, tmp_path):
        zstandard = pytest.importorskip("zstandard")
        path = tmp_path / "text.zst"
        path.write_bytes(zstandard.ZstdCompressor().compress(b"a fly\n" * (1 << 26)))

        tracemalloc.start()
        for _ in TextLines(path).blocks(1 << 20):
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak < 100e6


class TestDirectory:
    def test_files_are_read_in_the_order_of_their_names(self, tmp_path):
        (tmp_path / "sub").mkdir()
        for name, text in {"b.txt": "two", "a.txt": "one", "sub/c": "three", ".d": "no"}.items():
            (tmp_path / name).write_text(text)
        with gzip.open(tmp_path / "e.gz", "wt") as file:
            file.write("zero and\nmore")

        lines = TextLines(tmp_path)

        assert [line.strip() for line in lines] == ["one", "two", "zero and", "more", "three"]
        assert b"".join(lines.blocks(4)) == b"one\ntwo\nzero and\nmore\nthree\n"

    def test_an_empty_one_is_told(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="has no files to read"):
            list(TextLines(tmp_path))

    def test_the_file_that_is_wrong_is_named(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(b"fine\n" * 100_000)
        (tmp_path / "b.txt").write_bytes(b"f\xe4llt\n" * 100_000)
        for read in (list, encode_documents):
            with pytest.raises(UnicodeDecodeError) as caught:
                read(TextLines(tmp_path))
            assert f"while reading {tmp_path / 'b.txt'}" in caught.value.__notes__


def test_text_lines_take_a_str_and_show_it():
    assert repr(TextLines("corpus.txt")) == "TextLines('corpus.txt')"


@pytest.mark.parametrize(
    "documents",
    [
        ["fly"],
        ("fly",),
        [["fly"]],
        {"fly"},
        np.array(["fly"]),
        pd.Series(["fly"]),
        (text for text in ["fly"]),
        [],
        TextLines("corpus.txt"),
    ],
)
def test_collections_of_documents_are_given_back_untouched(documents):
    assert check_documents(documents) is documents


@pytest.mark.parametrize("single", ["one fly", b"one fly", Path("fly.txt")])
def test_a_single_document_or_path_is_refused_with_what_to_pass(single):
    kind = type(single).__name__

    with pytest.raises(ValueError, match=rf"got a single {kind}; .*\[text\].*TextLines"):
        check_documents(single)


@pytest.mark.parametrize(
    "table",
    [
        np.array([["one", "fly"]]),
        np.array("fly"),
        np.array([[["fly"]]]),
        pd.DataFrame({"text": ["fly"], "title": ["Fly"]}),
        sparse.csr_array(np.eye(2)),
    ],
)
def test_anything_but_one_dimension_is_refused_with_its_shape(table):
    with pytest.raises(ValueError, match="one-dimensional") as caught:
        check_documents(table)

    assert str(table.shape) in str(caught.value)


@pytest.mark.parametrize(("value", "kind"), [(3, "int"), (None, "NoneType"), (len, "builtin")])
def test_what_cannot_be_iterated_is_refused_by_type(value, kind):
    with pytest.raises(TypeError, match=rf"iterable of documents.*got {kind}"):
        check_documents(value)


@pytest.mark.parametrize(
    "column",
    [
        np.arange(2),
        np.ones((2, 1)),
        pd.Series([1.5]),
        pd.DataFrame({"n": [1, 2]}),
        np.array([True]),
    ],
)
def test_a_column_of_numbers_is_refused_with_its_type(column):
    with pytest.raises(TypeError, match=r"got a column of (int64|float64|bool); pass the column"):
        check_documents(column)


def test_the_only_column_of_a_sparse_matrix_is_refused():
    with pytest.raises(TypeError, match=r"got csr_array of shape \(2, 1\)"):
        check_documents(sparse.csr_array(np.ones((2, 1))))


def _tables():
    yield lambda texts: np.array(texts, dtype=object)[:, None]
    yield lambda texts: pd.DataFrame({"text": texts})
    yield lambda texts: pytest.importorskip("pyarrow").table({"text": texts})
    yield lambda texts: pytest.importorskip("pyarrow").array(texts)
    yield lambda texts: pytest.importorskip("pyarrow").chunked_array([texts[:1], texts[1:]])
    yield lambda texts: pytest.importorskip("polars").Series(texts)
    yield lambda texts: pytest.importorskip("polars").DataFrame({"text": texts})


@pytest.mark.parametrize("make", list(_tables()))
def test_tables_with_one_column_and_arrow_arrays_are_collections_of_documents(make):
    assert list(check_documents(make(["one fly", "two"]))) == ["one fly", "two"]
