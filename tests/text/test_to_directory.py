"""Encoding to disk in parts: the same corpus, whatever stops it."""

import errno
import os
import re
import shutil
import signal
import types
from pathlib import Path

import numpy as np
import pytest

from skfly import EncodedCorpus, TextLines
from skfly.text import _to_directory, disk_needed, encode_documents, encode_to_directory

ARRAYS = ("ids", "sentences", "documents")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(_to_directory, "PART", 1000)


@pytest.fixture
def lines(documents, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(documents))
    return TextLines(path)


def assert_same(corpus, expected):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(corpus, name), getattr(expected, name))
        assert getattr(corpus, name).dtype == getattr(expected, name).dtype
    assert list(corpus.vocabulary.words) == list(expected.vocabulary.words)
    np.testing.assert_array_equal(corpus.vocabulary.counts, expected.vocabulary.counts)
    assert corpus.text_params == expected.text_params


def stop_after(monkeypatch, n, error):
    """Let the ``n + 1``-th part fail."""
    save, saved = EncodedCorpus.save, []

    def failing(self, directory):
        if len(saved) == n:
            raise error
        saved.append(directory)
        save(self, directory)

    monkeypatch.setattr(EncodedCorpus, "save", failing)
    return saved


@pytest.mark.parametrize("limits", [{}, {"max_words": 9}, {"min_count": 100}, {"max_types": 20}])
def test_the_same_as_in_one_piece(lines, tmp_path, limits):
    corpus = encode_to_directory(lines, tmp_path / "ids", **limits)
    if "max_types" not in limits:  # what is forgotten depends on the order
        assert_same(corpus, encode_documents(lines, **limits))
    assert len(corpus.vocabulary) < 30
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ids", "text.txt"]


def test_lists_of_words_and_nothing_at_all(sentences, tmp_path):
    words = [sentence for document in sentences for sentence in document]
    assert_same(encode_to_directory(words, tmp_path / "ids"), encode_documents(words))
    assert encode_to_directory([], tmp_path / "empty").n_words == 0


