"""Documents and contexts as bags of known words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import repeat
from numbers import Integral
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, check_documents, read_blocks
from skfly.text._corpus import EncodedCorpus

__all__ = ["context_words", "count_words", "word_ids"]


def word_ids(
    words: Iterable[str], known: Mapping[str, int], analyzer: TextAnalyzer
) -> NDArray[np.int32]:
    """Return the ids of words, -1 for unknown ones.

    A word that is not known as it is written is looked up as the preprocessing leaves it.
    """
    ids = []
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"a word must be a str; got {type(word).__name__}: {word!r}")
        i = known.get(word, -1)
        ids.append(i if i >= 0 else known.get(analyzer.normalize(word), -1))
    return np.array(ids, dtype=np.int32)


def count_words(
    documents: Any,
    known: Mapping[str, int],
    n_words: int,
    analyzer: TextAnalyzer,
    n_jobs: int | None = None,
) -> Iterator[sparse.csr_array]:
    """Yield the counts of known words, one row a document, for some documents at a time.

    Parameters
    ----------
    documents : iterable or EncodedCorpus
    known : mapping from str to int
        Ids, below ``n_words``.
    n_words : int
        Width of the matrices.
    analyzer : TextAnalyzer
    n_jobs : int, optional
        Threads; see :func:`encode_documents`.
    """
    if isinstance(documents, EncodedCorpus):
        yield _count_corpus(documents, known, n_words)
        return
    n_parts = 0
    ids: WeakKeyDictionary[Numbering, NDArray[np.int32]] = WeakKeyDictionary()
    with closing(read_blocks(check_documents(documents), analyzer, n_jobs)) as blocks:
        for block in blocks:
            table = ids.get(block.numbering, np.zeros(0, np.int32))
            new = block.numbering.words[len(table) :]
            found = np.fromiter(map(known.get, new, repeat(-1)), np.int32, len(new))
            table = ids[block.numbering] = np.concatenate([table, found])
            yield _count_known(table[block.ids], block.documents, n_words)
            n_parts += 1
    if n_parts == 0:
        yield _count_known(np.zeros(0, np.int32), np.zeros(0, np.int64), n_words)


def context_words(
    context: Any, target: str | int, window: int | None, analyzer: TextAnalyzer
) -> tuple[str, list[str]]:
    """Return the target and the words around it, ``window`` in all or all there are.

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
        raise TypeError(f"a target must be a word (str) or its place (int); got {kind}")
    place = int(target)
    if not 0 <= place < len(words):
        raise ValueError(
            f"target {place} is outside its context of {len(words)} words: "
            f"{' '.join(words[:8])} ..."
        )
    return place


def _count_corpus(
    corpus: EncodedCorpus, known: Mapping[str, int], n_words: int
) -> sparse.csr_array:
    words = corpus.vocabulary.words
    table = np.fromiter((known.get(word, -1) for word in words), np.int32, len(words))
    ids = np.append(table, np.int32(-1))[corpus.ids]  # the last entry is for id -1
    return _count_known(ids, corpus.documents[1:], n_words)


def _count_known(
    ids: NDArray[np.int32], ends: NDArray[np.int64], n_words: int
) -> sparse.csr_array:
    """Return the counts of ids in documents with these ends; those of -1 are not counted."""
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
