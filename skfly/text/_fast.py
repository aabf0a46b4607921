"""Compiled reader for text with the default text parameters.

The kernel turns the UTF-8 bytes of a block of documents into word numbers without creating a
Python object per word. Only distinct words become strings; stop words and numbers are handled
once per distinct word.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from skfly.text import _kernels
from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, WordBlock
from skfly.text._vocabulary import NOT_MET, Vocabulary, distinct, frequent_enough, places_of

_N_CHARACTERS = 0x110000
_TWO_PLANES = 0x20000
_FINAL_SIGMA = "Σ"  # its lowercase form depends on its neighbours

# The pattern of `SPLITTERS["punctuation"]` by kind of character; line ends are those of
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
MAX_NUMBERED = 1 << 18
"""A reader with more words than this starts over, to bound its memory."""
_READ_BEYOND = 9  # bytes: the kernels read eight at a time
_ROUNDS = 3  # few words share their first 24 bytes
_FIRST_BYTES = np.array([(1 << 64) - (1 << 64 - 8 * n) for n in range(9)], np.uint64)


def _draw_secrets() -> NDArray[np.uint64]:
    """Draw the secret numbers of the kernel's hash function."""
    drawn = np.frombuffer(os.urandom(24), dtype=np.uint64)
    return np.append(drawn[:2] | np.uint64(1), drawn[2] >> np.uint64(3))


_SECRETS = _draw_secrets()


class FastReader:
    r"""Read blocks of documents. Word numbers stay the same from block to block.

    Parameters
    ----------
    analyzer : TextAnalyzer
        Its ``kernel_rules`` must not be ``None``.

    Examples
    --------
    >>> reader = FastReader(TextAnalyzer())
    >>> block = reader.read(b"One fly. One cell.\nA Fly\n", "\n")
    >>> block.numbering.words, block.ids.tolist()
    (['one', 'fly', 'cell'], [0, 1, 0, 2, 1])
    >>> block.sentences.tolist(), block.documents.tolist()
    ([2, 4, 5], [4, 5])
    """

    def __init__(self, analyzer: TextAnalyzer) -> None:
        assert analyzer.kernel_rules is not None
        self._rules = analyzer.kernel_rules
        self._finish = _Finish(analyzer) if analyzer.finishes_words else None
        self._begin()

    def _begin(self) -> None:
        self._table = WordTable()
        self._numbering = Numbering([]) if self._finish else TableNumbering(self._table)
        if self._finish is not None:
            self._finish.begin()

    def read(self, data: bytes, end: str) -> WordBlock:
        r"""Return the words of UTF-8 documents.

        Each document ends with the character ``end`` and contains no other. With ``"\n"`` the
        documents are the lines of a file, and invalid UTF-8 raises an error. With ``"\0"`` they
        were strings and may contain surrogates.
        """
        if end not in ("\n", "\0") or not isinstance(data, bytes):
            raise TypeError("documents must be bytes that end with a newline or a zero byte")
        if data and not data.endswith(end.encode()):  # where the kernel stops
            raise ValueError(f"the last document does not end with {end!r}")
        if self._table.n_types > MAX_NUMBERED:
            self._begin()
        table = self._table
        n_before = table.n_types
        tables = character_tables(*self._rules, end)
        # A word takes at least two characters and a separator. The system allocates memory on
        # first write, and some of this is never written.
        n_words = len(data) // 2 + 1
        ids = np.empty(n_words, dtype=np.int32)
        sentences = np.empty(n_words, dtype=np.int64)
        n_documents = np.count_nonzero(np.frombuffer(data, np.uint8) == ord(end))
        documents = np.empty(n_documents, dtype=np.int64)
        state = np.array([table.n_types, table.n_slots, 0, 0, 0, 0])

        def read(text: bytes, place: int) -> int:
            while True:
                # lowercasing may lengthen words
                table.make_room_for_bytes(int(state[0]), 2 * (len(text) - place))
                place = _kernels.read_words(
                    np.frombuffer(text, dtype=np.uint8),
                    place,
                    *tables,
                    _SECRETS,
                    *table.arrays,
                    ids,
                    sentences,
                    documents,
                    state,
                )
                if not state[5]:
                    return int(place)
                state[5] = 0
                table.make_room_for_words()

        place = 0
        while (place := read(data, place)) < len(data):
            # a document with characters that only Python can lowercase, or invalid bytes
            after = data.index(end.encode(), place) + 1
            text = data[place:after].decode("utf-8", "strict" if end == "\n" else "surrogatepass")
            read(text.lower().encode("utf-8", "surrogatepass"), 0)
            place = after
        table.n_types, table.n_slots = state[:2].tolist()
        ids, sentences = ids[: state[2]].copy(), sentences[: state[3]].copy()
        documents = documents[: state[4]].copy()
        if self._finish is not None:
            new, ids, sentences, documents = self._finish(
                table.words(n_before), ids, sentences, documents
            )
            self._numbering.words.extend(new)
        return WordBlock(self._numbering, ids, sentences, documents)


