"""From documents to an :class:`EncodedCorpus`, in one pass over the text.

Words get provisional ids in the order they are met, which are kept in a spool (in memory, and on
disk past a limit). When the text is at its end the counts are known, the vocabulary is chosen,
and the provisional ids, not the text, are gone through once more to replace them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, WordBlock, read_blocks
from skfly.text._corpus import EncodedCorpus, write_array
from skfly.text._sources import check_documents
from skfly.text._vocabulary import Vocabulary, places_of

__all__ = ["encode_documents"]

_BLOCK = 1 << 20
_NOT_MET = -2
MAX_SENTENCE = 10_000
"""Longer sentences are cut into pieces of this many words, as gensim does."""


def encode_documents(
    documents: Iterable[Any],
    *,
    vocabulary: Vocabulary | None = None,
    max_words: int | None = None,
    min_count: int = 1,
    analyzer: TextAnalyzer | None = None,
    max_memory: int = 1 << 28,
    max_types: int = 10_000_000,
    on_progress: Callable[[int], None] | None = None,
    n_jobs: int | None = None,
    **text_params: Any,
) -> EncodedCorpus:
    """Read documents once and return them as word ids.

    Parameters
    ----------
    documents : iterable
        Strings, lists of words, or what ``input=`` says. A generator is fine: one pass is made.
    vocabulary : Vocabulary, optional
        Use these words and ids. Otherwise they are chosen from the text.
    max_words, min_count
        Keep the ``max_words`` most frequent words that come ``min_count`` times or more; other
        words become gaps (-1).
    analyzer : TextAnalyzer, optional
        How to read a document; by default one made of ``text_params``.
    max_memory : int
        Bytes of ids to hold in memory; a longer text is spooled to a temporary directory and
        memory-mapped.
    max_types : int
        Different words to keep track of. Past that the rarest so far are forgotten.
    on_progress : callable, optional
        Called now and then with the number of words read since the last call.
    n_jobs : int, optional
        Threads for text that is read by the default rules. ``None``: as many as numba is set to
        use. The result does not depend on it.
    **text_params
        Parameters of :class:`TextAnalyzer`.

    Returns
    -------
    corpus : EncodedCorpus

    Examples
    --------
    >>> corpus = encode_documents(["one fly", "one cell one code"], min_count=3)
    >>> corpus.vocabulary.words, corpus.ids.tolist()
    (['one'], [0, -1, 0, -1, 0, -1])
    """
    if analyzer is None:
        analyzer = TextAnalyzer(**text_params)
    with _Spool(max_memory) as spool:
        index = _Index(vocabulary, max_types)
        writer = _Writer(index, spool, on_progress)
        documents = check_documents(documents)
        with closing(read_blocks(documents, analyzer, n_jobs, _BLOCK)) as blocks:
            for block in blocks:
                writer.add(block)
        writer.flush()
        if vocabulary is not None:
            counted = Vocabulary(vocabulary.words, index.counts)
            return spool.corpus(counted, None, analyzer.params)
        chosen, final = index.choose(max_words, min_count)
        return spool.corpus(chosen, final, analyzer.params)


class _Index:
    """Provisional ids of words, with counts, and a bound on how many are tracked."""

    def __init__(self, vocabulary: Vocabulary | None, max_types: int) -> None:
        self.fixed = vocabulary is not None
        self.ids: dict[str, int] = {} if vocabulary is None else vocabulary.index
        self.counts = np.zeros(len(self.ids), dtype=np.int64)
        self._max_types = max_types
        self.n_forgotten = 0
        self._given = 0
        self._forget = 1

    def encode(self, words: list[str]) -> NDArray[np.int32]:
        """Return the ids of different words. A new one gets the next, unless they are fixed."""
        found = np.fromiter(map(self.ids.get, words, repeat(-1)), np.int32, len(words))
        if not self.fixed:
            new = np.flatnonzero(found < 0)
            found[new] = np.arange(self._given, self._given + len(new))
            self._given += len(new)
            self.ids.update(
                zip([words[i] for i in new.tolist()], found[new].tolist(), strict=True)
            )
        return found

    def count(self, block: NDArray[np.int32]) -> None:
        """Count a block of provisional ids, and forget rare words if there are too many."""
        known = block[block >= 0] if self.fixed else block
        counts = np.bincount(known, minlength=len(self.counts))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        while not self.fixed and len(self.ids) > self._max_types:
            kept = self.counts > self._forget
            n_before = len(self.ids)
            self.ids = {word: i for word, i in self.ids.items() if kept[i]}
            self.n_forgotten += n_before - len(self.ids)
            self._forget += 1

    def choose(
        self, max_words: int | None, min_count: int
    ) -> tuple[Vocabulary, NDArray[np.int32]]:
        """Return the most frequent words, and the id in them of every provisional one, or -1."""
        provisional = np.fromiter(self.ids.values(), dtype=np.int64, count=len(self.ids))
        words = Vocabulary(self.ids, self.counts[provisional])
        chosen, taken = words.by_frequency(max_words, min_count)
        return chosen, places_of(provisional[taken], max(self._given, 1))


class _NumberedIds:
    """Provisional ids of numbered words, looked up when they are met."""

    def __init__(self, numbering: Numbering, index: _Index) -> None:
        self._words = numbering.words
        self._index = index
        self._ids = np.zeros(0, dtype=np.int32)
        self._n_forgotten = index.n_forgotten

    def encode(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the ids of words with these numbers."""
        n_more = int(numbers.max(initial=-1)) + 1 - len(self._ids)
        if n_more > 0:
            self._ids = np.append(self._ids, np.full(n_more, _NOT_MET, dtype=np.int32))
        if self._index.n_forgotten != self._n_forgotten:
            self._ids[:] = _NOT_MET
            self._n_forgotten = self._index.n_forgotten
        ids: NDArray[np.int32] = np.take(self._ids, numbers)
        missing = np.flatnonzero(ids == _NOT_MET)
        if len(missing):
            new_numbers = numbers[missing]
            new = _in_order(new_numbers, len(self._ids))
            self._ids[new] = self._index.encode([self._words[i] for i in new.tolist()])
            ids[missing] = self._ids[new_numbers]
        return ids


