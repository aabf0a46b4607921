"""The words of a model or corpus with their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

_WORDS_AT_A_TIME = 1 << 16
NOT_MET = -2
"""As the id of a word: it was not looked up yet. (-1 is that of an unknown word.)"""


class PackedStrings(Sequence[str]):
    """Strings as a single byte array, decoded on access; it may be mapped from a file.

    Parameters
    ----------
    data : ndarray of uint8
        The strings as concatenated UTF-8.
    ends : ndarray of int64
        Where each string ends.
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        if data.dtype != np.uint8 or ends.dtype != np.int64 or data.ndim != 1 or ends.ndim != 1:
            raise ValueError("strings must be an array of uint8 and their ends one of int64")
        rising = len(ends) == 0 or (ends[0] >= 0 and bool(np.all(ends[1:] >= ends[:-1])))
        if not rising or len(data) != (ends[-1] if len(ends) else 0):
            raise ValueError("the ends of the strings do not match their bytes")
        # slicing plain arrays is faster than slicing memory-mapped ones
        self.data = np.asarray(data)
        self.ends = np.asarray(ends)

    @classmethod
    def pack(cls, strings: Iterable[str]) -> Self:
        """Pack strings."""
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        ends = np.cumsum([len(string) for string in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str = "words") -> Self:
        """Restore what :meth:`arrays` returned."""
        ends = arrays[f"{name}.ends"]
        if ends.dtype == np.int32:
            ends = ends.astype(np.int64)
        return cls(arrays[f"{name}.data"], ends)

    def arrays(self, name: str = "words") -> dict[str, NDArray[Any]]:
        """Return the arrays to store in a file."""
        return {f"{name}.data": self.data, f"{name}.ends": self.ends}

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]
        start = self.ends[i - 1] if i else 0
        return self.data[start : self.ends[i]].tobytes().decode("utf-8", "surrogatepass")


