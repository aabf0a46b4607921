"""The compiled reader with bytes that are no text, or do not end."""

import tracemalloc

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


@pytest.mark.parametrize("end", ["\n", "\0"])
@pytest.mark.parametrize("n", [40, 5000])
def test_a_word_that_grows_in_lower_case_and_is_read_again_has_room(n, end):
    # "Ⱥ" takes two bytes, its lower case three; after "İ" the document is read once more
    reader = FastReader(TextAnalyzer())

    block = reader.read(("Ⱥ" * n + "İ" + end).encode(), end)

    words = [block.numbering.words[i] for i in block.ids.tolist()]
    assert words == ["ⱥ" * n + "i"]
    assert reader._table.arrays[3][len(block.numbering.words)] <= len(reader._table.arrays[2])


def test_memory_follows_the_distinct_words_not_the_length_of_the_text():
    data = b"fly moth " * 100_000 + b"\n"
    reader = FastReader(TextAnalyzer())
    reader.read(data[-10:], "\n")  # load the kernel and its tables
    tracemalloc.start()

    reader.read(data, "\n")

    assert tracemalloc.get_traced_memory()[1] < 12 * len(data)
    tracemalloc.stop()


@pytest.mark.parametrize("n_lines", [1, 7])
def test_more_distinct_words_than_there_was_room_for(n_lines):
    words = [f"word{i}" for i in range(50_000)]
    data = "".join(" ".join(words[i::n_lines]) + "\n" for i in range(n_lines)).encode()

    block = FastReader(TextAnalyzer()).read(data, "\n")

    found = [block.numbering.words[i] for i in block.ids.tolist()]
    assert found == data.decode().split()
    assert len(block.numbering.words) == len(words)
