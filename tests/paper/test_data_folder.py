"""What is found in a folder, and what is reported missing."""

import pickle
from pathlib import Path

import pytest

from data_folder import DataFolder


def test_what_is_there_is_found_wherever_it_is(data):
    folder = DataFolder(data)
    assert [pairs.name for pairs in folder.word_pairs()] == ["MEN", "RG"]
    assert [pairs.name for pairs in folder.contexts()] == ["WiC"]
    assert [texts.name for texts in folder.documents()] == ["SST-2"]
    assert list(folder.vectors()) == ["glove"]


def test_links_are_followed_and_none_for_ever(data, tmp_path):
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "texts").symlink_to(data / "sst2")
    (linked / "again").symlink_to(linked)
    assert [texts.name for texts in DataFolder(linked).documents()] == ["SST-2"]


def test_what_is_missing_is_told(data):
    folder = DataFolder(data)
    folder.word_pairs()
    assert set(folder.missing) == {"WS353", "SimLex", "RW", "MTurk-287"}
    folder.contexts()
    assert "no file scws*" in folder.missing["SCWS"]
    assert len(list(folder.documents())) == 1
    assert "no 20news*" in folder.missing["20 Newsgroups"]
    assert "TREC_10.label" in folder.missing["TREC-6"]  # half of it is there
    assert "no file [XY].txt" in folder.missing["WOS"]
    assert "WiC" not in folder.missing


def test_what_cannot_be_read_does_not_stop_the_rest(data):
    (data / "wordsim" / "broken.txt").write_text("no pairs here\n")
    (data / "sst2" / "stsa.binary.train").write_text("5 stars\n")
    (data / "vectors" / "cut.bin").write_bytes(b"3 100\nfly ")
    folder = DataFolder(data)
    assert len(folder.word_pairs()) == 2
    assert list(folder.documents()) == []
    assert list(folder.vectors()) == ["glove"]
    assert "has no word pairs" in folder.missing["broken.txt"]
    assert "line 1" in folder.missing["SST-2"]
    assert "cannot be read as word vectors" in folder.missing["cut.bin"]


class LeavesAMark:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickles_are_never_opened(data, tmp_path):
    (data / "vectors" / "evil.kv").write_bytes(pickle.dumps(LeavesAMark(tmp_path / "mark")))
    folder = DataFolder(data)
    assert list(folder.vectors()) == ["glove"]
    assert "evil.kv is a pickle" in folder.missing["evil.kv"]
    assert not (tmp_path / "mark").exists()


def test_newsgroups_that_are_unpacked(data):
    for part in ("train", "test"):
        group = data / "news" / f"20news-bydate-{part}" / "rec.fruit"
        group.mkdir(parents=True)
        (group / "1").write_text("From: me\n\nIt is ripe.")
    folder = DataFolder(data)
    names = [texts.name for texts in folder.documents()]
    assert names == ["20 Newsgroups", "20 Newsgroups, no headers", "SST-2"]


def test_no_folder(tmp_path):
    with pytest.raises(NotADirectoryError, match="there is no directory"):
        DataFolder(tmp_path / "none")
