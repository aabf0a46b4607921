"""Answers of the page about a model, as plain data that JSON can hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from copy import copy
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.explore._atlas import Atlas
from skfly.explore._documents import Documents, short
from skfly.explore._passages import best_passages
from skfly.explore._tours import tours
from skfly.index import nearest_words
from skfly.model import is_stop_word, name_regions
from skfly.text import BoundedTokens

if TYPE_CHECKING:
    from skfly.index import DocumentIndex
    from skfly.vectorizer import FlyHashVectorizer

ORDERS = ("used", "specific", "dead")
_CELLS_AT_A_TIME = 256
_CELLS_KEPT = 1000  # of which the words are
_TEMPERATURE = 0.1  # of the words of a cell in lists, and of how specific it is
_N_EXAMPLES = 12
_MAPPED_WORDS = 20_000
_NAME_WORDS = 3
_QUERY_WORDS = 12  # of a cell, by which texts that may excite it are found
_SEARCHED_TEXTS = 40


def _bounded_tokens(fly: FlyHashVectorizer) -> dict[str, Any]:
    """Return parameters that find the words of a text in bounded time."""
    pattern = fly.token_pattern
    if fly.tokenizer is not None or pattern is None or pattern == type(fly)().token_pattern:
        return {}
    return {"tokenizer": BoundedTokens(pattern), "token_pattern": None}


class Explorer:
    """Answer questions about a fitted model, without changing it.

    Not thread-safe.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    name : str, optional
        The model's name.
    index : DocumentIndex, optional
        Documents to search; an index of a different model is rejected.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> explorer = Explorer(fly)
    >>> [(word["word"], word["known"]) for word in explorer.sentence("ripe apples")["words"]]
    [('ripe', True), ('apples', False)]
    >>> sorted(near["word"] for near in explorer.word("bank", n_neighbours=2)["neighbours"])
    ['lends', 'money']
    """

    def __init__(
        self, fly: FlyHashVectorizer, name: str = "a model", index: DocumentIndex | None = None
    ) -> None:
        own = fly.model_
        # input is text, never a file name
        fly = copy(fly).set_params(input="content", sparse_output=True, **_bounded_tokens(fly))
        self._fly = fly
        self._name = name
        model = self._fly_model = fly.model_
        self._documents = None if index is None else Documents(index, own, self._drives)
        self._known = {short(word): i for word, i in model.known_words().items()}
        self._words = [short(word) for word in model.vocabulary.words]
        self._counts = model.vocabulary.counts
        self._sorted = sorted(self._known)
        by_count = np.argsort(-self._counts, kind="stable")
        self._by_count = [self._words[i] for i in by_count.tolist() if self._counts[i] > 0]
        self._rank = {word: i + 1 for i, word in enumerate(self._by_count)}
        self._codes = sparse.csc_array(model.word_codes())
        self._used = np.diff(self._codes.indptr)
        self._breadth = model.cell_breadths(_TEMPERATURE)
        self._layout = model.cell_layout()
        self._names = [" ".join(map(short, words)) for words in model.cell_names(_NAME_WORDS)]
        self._atlas: Atlas | None = None
        self._words_of: dict[tuple[int, int, float, bool], list[tuple[str, float]]] = {}
        self._model = self._describe_model()
        if self._by_count:
            self.word(self._by_count[0])  # compile now, not at the first request
            self.sentence(self._by_count[0])
            self.cells("specific")  # the first page of the view of cells

    # The model

    def model(self) -> dict[str, Any]:
        """Return a description of the model."""
        return self._model

    def _describe_model(self) -> dict[str, Any]:
        names = name_regions(
            sparse.csr_array(self._codes.tocsr()), self._layout, self._words, self._counts
        )
        examples = self._examples(names)
        return {
            "name": self._name,
            "n_words": len(self._known),
            "n_cells": self._fly_model.n_cells,
            "hash_length": self._fly_model.hash_length,
            "window": int(self._fly.window),
            "n_words_read": self._fly_model.provenance.n_tokens,
            "n_dead_cells": int((self._used == 0).sum()),
            "examples": examples,
            "tours": self._tours(examples),
            "layout": {
                "rows": self._layout.n_rows,
                "columns": self._layout.n_columns,
                "places": self._layout.places.tolist(),
                "regions": self._layout.regions.tolist(),
            },
            "names": self._names,
            "region_names": names,
            "n_documents": None if self._documents is None else len(self._documents),
        }

    def _tours(self, examples: Sequence[str]) -> list[dict[str, Any]]:
        def n_known(text: str) -> tuple[int, int]:
            ids = self._fly_model.word_ids(self._fly_model.tokens(text))
            return int((ids >= 0).sum()), len(ids)

        specific = self.cells("specific", 0, 6)["cells"]
        return tours(n_known, [cell["name"] for cell in specific], examples)

    # The map

    def map(self) -> dict[str, Any]:
        """Return the places of words on the map, the most frequent first, and their regions.

        Documents of the index lie among the words that are most similar to them. The map is
        computed at the first call, which may take half a minute.
        """
        return self._drawn.map()

    def selection(self, polygon: Sequence[Sequence[float]]) -> dict[str, Any]:
        """Return what lies within a polygon on the map, and the cells it has in common."""
        found = self._drawn.select(polygon, self._fly_model.hash_length)
        for cell in found["cells"]:
            cell["name"] = self._names[cell["cell"]]
            cell["region"] = int(self._layout.regions[cell["cell"]])
        documents = self._documents
        found["documents"] = documents.briefly(found["documents"]) if documents else []
        return found

    @property
    def _drawn(self) -> Atlas:
        if self._atlas is None:
            letters = [w for w in self._by_count if any(letter.isalpha() for letter in w)]
            words = letters[:_MAPPED_WORDS]
            rows = [self._known[word] for word in words]
            codes = sparse.csr_array(self._codes.tocsr()[rows])
            more = (None, None) if self._documents is None else self._documents.codes()
            self._atlas = Atlas(words, codes, self._counts[rows], self._layout, *more)
        return self._atlas

    def word_codes(self, n_words: int) -> tuple[list[str], list[int], sparse.csr_array]:
        """Return the most frequent words, their counts and their codes."""
        words = self._by_count[:n_words]
        rows = [self._known[word] for word in words]
        return words, self._counts[rows].tolist(), sparse.csr_array(self._codes.tocsr()[rows])

    # Documents

    def documents(self, query: str, n_documents: int = 10) -> dict[str, Any]:
        """Return the documents of the index that are most similar to a text, and why."""
        return self._opened().search(query, n_documents)

    def document(self, place: int, n_documents: int = 10) -> dict[str, Any]:
        """Return a document of the index, and those that are most similar to it."""
        return self._opened().like(place, n_documents)

    def duplicates(self) -> dict[str, Any]:
        """Return groups of near-duplicates."""
        return self._opened().duplicates()

    def passages(self, cell: int, n_passages: int = 5) -> dict[str, Any]:
        """Return the sentences of documents that excite a cell most.

        They are searched for in the documents that are most similar to the words of the cell.
        """
        self._check_cell(cell)
        self._find_words([cell], _QUERY_WORDS, _TEMPERATURE, False)
        words = [word for word, _ in self._words_of[cell, _QUERY_WORDS, _TEMPERATURE, False]]
        places, texts = self._opened().near(" ".join(words), _SEARCHED_TEXTS)
        found = best_passages(self._fly_model, cell, texts, n_passages)
        for passage in found:
            passage["place"] = places[passage.pop("source")]
            passage["id"] = self._opened().briefly([passage["place"]])[0]["id"]
        return {"cell": cell, "passages": found}

    def _check_cell(self, cell: int) -> None:
        n_cells = self._fly_model.n_cells
        if not 0 <= cell < n_cells:
            raise ValueError(f"there is no cell {cell}: the model has cells 0 to {n_cells - 1}")

    def _opened(self) -> Documents:
        if self._documents is None:
            raise ValueError("no index is open: start the page with --index")
        return self._documents

    def _drives(self, text: str) -> tuple[list[int], list[tuple[str, Any]]]:
        """Return the code of a text, and its content words with the cells' responses."""
        words = list(dict.fromkeys(self._fly_model.tokens(text)))
        ids = self._fly_model.word_ids(words)
        known = ids[ids >= 0]
        if not len(known):
            return [], []
        responses = self._fly_model.responses(known)
        pairs = zip([w for w, i in zip(words, ids, strict=True) if i >= 0], responses, strict=True)
        return self._winners(ids, 1)[0], [(w, row) for w, row in pairs if not is_stop_word(w)]

    def search(self, query: str, n_words: int = 20) -> dict[str, Any]:
        """Return known words that start with a text, then those that contain it."""
        wanted = self._fly_model.normalize(query.strip())
        if not wanted:
            return {"query": query, "words": []}
        found = sorted(self._beginning_with(wanted), key=self._rank.__getitem__)[:n_words]
        if len(found) < n_words:
            inside = (w for w in self._by_count if wanted in w and not w.startswith(wanted))
            found += islice(inside, n_words - len(found))
        return {"query": query, "words": [self._about(word) for word in found]}

    # Sentences

    def sentence(
        self,
        text: str,
        n_cells: int = 4,
        n_words: int = 30,
        temperature: float = _TEMPERATURE,
        stop_words: bool = False,
    ) -> dict[str, Any]:
        """Return the words of a text, the cells that win, and how much each word excites them."""
        words, ids, responses = self._read(text)
        code, active, activations = self._winners(ids, n_cells)
        cells = self._describe(active, activations, n_words, temperature, stop_words)
        for cell in cells:
            cell["drives"] = _shares(responses, [cell["cell"]])
        return {
            "words": self._driven(words, ids, _shares(responses, code)),
            "code": code,
            "cells": cells,
        }

    def compare(
        self,
        left: str,
        right: str,
        n_cells: int = 4,
        n_words: int = 30,
        temperature: float = _TEMPERATURE,
        stop_words: bool = False,
    ) -> dict[str, Any]:
        """Return the cells that two texts share, and how much each word excites them."""
        sides = [self._read(text) for text in (left, right)]
        codes = [self._winners(ids, 1)[0] for _, ids, _ in sides]
        shared = sorted(set(codes[0]) & set(codes[1]))
        # how much a cell is shared is the lower of its two activations
        totals = [_once(ids, responses).sum(axis=0) for _, ids, responses in sides]
        least = np.minimum(*(total / max(total.max(initial=0.0), 1e-9) for total in totals))
        strongest = sorted(shared, key=lambda cell: (-least[cell], cell))[:n_cells]
        return {
            "left": self._driven(*sides[0][:2], _shares(sides[0][2], shared)),
            "right": self._driven(*sides[1][:2], _shares(sides[1][2], shared)),
            "left_code": codes[0],
            "right_code": codes[1],
            "shared": shared,
            "similarity": len(shared) / self._fly_model.hash_length,
            "cells": self._describe(
                strongest,
                [float(least[cell]) for cell in strongest],
                n_words,
                temperature,
                stop_words,
            ),
        }

    def context(self, text: str, place: int, n_neighbours: int = 12) -> dict[str, Any]:
        """Return the neighbours of a word in a text, and those of the word alone.

        Words of the text are left out: they are near, but tell you nothing new.
        """
        words = self._fly_model.tokens(text)
        if not 0 <= place < len(words):
            raise ValueError(f"target {place} is outside the text, which has {len(words)} words")
        code = self._fly_model.contexts([words], [place])
        alone = self._fly_model.words([words[place]])
        own = set(words)
        return {
            "word": words[place],
            "place": place,
            "known": words[place] in self._known,
            "static": self._neighbours(alone, n_neighbours, own),
            "in_context": self._neighbours(code, n_neighbours, own),
            "static_code": _cells(alone),
            "context_code": _cells(code),
        }

    # Words

    def word(self, word: str, other: str | None = None, n_neighbours: int = 12) -> dict[str, Any]:
        """Return a word's neighbours and code, and the cells it shares with another word.

        The most specific cells come first.
        """
        about = self._word(word)
        if about["known"]:
            code = self._fly_model.words([about["word"]])
            about["neighbours"] = self._neighbours(code, n_neighbours, {about["word"]})
        if other is not None:
            about["other"] = self._word(other)
            both = set(about["code"]) & set(about["other"]["code"])
            shared = sorted(both, key=lambda cell: (self._breadth[cell], cell))
            about["shared"] = self._describe(shared, [0.0] * len(shared), 8, _TEMPERATURE)
            about["similarity"] = len(shared) / self._fly_model.hash_length
        return about

    # Cells

    def cells(self, order: str = "used", offset: int = 0, n_cells: int = 24) -> dict[str, Any]:
        """Return some cells: the most used, the most specific, or the dead ones."""
        alive = np.flatnonzero(self._used > 0)
        if order == "dead":
            listed = np.flatnonzero(self._used == 0)
        elif order == "specific":
            listed = alive[np.argsort(self._breadth[alive], kind="stable")]
        else:
            listed = alive[np.argsort(-self._used[alive], kind="stable")]
        some = listed[offset : offset + n_cells].tolist()
        return {
            "order": order,
            "offset": offset,
            "n_cells": len(listed),
            "cells": self._describe(some, [0.0] * len(some), 8, _TEMPERATURE),
        }

    def every_cell(self, n_words: int, stop_words: bool = False) -> list[dict[str, Any]]:
        """Return all cells like ``cell``, but without the words that have them."""
        every = range(self._fly_model.n_cells)
        parts = (every[first : first + _CELLS_AT_A_TIME] for first in every[::_CELLS_AT_A_TIME])
        return [
            cell
            for part in parts
            for cell in self._describe(part, [0.0] * len(part), n_words, _TEMPERATURE, stop_words)
        ]

    def cell(
        self,
        cell: int,
        n_words: int = 30,
        temperature: float = _TEMPERATURE,
        stop_words: bool = False,
    ) -> dict[str, Any]:
        """Return the meaning of a cell, and frequent words that have it in their code."""
        self._check_cell(cell)
        about = self._describe([cell], [0.0], n_words, temperature, stop_words)[0]
        rows = self._codes.indices[self._codes.indptr[cell] : self._codes.indptr[cell + 1]]
        having = (self._words[row] for row in rows.tolist())
        known = (
            word
            for word in having
            if word in self._rank and (stop_words or not is_stop_word(word))
        )
        about["in_codes_of"] = sorted(known, key=self._rank.__getitem__)[:n_words]
        return about

    # Parts of answers

    def _read(self, text: str) -> tuple[list[str], NDArray[np.int32], NDArray[np.float32]]:
        """Return the words of a text, their ids, and the cells' responses to each."""
        words = self._fly_model.tokens(text)
        ids = self._fly_model.word_ids(words)
        responses = np.zeros((len(words), self._fly_model.n_cells), dtype=np.float32)
        if (ids >= 0).any():
            responses[ids >= 0] = self._fly_model.responses(ids[ids >= 0])
        return words, ids, responses

    def _winners(
        self, ids: NDArray[np.int32], n_cells: int
    ) -> tuple[list[int], list[int], list[float]]:
        """Return the code of words, its most active cells, and how active these are."""
        length = self._fly_model.hash_length
        cells, values = self._fly_model.most_active(ids[ids >= 0], max(length, n_cells))
        if not values.any():  # nothing responds: all are equal, and the code is empty
            return [], [], []
        return sorted(cells[:length].tolist()), cells[:n_cells].tolist(), values[:n_cells].tolist()

    def _driven(
        self, words: Sequence[str], ids: NDArray[np.int32], drives: Sequence[float]
    ) -> list[dict[str, Any]]:
        return [
            {"word": word, "known": known, "drive": drive}
            for word, known, drive in zip(words, (ids >= 0).tolist(), drives, strict=True)
        ]

    def _describe(
        self,
        cells: Sequence[int],
        activations: Sequence[float],
        n_words: int,
        temperature: float,
        stop_words: bool = False,
    ) -> list[dict[str, Any]]:
        self._find_words(cells, n_words, temperature, stop_words)
        return [
            {
                "cell": cell,
                "name": self._names[cell],
                "region": int(self._layout.regions[cell]),
                "activation": round(float(activation), 6),
                "words": [
                    [*word] for word in self._words_of[cell, n_words, temperature, stop_words]
                ],
                "n_used": int(self._used[cell]),
                "share_used": round(int(self._used[cell]) / len(self._words), 6),
                "breadth": round(float(self._breadth[cell]), 2),
            }
            for cell, activation in zip(cells, activations, strict=True)
        ]

    def _find_words(
        self, cells: Sequence[int], n_words: int, temperature: float, stop_words: bool
    ) -> None:
        """Cache the words of some cells.

        Each needs a pass over all words of the model, so recently used ones are kept.
        """
        known = self._words_of
        asked = n_words, temperature, stop_words
        for cell in cells:  # to the end: these are needed now
            if (cell, *asked) in known:
                known[cell, *asked] = known.pop((cell, *asked))
        new = [cell for cell in cells if (cell, *asked) not in known]
        n_looked = n_words if stop_words else 3 * n_words + 30
        looked = self._fly_model.describe_cells(new, n_looked, temperature) if new else []
        for described in looked:
            words = [(short(word), round(chance, 8)) for word, chance in described.words]
            content = [pair for pair in words if stop_words or not is_stop_word(pair[0])]
            # a cell of stop words, such as numbers, shows these
            shown = content if len(content) >= min(_NAME_WORDS, n_words) else words
            known[described.number, *asked] = shown[:n_words]
        for key in list(islice(known, max(0, len(known) - max(_CELLS_KEPT, len(cells))))):
            del known[key]

    def _neighbours(self, code: Any, n_neighbours: int, without: set[str]) -> list[dict[str, Any]]:
        near = nearest_words(self._fly_model, code, n_neighbours, [without])[0]
        return [self._about(short(word)) | {"n_shared": n_shared} for word, n_shared in near]

    def _word(self, word: str) -> dict[str, Any]:
        found = word if word in self._known else self._fly_model.normalize(word.strip())
        if self._fly_model.word_ids([found])[0] < 0 or found not in self._known:
            return {"word": word, "known": False, "code": [], "alike": self._alike(found)}
        code = _cells(self._fly_model.words([found]))
        return self._about(found) | {"known": True, "code": code}

    def _about(self, word: str) -> dict[str, Any]:
        return {
            "word": word,
            "count": int(self._counts[self._known[word]]),
            "rank": self._rank[word],
        }

    def _alike(self, word: str, n_words: int = 8) -> list[str]:
        """Return known words with the same beginning as an unknown one."""
        for length in range(len(word), 1, -1):
            found = self._beginning_with(word[:length])
            if found:
                return sorted(found, key=self._rank.__getitem__)[:n_words]
        return []

    def _beginning_with(self, text: str) -> list[str]:
        first = bisect_left(self._sorted, text)
        last = bisect_left(self._sorted, text + chr(0x10FFFF), lo=first)
        return self._sorted[first:last]

    def _examples(self, names: Sequence[str]) -> list[str]:
        """Return words to start with: from each region in turn, one of its name."""
        turns = zip_longest(*(name.split(", ") for name in names))
        listed = dict.fromkeys(word for turn in turns for word in turn if word)
        return (list(listed) or self._by_count)[:_N_EXAMPLES]


def _shares(responses: NDArray[np.float32], cells: Sequence[int]) -> list[float]:
    """Return the share of each word in what excites some cells; repeated words repeat."""
    drives = np.maximum(responses[:, list(cells)], 0.0).sum(axis=1, dtype=np.float64)
    total = drives.sum()
    return [round(float(drive / total), 6) if total > 0 else 0.0 for drive in drives]


def _once(ids: NDArray[np.int32], responses: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the responses to the different words."""
    return responses[np.unique(ids, return_index=True)[1]]


def _cells(code: Any) -> list[int]:
    return sorted(sparse.csr_array(code).indices.tolist())
