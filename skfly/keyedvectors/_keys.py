"""Words in little memory: one text, and a hash table to find them in it.

Python's ``list`` and ``dict`` take some 130 bytes a word, more than twice what a code of 400 cells
takes. Here a word costs its letters and about 6 bytes, and nothing is built when a file is mapped.

:class:`KeyTable` holds the words. :class:`KeyList` and :class:`KeyPlaces` present it as gensim's
``index_to_key`` and ``key_to_index``. They can be changed like a list and a dict, and turn into
one when they are: words that change one by one are no longer kept small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from operator import index
from typing import Any, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

__all__ = ["KeyList", "KeyPlaces", "KeyTable"]

_END = b"\xff"  # of a word; no byte of UTF-8
_BLOCK = 8  # words whose start in the text is kept once
_WORDS_AT_A_TIME = 1 << 12
_MOST_KEYS = 1 << 31
_UTF8 = ("utf-8", "surrogatepass")


class KeyTable:
    """Distinct words, found by position or by spelling.

    The hash table has open addresses: the high bits of a word's 32-bit checksum give the slot at
    which to start looking, and its low bits are kept beside the word's position, so that another
    word's letters are hardly ever compared. Words are in the order of their first slots: the table
    is made by sorting.

    Parameters
    ----------
    text : ndarray of uint8
        The words in UTF-8, each followed by a byte 255.
    starts : ndarray of uint32 or uint64
        Where every 8th word begins in the text, and where the text ends.
    slots : ndarray of uint32
        0 where there is no word, else its position from 1 in the low bits, and low bits of its
        checksum above them. The last one is 0.
    n_keys, n_slots : int
        The number of words, and of slots that a checksum may lead to.

    Examples
    --------
    >>> table = KeyTable.of(["fly", "moth", "bank"])
    >>> table.find("moth"), table.find("bee"), table.word(2)
    (1, -1, b'bank')
    """

    def __init__(
        self,
        text: NDArray[np.uint8],
        starts: NDArray[Any],
        slots: NDArray[np.uint32],
        n_keys: int,
        n_slots: int,
    ) -> None:
        self.text, self.starts, self.slots = text, starts, slots
        self.n_keys, self.n_slots = n_keys, n_slots
        self._n_bits = n_keys.bit_length()
        # reading one number from these is several times faster than from an array
        self._text: Any = text.data
        self._starts: Any = starts.data
        self._slots: Any = slots.data

    @classmethod
    def of(cls, keys: Sequence[Any]) -> KeyTable | None:
        """Return a table of distinct keys, or None if they are not all words."""
        if not all(isinstance(key, str) for key in keys) or len(keys) >= _MOST_KEYS:
            return None
        words = [key.encode(*_UTF8) for key in keys]
        text = np.frombuffer(b"".join(word + _END for word in words), dtype=np.uint8)
        begins = np.cumsum([0] + [len(word) + 1 for word in words])
        starts = np.append(begins[:-1:_BLOCK], begins[-1])
        starts = starts.astype(np.uint32 if len(text) < 1 << 32 else np.uint64)
        n_slots = len(words) + len(words) // 5 + 1
        slots = _fill(np.fromiter(map(crc32, words), np.int64, len(words)), n_slots)
        return cls(text, starts, slots, len(words), n_slots)

    def __len__(self) -> int:
        return self.n_keys

    def find(self, key: Any) -> int:
        """Return the position of a key, or -1."""
        if not isinstance(key, str):
            return -1
        word = key.encode(*_UTF8)
        checksum = crc32(word)
        n_bits, slots = self._n_bits, self._slots
        mark = checksum & (0xFFFFFFFF >> n_bits)
        slot = checksum * self.n_slots >> 32
        while entry := slots[slot]:
            if entry >> n_bits == mark:
                position: int = (entry & ((1 << n_bits) - 1)) - 1
                if self.word(position) == word:
                    return position
            slot += 1
        return -1

    def word(self, position: int) -> bytes:
        """Return the word at a position from 0, in UTF-8."""
        block, nth = divmod(position, _BLOCK)
        words = bytes(self._text[self._starts[block] : self._starts[block + 1]])
        return words.split(_END, nth + 1)[nth]

    def keys(self, first: int, last: int) -> Iterator[str]:
        """Iterate over the keys ``first`` to ``last``."""
        while first < last:
            block = first // _BLOCK
            end = min(block + _WORDS_AT_A_TIME // _BLOCK, len(self._starts) - 1)
            words = bytes(self._text[self._starts[block] : self._starts[end]]).split(_END)
            stop, begin = min(end * _BLOCK, last), block * _BLOCK
            for word in words[first - begin : stop - begin]:
                yield word.decode(*_UTF8)
            first = stop

    def check(self) -> None:
        """Raise ``ValueError`` if arrays from a file do not fit together."""
        if not (self._text_fits() and self._slots_fit()):
            raise ValueError("its keys do not fit together")

    def _text_fits(self) -> bool:
        """Return whether blocks begin where every 8th word does; checked part by part."""
        text, starts, n_blocks = self.text, self.starts, -(-self.n_keys // _BLOCK)
        if text.ndim != 1 or text.dtype != np.uint8 or starts.dtype.kind != "u":
            return False
        if starts.shape != (n_blocks + 1,) or starts[0] != 0 or starts[-1] != len(text):
            return False
        for block in range(0, n_blocks, _WORDS_AT_A_TIME // _BLOCK):
            last = min(block + _WORDS_AT_A_TIME // _BLOCK, n_blocks)
            n_words = min(last * _BLOCK, self.n_keys) - block * _BLOCK
            begin, end = starts[[block, last]].tolist()
            ends = np.flatnonzero(text[begin:end] == _END[0]) + begin + 1
            block_ends = np.append(ends[_BLOCK - 1 : -1 : _BLOCK], ends[-1:])
            if len(ends) != n_words or (block_ends != starts[block + 1 : last + 1]).any():
                return False
            text[begin:end].tobytes().replace(_END, b"\n").decode(*_UTF8)  # an error if no text
        return True

    def _slots_fit(self) -> bool:
        """Return whether every word has a slot, none leads beyond, and a search ends."""
        slots, mask = self.slots, np.uint32((1 << self._n_bits) - 1)
        if slots.ndim != 1 or slots.dtype != np.uint32 or not len(slots) or slots[-1] != 0:
            return False
        if not 1 <= index(self.n_slots) <= len(slots):
            return False
        seen = np.zeros(self.n_keys + 1, dtype=np.bool_)  # the first is for no word
        for i in range(0, len(slots), _WORDS_AT_A_TIME):
            positions = slots[i : i + _WORDS_AT_A_TIME] & mask
            if positions.max() > self.n_keys:
                return False
            seen[positions] = True
        return bool(seen.all()) and self.n_keys == np.count_nonzero(slots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyTable) and np.array_equal(self.text, other.text)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyTable, (self.text, self.starts, self.slots, self.n_keys, self.n_slots)


class KeyList(MutableSequence[Any]):
    """The words in order, like the list that gensim has as ``index_to_key``.

    Examples
    --------
    >>> words = KeyList(KeyTable.of(["fly", "moth", "bank"]))
    >>> words[-1], words[:2], words == ["fly", "moth", "bank"]
    ('bank', ['fly', 'moth'], True)
    >>> words.append("bee")
    >>> words
    ['fly', 'moth', 'bank', 'bee']
    """

    def __init__(self, table: KeyTable) -> None:
        self.table: KeyTable | None = table
        self._keys: list[Any] = []

    def _thaw(self) -> list[Any]:
        """Turn into a list, which can be changed."""
        if self.table is not None:
            self._keys, self.table = list(self), None
        return self._keys

    def __len__(self) -> int:
        return len(self._keys if self.table is None else self.table)

    @overload
    def __getitem__(self, position: int) -> Any: ...
    @overload
    def __getitem__(self, position: slice) -> list[Any]: ...
    def __getitem__(self, position: int | slice) -> Any:
        if self.table is None:
            return self._keys[position]
        n_keys = self.table.n_keys
        if isinstance(position, slice):
            first, last, step = position.indices(n_keys)
            if step == 1:
                return list(self.table.keys(first, last))
            return [self[i] for i in range(first, last, step)]
        position = index(position)
        if not -n_keys <= position < n_keys:
            raise IndexError("list index out of range")
        return self.table.word(position % n_keys).decode(*_UTF8)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys) if self.table is None else self.table.keys(0, self.table.n_keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys if self.table is None else self.table.find(key) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, KeyList):
            if self.table is not None and other.table is not None:
                return self.table == other.table
            other = list(other)
        return list(self) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __add__(self, other: list[Any]) -> list[Any]:
        return list(self) + other

    def __radd__(self, other: list[Any]) -> list[Any]:
        return other + list(self)

    def copy(self) -> list[Any]:
        """Return a list of the words."""
        return list(self)

    def __setitem__(self, position: Any, value: Any) -> None:
        self._thaw()[position] = value

    def __delitem__(self, position: Any) -> None:
        del self._thaw()[position]

    def insert(self, index: int, value: Any) -> None:
        """Insert a word before a position."""
        self._thaw().insert(index, value)

    def sort(self, **how: Any) -> None:
        """Sort the words as ``list.sort`` does."""
        self._thaw().sort(**how)


class KeyPlaces(MutableMapping[Any, int]):
    """The position of each word, like the dict that gensim has as ``key_to_index``.

    Examples
    --------
    >>> places = KeyPlaces(KeyTable.of(["fly", "moth", "bank"]))
    >>> places["moth"], places.get("bee"), places == {"fly": 0, "moth": 1, "bank": 2}
    (1, None, True)
    >>> places["bee"] = 3
    >>> places
    {'fly': 0, 'moth': 1, 'bank': 2, 'bee': 3}
    """

    def __init__(self, table: KeyTable) -> None:
        self.table: KeyTable | None = table
        self._places: dict[Any, int] = {}

    def _thaw(self) -> dict[Any, int]:
        """Turn into a dict, which can be changed."""
        if self.table is not None:
            self._places, self.table = self.copy(), None
        return self._places

    def __len__(self) -> int:
        return len(self._places if self.table is None else self.table)

    def __getitem__(self, key: Any) -> int:
        position = self.get(key)
        if position is None:
            raise KeyError(key)
        return int(position)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the position of a word, or ``default`` if it is not there."""
        if self.table is None:
            return self._places.get(key, default)
        position = self.table.find(key)
        return default if position < 0 else position

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places if self.table is None else KeyList(self.table))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, KeyPlaces) and self.table is not None and other.table is not None:
            return self.table == other.table
        return self.copy() == dict(other.items()) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())

    def copy(self) -> dict[Any, int]:
        """Return a dict of the words and their positions."""
        if self.table is None:
            return dict(self._places)
        return dict(zip(self, range(len(self)), strict=True))

    def __setitem__(self, key: Any, position: int) -> None:
        self._thaw()[key] = position

    def __delitem__(self, key: Any) -> None:
        del self._thaw()[key]


def _fill(checksums: NDArray[np.int64], n_slots: int) -> NDArray[np.uint32]:
    """Return slots in which each word is at or behind the one that its checksum leads to."""
    n_keys = len(checksums)
    n_bits = n_keys.bit_length()
    homes = checksums * n_slots >> 32
    order = np.argsort(homes, kind="stable")
    # a word is in the first slot behind the word before it, or where it belongs
    taken = np.arange(n_keys)
    taken += np.maximum.accumulate(homes[order] - taken)
    slots = np.zeros(max(n_slots, taken[-1] + 1 if n_keys else 0) + 1, dtype=np.uint32)
    marks = checksums[order] & (0xFFFFFFFF >> n_bits)
    slots[taken] = marks << n_bits | (order + 1)
    return slots
