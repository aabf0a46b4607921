"""Encode documents as an :class:`EncodedCorpus` in one pass over the text.

Words get provisional ids in order of first occurrence, which are spooled in memory and, past a
limit, on disk. At the end of the text the counts are known: the vocabulary is chosen and the
provisional ids are replaced by final ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skfly._files import TemporaryDirectory
from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, WordBlock, check_documents, read_blocks
from skfly.text._corpus import EncodedCorpus, write_array
from skfly.text._vocabulary import NOT_MET, Vocabulary, places_of

if TYPE_CHECKING:
    from skfly.text._fast import CompiledWordIds

_BLOCK = 1 << 20
_PARTS = 4  # of a block; readers share short ones more evenly
MAX_SENTENCE = 10_000
"""Longer sentences are split into pieces of this many words, as in gensim."""


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
    """Encode documents as word ids in one pass.

    Parameters
    ----------
    documents : iterable
        Strings, lists of words, or what ``input=`` specifies. A generator will do.
    vocabulary : Vocabulary, optional
        Words and ids to use. By default they are chosen from the text.
    max_words, min_count
        Keep the ``max_words`` most frequent words that occur at least ``min_count`` times; other
        words get id -1.
    analyzer : TextAnalyzer, optional
        How to read a document; by default ``TextAnalyzer(**text_params)``.
    max_memory : int
        Bytes of ids to hold in memory. Longer text is spooled to a temporary directory and
        memory-mapped.
    max_types : int
        Number of distinct words to track. Past it, the rarest so far are dropped.
    on_progress : callable, optional
        Called repeatedly with the number of words read since the last call.
    n_jobs : int, optional
        Number of threads for the compiled reader; numba's setting by default. It does not affect
        the result.
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
    spool = Spool(max_memory)
    try:
        encoder = _Encoder(vocabulary, max_types, spool)
        documents = check_documents(documents)
        with closing(read_blocks(documents, analyzer, n_jobs, -(-_BLOCK // _PARTS))) as blocks:
            for block in blocks:
                encoder.add(block)
                if on_progress is not None:
                    on_progress(len(block.ids))
        return spool.corpus(*encoder.choose(max_words, min_count), analyzer.params)
    except BaseException:
        spool.discard()
        raise


class _Encoder:
    """Assign provisional ids to words and count them, tracking a bounded number."""

    def __init__(self, vocabulary: Vocabulary | None, max_types: int, spool: Spool) -> None:
        # compiled as long as all text comes from compiled readers
        self._words: _WordIds | CompiledWordIds = _WordIds(
            vocabulary, is_fixed=vocabulary is not None
        )
        self._max_types = max_types
        self._spool = spool
        self._n_until_check = _BLOCK
        # provisional ids of numbered words, looked up at their first occurrence
        self._of_numbers: WeakKeyDictionary[Numbering, NDArray[np.int32]] = WeakKeyDictionary()
        self._n_words = 0

    def add(self, block: WordBlock) -> None:
        """Encode and count a block, and drop rare words if there are too many.

        Words are dropped after about ``_BLOCK`` words, at the end of a document, so it does not
        matter how the text was split into blocks.
        """
        self._choose_table(block.numbering)
        ids = np.empty_like(block.ids)
        start = 0
        while start < len(ids):
            filled = int(np.searchsorted(block.documents, start + self._n_until_check))
            stop = int(block.documents[min(filled, len(block.documents) - 1)])
            ids[start:stop] = self._encode(block.numbering, block.ids[start:stop])
            self._n_until_check -= stop - start
            if self._n_until_check <= 0:
                self._forget_rare()
            start = stop
        before = self._n_words
        self._spool.append(ids, before + _cut_long(block.sentences), before + block.documents)
        self._n_words += len(ids)

    def _choose_table(self, numbering: Numbering) -> None:
        if numbering.table is None:
            self._use_dict()
        elif not self._n_words and not self._words.is_fixed:
            from skfly.text._fast import CompiledWordIds  # numba is slow to import

            self._words = CompiledWordIds()

    def _use_dict(self) -> _WordIds:
        if not isinstance(self._words, _WordIds):
            self._words = _WordIds(self._words.vocabulary())
        return self._words

    def _forget_rare(self) -> None:
        if len(self._words) > self._max_types and not self._words.is_fixed:
            self._use_dict().forget_rare(self._max_types)
            self._of_numbers.clear()
        self._n_until_check = _BLOCK

    def _encode(self, numbering: Numbering, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the ids of numbered words, and count them."""
        known = self._of_numbers.get(numbering, np.zeros(0, dtype=np.int32))
        n_more = int(numbers.max(initial=-1)) + 1 - len(known)
        if n_more > 0:
            known = np.append(known, np.full(n_more, NOT_MET, dtype=np.int32))
            self._of_numbers[numbering] = known
        return self._words.renumber(numbering, known, numbers)

    def choose(
        self, max_words: int | None, min_count: int
    ) -> tuple[Vocabulary, NDArray[np.int32] | None]:
        """Return the most frequent words, and the final id (or -1) of every provisional id.

        ``None``: the ids are final already.
        """
        self._forget_rare()
        return self._words.choose(max_words, min_count)


class _WordIds:
    """Ids of words in a dict, and their counts.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Words that have ids, and how often they occurred.
    is_fixed : bool
        Count these words from zero, and give no ids to others.
    """

    def __init__(self, vocabulary: Vocabulary | None = None, *, is_fixed: bool = False) -> None:
        self.is_fixed = is_fixed
        self._ids: dict[str, int] = {} if vocabulary is None else vocabulary.index
        self._n_given = len(self._ids)
        self._counts = np.zeros(self._n_given, dtype=np.int64)
        if vocabulary is not None and not is_fixed:
            self._counts += vocabulary.counts
        self._forget = 1

    def renumber(
        self, numbering: Numbering, known: NDArray[np.int32], numbers: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the ids of numbered words, and count them.

        ``known`` has the ids of the words that were met before, and gets those of the others.
        """
        ids: NDArray[np.int32] = np.take(known, numbers)
        missing = np.flatnonzero(ids == NOT_MET)
        if len(missing):
            place = np.full(len(known), -1, dtype=np.int64)
            place[numbers[missing][::-1]] = missing[::-1]  # reversed, so the first occurrence wins
            met = np.flatnonzero(place >= 0)
            met = met[np.argsort(place[met])]
            numbered = numbering.words
            words = [numbered[i] for i in met.tolist()]
            found = np.fromiter(map(self._ids.get, words, repeat(-1)), np.int32, len(words))
            if not self.is_fixed:
                new = np.flatnonzero(found < 0)
                found[new] = np.arange(self._n_given, self._n_given + len(new))
                self._n_given += len(new)
                self._ids.update(
                    zip([words[i] for i in new.tolist()], found[new].tolist(), strict=True)
                )
            known[met] = found
            ids[missing] = known[numbers[missing]]
        counts = np.bincount(ids[ids >= 0] if self.is_fixed else ids, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts = counts
        return ids

    def __len__(self) -> int:
        return len(self._ids)

    def forget_rare(self, max_types: int) -> None:
        """Drop the rarest words until ``max_types`` are left."""
        while len(self) > max_types:
            kept = self._counts > self._forget
            self._ids = {word: i for word, i in self._ids.items() if kept[i]}
            self._forget += 1

    def choose(
        self, max_words: int | None, min_count: int
    ) -> tuple[Vocabulary, NDArray[np.int32] | None]:
        """Return the most frequent words, and the final id (or -1) of every id so far."""
        if self.is_fixed:
            return Vocabulary(self._ids, self._counts), None
        ids = np.fromiter(self._ids.values(), dtype=np.int64, count=len(self._ids))
        words = Vocabulary(self._ids, self._counts[ids])
        chosen, taken = words.by_frequency(max_words, min_count)
        return chosen, places_of(ids[taken], max(self._n_given, 1))


def _cut_long(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Split sentences that are too long."""
    lengths = np.diff(ends, prepend=0)
    if lengths.max(initial=0) <= MAX_SENTENCE:
        return ends
    pieces = [
        [*range(end - length + MAX_SENTENCE, end, MAX_SENTENCE), end]
        for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)
    ]
    return np.array([end for piece in pieces for end in piece], dtype=np.int64)


class Spool:
    """Collect ids, sentence ends and document ends in memory, then in temporary files."""

    _COLUMNS = (("ids", np.int32), ("sentences", np.int64), ("documents", np.int64))

    def __init__(self, max_memory: int = 1 << 28) -> None:
        self._max_memory = max_memory
        self._held: list[tuple[NDArray[Any], ...]] = []
        self._held_bytes = 0
        self._lengths = [0, 0, 0]
        self._temporary: TemporaryDirectory | None = None

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
        """Return the spooled corpus with provisional ids replaced by ``final`` ones."""
        collect = self._in_memory if self._temporary is None else self._on_disk
        return EncodedCorpus(
            collect(0, 0, final),
            collect(1, 1, None),
            collect(2, 1, None),
            vocabulary,
            text_params,
            temporary=self._temporary,
        )

    def _in_memory(self, column: int, lead: int, final: NDArray[np.int32] | None) -> NDArray[Any]:
        """Return a column as one array, after ``lead`` zeros."""
        out = np.empty(lead + self._lengths[column], self._COLUMNS[column][1])
        out[:lead] = 0
        start = lead
        for blocks in self._held:
            part = out[start : start + len(blocks[column])]
            if final is None:
                part[:] = blocks[column]
            else:
                np.take(final, blocks[column], out=part, mode="clip")  # other modes copy first
            start += len(part)
        return out

    def _on_disk(self, column: int, lead: int, final: NDArray[np.int32] | None) -> NDArray[Any]:
        """Return a column as one array in a file, after ``lead`` zeros."""
        self._spill()
        name, dtype = self._COLUMNS[column]
        raw = self._path(f"{name}.raw")

        def blocks() -> Iterator[NDArray[Any]]:
            yield np.zeros(lead, dtype)
            with open(raw, "rb") as file:
                while len(block := np.fromfile(file, dtype=dtype, count=_BLOCK)):
                    yield block if final is None else final[block]

        length = lead + self._lengths[column]
        array = write_array(self._path(f"{name}.npy"), dtype, length, blocks())
        raw.unlink()
        return array

    def _path(self, name: str) -> Path:
        assert self._temporary is not None
        return Path(self._temporary.name) / name

    def _spill(self) -> None:
        if self._temporary is None:
            self._temporary = TemporaryDirectory("skfly-corpus-")
        for column, (name, _) in enumerate(self._COLUMNS):
            if self._held:
                with open(self._path(f"{name}.raw"), "ab") as file:
                    for blocks in self._held:
                        file.write(np.ascontiguousarray(blocks[column]).data)
        self._held = []
        self._held_bytes = 0

    def discard(self) -> None:
        """Remove the temporary files."""
        if self._temporary is not None:
            self._temporary.cleanup()
