"""Documents as blocks of numbered words: what encoding and counting have in common.

Text that is read by the default rules goes to the compiled reader of ``_fast.py``, in blocks of a
few million characters and on threads. Everything else, and text so short that it would not pay to
load a compiled function, is read by :class:`TextAnalyzer`. Words and sentences are the same.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from skfly._jobs import n_threads_for
from skfly.text._analyzer import TextAnalyzer
from skfly.text._sources import TextLines

if TYPE_CHECKING:
    from skfly.text._fast import FastReader

__all__ = ["Numbering", "WordBlock", "read_blocks"]

BLOCK = 1 << 20
"""Words in a block, about: it ends with a document."""
_CHARACTERS = 4  # of text that are taken for a word
WORTH_COMPILING = 200_000
"""Characters of text; less is read by the analyzer."""

T = TypeVar("T")


@dataclass(eq=False)
class Numbering:
    """Different words in the order they are first met; blocks add to it one after another."""

    words: list[str]


class WordBlock(NamedTuple):
    """Some documents in a row.

    Attributes
    ----------
    numbering : Numbering
        What the numbers of words mean. It may have more words than this block knows.
    ids : ndarray of int32
        The text: numbers of words.
    sentences, documents : ndarray of int64
        Number of words before the end of each sentence that has words, and of each document.
    """

    numbering: Numbering
    ids: NDArray[np.int32]
    sentences: NDArray[np.int64]
    documents: NDArray[np.int64]


def read_blocks(
    documents: Iterable[Any],
    analyzer: TextAnalyzer,
    n_jobs: int | None = None,
    n_words: int = BLOCK,
) -> Generator[WordBlock, None, None]:
    """Yield the words of documents, some documents at a time.

    Parameters
    ----------
    documents : iterable
    analyzer : TextAnalyzer
    n_jobs : int, optional
        Threads, by default as many as numba is set to use. The blocks do not depend on it.
    n_words : int
        Words in a block, about.
    """
    slow = _SlowBlock(analyzer)
    naming = (
        documents.named_in_errors()
        if _is_read_as_bytes(documents, analyzer)
        else nullcontext()  # they name themselves
    )
    with (
        naming,
        _FastBlocks(analyzer, n_jobs) as fast,
    ):
        for piece in _pieces(documents, analyzer, _CHARACTERS * n_words):
            is_fast = piece.size >= WORTH_COMPILING
            if not is_fast:
                piece.read_into(slow)
            if slow.documents and (is_fast or len(slow.ids) >= n_words):
                yield from fast.drain()
                yield slow.take()
            if is_fast:
                yield from fast.add(*piece.in_utf8())
        yield from fast.drain()
    if slow.documents:
        yield slow.take()


class _Piece(Protocol):
    """Some documents in a row."""

    @property
    def size(self) -> int:
        """Characters for the kernel to read; 0 if it cannot."""

    def read_into(self, slow: _SlowBlock) -> None: ...

    def in_utf8(self) -> tuple[bytes, str]:
        """Return the documents in UTF-8, and what each ends in."""


@dataclass(frozen=True)
class _Texts:
    texts: list[str]
    size: int

    def read_into(self, slow: _SlowBlock) -> None:
        for text in self.texts:
            slow.add_text(text)

    def in_utf8(self) -> tuple[bytes, str]:
        from skfly.text._fast import join_texts  # numba is slow to import

        return join_texts(self.texts), "\0"


@dataclass(frozen=True)
class _Lines:
    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read_into(self, slow: _SlowBlock) -> None:
        for line in self.data.decode("utf-8").split("\n")[:-1]:
            slow.add_text(line)

    def in_utf8(self) -> tuple[bytes, str]:
        return self.data, "\n"


@dataclass(frozen=True)
class _Document:
    document: Any
    number: int
    size: int = 0

    def read_into(self, slow: _SlowBlock) -> None:
        _with_number(slow.add, self.document, self.number)

    def in_utf8(self) -> tuple[bytes, str]:
        raise NotImplementedError("only the analyzer can read it")


def _pieces(
    documents: Iterable[Any], analyzer: TextAnalyzer, n_characters: int
) -> Iterator[_Piece]:
    """Yield all documents, those that are plain text many at a time."""
    if _is_read_as_bytes(documents, analyzer):
        return map(_Lines, documents.blocks(n_characters))
    if _takes_str(analyzer) and isinstance(documents, list) and set(map(type, documents)) == {str}:
        return _pieces_of_list(documents, n_characters)
    return _pieces_of_any(documents, analyzer, n_characters)


def _takes_str(analyzer: TextAnalyzer) -> bool:
    return analyzer.kernel_rules is not None and analyzer.reads_text


def _is_read_as_bytes(documents: Any, analyzer: TextAnalyzer) -> TypeGuard[TextLines]:
    return _takes_str(analyzer) and isinstance(documents, TextLines) and documents.reads_utf8


def _pieces_of_list(documents: list[str], n_characters: int) -> Iterator[_Piece]:
    lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    ends = np.cumsum(lengths)
    first = 0
    while first < len(documents):
        before = ends[first] - lengths[first]
        last = min(int(np.searchsorted(ends, before + n_characters)) + 1, len(documents))
        yield _Texts(documents[first:last], int(ends[last - 1] - before))
        first = last


def _pieces_of_any(
    documents: Iterable[Any], analyzer: TextAnalyzer, n_characters: int
) -> Iterator[_Piece]:
    takes_str = _takes_str(analyzer)
    texts: list[str] = []
    size = 0
    for number, document in enumerate(documents):
        text: str | None
        if takes_str and type(document) is str:  # first, as it is the most common
            text = document
        else:
            text = _with_number(analyzer.plain_text, document, number)
        if text is not None:
            texts.append(text)
            size += len(text)
            if size < n_characters:
                continue
        if texts:
            yield _Texts(texts, size)
            texts, size = [], 0
        if text is None:
            yield _Document(document, number)
    if texts:
        yield _Texts(texts, size)


class _SlowBlock:
    """A block that is read by the analyzer."""

    def __init__(self, analyzer: TextAnalyzer) -> None:
        self._analyzer = analyzer
        self._clear()

    def _clear(self) -> None:
        self._numbers: dict[str, int] = {}
        self.ids, self.sentences, self.documents = array("i"), array("q"), array("q")

    def add(self, document: Any) -> None:
        self._add(self._analyzer.sentences(document))

    def add_text(self, text: str) -> None:
        self._add(self._analyzer.sentences_of_text(text))

    def _add(self, sentences: Iterable[list[str]]) -> None:
        numbers, ids = self._numbers, self.ids
        for words in sentences:
            if words:
                ids.extend([numbers.setdefault(word, len(numbers)) for word in words])
                self.sentences.append(len(ids))
        self.documents.append(len(ids))

    def take(self) -> WordBlock:
        """Return what was added, and begin anew."""
        block = WordBlock(
            Numbering(list(self._numbers)),
            np.array(self.ids, dtype=np.int32),
            np.array(self.sentences, dtype=np.int64),
            np.array(self.documents, dtype=np.int64),
        )
        self._clear()
        return block


class _FastBlocks:
    """Blocks that are read by the kernel on threads, in the order they were added.

    Each thread has a reader of its own, and they take turns. Threads and readers are made when
    the first block comes.
    """

    def __init__(self, analyzer: TextAnalyzer, n_jobs: int | None) -> None:
        self._analyzer = analyzer
        self._n_jobs = n_jobs
        self._readers: deque[tuple[ThreadPoolExecutor | None, FastReader]] = deque()
        self._reading: deque[Future[WordBlock]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for thread, _reader in self._readers:
            if thread is not None:
                thread.shutdown(cancel_futures=True)

    def add(self, data: bytes, end: str) -> Iterator[WordBlock]:
        """Begin to read a block, and yield one if enough are being read."""
        if not self._readers:
            self._make_readers()
        thread, reader = self._readers[0]
        self._readers.rotate(-1)
        if thread is None:
            yield reader.read(data, end)
            return
        self._reading.append(thread.submit(reader.read, data, end))
        if len(self._reading) > len(self._readers):
            yield self._reading.popleft().result()

    def _make_readers(self) -> None:
        from skfly.text._fast import FastReader  # numba is slow to import

        n_threads = n_threads_for(self._n_jobs)
        for _ in range(n_threads):
            thread = ThreadPoolExecutor(1) if n_threads > 1 else None
            self._readers.append((thread, FastReader(self._analyzer)))

    def drain(self) -> Iterator[WordBlock]:
        """Yield the blocks that are being read."""
        while self._reading:
            yield self._reading.popleft().result()


def _with_number(read: Callable[[Any], T], document: Any, number: int) -> T:
    """Call ``read(document)``; an error tells the number of the document."""
    try:
        return read(document)
    except (UnicodeDecodeError, TypeError, OSError) as error:
        error.add_note(f"in document number {number} (the first is 0)")
        if isinstance(error, UnicodeDecodeError):
            error.add_note("set `encoding` to that of the text, or decode_error='replace'")
        raise
