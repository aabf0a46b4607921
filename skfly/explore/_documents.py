"""Answers of the page about an index of documents."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from skfly.index import DocumentIndex
    from skfly.model import FlyModel

MAX_WORD = 100  # characters
_SHOWN = 400  # characters of a text in a list
_READ = 20_000  # characters of a text whose words are explained
_N_WORDS = 8
_DUPLICATE = 0.9
_MAPPED = 20_000  # documents on the map; more would hide the words
_GROUPS = 50
_OF_A_GROUP = 10


class Documents:
    """Search an index, and find the words that made a document match.

    Parameters
    ----------
    index : DocumentIndex
    model : FlyModel
        The model of the page; an index of a different one is rejected.
    drives : callable
        Returns for a text the code of its words' cells, and pairs of a word and its responses.
    """

    def __init__(
        self,
        index: DocumentIndex,
        model: FlyModel,
        drives: Callable[[str], tuple[list[int], list[tuple[str, Any]]]],
    ) -> None:
        if index.model.fingerprint() != model.with_(document_codes="binary").fingerprint():
            raise ValueError(
                "the index was made with another model, and codes of different models cannot be "
                'compared: open it with its own model, or index again with "skfly index --model"'
            )
        self._index = index
        self._drives = drives
        self._ids: list[Any] = list(np.asarray(index.ids, dtype=object).tolist())
        self._model = model.with_(document_cells="words", document_codes="binary")
        self._duplicates: dict[str, Any] | None = None

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def keeps_texts(self) -> bool:
        return self._index.keeps_texts

    def search(self, query: str, n: int) -> dict[str, Any]:
        """Return the documents that are most similar to a text."""
        code, words = self._drives(query)
        return {
            "query": query,
            "n_documents": len(self),
            "code": code,
            "known": bool(code),
            "results": self._found(query, n) if code else [],
            "words": [word for word, _ in words],
        }

    def like(self, place: int, n: int) -> dict[str, Any]:
        """Return a document, and those that are most similar to it."""
        if not 0 <= place < len(self):
            raise ValueError(f"there is no document {place}: the index has {len(self)}")
        if not self.keeps_texts:
            raise ValueError(
                "the index keeps no texts, so there is nothing to compare: index with --texts"
            )
        text = self._index.texts([self._ids[place]])[0]
        code, _ = self._drives(text[:_READ])
        found = [row for row in self._found(text, n + 1) if row["place"] != place][:n]
        return {
            "place": place,
            "id": str(self._ids[place]),
            "text": text[:_READ],
            "code": code,
            "results": found,
        }

    def duplicates(self) -> dict[str, Any]:
        """Return groups of near-duplicates, the largest first.

        The first call compares all pairs, which is slow for many documents.
        """
        if self._duplicates is None:
            pairs, _ = self._index.duplicates(_DUPLICATE)
            rows = np.array([[self._places[i] for i in pair] for pair in pairs.tolist()], int)
            rows = rows.reshape(-1, 2)
            shape = (len(self), len(self))
            graph = sparse.coo_array((np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=shape)
            labels = connected_components(graph, directed=False)[1]
            sizes = np.bincount(labels, minlength=1)
            several = np.flatnonzero(sizes > 1)
            largest = several[np.argsort(-sizes[several], kind="stable")][:_GROUPS]
            self._duplicates = {
                "n_groups": len(several),
                "n_documents": int(sizes[several].sum()),
                "groups": [self._group(np.flatnonzero(labels == label)) for label in largest],
            }
        return self._duplicates

    def _group(self, members: Any) -> dict[str, Any]:
        places = members[:_OF_A_GROUP].tolist()
        return {"size": len(members), "documents": self.briefly(places)}

    def briefly(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """Return the names of documents, and the beginnings of their texts."""
        ids = [self._ids[place] for place in places]
        texts = self._index.texts(ids) if self.keeps_texts and ids else [None] * len(ids)
        return [
            {"place": place, "id": str(name), "text": None if text is None else beginning(text)}
            for place, name, text in zip(places, ids, texts, strict=True)
        ]

    def near(self, query: str, n: int) -> tuple[list[int], list[str]]:
        """Return positions and texts of the documents that are most similar to a text."""
        if not self.keeps_texts or not self._drives(query)[0]:
            return [], []
        ids, _ = self._index.search([query], n)
        names = [name for name in ids[0].tolist() if name not in (-1, None)]
        texts = self._index.texts(names)
        return [self._places[name] for name in names], [text[:_READ] for text in texts]

    def codes(self) -> tuple[sparse.csr_array, NDArray[np.int64]]:
        """Return codes by the word cells, and the positions, of up to 20,000 documents.

        If there are more, an evenly spaced sample.
        """
        n = min(len(self), _MAPPED) if self.keeps_texts else 0
        places = np.linspace(0, max(len(self) - 1, 0), n).astype(np.int64)
        texts = self._index.texts([self._ids[place] for place in places.tolist()]) if n else []
        return self._model.documents([text[:_READ] for text in texts]), places

    def _found(self, query: str, n: int) -> list[dict[str, Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty answer says so
            ids, scores = self._index.search([query], n)
        names = [name for name in ids[0].tolist() if name not in (-1, None)]
        wanted = set(self._drives(query[:_READ])[0])
        return [
            self._describe(name, score, wanted)
            for name, score in zip(names, scores[0].tolist(), strict=False)
        ]

    def _describe(self, name: Any, score: float, wanted: set[int]) -> dict[str, Any]:
        row: dict[str, Any] = {
            "place": self._places[name],
            "id": str(name),
            "score": round(float(score), 4),
            "duplicate": score >= _DUPLICATE,
        }
        if not self.keeps_texts:
            return row | {"text": None, "code": [], "because": []}
        text = self._index.texts([name])[0]
        code, words = self._drives(text[:_READ])
        shared = sorted(wanted & set(code))
        strength: dict[str, float] = {}
        for word, responses in words:
            strength[word] = float(np.maximum(responses[shared], 0.0).sum())
        strongest = sorted(strength, key=lambda word: (-strength[word], word))
        because = [short(word) for word in strongest if strength[word] > 0][:_N_WORDS]
        return row | {"text": beginning(text), "code": code, "because": because}

    @property
    def _places(self) -> dict[Any, int]:
        found = self.__dict__.get("_place_of")
        if found is None:
            found = self.__dict__["_place_of"] = {name: i for i, name in enumerate(self._ids)}
        return found


def short(word: str) -> str:
    """Return a word, or the beginning of one that no page could show.

    Examples
    --------
    >>> short("fruit"), len(short("f" * 1_000_000))
    ('fruit', 100)
    """
    return word if len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…"


def beginning(text: str) -> str:
    """Return as much of a text as a list shows.

    Examples
    --------
    >>> beginning("ripe  fruit"), beginning("fly " * 500)[-9:]
    ('ripe fruit', 'fly fly …')
    """
    return " ".join(text[:_SHOWN].split()) + (" …" if len(text) > _SHOWN else "")
