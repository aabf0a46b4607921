"""Shared by the benchmarks: reading a text, gensim's settings, and progress messages."""

import sys
import time
from functools import cache

from skfly import EncodedCorpus, TextLines

WORD2VEC = {
    "vector_size": 300,
    "sg": 1,
    "window": 5,
    "negative": 5,
    "epochs": 5,
    "sample": 1e-4,
    "min_count": 5,
    "max_final_vocab": 20_000,
}


@cache  # the same warning comes for every run
def say(text):
    print(text, file=sys.stderr, flush=True)


def read_corpus(source, keep, n_words):
    """Return the encoded corpus; one that is kept already is used as it is."""
    if keep.exists():
        return EncodedCorpus.load(keep)
    if source.is_dir() and n_words is None:
        return EncodedCorpus.load(source)
    documents = EncodedCorpus.load(source) if source.is_dir() else TextLines(source)
    began = time.perf_counter()
    with EncodedCorpus.from_documents(
        first_words(documents, n_words), sentence_splitter=None
    ) as corpus:
        corpus.save(keep)
    say(f"encoded {source} in {time.perf_counter() - began:.0f} s")
    return EncodedCorpus.load(keep)


def first_words(documents, n_words):
    """Yield documents until they have so many words."""
    seen = 0
    for document in documents:
        if n_words is not None and seen >= n_words:
            return
        seen += len(document.split() if isinstance(document, str) else document)
        yield document
