import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skfly.text import TextLines, check_documents

OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@pytest.mark.parametrize("suffix", OPENERS)
class TestTextLines:
    def path(self, tmp_path, suffix, content):
        path = tmp_path / f"corpus.txt{suffix}"
        with OPENERS[suffix](path, "wb") as file:
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
        pd.DataFrame({"text": ["fly"]}),
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
