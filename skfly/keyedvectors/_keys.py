"""Words in little memory: one text, and a table to find them in it.

Python's ``list`` and ``dict`` take some 130 bytes a word, more than twice what a code of 400 cells
takes. Here a word costs its letters and about 6 bytes, and nothing is built when a file is mapped.

:class:`KeyTable` holds the words. :class:`KeyList` and :class:`KeyPlaces` show it as the
``index_to_key`` and ``key_to_index`` of gensim. They can be changed like a list and a dict, and
become one when they are: what changes word by word is no longer small.
"""

from __future__ import annotations

from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
    ValuesView,
)
from operator import index
from typing import Any, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

__all__ = ["KeyList", "KeyPlaces", "KeyTable"]

_END = b"\xff"  # of a word; no byte of UTF-8
_A_BLOCK = 8  # words whose place in the text is kept once
_AT_A_TIME = 1 << 12
_MOST_KEYS = 1 << 31


class KeyTable:
    """Distinct words, found by their place or by their letters.

    The table has open addresses: a word's 32-bit checksum says, by its high bits, where to begin
    to look, and its low bits are kept beside the word's place, so that hardly ever another word's
    letters are compared. Words are in the order of where to begin: the table is made by sorting.

    Parameters
    ----------
    text : ndarray of uint8
        The words in UTF-8, each followed by a byte 255.
    starts : ndarray of uint32 or uint64
        Where every 8th word begins in the text, and where the text ends.
    slots : ndarray of uint32
        0 where there is no word, else its place from 1 in the low bits, and low bits of its
        checksum above them. The last one is 0.
    n_keys, n_slots : int
        The number of words, and of slots that a checksum may lead to.

    Examples
    --------
    >>> table = KeyTable.of(["fly", "moth", "bank"])
    >>> table.find("moth"), table.find("bee"), table.key(2)
    (1, -1, 'bank')
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
        words = [_encode(key) for key in keys]
        text = np.frombuffer(b"".join(word + _END for word in words), dtype=np.uint8)
        begins = np.cumsum([0] + [len(word) + 1 for word in words])
        starts = np.append(begins[:-1:_A_BLOCK], begins[-1])
        starts = starts.astype(np.uint32 if len(text) < 1 << 32 else np.uint64)
        n_slots = len(words) + len(words) // 5 + 1
        slots = _fill(np.fromiter(map(crc32, words), np.int64, len(words)), n_slots)
        return cls(text, starts, slots, len(words), n_slots)

    def __len__(self) -> int:
        return self.n_keys

    @property
    def nbytes(self) -> int:
        """Memory of the words."""
        return int(self.text.nbytes + self.starts.nbytes + self.slots.nbytes)

    def find(self, key: Any) -> int:
        """Return the place of a key, or -1."""
        if not isinstance(key, str):
            return -1
        word = _encode(key)
        checksum = crc32(word)
        n_bits, slots = self._n_bits, self._slots
        mark = checksum & (0xFFFFFFFF >> n_bits)
        at = checksum * self.n_slots >> 32
        while entry := slots[at]:
            if entry >> n_bits == mark:
                place: int = (entry & ((1 << n_bits) - 1)) - 1
                if self._word(place) == word:
                    return place
            at += 1
        return -1

    def key(self, place: int) -> str:
        """Return the key at a place from 0."""
        return _decode(self._word(place))

    def keys(self, first: int, last: int) -> Iterator[str]:
        """Go through the keys ``first`` to ``last``."""
        while first < last:
            block = first // _A_BLOCK
            end = min(block + _AT_A_TIME // _A_BLOCK, len(self._starts) - 1)
            words = bytes(self._text[self._starts[block] : self._starts[end]]).split(_END)
            stop = min(end * _A_BLOCK, last)
            begin = block * _A_BLOCK
            yield from map(_decode, words[first - begin : stop - begin])
            first = stop

    def _word(self, place: int) -> bytes:
        block, nth = divmod(place, _A_BLOCK)
        words = bytes(self._text[self._starts[block] : self._starts[block + 1]])
        return words.split(_END, nth + 1)[nth]

    def check(self) -> None:
        """Raise ``ValueError`` if arrays from a file do not fit together."""
        if not (self._text_fits() and self._slots_fit()):
            raise ValueError("its keys do not fit together")

    def _text_fits(self) -> bool:
        """Whether blocks begin where every 8th word does; a part at a time, for little memory."""
        text, starts, n_blocks = self.text, self.starts, -(-self.n_keys // _A_BLOCK)
        if text.ndim != 1 or starts.ndim != 1 or text.dtype != np.uint8:
            return False
        if starts.dtype.kind != "u" or len(starts) != n_blocks + 1:
            return False
        if starts[0] != 0 or starts[-1] != len(text):
            return False
        for block in range(0, n_blocks, _AT_A_TIME // _A_BLOCK):
            last = min(block + _AT_A_TIME // _A_BLOCK, n_blocks)
            n_words = min(last * _A_BLOCK, self.n_keys) - block * _A_BLOCK
            begin, end = starts[[block, last]].tolist()
            ends = np.flatnonzero(text[begin:end] == _END[0]) + begin + 1
            of_blocks = np.append(ends[_A_BLOCK - 1 : -1 : _A_BLOCK], ends[-1:])
            if len(ends) != n_words or (of_blocks != starts[block + 1 : last + 1]).any():
                return False
            _decode(text[begin:end].tobytes().replace(_END, b"\n"))  # an error if it is not text
        return True

    def _slots_fit(self) -> bool:
        """Whether there are as many words as there should be, none beyond, and a search ends."""
        slots, mask = self.slots, np.uint32((1 << self._n_bits) - 1)
        if slots.ndim != 1 or slots.dtype != np.uint32 or not len(slots) or slots[-1] != 0:
            return False
        if not 1 <= index(self.n_slots) <= len(slots):
            return False
        seen = np.zeros(self.n_keys + 1, dtype=np.bool_)  # the first is for no word
        for i in range(0, len(slots), _AT_A_TIME):
            places = slots[i : i + _AT_A_TIME] & mask
            if places.max() > self.n_keys:
                return False
            seen[places] = True
        return bool(seen.all()) and self.n_keys == np.count_nonzero(slots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyTable) and np.array_equal(self.text, other.text)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyTable, (self.text, self.starts, self.slots, self.n_keys, self.n_slots)


class KeyList(MutableSequence[Any]):
    """The words in their order, like the list that gensim has as ``index_to_key``.

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
        if self.table is not None:
            self._keys, self.table = list(self), None
        return self._keys

    def __len__(self) -> int:
        return len(self._keys) if self.table is None else self.table.n_keys

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        table = self.table
        if table is None:
            return self._keys[place]
        if isinstance(place, slice):
            first, last, step = place.indices(table.n_keys)
            if step == 1:
                return list(table.keys(first, last))
            return [table.key(i) for i in range(first, last, step)]
        place = index(place)
        if place < 0:
            place += table.n_keys
        if not 0 <= place < table.n_keys:
            raise IndexError("list index out of range")
        return table.key(place)

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

    def __setitem__(self, place: Any, value: Any) -> None:
        self._thaw()[place] = value

    def __delitem__(self, place: Any) -> None:
        del self._thaw()[place]

    def insert(self, index: int, value: Any) -> None:
        """Put a word before a place."""
        self._thaw().insert(index, value)

    def append(self, value: Any) -> None:
        """Put a word after all others."""
        self._thaw().append(value)

    def sort(self, **how: Any) -> None:
        """Sort the words as ``list.sort`` does."""
        self._thaw().sort(**how)


