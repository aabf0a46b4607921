"""The map of the page: words, documents, and what a selection has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.explore._map import draw_map, place_among
from skfly.model import CellLayout, is_stop_word

SCALE = 10_000  # coordinates are from 0 to this
_LANDMARKS = 5_000  # words among which documents are placed
_LISTED_WORDS = 40
_LISTED_DOCUMENTS = 10
_LISTED_CELLS = 12


class Atlas:
    """Words and documents with their places and codes.

    Parameters
    ----------
    words : list of str
        The most frequent first.
    codes : sparse array, (n_words, n_cells)
    counts : ndarray, (n_words,)
    layout : CellLayout
    documents : sparse array, (n_documents, n_cells), optional
        Codes of documents by the word cells.
    places : ndarray of int64, (n_documents,), optional
        Positions of these documents in the index.
    """

    def __init__(
        self,
        words: Sequence[str],
        codes: sparse.csr_array,
        counts: NDArray[np.int64],
        layout: CellLayout,
        documents: sparse.csr_array | None = None,
        places: NDArray[np.int64] | None = None,
    ) -> None:
        drawn = draw_map(codes, layout)
        self._words = list(words)
        self._codes = codes
        self._points = _whole(drawn.points)
        self._regions = drawn.regions
        self._labelled = self._label_order(counts, layout)
        if documents is None or places is None:
            documents, places = sparse.csr_array((0, codes.shape[1]), dtype=bool), np.zeros(0, int)
        self._documents, self._places = documents, places
        known = np.flatnonzero(np.diff(documents.indptr))
        self._documents, self._places = sparse.csr_array(documents[known]), places[known]
        landmarks = sparse.csr_array(codes[:_LANDMARKS])
        self._document_points = _whole(
            place_among(self._documents, landmarks, drawn.points[:_LANDMARKS])
        )

    def map(self) -> dict[str, Any]:
        """Return the place of everything."""
        return {
            "words": self._words,
            "x": self._points[:, 0].tolist(),
            "y": self._points[:, 1].tolist(),
            "regions": self._regions.tolist(),
            "stop": [i for i, word in enumerate(self._words) if is_stop_word(word)],
            "labelled": self._labelled,
            "documents": {
                "places": self._places.tolist(),
                "x": self._document_points[:, 0].tolist(),
                "y": self._document_points[:, 1].tolist(),
            },
        }

    def select(self, polygon: Sequence[Sequence[float]], hash_length: int) -> dict[str, Any]:
        """Return the content of a polygon, and the cells that set it apart from the whole map."""
        chosen = np.flatnonzero(inside(polygon, self._points))
        documents = np.flatnonzero(inside(polygon, self._document_points))
        here = sparse.csr_array(self._codes[chosen])
        found = self._counts(here) + self._counts(sparse.csr_array(self._documents[documents]))
        n = len(chosen) + len(documents)
        everywhere = self._counts(self._codes) + self._counts(self._documents)
        surplus = found * (len(self._words) + len(self._places)) - everywhere * n
        cells = np.argsort(-surplus, kind="stable")[:hash_length]
        cells = cells[surplus[cells] > 0]
        content = [self._words[i] for i in chosen.tolist() if not is_stop_word(self._words[i])]
        return {
            "n_words": len(chosen),
            "words": content[:_LISTED_WORDS],
            "n_documents": len(documents),
            "documents": self._places[documents[:_LISTED_DOCUMENTS]].tolist(),
            "code": sorted(cells.tolist()),
            "cells": [
                {"cell": cell, "share": round(float(found[cell] / n), 4)}
                for cell in cells[:_LISTED_CELLS].tolist()
            ],
        }

    def _label_order(self, counts: NDArray[np.int64], layout: CellLayout) -> list[int]:
        """Return the words to label first: frequent ones of a single region."""
        n_regions = int(layout.regions.max(initial=0)) + 1
        shares = self._codes @ np.eye(n_regions)[layout.regions]
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
        scores = np.rint(1e6 * shares.max(axis=1, initial=0.0) ** 0.5 * np.log1p(counts))
        order = np.argsort(-scores, kind="stable").tolist()
        return [i for i in order if not is_stop_word(self._words[i])]

    @staticmethod
    def _counts(codes: sparse.csr_array) -> NDArray[np.int64]:
        return np.bincount(codes.indices, minlength=codes.shape[1])


def inside(polygon: Sequence[Sequence[float]], points: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which points lie in a polygon, by the even-odd rule.

    Examples
    --------
    >>> inside([[0, 0], [4, 0], [4, 4], [0, 4]], np.array([[1, 1], [5, 1]])).tolist()
    [True, False]
    """
    x, y = np.asarray(points, float).reshape(-1, 2).T
    found = np.zeros(len(x), bool)
    corners = np.asarray(polygon, float).reshape(-1, 2)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, 1, axis=0), strict=True):
        crosses = (ay > y) != (by > y)
        if ay != by:
            found ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return found


def _whole(points: NDArray[Any]) -> NDArray[np.int64]:
    whole: NDArray[np.int64] = np.rint(points * SCALE).astype(np.int64)
    return whole
