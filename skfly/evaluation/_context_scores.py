"""How similar two uses of words are, by codes, by averaged vectors, or by any function."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import jensenshannon

from skfly.codes import CodeSearch, PackedCodes, overlap, pack_rows
from skfly.evaluation._context_data import WordUse
from skfly.evaluation._vectors import WordLookup, cosine, vectors_of
from skfly.text import TextAnalyzer
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["ContextGrid", "ContextScorer", "Setting", "Target", "as_context_scorer"]

MEASURES = ("auto", "cosine", "jensen-shannon")
_ROWS_AT_A_TIME = 64
Floats = NDArray[np.float64]


class Target(str):
    """A word, and where it is in its sentence.

    Attributes
    ----------
    start, end : int
        ``sentence[start:end]`` is the word.
    """

    start: int
    end: int

    __slots__ = ("end", "start")

    @classmethod
    def of(cls, use: WordUse) -> Target:
        """Return the target of a use.

        Examples
        --------
        >>> target = Target.of(WordUse("By the", "bank", "of"))
        >>> target, target.start, target.end
        ('bank', 7, 11)
        """
        target = cls(use.word)
        target.start = len(use.before) + 1 if use.before else 0
        target.end = target.start + len(use.word)
        return target


@dataclass(frozen=True)
class Setting:
    """What is chosen on the first fold; ``None`` where there is no choice."""

    window: int | None = None
    use_target: bool | None = None
    hash_length: int | None = None
    alpha: float | None = None
    n_neighbors: int | None = None


@dataclass(frozen=True)
class ContextGrid:
    """The values to choose from."""

    windows: Sequence[int]
    use_target: Sequence[bool]
    hash_lengths: Sequence[int]
    alphas: Sequence[float]
    n_neighbors: Sequence[int]

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name):
                raise ValueError(f"{name} is empty: there is nothing to choose from")
        if any(window != 0 and (window < 1 or window % 2 == 0) for window in self.windows):
            raise ValueError(f"windows must be odd numbers of words, or 0; got {self.windows}")
        if any(not 0 <= alpha <= 1 for alpha in self.alphas):
            raise ValueError(f"alphas must be from 0 to 1; got {self.alphas}")
        if any(number < 1 for number in (*self.hash_lengths, *self.n_neighbors)):
            raise ValueError("hash_lengths and n_neighbors must be whole numbers above 0")
        if not self.contexts():
            raise ValueError("window 0 has no context: it needs use_target=True")

    def contexts(self) -> list[tuple[int, bool]]:
        """Return windows, each with the target or without it; without both nothing is left."""
        return [
            (window, target)
            for window, target in product(self.windows, self.use_target)
            if target or window > 1
        ]


class ContextScorer(Protocol):
    """Tells how similar pairs of uses are, at any of its settings."""

    def known(self, uses: Sequence[WordUse]) -> NDArray[np.bool_]:
        """Return of which uses the word itself is known."""
        ...

    def candidates(
        self, left: Sequence[WordUse], right: Sequence[WordUse]
    ) -> Iterator[tuple[Setting, Floats]]:
        """Yield all settings, and the scores of the pairs at each."""
        ...

    def scores(
        self, left: Sequence[WordUse], right: Sequence[WordUse], setting: Setting
    ) -> Floats:
        """Return the scores of pairs at one setting."""
        ...


def as_context_scorer(model: Any, grid: ContextGrid, measure: str) -> ContextScorer:
    """Return a model in the form that is evaluated, or say that it cannot be."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")
    if isinstance(model, FlyHashVectorizer):
        if measure != "auto":
            raise ValueError(f"measure={measure!r} is for vectors, but the model makes codes")
        return _Codes(model, grid)
    compare = jensen_shannon if measure == "jensen-shannon" else cosine
    model = vectors_of(model)
    if hasattr(model, "__contains__") and hasattr(model, "__getitem__"):
        return _AveragedVectors(model, grid, compare)
    if callable(model):
        return _Function(model, compare)
    raise TypeError(
        "expected a fitted FlyHashVectorizer, gensim KeyedVectors or another mapping from words "
        f"to vectors, or a function (sentence, target) -> vector; got {type(model).__name__}"
    )


class _Words:
    """Cuts uses into words, once."""

    def __init__(self, analyzer: TextAnalyzer) -> None:
        self._analyzer = analyzer
        self._cut: dict[WordUse, tuple[list[str], list[str]]] = {}

    def around(self, use: WordUse, window: int) -> tuple[list[str], list[str]]:
        """Return the words before and after the target that are inside the window."""
        if use not in self._cut:
            self._cut[use] = self._analyzer.words(use.before), self._analyzer.words(use.after)
        before, after = self._cut[use]
        half = window // 2
        return before[max(0, len(before) - half) :], after[:half]


