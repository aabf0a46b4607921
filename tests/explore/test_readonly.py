"""The page as plain files."""

import json

import numpy as np
import pytest

from skfly.explore import Explorer, write_page


@pytest.fixture(scope="module")
def explorer(explored):
    return Explorer(explored, "m.skfly")


@pytest.fixture(scope="module")
def page(explorer, tmp_path_factory):
    directory = tmp_path_factory.mktemp("page")
    write_page(explorer, directory)
    return directory


def read(page, name):
    return json.loads((page / "data" / name).read_text(encoding="utf-8"))


def test_it_has_the_policy_and_says_where_its_data_lies(page):
    html = (page / "index.html").read_text()
    policy = html.split('Content-Security-Policy" content="')[1].split('"')[0]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert html.index("Content-Security-Policy") < html.index("<script")
    assert '<meta name="skfly-data" content="data/">' in html
    assert '="/' not in html  # it may lie anywhere on a server


def test_codes_are_those_of_the_model(page, explored):
    words = read(page, "words.json")["words"]
    bits = np.fromfile(page / "data" / "codes.bin", np.uint8).reshape(len(words), -1)
    codes = np.unpackbits(bits, axis=1)[:, :40]
    np.testing.assert_array_equal(codes, explored.hash_words(words).toarray())


def test_every_cell_is_there_in_each_order(page, explorer):
    found = read(page, "cells.json")
    assert [cell["cell"] for cell in found["cells"]] == list(range(40))
    assert sorted(found["orders"]["used"] + found["orders"]["dead"]) == list(range(40))
    shown = [word for word, _ in explorer.cell(3, 40)["words"]]
    assert [word for word, _ in found["cells"][3]["words"]] == shown


def test_it_is_written_again_but_not_over_files_of_others(explorer, page, tmp_path):
    before = {file: file.read_bytes() for file in page.rglob("*") if file.is_file()}
    write_page(explorer, page)
    assert {file: file.read_bytes() for file in page.rglob("*") if file.is_file()} == before
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="has files that are not a page of skfly"):
        write_page(explorer, tmp_path)
    with pytest.raises(NotADirectoryError, match="is a file"):
        write_page(explorer, tmp_path / "thesis.txt")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        write_page(explorer, tmp_path / "no" / "page")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_page_that_could_not_be_written_can_be_tried_again(explorer, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("No space left")

    with monkeypatch.context() as patch:
        patch.setattr("skfly.explore._readonly.shutil.copytree", fail)
        with pytest.raises(OSError, match="No space"):
            write_page(explorer, tmp_path / "page")
    write_page(explorer, tmp_path / "page")
    assert (tmp_path / "page" / "static" / "app.js").is_file()