class WordTable:
    """Distinct words in arrays for the kernels, numbered in order of first occurrence.

    Attributes
    ----------
    n_types, n_slots : int
        Number of words, and size of the hash table.
    """

    def __init__(self) -> None:
        self.n_types = 0
        self.n_slots = _kernels.FIRST_SLOTS
        self._keys = np.zeros(2 * self.n_slots, dtype=np.uint64)
        self._numbers = np.zeros(2 * self.n_slots, dtype=np.int32)
        self._pool = np.zeros(_READ_BEYOND, dtype=np.uint8)
        self._starts = np.zeros(self.n_slots // 2, dtype=np.int64)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The hash table, and the words with a zero byte after each; see ``read_words``."""
        return self._keys, self._numbers, self._pool, self._starts

    def make_room_for_bytes(self, n_types: int, n_bytes: int) -> None:
        """Make room for so many bytes of further words behind the first ``n_types``."""
        n_used, n_bytes = int(self._starts[n_types]), n_bytes + _READ_BEYOND
        if len(self._pool) < n_used + n_bytes:
            self._pool = _moved(self._pool[:n_used], 2 * n_used + n_bytes)

    def make_room_for_words(self) -> None:
        """Make room for twice as many words."""
        self._starts = _moved(self._starts, 2 * len(self._starts))
        self._keys = _moved(self._keys, 2 * len(self._keys))
        self._numbers = _moved(self._numbers, 2 * len(self._numbers))

    def words(self, first: int = 0) -> list[str]:
        """Return the words from number ``first`` on."""
        n_types = self.n_types  # a reader on another thread may go on meanwhile
        return _decode(self._pool[self._starts[first] : self._starts[n_types]])

    def words_of(self, numbers: NDArray[np.int64]) -> list[str]:
        """Return the words of some numbers."""
        starts, stops = self._starts[numbers], self._starts[numbers + 1]
        lengths = stops - starts
        moved = np.repeat(stops - np.cumsum(lengths), lengths)
        return _decode(self._pool[moved + np.arange(len(moved))])

    def alphabetical(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers in the order of their words."""
        # UTF-8 sorts like the characters. Eight bytes at a time make a whole number (the words
        # have no zero bytes); words for which it is the same are compared by their next bytes.
        starts, stops = self._starts[numbers], self._starts[numbers + 1] - 1
        eight = sliding_window_view(self._pool, 8)
        order, tied = np.arange(len(numbers)), np.arange(len(numbers))  # tied: places in the order
        group = np.zeros(len(numbers), np.int64)
        for done in range(0, 8 * _ROUNDS, 8):
            some = order[tied]
            left = np.minimum(np.maximum(stops[some] - starts[some] - done, 0), 8)
            key = eight[np.minimum(starts[some] + done, stops[some])].view(">u8")[:, 0]
            rank = key & _FIRST_BYTES[left]
            if done:
                rank = group << 32 | np.unique(rank, return_inverse=True)[1]
            by_rank = np.argsort(rank)
            order[tied], rank = some[by_rank], rank[by_rank]
            is_first = np.ones(len(rank), np.bool_)
            is_first[1:] = rank[1:] != rank[:-1]
            # a group is named by the place of its first word
            group = np.maximum.accumulate(np.where(is_first, tied, 0))
            is_tied = ~(is_first & np.append(is_first, True)[1:])
            tied, group = tied[is_tied], group[is_tied]
        rest = self.words_of(numbers[order[tied]])
        by_word = sorted(range(len(rest)), key=list(zip(group, rest, strict=True)).__getitem__)
        order[tied] = order[tied[by_word]]
        return numbers[order]


def _decode(pool: NDArray[np.uint8]) -> list[str]:
    return pool.tobytes().decode("utf-8").split("\0")[:-1]


class TableNumbering(Numbering):
    """The words of a table, decoded only if something asks for them."""

    def __init__(self, table: WordTable) -> None:
        self.table: WordTable = table
        self._words: list[str] = []

    @property
    def words(self) -> list[str]:  # type: ignore[override]
        self._words.extend(self.table.words(len(self._words)))
        return self._words


class CompiledWordIds:
    """Ids of the words of any number of readers, and their counts."""

    is_fixed = False

    def __init__(self) -> None:
        self._table = WordTable()
        self._counts = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return self._table.n_types

    def vocabulary(self) -> Vocabulary:
        """Return the words in order of their ids."""
        return distinct(self._table.words(), self._counts[: len(self)])

    def renumber(
        self, numbering: Numbering, known: NDArray[np.int32], numbers: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the ids of numbered words, and count them.

        ``known`` has the ids of the words that were met before, and gets those of the others.
        """
        assert numbering.table is not None
        *_, pool, starts = numbering.table.arrays
        table = self._table
        new = np.flatnonzero(known == NOT_MET)
        table.make_room_for_bytes(len(self), int((starts[new + 1] - starts[new]).sum()))
        while len(table.arrays[-1]) <= len(self) + len(new):
            table.make_room_for_words()
        if table.n_types + len(new) > len(self._counts):
            self._counts = _moved(self._counts, 2 * (table.n_types + len(new)))
        ids = np.empty_like(numbers)
        state = np.array([table.n_types, table.n_slots])
        _kernels.renumber(
            numbers, known, pool, starts, _SECRETS, *table.arrays, self._counts, ids, state
        )
        table.n_types, table.n_slots = state.tolist()
        return ids

    def choose(
        self, max_words: int | None, min_count: int
    ) -> tuple[Vocabulary, NDArray[np.int32]]:
        """Return the most frequent words, and the final id (or -1) of every id so far."""
        counts = self._counts[: len(self)]
        ids = self._table.alphabetical(frequent_enough(counts, max_words, min_count))
        ids = ids[np.argsort(-counts[ids], kind="stable")[:max_words]]
        words = self._table.words_of(ids)
        return distinct(words, counts[ids]), places_of(ids, max(len(self), 1))


class _Finish:
    """Replace numbers and remove stop words."""

    def __init__(self, analyzer: TextAnalyzer) -> None:
        self._analyzer = analyzer
        self.begin()

    def begin(self) -> None:
        self._numbers: dict[str, int] = {}
        self._table = np.zeros(0, dtype=np.int32)

    def __call__(
        self,
        new: list[str],
        ids: NDArray[np.int32],
        sentences: NDArray[np.int64],
        documents: NDArray[np.int64],
    ) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        numbers, n_before = self._numbers, len(self._numbers)
        finished = [
            -1 if word is None else numbers.setdefault(word, len(numbers))
            for word in self._analyzer.finish_words(new)
        ]
        self._table = np.append(self._table, np.array(finished, dtype=np.int32))
        ids = self._table[ids]
        before = np.concatenate([[0], np.cumsum(ids >= 0)])
        sentences = before[sentences]
        has_words = np.diff(sentences, prepend=0) > 0
        return (
            list(numbers)[n_before:],
            ids[ids >= 0],
            sentences[has_words],
            before[documents],
        )


def _moved(array: NDArray[Any], size: int) -> NDArray[Any]:
    moved = np.zeros(size, dtype=array.dtype)
    moved[: len(array)] = array
    return moved


def join_texts(texts: list[str]) -> bytes:
    r"""Concatenate texts as UTF-8, each terminated by the only zero byte in it.

    Examples
    --------
    >>> join_texts(["One fly", "two"])
    b'One fly\x00two\x00'
    """
    try:
        encoded = list(map(str.encode, texts))
    except UnicodeEncodeError:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b"\0".join([*encoded, b""])
    if data.count(b"\0") > len(texts):
        # replace it with another character that is in no word and ends no sentence
        data = b"\0".join([*(text.replace(b"\0", b"\1") for text in encoded), b""])
    return data


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
