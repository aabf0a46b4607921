"""The rows of an index of documents: a snapshot of its content, and how it is searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly.index._packed import PackedIndex
from skfly.index._rows import Ids, Numbers, Strings

_CODES_AT_A_TIME = 1 << 12

Found = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Rows, -1 where there is none, and scores."""


class Rows(NamedTuple):
    """A snapshot of an index; it is replaced, never changed.

    ``parts`` hold the codes of all rows; those of removed documents count as empty. ``kept``
    says which rows are not removed.
    """

    parts: tuple[PackedIndex, ...]
    ids: Ids
    texts: Strings | None
    kept: NDArray[np.bool_]

    @property
    def starts(self) -> list[int]:
        """The first row of each part."""
        sizes: list[int] = [0, *map(len, self.parts)]
        return [int(start) for start in np.cumsum(sizes)[:-1]]

    def is_empty(self) -> NDArray[np.bool_]:
        """Return for each row whether its code has no ones or its document was removed."""
        return np.concatenate([np.zeros(0, np.bool_), *(part.sizes == 0 for part in self.parts)])

    def codes(self) -> NDArray[np.uint8]:
        """Return the packed codes of the rows that are not removed; there must be some."""
        return np.concatenate(
            [
                part.packed(self.kept[start : start + len(part)])
                for start, part in zip(self.starts, self.parts, strict=True)
            ]
        )

    def with_ids(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the ids of rows; -1 or None for row -1."""
        if isinstance(self.ids, Numbers):
            if not rows.size:
                return rows
            return np.where(rows < 0, -1, self.ids.array()[np.maximum(rows, 0)])
        found = np.empty(rows.shape, dtype=object)
        found.ravel()[:] = [None if row < 0 else self.ids[row] for row in rows.ravel().tolist()]
        return found

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return positions of rows among those that are not removed; -1 stays."""
        if self.kept.all():
            return rows
        return np.asarray(np.append(np.cumsum(self.kept) - 1, -1)[rows])

    def nearest(self, codes: NDArray[np.uint8], n: int, n_jobs: int | None) -> Found:
        """Return the nearest rows of packed codes; an empty code has none."""
        if n < 1:
            raise ValueError(f"n must be at least 1; got {n}")
        asked = np.flatnonzero(codes.any(axis=1))
        found, scores = np.zeros((len(asked), 0), np.int64), np.zeros((len(asked), 0))
        for start, part in zip(self.starts, self.parts, strict=True) if len(asked) else ():
            more = part.search(codes[asked], n, skip_empty=True, n_jobs=n_jobs)
            found, scores = np.hstack([found, more[0] + start]), np.hstack([scores, more[1]])
        order = _by_score(scores)[:, :n]
        shape = (len(codes), order.shape[1])
        all_found, all_scores = np.full(shape, -1), np.full(shape, np.nan)
        all_found[asked] = np.take_along_axis(found, order, axis=1)
        all_scores[asked] = np.take_along_axis(scores, order, axis=1)
        return all_found, all_scores

    def nearest_others(self, n: int, n_jobs: int | None) -> Found:
        """Return, for each row that is not removed, the nearest other rows."""
        found, scores = self.nearest(self.codes(), n + 1, n_jobs)
        own = found == np.flatnonzero(self.kept)[:, None]
        own[~own.any(axis=1), -1:] = True  # itself not among the nearest: drop the last
        shape = (len(found), max(found.shape[1] - 1, 0))
        return found[~own].reshape(shape), scores[~own].reshape(shape)

    def within(
        self, codes: NDArray[np.uint8], least: float, n_jobs: int | None
    ) -> Iterator[Found]:
        """Yield for each packed code all rows that are similar enough, best first."""
        each = [part.within(codes, least, skip_empty=True, n_jobs=n_jobs) for part in self.parts]
        nothing = np.zeros(0, np.int64), np.zeros(0)
        for i, size in enumerate(np.count_nonzero(codes, axis=1)):
            if not size:
                yield nothing
                continue
            parts = zip(self.starts, each, strict=True)
            found = np.concatenate([nothing[0], *(ids[i] + start for start, (ids, _) in parts)])
            scores = np.concatenate([nothing[1], *(values[i] for _, values in each)])
            order = _by_score(scores)
            yield found[order], scores[order]

    def pairs(self, least: float, n_jobs: int | None) -> Found:
        """Return all pairs of rows, (n_pairs, 2), that are similar enough, best first."""
        pairs, scores = [np.zeros((0, 2), np.int64)], [np.zeros(0)]
        for start, part in zip(self.starts, self.parts, strict=True):
            (filled,) = np.nonzero(part.sizes)
            for first in range(0, len(filled), _CODES_AT_A_TIME):
                left = filled[first : first + _CODES_AT_A_TIME]
                near = self.within(part.packed(left), least, n_jobs)
                for row, (right, similar) in zip((start + left).tolist(), near, strict=True):
                    later = right > row
                    right = right[later]
                    pairs.append(np.stack([np.full(len(right), row), right], axis=1))
                    scores.append(similar[later])
        found, similar = np.concatenate(pairs), np.concatenate(scores)
        order = _by_score(similar)
        return found[order], similar[order]


def _by_score(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Sort by falling score; scores that are equal up to rounding keep their order."""
    return np.argsort(-np.round(scores, 12), axis=-1, kind="stable")
