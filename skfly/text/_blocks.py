"""Read documents as blocks of numbered words, for encoding and counting.

With the default text parameters, the compiled reader in ``_fast.py`` reads blocks of a few
million characters in parallel. Everything else, and text too short to be worth loading a compiled
function for, is read by :class:`TextAnalyzer`. Both find the same words and sentences.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skfly._threads import n_threads_for
from skfly.text._analyzer import TextAnalyzer
from skfly.text._sources import TextLines

if TYPE_CHECKING:
    from skfly.text._fast import FastReader, WordTable

BLOCK = 1 << 20
"""Approximate number of words in a block. A block ends with a document."""
_CHARACTERS = 4  # per word, assumed
_BLOCKS_PER_READER = 2
WORTH_COMPILING = 200_000
"""Minimum number of characters for the compiled reader."""

T = TypeVar("T")


class Numbering:
    """Distinct words in order of first occurrence, shared by successive blocks."""

    table: WordTable | None = None  # of a compiled reader: it has the words as bytes

    def __init__(self, words: list[str]) -> None:
        self.words = words


class WordBlock(NamedTuple):
    """Consecutive documents.

    Attributes
    ----------
    numbering : Numbering
        Maps ids to words. It may hold words that this block does not have.
    ids : ndarray of int32
        The text as word ids.
    sentences, documents : ndarray of int64
        Where each non-empty sentence and each document ends, in words.
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
    """Yield documents as blocks of word ids.

    Parameters
    ----------
    documents : iterable
    analyzer : TextAnalyzer
    n_jobs : int, optional
        Number of threads; numba's setting by default. It does not affect the blocks.
    n_words : int
        Approximate number of words in a block.
    """
    slow: _SlowBlock | None = None
    fast: _FastReaders | None = None
    # the analyzer joins phrases itself
    join = _unchanged if analyzer.phrases is None else analyzer.phrases.join_block
    with ExitStack() as stack:
        for texts, size in _pieces(documents, analyzer, _CHARACTERS * n_words, stack):
            # what is left at the end is short, too, and the reader is there
            goes_on = fast is not None and slow is None and size > 0
            is_fast = goes_on or size >= WORTH_COMPILING
            if not is_fast:
                slow = slow or _SlowBlock()
                slow.add(texts, analyzer)
            if slow is not None and (is_fast or len(slow.ids) >= n_words):
                yield from map(join, fast.drain()) if fast is not None else ()
                yield slow.block()
                slow = None
            if is_fast:
                fast = fast or _FastReaders(analyzer, n_jobs, stack)
                yield from map(join, fast.read(texts))
        yield from map(join, fast.drain()) if fast is not None else ()
    if slow is not None:
        yield slow.block()


def _unchanged(block: WordBlock) -> WordBlock:
    return block


def check_documents(documents: Any) -> Iterable[Any]:
    """Return ``documents``, or raise an error if it is not a collection of documents.

    A table with one column gives that column; Arrow arrays become lists.
    """
    if isinstance(documents, str | bytes | os.PathLike):
        raise ValueError(
            f"expected an iterable of documents, got a single {type(documents).__name__}; "
            "put one document in a list: [text]. To read a file, pass "
            "skfly.text.TextLines(path), or [path] with input='filename'"
        )
    shape = getattr(documents, "shape", (0,))
    if isinstance(shape, tuple) and len(shape) != 1:
        documents = _only_column(documents, shape)
    kind = getattr(getattr(documents, "dtype", None), "kind", "O")
    # pandas reads a column without any text as NaN
    is_missing = kind == "f" and len(documents) and np.isnan(np.asarray(documents, float)).all()
    if isinstance(kind, str) and kind in "biufcmM" and not is_missing:
        raise TypeError(
            f"expected documents (str, or lists of words), got a column of {documents.dtype}; "
            "pass the column with the text"
        )
    if type(documents).__module__.startswith("pyarrow") and hasattr(documents, "to_pylist"):
        documents = documents.to_pylist()  # its elements are objects of its own
    if not isinstance(documents, Iterable) or isinstance(documents, Mapping):
        advice = "; pass its text, e.g. X['text']" if isinstance(documents, Mapping) else ""
        raise TypeError(
            "expected an iterable of documents (str, or lists of words), got "
            f"{type(documents).__name__}{advice}"
        )
    return documents


def _only_column(table: Any, shape: tuple[Any, ...]) -> Any:
    """Return the one column of a data frame, an Arrow table or an array of shape (n, 1)."""
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError(
            "expected a one-dimensional collection of documents, or a table with one column; "
            f"got shape {shape}; pass one text column, e.g. X['text'], or in a ColumnTransformer "
            "the column's name as a str instead of a list"
        )
    if hasattr(table, "iloc"):  # pandas
        return table.iloc[:, 0]
    if hasattr(table, "to_series"):  # polars
        return table.to_series(0)
    if hasattr(table, "column"):  # pyarrow
        return table.column(0)
    if isinstance(table, np.ndarray):
        return table[:, 0]
    raise TypeError(
        f"expected a one-dimensional collection of documents, got {type(table).__name__} of shape "
        f"{shape}; pass its column of text"
    )


