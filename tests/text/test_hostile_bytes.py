"""The compiled reader with bytes that are no text, or do not end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.text import TextAnalyzer
from skfly.text._fast import FastReader


@given(st.lists(st.binary(max_size=40), max_size=5), st.sampled_from(["\n", "\0"]))
def test_any_bytes_are_read_or_refused(lines, end):
    data = b"".join(line.replace(end.encode(), b"") + end.encode() for line in lines)
    try:
        block = FastReader(TextAnalyzer()).read(data, end)
    except UnicodeDecodeError:
        return

    assert len(block.documents) == len(lines)
    assert np.all((block.ids >= 0) & (block.ids < len(block.numbering.words)))
    for ends in (block.sentences, block.documents):
        assert np.all(np.diff(ends, prepend=0) >= 0)
        assert ends[-1:].tolist() in ([], [len(block.ids)])


@pytest.mark.parametrize("data", [b"fly", b"fly\nmoth", b"\xf0", b"fly\n\xe8\x9d", b"a" * 4096])
def test_what_does_not_end_is_refused(data):
    with pytest.raises(ValueError, match="does not end"):
        FastReader(TextAnalyzer()).read(data, "\n")


@pytest.mark.parametrize("data", ["fly\n", bytearray(b"fly\n"), np.zeros(4, np.uint8), None])
def test_only_bytes_are_read(data):
    with pytest.raises(TypeError, match="must be bytes"):
        FastReader(TextAnalyzer()).read(data, "\n")