class _Codes:
    """``alpha * J_dot + (1 - alpha) * J_nn`` of the codes of a fly."""

    def __init__(self, fly: FlyHashVectorizer, grid: ContextGrid) -> None:
        # shares all arrays; only its parameters will change
        self._fly = copy.copy(fly).set_params(input="content")
        self._analyzer = self._fly._analyzer()
        self._words = _Words(self._analyzer)
        self._searches: dict[int, CodeSearch] = {}
        self._grid = grid
        self._hash_lengths = [k for k in grid.hash_lengths if k <= self._fly.n_features_out_]
        if not self._hash_lengths:
            raise ValueError(
                f"none of the hash lengths {list(grid.hash_lengths)} is possible: the model has "
                f"{self._fly.n_features_out_} Kenyon cells"
            )

    def known(self, uses: Sequence[WordUse]) -> NDArray[np.bool_]:
        self._fly.set_params(hash_length=self._hash_lengths[0])
        codes = sparse.csr_array(self._fly.hash_words([use.word for use in uses]))
        return np.asarray(np.diff(codes.indptr) > 0)

    def candidates(
        self, left: Sequence[WordUse], right: Sequence[WordUse]
    ) -> Iterator[tuple[Setting, Floats]]:
        numbers = sorted(self._grid.n_neighbors)
        only_dot = max(self._grid.alphas) == min(self._grid.alphas) == 1
        for (window, target), length in product(self._grid.contexts(), self._hash_lengths):
            codes = self._codes(left, right, window, target, length)
            dots = overlap(*codes) / length
            common = None if only_dot else self._common_neighbors(codes, numbers[-1])
            for alpha in self._grid.alphas:
                if common is None or alpha == 1:
                    yield Setting(window, target, length, 1.0), dots
                    continue
                for q in numbers:
                    mixed = alpha * dots + (1 - alpha) * _share(common, q)
                    yield Setting(window, target, length, alpha, q), mixed

    def scores(
        self, left: Sequence[WordUse], right: Sequence[WordUse], setting: Setting
    ) -> Floats:
        window, target, length = setting.window, setting.use_target, setting.hash_length
        assert window is not None
        assert target is not None
        assert length is not None
        assert setting.alpha is not None
        codes = self._codes(left, right, window, target, length)
        dots = overlap(*codes) / length
        if setting.n_neighbors is None:
            return dots
        common = self._common_neighbors(codes, setting.n_neighbors)
        return setting.alpha * dots + (1 - setting.alpha) * _share(common, setting.n_neighbors)

    def _codes(
        self,
        left: Sequence[WordUse],
        right: Sequence[WordUse],
        window: int,
        use_target: bool,
        hash_length: int,
    ) -> tuple[sparse.csr_array, sparse.csr_array]:
        self._fly.set_params(hash_length=hash_length)
        codes = [
            self._fly.hash_words([use.word for use in uses])
            if window == 0
            else self._in_context(uses, window, use_target)
            for uses in (left, right)
        ]
        return sparse.csr_array(codes[0]), sparse.csr_array(codes[1])

    def _in_context(self, uses: Sequence[WordUse], window: int, use_target: bool) -> Any:
        contexts: list[list[str]] = []
        targets: list[str | int] = []
        for use in uses:
            before, after = self._words.around(use, window)
            if use_target and self._analyzer.words([use.word]):
                contexts.append([*before, use.word, *after])
                targets.append(len(before))
            else:
                contexts.append([*before, *after])
                targets.append("")  # no word: the context is taken whole
        return self._fly.hash_in_context(contexts, targets)

    def _common_neighbors(
        self, codes: tuple[sparse.csr_array, sparse.csr_array], n_neighbors: int
    ) -> NDArray[np.int64]:
        """Return how many of the first 1, 2, ... nearest words of two codes are common.

        An empty code has no neighbours.
        """
        search = self._search()
        found = [search.best(pack_rows(some), n_neighbors)[0] for some in codes]
        common = count_common(found[0], found[1], len(search.store))
        empty = (np.diff(codes[0].indptr) == 0) | (np.diff(codes[1].indptr) == 0)
        common[empty] = 0
        return common

    def _search(self) -> CodeSearch:
        """Return the search in the vocabulary at the present hash length, made once."""
        length = int(self._fly.hash_length)
        if length not in self._searches:
            words = self._fly.wv
            store = PackedCodes.from_rows(words.codes, words.vector_size)
            self._searches[length] = CodeSearch(store, "overlap")
        return self._searches[length]


