"""Classify characters for the compiled reader of words and sentences.

The tables are built with Python's own ``re`` and ``str.lower``, so they match its version of
Unicode.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly.text import _kernels

_N_CHARACTERS = 0x110000
_TWO_PLANES = 0x20000
_FINAL_SIGMA = "Σ"  # its lowercase form depends on its neighbours

# The pattern of `split_punctuation` by kind of character; line ends are those of
# `str.splitlines`.
_KINDS = {
    "punctuation": (
        (r"\s", _kernels.SPACE),
        (r"\n", _kernels.LINE),
        (r"\.", _kernels.STOP),
        (r"[!?…]", _kernels.END),
        (r"""["'”’)\]]""", _kernels.CLOSING),
        (r"[。！？]", _kernels.CUT),
    ),
    "line": ((r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", _kernels.CUT),),
    None: (),
}


class CharacterTables(NamedTuple):
    """Properties of all characters.

    Attributes
    ----------
    ascii_words : ndarray of uint8
        The lowercase of each byte that can be part of a word, 0 for other bytes.
    kinds : ndarray of uint8
        The kind of each character; see ``_kernels``.
    lower : ndarray of int32
        The lowercase of each character.
    """

    ascii_words: NDArray[np.uint8]
    kinds: NDArray[np.uint8]
    lower: NDArray[np.int32]


@cache
def character_tables(splitter: str | None, lowercase: bool, end: str) -> CharacterTables:
    r"""Return the tables for a sentence splitter.

    ``end`` terminates a document: ``"\n"`` in a file, ``"\0"`` between concatenated strings.
    """
    lower = np.arange(_N_CHARACTERS, dtype="<u4")
    every = lower.tobytes().decode("utf-32-le", "surrogatepass")
    special: list[str] = []  # lowercase is not always the same single character
    if lowercase:
        # letters with case are only in the first two planes
        n_cased = _TWO_PLANES if every[_TWO_PLANES:].lower() == every[_TWO_PLANES:] else None
        each = [character.lower() for character in every[:n_cased]]
        special = [_FINAL_SIGMA, *(chr(i) for i, low in enumerate(each) if len(low) > 1)]
        first = "".join([low[0] for low in each]).encode("utf-32-le", "surrogatepass")
        lower[:n_cased] = np.frombuffer(first, dtype="<u4")
    kinds = np.zeros(_N_CHARACTERS, dtype=np.uint8)
    for found in re.finditer(r"\w+", every):
        kinds[found.start() : found.end()] = _kernels.WORD
    for pattern, kind in _KINDS[splitter]:
        for found in re.finditer(pattern, every[:_TWO_PLANES]):
            kinds[found.start()] = kind
    kinds = kinds[lower]
    kinds[ord(end)] = _kernels.DOCUMENT
    if end == "\n":
        kinds[0xD800:0xE000] = _kernels.SPECIAL  # not in the UTF-8 of files
    kinds[[ord(character) for character in special]] = _kernels.SPECIAL
    ascii_words = np.zeros(256, dtype=np.uint8)
    is_word = kinds[:128] == _kernels.WORD
    ascii_words[:128][is_word] = lower[:128][is_word]
    return CharacterTables(ascii_words, kinds, lower.astype(np.int32))