class _Odd(NamedTuple):
    """A document that only the analyzer can read, and its position."""

    document: Any
    number: int


_Piece = tuple[list[str] | bytes | _Odd, int]
"""Consecutive documents (texts, lines in UTF-8, or an odd one) and their size in characters."""


def _pieces(
    documents: Iterable[Any], analyzer: TextAnalyzer, n_characters: int, stack: ExitStack
) -> Iterator[_Piece]:
    """Yield all documents, plain text in batches."""
    takes_str = analyzer.kernel_rules is not None and analyzer.reads_text
    if takes_str and isinstance(documents, TextLines) and documents.reads_utf8:
        stack.enter_context(documents.named_in_errors())
        yield from ((data, len(data)) for data in documents.blocks(n_characters))
        return
    if takes_str and isinstance(documents, list) and set(map(type, documents)) == {str}:
        # count line ends too, or a piece could hold any number of empty documents
        ends = np.cumsum(np.fromiter(map(len, documents), np.int64, len(documents)) + 1)
        first = before = 0
        while first < len(documents):
            last = min(int(np.searchsorted(ends, before + n_characters)) + 1, len(documents))
            yield documents[first:last], int(ends[last - 1] - before)
            first, before = last, int(ends[last - 1])
        return
    texts: list[str] = []
    size = 0
    for number, document in enumerate(documents):
        text: str | None
        if takes_str and type(document) is str:  # the most common case
            text = document
        else:
            text = _with_number(analyzer.plain_text, document, number)
        if text is not None:
            texts.append(text)
            size += len(text) + 1
        if texts and (text is None or size >= n_characters):
            yield texts, size
            texts, size = [], 0
        if text is None:
            yield _Odd(document, number), 0
    if texts:
        yield texts, size


class _SlowBlock:
    """A block read by the analyzer."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.ids, self._sentences, self._documents = array("i"), array("q"), array("q")

    def add(self, texts: list[str] | bytes | _Odd, analyzer: TextAnalyzer) -> None:
        documents: Iterable[Iterable[list[str]]]
        if isinstance(texts, _Odd):
            documents = [_with_number(_sentences_of(analyzer), *texts)]
        elif isinstance(texts, bytes):
            lines = texts.decode("utf-8").split("\n")[:-1]
            documents = map(analyzer.sentences_of_text, lines)
        else:
            documents = map(analyzer.sentences_of_text, texts)
        numbers, ids = self._numbers, self.ids
        for sentences in documents:
            for words in sentences:
                if words:
                    ids.extend([numbers.setdefault(word, len(numbers)) for word in words])
                    self._sentences.append(len(ids))
            self._documents.append(len(ids))

    def block(self) -> WordBlock:
        return WordBlock(
            Numbering(list(self._numbers)),
            np.array(self.ids, dtype=np.int32),
            np.array(self._sentences, dtype=np.int64),
            np.array(self._documents, dtype=np.int64),
        )


def _sentences_of(analyzer: TextAnalyzer) -> Callable[[Any], list[list[str]]]:
    return lambda document: list(analyzer.sentences(document))


class _FastReaders:
    """Compiled readers, one per thread. Blocks are returned in order."""

    def __init__(self, analyzer: TextAnalyzer, n_jobs: int | None, stack: ExitStack) -> None:
        from skfly.text._fast import FastReader  # numba is slow to import

        self._readers: deque[tuple[ThreadPoolExecutor | None, FastReader]] = deque()
        self._reading: deque[Future[WordBlock]] = deque()
        n_threads = n_threads_for(n_jobs)
        for _ in range(n_threads):
            thread = ThreadPoolExecutor(1) if n_threads > 1 else None
            if thread is not None:
                stack.callback(thread.shutdown, cancel_futures=True)
            self._readers.append((thread, FastReader(analyzer)))

    def read(self, texts: list[str] | bytes | _Odd) -> Iterator[WordBlock]:
        """Start reading a block, and yield a finished one if enough are in progress."""
        from skfly.text._fast import join_texts

        assert not isinstance(texts, _Odd)
        given = (texts, "\n") if isinstance(texts, bytes) else (join_texts(texts), "\0")
        thread, reader = self._readers[0]
        self._readers.rotate(-1)
        if thread is None:
            yield reader.read(*given)
            return
        self._reading.append(thread.submit(reader.read, *given))
        # each reader has a next block to go on with while the caller works on this one
        if len(self._reading) >= _BLOCKS_PER_READER * len(self._readers):
            yield self._reading.popleft().result()

    def drain(self) -> Iterator[WordBlock]:
        """Yield the blocks in progress."""
        while self._reading:
            yield self._reading.popleft().result()


def _with_number(read: Callable[[Any], T], document: Any, number: int) -> T:
    """Call ``read(document)`` and add the document's number to errors."""
    try:
        return read(document)
    except (UnicodeDecodeError, TypeError, OSError) as error:
        error.add_note(f"in document number {number} (the first is 0)")
        if isinstance(error, UnicodeDecodeError):
            error.add_note("set `encoding` to that of the text, or decode_error='replace'")
        raise
