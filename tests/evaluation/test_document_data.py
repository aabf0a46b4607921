"""Readers of labelled documents: what circulates, and what is wrong with a file."""

import gzip
import io
import tarfile

import pytest

from skfly.evaluation import (
    LabelledTexts,
    load_labelled_texts,
    read_20newsgroups,
    read_reuters,
    read_sst2,
    read_trec,
    read_wos,
)

MESSAGES = {
    "20news-bydate-train/rec.fruit/1": b"From: fly@tree\nSubject: ripe\n\nIt is ripe.\n\nCaf\xe9",
    "20news-bydate-train/misc.money/2": b"From: bank\n\nA loan.",
    "20news-bydate-test/rec.fruit/3": b"From: fly@tree\n\nSweet.",
}


@pytest.fixture
def news(tmp_path):
    for name, content in MESSAGES.items():
        file = tmp_path / "news" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return tmp_path / "news"


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "20news.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        for name, content in MESSAGES.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_newsgroups_from_a_directory_and_from_an_archive_are_the_same(news, archive):
    from_directory, from_archive = read_20newsgroups(news), read_20newsgroups(archive)
    assert sorted(zip(from_archive.train_labels, from_archive.train_texts, strict=True)) == [
        ("misc.money", "From: bank\n\nA loan."),
        ("rec.fruit", "From: fly@tree\nSubject: ripe\n\nIt is ripe.\n\nCafé"),
    ]
    assert set(from_directory.train_texts) == set(from_archive.train_texts)
    assert from_directory.test_texts == from_archive.test_texts == ("From: fly@tree\n\nSweet.",)
    assert from_directory.classes == ["misc.money", "rec.fruit"]


def test_newsgroups_without_headers(news):
    data = read_20newsgroups(news, headers=False)
    assert data.name == "20 Newsgroups, no headers"
    assert data.test_texts == ("Sweet.",)
    assert "It is ripe.\n\nCafé" in data.train_texts


def test_newsgroups_of_which_a_part_is_missing(news, tmp_path):
    (news / "20news-bydate-test").rename(tmp_path / "elsewhere")
    with pytest.raises(FileNotFoundError, match="no messages in 20news-bydate-test"):
        read_20newsgroups(news)
    with pytest.raises(FileNotFoundError, match="no directory or archive"):
        read_20newsgroups(tmp_path / "none")


@pytest.mark.parametrize("content", [b"no archive", b""])
def test_a_damaged_archive(tmp_path, content):
    (tmp_path / "news.tar").write_bytes(content)
    with pytest.raises(ValueError, match="not a whole tar archive"):
        read_20newsgroups(tmp_path / "news.tar")


def test_sst2(tmp_path):
    (tmp_path / "stsa.binary.train").write_text("1 a fine film .\n0 dull\n\n")
    (tmp_path / "stsa.binary.test").write_text("0 crème brûlée\n")
    data = read_sst2(tmp_path)
    assert data.name == "SST-2"
    assert data.train_texts == ("a fine film .", "dull")
    assert data.train_labels == ("1", "0")
    assert data.test_texts == ("crème brûlée",)


def test_sst2_with_another_label_names_the_line(tmp_path):
    (tmp_path / "stsa.binary.train").write_text("1 fine\n2 dull\n")
    (tmp_path / "stsa.binary.test").write_text("1 fine\n")
    with pytest.raises(ValueError, match=r"line 2 of .*stsa.binary.train is not '0 or 1'"):
        read_sst2(tmp_path)


def test_trec_has_its_coarse_classes_and_latin_1(tmp_path):
    (tmp_path / "train_5500.label").write_bytes(b"LOC:city Where is Malm\xf6 ?\nNUM:date When ?\n")
    (tmp_path / "TREC_10.label").write_bytes(b"LOC:other Where ?\n")
    data = read_trec(tmp_path)
    assert data.train_texts == ("Where is Malmö ?", "When ?")
    assert data.classes == ["LOC", "NUM"]
    (tmp_path / "TREC_10.label").write_bytes(b"Where ?\n")
    with pytest.raises(ValueError, match="is not 'COARSE:fine'"):
        read_trec(tmp_path)


@pytest.mark.parametrize("read", [read_sst2, read_trec, read_wos])
def test_a_missing_file_is_named(read, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*(train|X\.txt)"):
        read(tmp_path)


def test_wos_is_dealt_out_class_by_class(tmp_path):
    (tmp_path / "X.txt").write_text("".join(f"abstract {i}\n" for i in range(30)))
    (tmp_path / "Y.txt").write_text("".join(f"{i % 3}\n" for i in range(30)))
    data = read_wos(tmp_path)
    assert data.name == "WOS-30"
    assert sorted(data.test_labels) == ["0"] * 2 + ["1"] * 2 + ["2"] * 2
    pairs = [
        *zip(data.train_texts, data.train_labels, strict=True),
        *zip(data.test_texts, data.test_labels, strict=True),
    ]
    assert sorted(pairs) == sorted((f"abstract {i}", str(i % 3)) for i in range(30))
    assert read_wos(tmp_path) == data
    (tmp_path / "Y.txt").write_text("0\n1\n")
    with pytest.raises(ValueError, match=r"X.txt has 30 lines, but Y.txt has 2"):
        read_wos(tmp_path)


def test_texts_and_labels_must_be_as_many():
    with pytest.raises(ValueError, match="2 train_texts, but 1 train_labels"):
        LabelledTexts("x", ("a", "b"), ("1",), ("a",), ("1",))
    with pytest.raises(ValueError, match="no test_texts"):
        LabelledTexts("x", ("a",), ("1",), (), ())


def test_newsgroups_without_footers_and_quotes(news):
    message = "From: fly\n\nX writes:\n> It is ripe.\nNo.\n\n--\nA fly"
    (news / "20news-bydate-test/rec.fruit/3").write_text(message)
    data = read_20newsgroups(news, headers=False, footers=False, quotes=False)
    assert data.name == "20 Newsgroups, no headers, footers, quotes"
    assert data.test_texts[0].split() == ["No."]
    assert "> It is ripe." in read_20newsgroups(news, footers=False).test_texts[0]


REUTERS = "train\tcocoa\tShowers continued.\ntest\tearn,acq\tProfit rose.\ntrain\t\tNo topic.\n"


def test_reuters(tmp_path):
    path = tmp_path / "reuters.tsv"
    path.write_text(REUTERS)
    data = read_reuters(path)
    assert data.train_texts == ("Showers continued.",)
    assert data.test_labels == ("earn,acq",)
    assert data.topics(data.test_labels[0]) == ["earn", "acq"]
    assert data.classes == ["cocoa"]
    path.write_text(REUTERS + "dev\tcocoa\tText\n")
    with pytest.raises(ValueError, match=r"line 4 of .*reuters.tsv is not 'train' or 'test'"):
        read_reuters(path)


def test_the_form_is_found_out(news, archive, tmp_path):
    assert load_labelled_texts(news).name == "20 Newsgroups, no headers"
    assert load_labelled_texts(archive).test_texts == ("Sweet.",)
    path = tmp_path / "reuters21578.tsv.gz"
    with gzip.open(path, "wt") as file:
        file.write(REUTERS)
    assert load_labelled_texts(path).several_topics
    for name in ("stsa.binary.train", "stsa.binary.test"):
        (tmp_path / name).write_text("1 a sweet film\n0 sour\n")
    assert load_labelled_texts(tmp_path).name == "SST-2"
    with pytest.raises(FileNotFoundError, match="no file or directory"):
        load_labelled_texts(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has none of 20news-bydate-train/"):
        load_labelled_texts(tmp_path / "empty")