def test_what_was_stopped_goes_on(lines, tmp_path, monkeypatch):
    place = tmp_path / "ids"
    with monkeypatch.context() as patch:
        done = stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            encode_to_directory(lines, place)
        assert not place.exists()
    with monkeypatch.context() as patch:
        more = stop_after(patch, None, None)
        corpus = encode_to_directory(lines, place)
    assert not {path.name for path in done} & {path.name for path in more}
    assert_same(corpus, encode_documents(lines))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_killed_while_parts_and_whole_are_written(lines, tmp_path):
    place, parts, fsync = tmp_path / "ids", tmp_path / ".ids-parts", os.fsync

    def encode_until(n):
        """Go on in a child, which dies with the ``n``-th file that it writes."""
        child = os.fork()
        if not child:
            written = []

            def counting(handle):
                written.append(handle)
                if len(written) == n:
                    os.kill(os.getpid(), signal.SIGKILL)
                fsync(handle)

            os.fsync = counting
            status = 1
            try:
                encode_to_directory(lines, place, n_jobs=1)
                status = 0
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    n_parts, half_written = [0], set()
    while status := encode_until(12 if len(n_parts) % 2 else 2):  # a corpus is synced 9 times
        assert status == -signal.SIGKILL
        assert not place.exists()
        (half,) = parts.glob(".*")  # what was half before is gone
        half_written.add(re.split(r"\W", half.name)[1])
        n_parts.append(len(list(parts.glob("part-*"))))
        assert n_parts[-1] == n_parts[-2] + (len(n_parts) % 2 == 0)  # what was whole stays
    assert n_parts[-1] > 3
    assert half_written == {"part", "ids"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ids", "text.txt"]
    assert_same(EncodedCorpus.load(place), encode_documents(lines))


def test_killed_before_it_was_told_what_the_parts_are_of(lines, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: pytest.fail("killed"))
        with pytest.raises(pytest.fail.Exception, match="killed"):
            encode_to_directory(lines, tmp_path / "ids")
    assert (tmp_path / ".ids-parts").is_dir()
    assert_same(encode_to_directory(lines, tmp_path / "ids"), encode_documents(lines))


def test_other_text_or_rules_are_not_gone_on_with(lines, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 2, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            encode_to_directory(lines, tmp_path / "ids")
    with pytest.raises(ValueError, match=r"different text_params: remove it"):
        encode_to_directory(lines, tmp_path / "ids", lowercase=False)
    with open(lines.path, "a") as file:
        file.write("one more line\n")
    with pytest.raises(ValueError, match=r"different files: remove it"):
        encode_to_directory(lines, tmp_path / "ids")


def test_a_generator_cannot_go_on_and_begins_anew(documents, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 2, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            encode_to_directory(iter(documents), tmp_path / "ids")
    corpus = encode_to_directory(iter(documents), tmp_path / "ids")
    assert_same(corpus, encode_documents(documents))


@pytest.mark.parametrize("where", ["part", "whole"])
def test_a_full_disk_leaves_no_half_corpus(lines, tmp_path, monkeypatch, where):
    place = tmp_path / "ids"
    full = OSError(errno.ENOSPC, "No space left on device")
    with monkeypatch.context() as patch:
        if where == "part":
            stop_after(patch, 1, full)
        else:
            write = _to_directory.write_array

            def failing(path, *args):
                if path.name == "sentences.npy":
                    raise full
                return write(path, *args)

            patch.setattr(_to_directory, "write_array", failing)
        with pytest.raises(OSError, match="No space left"):
            encode_to_directory(lines, place)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".ids-parts", "text.txt"]
    assert_same(encode_to_directory(lines, place), encode_documents(lines))


def test_a_disk_that_is_too_small_is_told_before(lines, tmp_path, monkeypatch):
    usage = types.SimpleNamespace(free=disk_needed(lines) - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match=r"needs about .* MB of disk") as caught:
        encode_to_directory(lines, tmp_path / "ids")
    assert caught.value.errno == errno.ENOSPC
    assert not (tmp_path / "ids").exists()


def test_disk_that_is_needed_is_no_less_than_what_is_used(lines, tmp_path):
    encode_to_directory(lines, tmp_path / "ids")
    used = sum((tmp_path / "ids" / f"{name}.npy").stat().st_size for name in ARRAYS)
    assert used < disk_needed(lines) < 10 * used
    assert disk_needed(iter([])) is None


def test_a_place_that_is_taken(lines, tmp_path):
    (tmp_path / "ids").mkdir()
    with pytest.raises(FileExistsError, match="choose another name"):
        encode_to_directory(lines, tmp_path / "ids")


def test_a_second_writer_is_refused_and_the_first_is_right(lines, tmp_path, monkeypatch):
    """Two at once used to add their parts to one corpus."""
    refused, save = [], EncodedCorpus.save

    def save_while_another_writes(self, directory):
        with pytest.raises(OSError, match=f"ids is in use by process {os.getpid()} on"):
            encode_to_directory(lines, tmp_path / "ids")
        refused.append(directory)
        save(self, directory)

    monkeypatch.setattr(EncodedCorpus, "save", save_while_another_writes)
    corpus = encode_to_directory(lines, tmp_path / "ids")
    assert refused
    assert_same(corpus, encode_documents(lines))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ids", "text.txt"]


@pytest.mark.parametrize("content", [b"[]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_description_of_parts_is_refused(lines, tmp_path, content):
    parts = tmp_path / ".corpus-parts"
    parts.mkdir()
    (parts / "made_from.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"made_from.json is damaged: remove .*parts to start"):
        encode_to_directory(lines, tmp_path / "corpus")
    shutil.rmtree(parts)
    assert len(encode_to_directory(lines, tmp_path / "corpus"))
