"""Where the similarity of two words comes from: the codes of a fly, or vectors."""

from __future__ import annotations

import copy
import lzma
import os
import pickle
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.codes import similarity, spread_rows
from skfly.vectorizer import FlyHashVectorizer

__all__ = [
    "Similarities",
    "WordLookup",
    "as_similarities",
    "cosine",
    "known_words",
    "load_vectors",
    "vectors_of",
    "vectors_suffix",
]

MEASURES = ("auto", "cosine", "sokal-michener")
_SUFFIXES = (".kv", ".bin", ".txt", ".vec")
_LONGEST_HEADER = 200  # bytes
_AT_A_TIME = 1 << 20
_COMPRESSED = (".gz", ".bz2", ".xz")


class Similarities(Protocol):
    """Tells which words are known, and how similar pairs of them are."""

    def known(self, words: Iterable[str]) -> set[str]:
        """Return the words that are known."""
        ...

    def similar(
        self, left: Sequence[str], right: Sequence[str]
    ) -> Iterator[tuple[int | None, NDArray[np.float64]]]:
        """Yield hash lengths, and how similar the pairs of known words are at each."""
        ...


def as_similarities(model: Any, hash_lengths: Sequence[int], measure: str) -> Similarities:
    """Return a model in the form that is evaluated, or say that it cannot be."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")
    if isinstance(model, FlyHashVectorizer):
        return _Codes(model, hash_lengths, "sokal-michener" if measure == "auto" else measure)
    model = vectors_of(model)
    if not hasattr(model, "__contains__") or not hasattr(model, "__getitem__"):
        raise TypeError(
            "expected a fitted FlyHashVectorizer, gensim KeyedVectors or another mapping from "
            f"words to vectors; got {type(model).__name__}"
        )
    return _Vectors(model, "cosine" if measure == "auto" else measure)


def known_words(model: Any, words: Sequence[str]) -> set[str]:
    """Return those of the words that a model knows, or that are in a set of words."""
    if isinstance(model, Set):
        return {word for word in words if word in model or word.lower() in model}
    return as_similarities(model, (1,), "auto").known(words)


def vectors_of(model: Any) -> Any:
    """Return the vectors of one of gensim's models, or what is given."""
    return model if hasattr(model, "__contains__") else getattr(model, "wv", model)


class _Codes:
    """The static codes of a fly; a word is known if it has one."""

    def __init__(self, fly: FlyHashVectorizer, hash_lengths: Sequence[int], measure: str) -> None:
        self._fly = copy.copy(fly)  # shares all arrays; only its hash length will change
        self._hash_lengths = hash_lengths
        self._measure = measure

    def known(self, words: Iterable[str]) -> set[str]:
        words = list(words)
        codes = self._codes(words)
        return {word for word, cells in zip(words, np.diff(codes.indptr), strict=True) if cells}

    def similar(
        self, left: Sequence[str], right: Sequence[str]
    ) -> Iterator[tuple[int | None, NDArray[np.float64]]]:
        row_of = {word: row for row, word in enumerate(dict.fromkeys([*left, *right]))}
        first, second = ([row_of[word] for word in words] for words in (left, right))
        for length in self._hash_lengths:
            self._fly.set_params(hash_length=length)
            codes = self._codes(list(row_of))
            yield length, similarity(codes[first], codes[second], self._measure)

    def _codes(self, words: Sequence[str]) -> sparse.csr_array:
        """Return codes; a word that has none as it is written gets that of its lower case."""
        codes = sparse.csr_array(self._fly.hash_words(words))
        none = np.flatnonzero(np.diff(codes.indptr) == 0)
        lower = [words[i].lower() for i in none.tolist()]
        found = sparse.csr_array(self._fly.hash_words(lower))
        return sparse.csr_array(codes + spread_rows(found, none, len(words)))


class WordLookup:
    """Finds the vectors of words; one that is not known as it is written, in lower case."""

    def __init__(self, vectors: Any) -> None:
        self._vectors = vectors

    def __contains__(self, word: str) -> bool:
        return self._key(word) is not None

    def stack(self, words: Iterable[str]) -> NDArray[np.float64]:
        """Return the vectors of known words, a row each."""
        return np.stack(
            [np.asarray(self._vectors[self._key(word)], dtype=np.float64) for word in words]
        )

    def mean(self, words: Iterable[str]) -> NDArray[np.float64] | None:
        """Return the mean of those that are known, or None."""
        known = [word for word in words if word in self]
        return np.asarray(self.stack(known).mean(axis=0)) if known else None

    def _key(self, word: str) -> str | None:
        return next((key for key in (word, word.lower()) if key in self._vectors), None)


