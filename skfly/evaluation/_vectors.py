"""Words and their codes or vectors: one view of flies, gensim's vectors and plain mappings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.index import PackedIndex, similarity
from skfly.model import FlyModel, spread_rows
from skfly.vectorizer import FlyHashVectorizer

HASH_LENGTHS = (4, 8, 16, 32, 51, 64, 128)
Floats = NDArray[np.float64]
Similar = Iterator[tuple[int | None, Floats]]


class FlyCodes:
    """The codes of a fitted fly; the only part of the evaluation that calls the fly itself.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Not changed.
    """

    def __init__(self, fly: FlyHashVectorizer | FlyModel) -> None:
        model = fly if isinstance(fly, FlyModel) else fly.model_
        self.model = model.with_(text=dict(model.settings.text) | {"input": "content"})
        self.n_cells = self.model.n_cells
        self.hash_length = self.model.hash_length

    def at(self, hash_length: int) -> FlyCodes:
        """Return the same fly with another hash length; all arrays are shared."""
        return FlyCodes(self.model.with_(hash_length=hash_length))

    @cached_property
    def _index(self) -> PackedIndex:
        return PackedIndex(self.model.word_codes()[list(self.model.known_words().values())])

    def nearest(self, codes: sparse.csr_array, n_words: int) -> NDArray[np.int64]:
        """Return the numbers of the words that share most cells with each code, best first."""
        return self._index.search(codes, n_words, measure="overlap", skip_empty=True)[0]

    def known(self, words: Iterable[str]) -> set[str]:
        """Return the words that have a code, as they are written or in lower case."""
        words = list(words)
        sizes = np.diff(self.in_any_case(words).indptr)
        return {word for word, size in zip(words, sizes, strict=True) if size}

    def similar(
        self, left: Sequence[str], right: Sequence[str], hash_lengths: Sequence[int], measure: str
    ) -> Similar:
        """Yield hash lengths, and how similar the pairs of known words are at each."""
        row_of = {word: row for row, word in enumerate(dict.fromkeys([*left, *right]))}
        first, second = ([row_of[word] for word in words] for words in (left, right))
        measure = "sokal-michener" if measure == "auto" else measure
        for length in hash_lengths:
            codes = self.at(length).in_any_case(list(row_of))
            yield length, similarity(codes[first], codes[second], measure)

    def in_any_case(self, words: Sequence[str]) -> sparse.csr_array:
        """Return codes; a word without one gets that of its lower case."""
        codes = self.model.words(words)
        none = np.flatnonzero(np.diff(codes.indptr) == 0)
        found = self.model.words([words[i].lower() for i in none.tolist()])
        return sparse.csr_array(codes + spread_rows(found, none, len(words)))


class WordVectors:
    """Vectors by word. A word that is unknown as it is written is looked up in lower case.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors or mapping
    """

    def __init__(self, vectors: Any) -> None:
        self._vectors = vectors

    def __contains__(self, word: str) -> bool:
        return self._key(word) is not None

    def _key(self, word: str) -> str | None:
        return next((key for key in (word, word.lower()) if key in self._vectors), None)

    def known(self, words: Iterable[str]) -> set[str]:
        """Return the words that have a vector."""
        return {word for word in words if word in self}

    def stack(self, words: Iterable[str]) -> Floats:
        """Return the vectors of known words, a row each."""
        return np.stack(
            [np.asarray(self._vectors[self._key(word)], dtype=np.float64) for word in words]
        )

    def mean(self, words: Iterable[str]) -> Floats | None:
        """Return the mean of the vectors of the known words, or None."""
        known = [word for word in words if word in self]
        return np.asarray(self.stack(known).mean(axis=0)) if known else None

    def similar(
        self, left: Sequence[str], right: Sequence[str], _: Sequence[int], measure: str
    ) -> Similar:
        """Yield None, and how similar the pairs of known words are."""
        if not left:
            yield None, np.zeros(0)
            return
        pairs = self.stack(left), self.stack(right)
        yield (
            None,
            cosine(*pairs) if measure in ("auto", "cosine") else similarity(*pairs, measure),
        )


def vectors_of(model: Any) -> Any:
    """Return the vectors of one of gensim's models, or the model itself."""
    return model if hasattr(model, "__contains__") else getattr(model, "wv", model)


def as_words(model: Any) -> FlyCodes | WordVectors:
    """Return a view of a model, or raise TypeError."""
    if isinstance(model, FlyHashVectorizer | FlyModel):
        return FlyCodes(model)
    vectors = vectors_of(model)
    if not hasattr(vectors, "__contains__") or not hasattr(vectors, "__getitem__"):
        raise TypeError(
            "expected a fitted FlyHashVectorizer, gensim KeyedVectors or another mapping from "
            f"words to vectors; got {type(model).__name__}"
        )
    return WordVectors(vectors)


def known_words(model: Any, words: Sequence[str]) -> set[str]:
    """Return those of the words that a model knows, or that are in a set of words."""
    if isinstance(model, Set):
        return {word for word in words if word in model or word.lower() in model}
    return as_words(model).known(words)


def check_hash_lengths(model: Any, hash_lengths: Any) -> list[int]:
    """Return the hash lengths that a model can have, each once."""
    single = isinstance(hash_lengths, Integral)
    lengths = list(dict.fromkeys([hash_lengths] if single else hash_lengths))
    for length in lengths:
        if not isinstance(length, Integral) or int(length) < 1:
            raise ValueError(f"hash lengths must be whole numbers above 0; got {length!r}")
    lengths = [int(length) for length in lengths]
    if not isinstance(model, FlyHashVectorizer | FlyModel):
        return lengths
    n_cells = FlyCodes(model).n_cells
    possible = [length for length in lengths if length <= n_cells]
    if not possible:
        raise ValueError(
            f"none of the hash lengths {lengths} is possible: the model has {n_cells} Kenyon cells"
        )
    return possible


def cosine(left: Floats, right: Floats) -> Floats:
    """Return the cosine of each pair of rows, 0 where one of them is zero."""
    dots: Floats = np.einsum("ij,ij->i", left, right)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray(np.divide(dots, norms, out=np.zeros_like(dots), where=norms != 0))
