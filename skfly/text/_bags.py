"""Count the known words of documents and contexts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice, repeat
from numbers import Integral
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, check_documents, read_blocks
from skfly.text._corpus import EncodedCorpus
from skfly.text._phrases import joined_as
from skfly.text._sources import TextLines

_WORDS, _DOCUMENTS = 1 << 20, 1 << 13  # approximate size of a batch
_LONGEST = 1 << 22  # characters; longer documents are split into pieces
_SPACE = re.compile(r"\s")


def word_ids(
    words: Iterable[str], known: Mapping[str, int], analyzer: TextAnalyzer
) -> NDArray[np.int32]:
    """Return the ids of words, -1 for unknown ones.

    A word that is unknown as written is preprocessed and looked up again.
    """
    ids = []
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"a word must be a str; got {type(word).__name__}: {word!r}")
        i = known.get(word, -1)
        ids.append(i if i >= 0 else known.get(analyzer.normalize(word), -1))
    return np.array(ids, dtype=np.int32)


def in_groups(documents: Any, n_documents: int) -> Iterator[Any]:
    """Yield ``n_documents`` at a time, at least once; an encoded corpus stays whole."""
    if isinstance(documents, EncodedCorpus):
        yield documents
        return
    remaining = iter(check_documents(documents))
    group = list(islice(remaining, n_documents))
    while True:
        yield group
        group = list(islice(remaining, n_documents))
        if not group:
            return


def count_words(
    documents: Any,
    known: Mapping[str, int],
    n_words: int,
    analyzer: TextAnalyzer,
    n_jobs: int | None = None,
) -> Iterator[sparse.csr_array]:
    """Yield the counts of known words in batches, one row per document.

    Parameters
    ----------
    documents : iterable or EncodedCorpus
    known : mapping from str to int
        Ids, below ``n_words``.
    n_words : int
        Number of columns.
    analyzer : TextAnalyzer
    n_jobs : int, optional
        Threads; see :func:`encode_documents`.
    """
    if isinstance(documents, EncodedCorpus):
        with joined_as(documents, analyzer) as corpus:
            yield from _count_corpus(corpus, known, n_words)
        return
    pieces, ends_here = check_documents(documents), list[bool]()
    # a text may be long enough to be read in pieces
    is_cut = (
        analyzer.kernel_rules is not None
        and analyzer.reads_text
        and not isinstance(pieces, TextLines)
    )
    if is_cut and isinstance(pieces, list):
        is_cut = any(isinstance(text, str | bytes) and len(text) > _LONGEST for text in pieces)
    if is_cut:
        pieces = _pieces(pieces, analyzer, ends_here)
    parts = _count_blocks(pieces, known, n_words, analyzer, n_jobs)
    is_empty = True
    for counts in _join_rows(parts, ends_here) if is_cut else parts:
        is_empty = False
        yield counts
    if is_empty:
        yield sparse.csr_array((0, n_words), dtype=np.float32)


def _count_blocks(
    documents: Iterable[Any],
    known: Mapping[str, int],
    n_words: int,
    analyzer: TextAnalyzer,
    n_jobs: int | None,
) -> Iterator[sparse.csr_array]:
    ids: WeakKeyDictionary[Numbering, NDArray[np.int32]] = WeakKeyDictionary()
    with closing(read_blocks(documents, analyzer, n_jobs)) as blocks:
        for block in blocks:
            table = ids.get(block.numbering, np.zeros(0, np.int32))
            new = block.numbering.words[len(table) :]
            found = np.fromiter(map(known.get, new, repeat(-1)), np.int32, len(new))
            table = ids[block.numbering] = np.concatenate([table, found])
            yield from count_known(table[block.ids], block.documents, n_words)


def _pieces(
    documents: Iterable[Any], analyzer: TextAnalyzer, ends_here: list[bool]
) -> Iterator[Any]:
    """Yield documents, very long ones in pieces to bound memory.

    Each piece appends to ``ends_here`` whether its document ends there.
    """
    for document in documents:
        text = None
        if isinstance(document, str | bytes) and len(document) > _LONGEST:
            text = analyzer.plain_text(document)
        if text is not None:
            start = 0
            while space := _SPACE.search(text, start + _LONGEST):
                ends_here.append(False)
                yield text[start : space.end()]
                start = space.end()
            document = text[start:]
        ends_here.append(True)
        yield document


def _join_rows(
    parts: Iterator[sparse.csr_array], ends_here: list[bool]
) -> Iterator[sparse.csr_array]:
    """Sum the rows of the pieces of each document."""
    begun: sparse.csr_array | None = None
    for part in parts:
        ends = np.array(ends_here[: part.shape[0]], dtype=bool)
        del ends_here[: part.shape[0]]
        if ends.all() and begun is None:
            yield part
            continue
        document = np.cumsum(ends) - ends  # of each piece
        # a product of matrices would take memory for every column, and there may be 2^31
        places = np.repeat(document, np.diff(part.indptr)), part.indices
        shape = int(document[-1]) + 1, part.shape[1]
        rows = sparse.coo_array((part.data, places), shape=shape).tocsr()
        if begun is not None:
            first = rows[[0]] + begun
            rows = sparse.vstack([first, rows[1:]], "csr") if rows.shape[0] > 1 else first
            begun = None
        if not ends[-1]:
            begun = rows[[-1]]
            rows = rows[:-1]
        yield rows


def context_words(
    context: Any, target: str | int, window: int | None, analyzer: TextAnalyzer
) -> tuple[str, list[str]]:
    """Return the target and its surrounding words, limited to a window if one is given.

    Examples
    --------
    >>> context_words("He sat by the BANK of the river", "bank", 5, TextAnalyzer())
    ('bank', ['by', 'the', 'of', 'the'])
    """
    words = analyzer.words(context)
    place = _find(words, target, analyzer)
    if place is None:
        return str(target), words
    half = len(words) if window is None else window // 2
    around = words[max(0, place - half) : place] + words[place + 1 : place + half + 1]
    return words[place], around


def _find(words: list[str], target: Any, analyzer: TextAnalyzer) -> int | None:
    if isinstance(target, str):
        for form in (target, analyzer.normalize(target)):
            if form in words:
                return words.index(form)
        return None
    if not isinstance(target, Integral):
        kind = type(target).__name__
        raise TypeError(f"a target must be a word (str) or its position (int); got {kind}")
    place = int(target)
    if not 0 <= place < len(words):
        raise ValueError(
            f"target {place} is outside its context of {len(words)} words: "
            f"{' '.join(words[:8])} ..."
        )
    return place


def _count_corpus(
    corpus: EncodedCorpus, known: Mapping[str, int], n_words: int
) -> Iterator[sparse.csr_array]:
    words = corpus.vocabulary.words
    table = np.fromiter((known.get(word, -1) for word in words), np.int32, len(words))
    table = np.append(table, np.int32(-1))  # the last entry is for id -1
    yield from count_known(corpus.ids, corpus.documents[1:], n_words, table)


def count_documents(corpus: EncodedCorpus) -> NDArray[np.int64]:
    """Return in how many documents each word of a corpus occurs.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_documents(["two two one", "two"])
    >>> list(corpus.vocabulary.words), count_documents(corpus).tolist()
    (['two', 'one'], [2, 1])
    """
    n_words = len(corpus.vocabulary)
    total = np.zeros(n_words, dtype=np.int64)
    for counts in count_known(corpus.ids, corpus.documents[1:], n_words):
        total += np.bincount(counts.indices, minlength=n_words)
    return total


def in_so_many(
    document_counts: NDArray[np.int64], n_documents: int, min_df: float, max_df: float
) -> NDArray[np.bool_]:
    """Return which words occur in at least ``min_df`` and at most ``max_df`` documents.

    Whole numbers are documents, others shares of them, as in scikit-learn.

    Examples
    --------
    >>> in_so_many(np.array([1, 2, 4]), 4, min_df=2, max_df=0.5)
    array([False,  True, False])
    """
    least, most = (
        bound * n_documents if isinstance(bound, float) else bound for bound in (min_df, max_df)
    )
    if most < least:
        raise ValueError(
            f"max_df={max_df} allows fewer documents than min_df={min_df} asks for, of "
            f"{n_documents} in all"
        )
    kept: NDArray[np.bool_] = (least <= document_counts) & (document_counts <= most)
    return kept


def count_known(
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
    n_words: int,
    table: NDArray[np.int32] | None = None,
) -> Iterator[sparse.csr_array]:
    """Yield the counts of ids in batches of documents, ignoring -1.

    ``ends`` says where the documents end. A batch is small enough that neither its words nor
    its codes take much memory. If given, ``table`` maps the ids to those to count.
    """
    first = before = 0
    while first < len(ends) or not first:
        last = min(int(np.searchsorted(ends, before + _WORDS)) + 1, first + _DOCUMENTS, len(ends))
        stop = int(ends[last - 1]) if last else 0
        part = np.asarray(ids[before:stop])
        yield _count_part(
            part if table is None else table[part], ends[first:last] - before, n_words
        )
        first, before = max(last, 1), stop


def _count_part(ids: NDArray[np.int32], ends: NDArray[np.int64], n_words: int) -> sparse.csr_array:
    lengths = np.diff(ends, prepend=0)
    # document and word as one number: sorting these is faster than sorting each row
    keys = np.repeat(np.arange(len(ends)) * n_words, lengths)[ids >= 0] + ids[ids >= 0]
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    documents, indices = np.divmod(keys[starts], max(n_words, 1))
    indptr = np.searchsorted(documents, np.arange(len(ends) + 1))
    index_type = np.int32 if len(keys) <= np.iinfo(np.int32).max else np.int64
    counts = sparse.csr_array(
        (
            np.diff(starts, append=len(keys)).astype(np.float32),
            indices.astype(index_type),
            indptr.astype(index_type),
        ),
        shape=(len(ends), n_words),
    )
    counts.has_canonical_format = True
    return counts


def sample_pieces(
    corpus: EncodedCorpus,
    id_map: NDArray[np.int32],
    n_words: int,
    *,
    longest: int,
    most_words: int,
    seed: int,
) -> sparse.csr_array:
    """Count the known words in the documents of a corpus.

    Long documents are split into pieces of about equal length. A long corpus is sampled to bound
    memory.

    Parameters
    ----------
    corpus : EncodedCorpus
    id_map : ndarray of int32
        The column of each word of the corpus, or -1 to ignore it.
    n_words : int
        Number of columns.
    longest : int
        Maximum number of words in a piece.
    most_words : int
        Approximate number of words in all pieces.
    seed : int

    Returns
    -------
    counts : sparse array, (n_pieces, n_words)
        No row is empty.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_documents(["one two one two two", "two", "", "three"])
    >>> list(corpus.vocabulary.words)
    ['two', 'one', 'three']
    >>> columns = np.array([0, 1, -1], dtype=np.int32)
    >>> pieces = sample_pieces(corpus, columns, 2, longest=3, most_words=100, seed=0)
    >>> pieces.toarray()
    array([[1., 1.],
           [2., 1.],
           [1., 0.]], dtype=float32)
    """
    documents = np.asarray(corpus.documents)
    lengths = np.diff(documents)
    n_pieces = -(-lengths // longest)
    document = np.repeat(np.arange(len(lengths)), n_pieces)
    number = np.arange(len(document)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    if corpus.n_words > most_words:
        n_drawn = max(1, len(document) * most_words // corpus.n_words)
        random = np.random.default_rng(seed)
        drawn = np.sort(random.choice(len(document), n_drawn, replace=False))
        document, number = document[drawn], number[drawn]
    length, among = lengths[document], n_pieces[document]
    first = documents[document] + length * number // among
    size = documents[document] + length * (number + 1) // among - first
    ends = np.cumsum(size)
    places = np.arange(int(size.sum())) + np.repeat(first - (ends - size), size)
    columns = np.append(id_map, np.int32(-1))  # the last entry is for id -1
    counts = sparse.vstack(list(count_known(corpus.ids[places], ends, n_words, columns)), "csr")
    return counts[np.diff(counts.indptr) > 0]