class KeyPlaces(MutableMapping[Any, int]):
    """The place of each word, like the dict that gensim has as ``key_to_index``.

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
        if self.table is not None:
            self._places, self.table = self.copy(), None
        return self._places

    def __len__(self) -> int:
        return len(self._places) if self.table is None else self.table.n_keys

    def __getitem__(self, key: Any) -> int:
        if self.table is None:
            return self._places[key]
        place = self.table.find(key)
        if place < 0:
            raise KeyError(key)
        return place

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the place of a word, or something else if there is none."""
        if self.table is None:
            return self._places.get(key, default)
        place = self.table.find(key)
        return default if place < 0 else place

    def __contains__(self, key: object) -> bool:
        return key in self._places if self.table is None else self.table.find(key) >= 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places if self.table is None else KeyList(self.table))

    def values(self) -> ValuesView[int]:
        """Return the places in the order of the words."""
        return _Values(self)

    def items(self) -> ItemsView[Any, int]:
        """Return the words with their places."""
        return _Items(self)

    def _all_places(self) -> Iterable[int]:
        return self._places.values() if self.table is None else range(self.table.n_keys)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, KeyPlaces) and self.table is not None and other.table is not None:
            return self.table == other.table
        return self.copy() == dict(other.items()) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())

    def copy(self) -> dict[Any, int]:
        """Return a dict of the words and their places."""
        return dict(self.items())

    def __setitem__(self, key: Any, place: int) -> None:
        self._thaw()[key] = place

    def __delitem__(self, key: Any) -> None:
        del self._thaw()[key]


class _Values(ValuesView[int]):
    """Places without looking each word up."""

    _mapping: KeyPlaces

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping._all_places())


class _Items(ItemsView[Any, int]):
    """Words and places without looking each word up."""

    _mapping: KeyPlaces

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return zip(self._mapping, self._mapping._all_places(), strict=True)


def _encode(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def _decode(word: bytes) -> str:
    return word.decode("utf-8", "surrogatepass")


def _fill(checksums: NDArray[np.int64], n_slots: int) -> NDArray[np.uint32]:
    """Return slots in which each word is at or behind the one that its checksum leads to."""
    n_keys = len(checksums)
    n_bits = n_keys.bit_length()
    homes = checksums * n_slots >> 32
    order = np.argsort(homes, kind="stable")
    # a word is in the first slot behind the word before it, or where it belongs
    at = np.arange(n_keys)
    at += np.maximum.accumulate(homes[order] - at)
    slots = np.zeros(max(n_slots, at[-1] + 1 if n_keys else 0) + 1, dtype=np.uint32)
    marks = checksums[order] & (0xFFFFFFFF >> n_bits)
    slots[at] = marks << n_bits | (order + 1)
    return slots
