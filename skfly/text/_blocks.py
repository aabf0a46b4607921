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
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from skfly.text._analyzer import TextAnalyzer

__all__ = ["WordBlock", "read_blocks"]

BLOCK = 1 << 20
"""Words in a block, about: it ends with a document."""
_CHARACTERS = 4  # of text that are taken for a word
WORTH_COMPILING = 200_000
"""Characters of text; less is read by the analyzer."""

T = TypeVar("T")


class WordBlock(NamedTuple):
    """Some documents in a row.

    Attributes
    ----------
    words : list of str
        The different words in the order they are first met.
    ids : ndarray of int32
        The text: places in ``words``.
    sentences, documents : ndarray of int64
        Number of words before the end of each sentence that has words, and of each document.
    """

    words: list[str]
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
    plain = analyzer.kernel_rules is not None and analyzer.reads_text
    slow = _SlowBlock(analyzer)
    texts: list[str] = []
    n_characters = 0

    def finish_slow() -> Iterator[WordBlock]:
        if slow.documents:
            yield from fast.drain()
            yield slow.take()

    def settle(texts: list[str], n_characters: int) -> Iterator[WordBlock]:
        if n_characters >= WORTH_COMPILING:
            yield from finish_slow()
            yield from fast.add(texts)
        else:
            for text in texts:
                slow.add_text(text)

    with _FastBlocks(analyzer, n_jobs) as fast:
        for number, document in enumerate(documents):
            text: str | None
            if plain and type(document) is str:  # first, as it is the most common by far
                text = document
            else:
                text = _with_number(analyzer.plain_text, document, number)
            if text is not None:
                texts.append(text)
                n_characters += len(text)
                if n_characters < _CHARACTERS * n_words:
                    continue
            yield from settle(texts, n_characters)
            texts, n_characters = [], 0
            if text is None:
                _with_number(slow.add, document, number)
            if len(slow.ids) >= n_words:
                yield from finish_slow()
        yield from settle(texts, n_characters)
        yield from finish_slow()
        yield from fast.drain()


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
            list(self._numbers),
            np.array(self.ids, dtype=np.int32),
            np.array(self.sentences, dtype=np.int64),
            np.array(self.documents, dtype=np.int64),
        )
        self._clear()
        return block


class _FastBlocks:
    """Blocks that are read by the kernel on threads, in the order they were added.

    Threads and kernel are made when the first block comes.
    """

    def __init__(self, analyzer: TextAnalyzer, n_jobs: int | None) -> None:
        self._analyzer = analyzer
        self._n_jobs = n_jobs
        self._pool: ThreadPoolExecutor | None = None
        self._reading: deque[Future[WordBlock]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def add(self, texts: list[str]) -> Iterator[WordBlock]:
        """Begin to read a block, and yield one if enough are being read."""
        from skfly.text._fast import TextBlock  # numba is slow to import

        block = TextBlock(texts, self._analyzer)
        n_threads = _n_threads(self._n_jobs)
        if n_threads == 1:
            yield block.read()
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(n_threads)
        self._reading.append(self._pool.submit(block.read))
        if len(self._reading) > n_threads:
            yield self._reading.popleft().result()

    def drain(self) -> Iterator[WordBlock]:
        """Yield the blocks that are being read."""
        while self._reading:
            yield self._reading.popleft().result()


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is not None:
        return int(effective_n_jobs(n_jobs))
    import numba

    return int(numba.get_num_threads())


def _with_number(read: Callable[[Any], T], document: Any, number: int) -> T:
    """Call ``read(document)``; an error tells the number of the document."""
    try:
        return read(document)
    except (UnicodeDecodeError, TypeError, OSError) as error:
        error.add_note(f"in document number {number} (the first is 0)")
        if isinstance(error, UnicodeDecodeError):
            error.add_note("set `encoding` to that of the text, or decode_error='replace'")
        raise
