"""The similarity of two uses of words: by codes, by averaged vectors, or by any function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon

from skfly.evaluation._context_data import WordUse
from skfly.evaluation._vectors import (
    Floats,
    FlyCodes,
    WordVectors,
    check_hash_lengths,
    cosine,
    vectors_of,
)
from skfly.index import overlap
from skfly.model import FlyModel
from skfly.text import TextAnalyzer
from skfly.vectorizer import FlyHashVectorizer

MEASURES = ("auto", "cosine", "jensen-shannon")
_ROWS_A_BATCH = 64
Uses = Sequence[WordUse]
Compare = Callable[[Floats, Floats], Floats]


class Target(str):
    """A word with its position in the sentence.

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
    """Hyperparameters chosen on the first fold; ``None`` where there is no choice."""

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


def as_context_scorer(model: Any, grid: ContextGrid, measure: str) -> ContextScorer:
    """Return the scorer for a model, or raise an error that says what is wrong with it."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {MEASURES}; got {measure!r}")
    if isinstance(model, FlyHashVectorizer | FlyModel):
        if measure != "auto":
            raise ValueError(f"measure={measure!r} is for vectors, but the model makes codes")
        return _Codes(FlyCodes(model), grid, check_hash_lengths(model, grid.hash_lengths))
    compare = jensen_shannon if measure == "jensen-shannon" else cosine
    vectors = vectors_of(model)
    if hasattr(vectors, "__contains__") and hasattr(vectors, "__getitem__"):
        return _averaged(WordVectors(vectors), grid, compare)
    if callable(model):
        return _encoded(model, compare)
    raise TypeError(
        "expected a fitted FlyHashVectorizer, gensim KeyedVectors or another mapping from words "
        f"to vectors, or a function (sentence, target) -> vector; got {type(model).__name__}"
    )


class _Words:
    """Cuts uses into words, each use once."""

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

    def __init__(self, fly: FlyCodes, grid: ContextGrid, hash_lengths: Sequence[int]) -> None:
        self._at = {length: fly.at(length) for length in hash_lengths}
        self._analyzer = fly.model.analyzer
        self._words = _Words(fly.model.analyzer)
        self._grid = grid

    def known(self, uses: Uses) -> NDArray[np.bool_]:
        """Return for which uses the word itself is known."""
        codes = next(iter(self._at.values())).model.words([use.word for use in uses])
        return np.asarray(np.diff(codes.indptr) > 0)

    def candidates(self, left: Uses, right: Uses) -> Iterator[tuple[Setting, Floats]]:
        """Yield all settings, and the scores of the pairs at each."""
        numbers = sorted(self._grid.n_neighbors)
        n_most = numbers[-1] if min(self._grid.alphas) < 1 else None
        for (window, use_target), length in product(self._grid.contexts(), self._at):
            parts = self._parts(left, right, Setting(window, use_target, length), n_most)
            for alpha in self._grid.alphas:
                for n in numbers if alpha < 1 else (None,):
                    setting = Setting(window, use_target, length, float(alpha), n)
                    yield setting, _mixed(*parts, setting)

    def scores(self, left: Uses, right: Uses, setting: Setting) -> Floats:
        """Return the scores of pairs at one setting."""
        return _mixed(*self._parts(left, right, setting, setting.n_neighbors), setting)

    def _parts(
        self, left: Uses, right: Uses, setting: Setting, n_neighbors: int | None
    ) -> tuple[Floats, NDArray[np.int64] | None]:
        """Return the share of common cells, and the number of common neighbours if asked for."""
        length: Any = setting.hash_length
        fly = self._at[length]
        first, second = (self._codes(fly, uses, setting) for uses in (left, right))
        dots = np.asarray(overlap(first, second) / length)
        if n_neighbors is None:
            return dots, None
        found = [fly.nearest(codes, n_neighbors) for codes in (first, second)]
        common = count_common(found[0], found[1])
        # an empty code has no neighbours
        common[(np.diff(first.indptr) == 0) | (np.diff(second.indptr) == 0)] = 0
        return dots, common

    def _codes(self, fly: FlyCodes, uses: Uses, setting: Setting) -> Any:
        if not setting.window:
            return fly.model.words([use.word for use in uses])
        contexts: list[list[str]] = []
        targets: list[str | int] = []
        for use in uses:
            before, after = self._words.around(use, setting.window)
            has_target = setting.use_target and bool(self._analyzer.words([use.word]))
            contexts.append([*before, use.word, *after] if has_target else [*before, *after])
            targets.append(len(before) if has_target else "")  # "": the context is taken whole
        return fly.model.contexts(contexts, targets)


def _mixed(dots: Floats, common: NDArray[np.int64] | None, setting: Setting) -> Floats:
    if setting.n_neighbors is None or common is None or setting.alpha is None:
        return dots
    n = min(setting.n_neighbors, common.shape[1])  # a small vocabulary has no more
    share = common[:, n - 1] / max(n, 1)
    return np.asarray(setting.alpha * dots + (1 - setting.alpha) * share)


def count_common(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many items the first 1, 2, ... of two lists have in common, row by row.

    Examples
    --------
    >>> count_common(np.array([[4, 1, 2]]), np.array([[1, 3, 4]]))
    array([[0, 1, 2]])
    """
    n_rows, n = left.shape
    n_items = 1 + int(max(left.max(initial=0), right.max(initial=0)))
    common = np.zeros((n_rows, n), dtype=np.int64)
    for start in range(0, n_rows, _ROWS_A_BATCH):
        part = slice(start, start + _ROWS_A_BATCH)
        place = np.full((len(left[part]), n_items), n, dtype=np.int32)
        np.put_along_axis(place, left[part], np.arange(n, dtype=np.int32)[None], axis=1)
        # an item counts from where both lists have it
        since = np.maximum(np.take_along_axis(place, right[part], axis=1), np.arange(n))
        rows, columns = np.nonzero(since < n)
        np.add.at(common[part], (rows, since[rows, columns]), 1)
    return np.cumsum(common, axis=1)