def _in_order(numbers: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return the different ones of numbers below ``n`` in the order they are first met."""
    place = np.full(n, -1, dtype=np.int64)
    place[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of each the last one stays: the first
    met = np.flatnonzero(place >= 0)
    return met[np.argsort(place[met])]


class _Writer:
    """Takes blocks of words, and hands their ids on in blocks of its own."""

    def __init__(
        self, index: _Index, spool: _Spool, on_progress: Callable[[int], None] | None
    ) -> None:
        self._index = index
        self._spool = spool
        self._on_progress = on_progress
        self._ids: WeakKeyDictionary[Numbering, _NumberedIds] = WeakKeyDictionary()
        self._held: list[tuple[NDArray[Any], ...]] = []
        self._n_held = 0
        self._n_words = 0

    def add(self, block: WordBlock) -> None:
        ids = self._ids.get(block.numbering)
        if ids is None:
            ids = self._ids[block.numbering] = _NumberedIds(block.numbering, self._index)
        word, document, sentence = 0, 0, 0  # that a part begins at
        while document < len(block.documents):
            # up to the document that fills what is held
            filled = np.searchsorted(block.documents, word + _BLOCK - self._n_held)
            end = min(int(filled) + 1, len(block.documents))
            end_word = int(block.documents[end - 1])
            end_sentence = int(np.searchsorted(block.sentences, end_word, side="right"))
            self._hold(
                ids.encode(block.ids[word:end_word]),
                block.sentences[sentence:end_sentence] - word,
                block.documents[document:end] - word,
            )
            word, document, sentence = end_word, end, end_sentence
            if self._n_held >= _BLOCK:
                self.flush()

    def _hold(self, ids: NDArray[Any], sentences: NDArray[Any], documents: NDArray[Any]) -> None:
        before = self._n_words
        self._held.append((ids, before + _cut_long(sentences), before + documents))
        self._n_held += len(ids)
        self._n_words += len(ids)

    def flush(self) -> None:
        if not self._held:
            return
        ids, sentences, documents = map(np.concatenate, zip(*self._held, strict=True))
        self._index.count(ids)
        self._spool.append(ids, sentences, documents)
        if self._on_progress is not None:
            self._on_progress(len(ids))
        self._held = []
        self._n_held = 0


def _cut_long(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut sentences that are too long into pieces."""
    lengths = np.diff(ends, prepend=0)
    if lengths.max(initial=0) <= MAX_SENTENCE:
        return ends
    pieces = [
        [*range(end - length + MAX_SENTENCE, end, MAX_SENTENCE), end]
        for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)
    ]
    return np.array([end for piece in pieces for end in piece], dtype=np.int64)