class _Vectors:
    """Vectors by word."""

    def __init__(self, vectors: Any, measure: str) -> None:
        self._look_up = WordLookup(vectors)
        self._measure = measure

    def known(self, words: Iterable[str]) -> set[str]:
        return {word for word in words if word in self._look_up}

    def similar(
        self, left: Sequence[str], right: Sequence[str]
    ) -> Iterator[tuple[int | None, NDArray[np.float64]]]:
        if not left:
            yield None, np.zeros(0)
            return
        first, second = self._look_up.stack(left), self._look_up.stack(right)
        if self._measure == "cosine":
            yield None, cosine(first, second)
        else:
            yield None, similarity(first, second, self._measure)


def cosine(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine of each pair of rows, 0 where one of them is zero."""
    dots: NDArray[np.float64] = np.einsum("ij,ij->i", left, right)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray(np.divide(dots, norms, out=np.zeros_like(dots), where=norms != 0))


def load_vectors(path: str | os.PathLike[str]) -> Any:
    """Read word vectors from a file, by its ending.

    Parameters
    ----------
    path : path-like
        ``.txt`` or ``.vec``: word2vec's text format, with its first line or without (as GloVe's
        files are); ``.bin``: word2vec's binary format; both may be compressed (``.gz``,
        ``.bz2``, ``.xz``). ``.kv``: what ``KeyedVectors.save`` of gensim wrote, a pickle: open
        only files that you trust.

    Returns
    -------
    vectors : gensim.models.KeyedVectors

    Raises
    ------
    ValueError
        If the file does not hold vectors, or is damaged.
    OSError
        If it cannot be opened, or is not compressed as its name says.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from skfly.evaluation import load_vectors
    >>> load_vectors(datapath("test_glove.txt")).vector_size
    50
    """
    from gensim.models import KeyedVectors

    path = Path(path)
    suffix = vectors_suffix(path)
    if suffix is None:
        raise ValueError(f"{path} does not end in one of {', '.join(_SUFFIXES)}")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        if suffix == ".kv":
            vectors = KeyedVectors.load(str(path), mmap="r")
            if not isinstance(vectors, KeyedVectors):
                vectors = vectors.wv
            return vectors
        binary = suffix == ".bin"
        has_header = binary or _has_header(path)
        if has_header:
            _check_header(path, binary)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # gensim forgets to close the file
            return KeyedVectors.load_word2vec_format(
                str(path), binary=binary, no_header=not has_header
            )
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        EOFError,
        ImportError,
        LookupError,
        TypeError,
        ValueError,
        lzma.LZMAError,
        pickle.UnpicklingError,
        zlib.error,
    ) as error:
        raise ValueError(f"{path} cannot be read as word vectors: {error}") from error


def vectors_suffix(path: Path) -> str | None:
    """Return the ending that says how a file stores vectors, or None: it holds something else.

    Examples
    --------
    >>> vectors_suffix(Path("glove.txt.gz")), vectors_suffix(Path("fly.skfly"))
    ('.txt', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in _SUFFIXES else None


def _has_header(path: Path) -> bool:
    from gensim.utils import open as smart_open

    with smart_open(str(path), "rb") as file:
        first = file.readline().split()
    if not first:
        raise ValueError("its first line is empty")
    return len(first) == 2


def _check_header(path: Path, binary: bool) -> None:
    """Refuse a first line that tells of more vectors than the file has room for.

    gensim takes memory for as many as it tells.
    """
    from gensim.utils import open as smart_open

    with smart_open(str(path), "rb") as file:
        n_words, n_numbers = (int(number) for number in file.readline(_LONGEST_HEADER).split())
        # in text, a number has a digit and a space before it, and a word its end of line
        needed = n_words * (4 * n_numbers + 1 if binary else 2 * n_numbers + 1)
        if path.suffix.lower() not in _COMPRESSED:
            needed -= path.stat().st_size
        while needed > 0 and (data := file.read(_AT_A_TIME)):
            needed -= len(data)
    if n_words < 1 or n_numbers < 1 or needed > 0:
        raise ValueError(f"its first line tells of {n_words} vectors of {n_numbers} numbers")
