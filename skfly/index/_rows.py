"""The ids and texts that an index of documents keeps beside the codes, one for each row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skfly.text import PackedStrings


class Strings:
    """Strings by row. Appending does not disturb concurrent readers.

    Examples
    --------
    >>> strings = Strings([["one", "two"]])
    >>> strings.extend(["three"])
    >>> strings[2], len(strings), strings.arrays("s", np.array([0, 2]))["s.ends"]
    ('three', 3, array([3, 8]))
    """

    def __init__(self, parts: Iterable[Sequence[str]] = ()) -> None:
        self._parts: list[Any] = [*parts, []]
        self._starts = np.cumsum([0, *map(len, self._parts[:-1])]).tolist()

    def __len__(self) -> int:
        return int(self._starts[-1]) + len(self._parts[-1])

    def __getitem__(self, row: int) -> str:
        part = bisect_right(self._starts, row) - 1
        return str(self._parts[part][row - self._starts[part]])

    def extend(self, strings: Iterable[str]) -> None:
        self._parts[-1].extend(strings)

    def parts(self) -> list[Sequence[str]]:
        """Return the runs of strings that make up these; none of them will grow."""
        return [*self._parts[:-1], list(self._parts[-1])]

    def take(self, rows: NDArray[np.int64]) -> Strings:
        """Return the strings of some rows."""
        return Strings([[self[row] for row in rows.tolist()]])

    def arrays(self, name: str, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return the strings of some rows as arrays for a file."""
        return PackedStrings.pack(self[row] for row in rows.tolist()).arrays(name)

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Strings:
        return cls([PackedStrings.from_arrays(arrays, name)])


class Numbers:
    """One number per row. Appending does not disturb concurrent readers.

    Examples
    --------
    >>> numbers = Numbers(np.array([7, 8]))
    >>> numbers.extend(np.array([3]))
    >>> numbers[2], len(numbers), numbers.array().tolist()
    (3, 3, [7, 8, 3])
    """

    def __init__(self, numbers: NDArray[np.int64] | None = None) -> None:
        self._room = np.zeros(0, np.int64) if numbers is None else np.asarray(numbers)
        if self._room.dtype != np.int64 or self._room.ndim != 1:
            raise ValueError("numbers must be one-dimensional int64")
        self._n = len(self._room)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, row: int) -> int:
        return int(self._room[row])

    def array(self) -> NDArray[np.int64]:
        return self._room[: self._n]

    def extend(self, numbers: NDArray[np.int64]) -> None:
        n = self._n + len(numbers)
        if n > len(self._room) or not self._room.flags.writeable:
            room = np.empty(n + n // 2, np.int64)
            room[: self._n] = self.array()
            self._room = room
        self._room[self._n : n] = numbers
        self._n = n

    def take(self, rows: NDArray[np.int64]) -> Numbers:
        return Numbers(self._room[rows])

    def arrays(self, name: str, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {name: self._room[rows]}


Ids: TypeAlias = Numbers | Strings


def as_ids(ids: Iterable[Any]) -> NDArray[np.int64] | list[str]:
    """Return ids as an array of numbers or a list of strings, or raise an error.

    Examples
    --------
    >>> as_ids([4, 2]), as_ids(["a"])
    (array([4, 2]), ['a'])
    """
    if isinstance(ids, str | bytes):
        raise TypeError(f"ids must be a list; got a single {type(ids).__name__}: put it in a list")
    given = list(ids)
    if all(isinstance(value, str) for value in given):
        return [str(value) for value in given]
    for value in given:
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(
                f"ids must be all int or all str; got {type(value).__name__}: {value!r:.60}"
            )
    try:
        return np.array([int(value) for value in given], dtype=np.int64)
    except OverflowError as error:
        raise ValueError("an id does not fit in 64 bits; use a str") from error