class PackedWords(PackedStrings):
    """Words as a single byte array, checked as a whole.

    A corpus has many words that occur once or twice; as Python objects they would take more
    memory than a model.

    Examples
    --------
    >>> packed = PackedWords.pack(["fly", "蝇"])
    >>> len(packed), packed[1], list(packed)
    (2, '蝇', ['fly', '蝇'])
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        super().__init__(data, ends)
        data.tobytes().decode("utf-8", "surrogatepass")
        starts = ends[:-1][ends[:-1] < len(data)]
        if np.any(data[starts] & 0xC0 == 0x80):
            raise ValueError("a word ends within a character")

    def __iter__(self) -> Iterator[str]:
        start = 0
        for first in range(0, len(self), _WORDS_AT_A_TIME):
            ends = self.ends[first : first + _WORDS_AT_A_TIME]
            data = self.data[start : ends[-1]].tobytes()
            for begin, end in pairwise([0, *(ends - start).tolist()]):
                yield data[begin:end].decode("utf-8", "surrogatepass")
            start = int(ends[-1])


class Vocabulary:
    """Words in order of their ids, with counts.

    Parameters
    ----------
    words : iterable of str
        Word ``i`` gets id ``i``. Words must be distinct.
    counts : array-like of int, optional
        How often each word occurs; zeros by default.

    Examples
    --------
    >>> vocabulary = Vocabulary(["fly", "cell"], [7, 3])
    >>> vocabulary.index["cell"], "moth" in vocabulary, len(vocabulary)
    (1, False, 2)
    >>> vocabulary.encode(["fly", "moth", "cell"])
    array([ 0, -1,  1], dtype=int32)
    """

    def __init__(self, words: Iterable[str], counts: Any = None) -> None:
        self.words: Sequence[str] = words if isinstance(words, PackedWords) else list(words)
        # packed words were checked before packing, and dict keys are distinct
        if not isinstance(words, PackedWords | dict) and len(set(self.words)) != len(self.words):
            twice = next(word for word, n in Counter(self.words).items() if n > 1)
            raise ValueError(
                f"the word {twice!r} is in the vocabulary more than once; words must be distinct"
            )
        self.counts: NDArray[np.int64] = (
            np.zeros(len(self.words), dtype=np.int64)
            if counts is None
            else np.asarray(counts, dtype=np.int64)
        )
        if self.counts.shape != (len(self.words),):
            raise ValueError(
                f"counts has shape {self.counts.shape}; a vocabulary of {len(self.words)} "
                "words needs one count per word"
            )

    @classmethod
    def from_parameter(cls, vocabulary: Mapping[str, int] | Iterable[str]) -> Vocabulary:
        """Return the vocabulary that scikit-learn's ``vocabulary=`` parameter describes.

        A mapping gives the ids and must cover 0 to n-1 once each; a set is sorted; any other
        iterable is taken in its order.
        """
        if isinstance(vocabulary, str):
            raise ValueError(
                "vocabulary is a str; pass a list of words, or a dict from word to id"
            )
        if isinstance(vocabulary, Mapping):
            words = sorted(vocabulary, key=vocabulary.__getitem__)
            if [vocabulary[word] for word in words] != list(range(len(words))):
                raise ValueError(
                    "the ids in vocabulary must be 0 to n-1, each used once; "
                    "pass a list of words to number them in order"
                )
        else:
            words = (
                sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else list(vocabulary)
            )
        if not words:
            raise ValueError("vocabulary is empty; pass at least one word")
        for word in words:
            if not isinstance(word, str):
                raise TypeError(
                    f"vocabulary must contain words (str); got {type(word).__name__}: {word!r}"
                )
        return cls(words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word."""
        return {word: i for i, word in enumerate(self.words)}

    def __getstate__(self) -> dict[str, Any]:
        return {"words": self.words, "counts": self.counts}

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words, {int(self.counts.sum())} occurrences)"

    def encode(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of words, -1 for words that are not in the vocabulary."""
        get = self.index.get
        return np.fromiter((get(word, -1) for word in words), dtype=np.int32)

    def most_frequent(self, max_words: int | None = None, min_count: int = 1) -> Vocabulary:
        """Return the ``max_words`` most frequent words that occur at least ``min_count`` times.

        The most frequent word gets id 0. Ties are broken alphabetically, so the result does not
        depend on the order of the text.
        """
        return self.by_frequency(max_words, min_count)[0]

    def by_frequency(
        self, max_words: int | None = None, min_count: int = 1
    ) -> tuple[Vocabulary, NDArray[np.int64]]:
        """Return :meth:`most_frequent` and the current ids of its words."""
        kept = frequent_enough(self.counts, max_words, min_count).tolist()
        ids = {self.words[i]: i for i in kept}
        words = sorted(ids)
        by_word = np.fromiter(map(ids.__getitem__, words), dtype=np.int64, count=len(words))
        order = np.argsort(-self.counts[by_word], kind="stable")[:max_words]
        chosen = np.array(words, dtype=object)[order].tolist()
        taken = by_word[order]
        return distinct(chosen, self.counts[taken]), taken

    def extended(self, found: Vocabulary, most: int | None, min_count: int) -> Vocabulary:
        """Return the vocabulary followed by words of another one, with their counts there.

        Parameters
        ----------
        found : Vocabulary
        most : int or None
            New words at most: the most frequent ones.
        min_count : int
            Rarer words are left out.

        Examples
        --------
        >>> known = Vocabulary(["fly", "bank"], [3, 2])
        >>> known.extended(Vocabulary(["moth", "fly", "lamp"], [4, 9, 1]), None, 2).words
        ['fly', 'bank', 'moth']
        """
        by_frequency, _ = found.by_frequency(None, min_count)
        new = np.flatnonzero(self.encode(by_frequency.words) < 0)[:most]
        words = [*self.words, *(by_frequency.words[i] for i in new)]
        return distinct(words, np.append(self.counts, by_frequency.counts[new]))

    def where(self, kept: NDArray[np.bool_]) -> tuple[Vocabulary, NDArray[np.int64]]:
        """Return the words of a mask, and their current ids.

        Examples
        --------
        >>> vocabulary = Vocabulary(["fly", "the", "cell"], [7, 9, 3])
        >>> some, ids = vocabulary.where(np.array([True, False, True]))
        >>> list(some), ids
        (['fly', 'cell'], array([0, 2]))
        """
        ids = np.flatnonzero(kept)
        words = [self.words[i] for i in ids.tolist()]
        return distinct(words, self.counts[ids]), ids

    def with_counts(self, counts: NDArray[np.int64]) -> Vocabulary:
        """Return the same words with other counts."""
        return distinct(self.words, counts)


def distinct(words: Sequence[str], counts: NDArray[np.int64]) -> Vocabulary:
    """Return the vocabulary of words that are known to be distinct."""
    vocabulary = Vocabulary(())
    vocabulary.words, vocabulary.counts = words, counts
    return vocabulary


def frequent_enough(
    counts: NDArray[np.int64], max_words: int | None, min_count: int
) -> NDArray[np.int64]:
    """Return the ids of the words that may be among the ``max_words`` most frequent.

    Examples
    --------
    >>> frequent_enough(np.array([3, 1, 2, 2]), 2, 1)
    array([0, 2, 3])
    """
    if max_words is not None and 0 < max_words < len(counts):
        # words with a lower count than the last one that fits cannot be selected
        last = np.partition(counts, len(counts) - max_words)[len(counts) - max_words]
        min_count = max(min_count, int(last))
    return np.flatnonzero(counts >= min_count)


def places_of(ids: NDArray[np.int64], n_words: int) -> NDArray[np.int32]:
    """Return the position in ``ids`` of each id below ``n_words``, or -1.

    Examples
    --------
    >>> places_of(np.array([3, 0]), 4)
    array([ 1, -1, -1,  0], dtype=int32)
    """
    places = np.full(n_words, -1, dtype=np.int32)
    places[ids] = np.arange(len(ids), dtype=np.int32)
    return places
