"""Words that were chosen to share the slots of the reader's hash table do not."""

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skfly.text import TextAnalyzer, _fast, _kernels
from skfly.text._fast import FastReader

PRIME = 2**61 - 1
N_WORDS = 20_000


def mirrored():
    """Bytes eight places apart cancel in a hash that rotates and xors."""
    random = Random(0)
    halves = {"".join(random.choices("abcdefghij", k=8)) for _ in range(N_WORDS)}
    return [half + half for half in halves]


def multiples():
    """Words of eight letters whose bytes, times a constant that is known, have the same top."""
    letters = np.random.default_rng(0).integers(97, 123, (2_000_000, 8), dtype=np.uint8)
    products = letters.view(">u8").astype(np.uint64)[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    top = products >> np.uint64(64 - 14)
    return [word.tobytes().decode() for word in letters[top < 8]]


SETS = {
    "mirrored": mirrored,
    "multiples": multiples,
    "base 2": lambda: [f"{i:b}" for i in range(1 << 14, (1 << 14) + N_WORDS)],
    "base 2, padded": lambda: [f"{i:020b}" for i in range(N_WORDS)],
    "two letters": lambda: [
        "".join(word) for word in itertools.islice(itertools.product("ab", repeat=24), N_WORDS)
    ],
    "numbered": lambda: [f"word{i:012d}" for i in range(N_WORDS)],
    "short numbers": lambda: [str(i) for i in range(10, 10 + N_WORDS)],
}


def read(words):
    reader = FastReader(TextAnalyzer(sentence_splitter=None))
    return reader, reader.read((" ".join(words) + "\n").encode(), "\n")


@pytest.mark.parametrize("words", SETS.values(), ids=SETS)
def test_no_run_of_slots_is_long(words):
    reader, block = read(words())

    n_slots = reader._table.n_slots
    taken = reader._table.arrays[0][n_slots : 2 * n_slots] != 0
    runs = np.diff(np.flatnonzero(~np.concatenate([[False], taken, [False]]))) - 1

    assert len(block.numbering.words) == len(set(words()))
    # those of words at random are below 30
    assert runs.max() < 100


@given(st.binary(min_size=9, max_size=200), st.integers(1, PRIME - 1))
def test_the_hash_of_a_long_word_is_a_polynomial_at_a_secret_point(word, point):
    pool = np.frombuffer(b"ab" + word + b"\xff" * 9, dtype=np.uint8)
    expected = 0
    for start in range(0, len(word), 7):
        coefficient = int.from_bytes(word[start : start + 7], "little")
        expected = (expected + coefficient) * point % PRIME

    found = _kernels._hash_long(pool, 2, 2 + len(word), np.uint64(point))

    assert int(found) == expected


def test_words_and_their_numbers_do_not_depend_on_the_secrets(monkeypatch):
    words = [*mirrored()[:500], "fly", "蝇" * 9, "fly", "drosophila", "drosophilas", "drosophila"]
    _, block = read(words)
    for _ in range(3):
        monkeypatch.setattr(_fast, "_SECRETS", _fast._draw_secrets())
        _, again = read(words)
        assert again.numbering.words == block.numbering.words
        assert again.ids.tolist() == block.ids.tolist()


def test_the_secrets_are_drawn_and_fit():
    drawn = [_fast._draw_secrets() for _ in range(20)]
    assert len({tuple(secrets.tolist()) for secrets in drawn}) == 20
    for secrets in drawn:
        assert secrets.dtype == np.uint64
        assert all(secrets[:2] % 2 == 1)
        assert secrets[2] <= PRIME