class _Spool:
    """Ids, sentence ends and document ends, block by block: in memory, then in temporary files."""

    _COLUMNS = (("ids", np.int32), ("sentences", np.int64), ("documents", np.int64))

    def __init__(self, max_memory: int) -> None:
        self._max_memory = max_memory
        self._held: list[tuple[NDArray[Any], ...]] = []
        self._held_bytes = 0
        self._lengths = [0, 0, 0]
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None and self._temporary is not None:
            self._temporary.cleanup()

    def append(self, *blocks: NDArray[Any]) -> None:
        self._held.append(blocks)
        self._held_bytes += sum(block.nbytes for block in blocks)
        for column, block in enumerate(blocks):
            self._lengths[column] += len(block)
        if self._held_bytes > self._max_memory:
            self._spill()

    def corpus(
        self,
        vocabulary: Vocabulary,
        final: NDArray[np.int32] | None,
        text_params: dict[str, Any],
    ) -> EncodedCorpus:
        """Return what was spooled, provisional ids replaced by ``final`` ones."""
        if self._temporary is not None:
            self._spill()
        return EncodedCorpus(
            self._collect(0, replace=final),
            self._collect(1, lead=1),
            self._collect(2, lead=1),
            vocabulary,
            text_params,
            temporary=self._temporary,
        )

    def _path(self, name: str) -> Path:
        assert self._temporary is not None
        return Path(self._temporary.name) / name

    def _spill(self) -> None:
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="skfly-corpus-")
        for column, (name, _) in enumerate(self._COLUMNS):
            with open(self._path(f"{name}.raw"), "ab") as file:
                for blocks in self._held:
                    file.write(np.ascontiguousarray(blocks[column]).data)
        self._held = []
        self._held_bytes = 0

    def _blocks(self, column: int) -> Iterator[NDArray[Any]]:
        name, dtype = self._COLUMNS[column]
        if self._temporary is None:
            yield from (blocks[column] for blocks in self._held)
            return
        with open(self._path(f"{name}.raw"), "rb") as file:
            while len(block := np.fromfile(file, dtype=dtype, count=_BLOCK)):
                yield block
        self._path(f"{name}.raw").unlink()

    def _collect(
        self, column: int, lead: int = 0, replace: NDArray[np.int32] | None = None
    ) -> NDArray[Any]:
        """Return a column as one array, after ``lead`` zeros."""
        name, dtype = self._COLUMNS[column]
        length = lead + self._lengths[column]
        if self._temporary is not None:
            blocks = (
                block if replace is None else replace[block] for block in self._blocks(column)
            )
            lead_block = np.zeros(lead, dtype)
            return write_array(
                self._path(f"{name}.npy"), dtype, length, chain([lead_block], blocks)
            )
        out = np.empty(length, dtype)
        out[:lead] = 0
        start = lead
        for block in self._blocks(column):
            part = out[start : start + len(block)]
            if replace is None:
                part[:] = block
            else:
                np.take(replace, block, out=part, mode="clip")  # other modes make a copy first
            start += len(block)
        return out