def count_common(
    left: NDArray[np.int64], right: NDArray[np.int64], n_items: int
) -> NDArray[np.int64]:
    """Return how many items the first 1, 2, ... of two lists have in common, row by row.

    Examples
    --------
    >>> count_common(np.array([[4, 1, 2]]), np.array([[1, 3, 4]]), 5)
    array([[0, 1, 2]])
    """
    n_rows, n = left.shape
    common = np.zeros((n_rows, n), dtype=np.int64)
    for start in range(0, n_rows, _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        place = np.full((len(left[part]), n_items), n, dtype=np.int32)
        np.put_along_axis(place, left[part], np.arange(n, dtype=np.int32)[None], axis=1)
        # an item counts from where both lists have it
        since = np.maximum(np.take_along_axis(place, right[part], axis=1), np.arange(n))
        rows, columns = np.nonzero(since < n)
        np.add.at(common[part], (rows, since[rows, columns]), 1)
    return np.cumsum(common, axis=1)


def _share(common: NDArray[np.int64], n_neighbors: int) -> Floats:
    n = min(n_neighbors, common.shape[1])  # a small vocabulary has no more
    return np.asarray(common[:, n - 1] / max(n, 1))


class _AveragedVectors:
    """The mean of the vectors in a window."""

    def __init__(
        self, vectors: Any, grid: ContextGrid, compare: Callable[[Floats, Floats], Floats]
    ) -> None:
        self._look_up = WordLookup(vectors)
        self._grid = grid
        self._compare = compare
        self._words = _Words(TextAnalyzer(lowercase=False, token_pattern=r"(?u)\b\w+\b"))

    def known(self, uses: Sequence[WordUse]) -> NDArray[np.bool_]:
        return np.array([use.word in self._look_up for use in uses], dtype=bool)

    def candidates(
        self, left: Sequence[WordUse], right: Sequence[WordUse]
    ) -> Iterator[tuple[Setting, Floats]]:
        for window, target in self._grid.contexts():
            setting = Setting(window, target)
            yield setting, self.scores(left, right, setting)

    def scores(
        self, left: Sequence[WordUse], right: Sequence[WordUse], setting: Setting
    ) -> Floats:
        means = [[self._mean(use, setting) for use in uses] for uses in (left, right)]
        return _compare_known(means[0], means[1], self._compare)

    def _mean(self, use: WordUse, setting: Setting) -> Floats | None:
        before, after = self._words.around(use, setting.window or 0)
        words = [*before, *([use.word] if setting.use_target else []), *after]
        return self._look_up.mean(words)


class _Function:
    """What a function makes of a sentence and its target."""

    def __init__(
        self,
        encode: Callable[[str, Target], Any],
        compare: Callable[[Floats, Floats], Floats],
    ) -> None:
        self._encode = encode
        self._compare = compare

    def known(self, uses: Sequence[WordUse]) -> NDArray[np.bool_]:
        return np.ones(len(uses), dtype=bool)

    def candidates(
        self, left: Sequence[WordUse], right: Sequence[WordUse]
    ) -> Iterator[tuple[Setting, Floats]]:
        yield Setting(), self.scores(left, right, Setting())

    def scores(
        self, left: Sequence[WordUse], right: Sequence[WordUse], setting: Setting
    ) -> Floats:
        assert setting == Setting()
        vectors = [[self._vector(use) for use in uses] for uses in (left, right)]
        return _compare_known(vectors[0], vectors[1], self._compare)

    def _vector(self, use: WordUse) -> Floats | None:
        vector = self._encode(use.sentence, Target.of(use))
        return None if vector is None else np.asarray(vector, np.float64).ravel()


def _compare_known(
    left: Sequence[Floats | None],
    right: Sequence[Floats | None],
    compare: Callable[[Floats, Floats], Floats],
) -> Floats:
    """Compare pairs of vectors; where one is missing, the score is 0."""
    scores = np.zeros(len(left))
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if pairs:
        both = [a is not None and b is not None for a, b in zip(left, right, strict=True)]
        scores[both] = compare(np.stack([a for a, _ in pairs]), np.stack([b for _, b in pairs]))
    return scores


def jensen_shannon(left: Floats, right: Floats) -> Floats:
    """Return 1 less the Jensen-Shannon divergence (in bits) of each pair of rows.

    Rows are scaled to the sum 1; a row of zeros is similar to nothing.

    Examples
    --------
    >>> jensen_shannon(np.array([[1.0, 1], [1, 0], [0, 0]]), np.array([[2.0, 2], [0, 3], [1, 1]]))
    array([1., 0., 0.])
    """
    if min(left.min(initial=0), right.min(initial=0)) < 0:
        raise ValueError(
            "the Jensen-Shannon similarity is for vectors without negative values: use the cosine"
        )
    scores = np.zeros(len(left))
    whole = (left.sum(axis=1) > 0) & (right.sum(axis=1) > 0)
    scores[whole] = 1 - np.square(jensenshannon(left[whole], right[whole], base=2, axis=1))
    return scores