@dataclass(frozen=True)
class _Vectors:
    """Compares a vector of each use."""

    settings: Sequence[Setting]
    is_known: Callable[[str], bool]
    vector: Callable[[WordUse, Setting], Floats | None]
    compare: Compare

    def known(self, uses: Uses) -> NDArray[np.bool_]:
        """Return for which uses the word itself is known."""
        return np.array([self.is_known(use.word) for use in uses], dtype=bool)

    def candidates(self, left: Uses, right: Uses) -> Iterator[tuple[Setting, Floats]]:
        """Yield all settings, and the scores of the pairs at each."""
        for setting in self.settings:
            yield setting, self.scores(left, right, setting)

    def scores(self, left: Uses, right: Uses, setting: Setting) -> Floats:
        """Return the scores of pairs at one setting; where a vector is missing, it is 0."""
        scores = np.zeros(len(left))
        found = [
            [self.vector(use, setting) for use in pair] for pair in zip(left, right, strict=True)
        ]
        both = [place for place, pair in enumerate(found) if pair[0] is not None is not pair[1]]
        if both:
            first, second = (np.array([found[i][side] for i in both]) for side in (0, 1))
            scores[both] = self.compare(first, second)
        return scores


def _averaged(vectors: WordVectors, grid: ContextGrid, compare: Compare) -> _Vectors:
    """Return a scorer by the mean of the vectors in a window."""
    words = _Words(TextAnalyzer(lowercase=False, token_pattern=r"(?u)\b\w+\b"))

    def mean(use: WordUse, setting: Setting) -> Floats | None:
        before, after = words.around(use, setting.window or 0)
        return vectors.mean([*before, *[use.word] * bool(setting.use_target), *after])

    settings = [Setting(*context) for context in grid.contexts()]
    return _Vectors(settings, vectors.__contains__, mean, compare)


def _encoded(encode: Callable[[str, Target], Any], compare: Compare) -> _Vectors:
    """Return a scorer that calls a function of a sentence and its target."""

    def vector(use: WordUse, _: Setting) -> Floats | None:
        found = encode(use.sentence, Target.of(use))
        return None if found is None else np.asarray(found, np.float64).ravel()

    return _Vectors([Setting()], lambda _: True, vector, compare)


ContextScorer = _Codes | _Vectors


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
