"""``skfly demo``: show the English model, then train on a hundred Wikipedia articles.

The text is the shortened English Wikipedia dump in gensim's wheel, the word pairs are WordSim-353
from the same place, so nothing is downloaded. Every function returns plain data;
:mod:`skfly.cli` prints it.
"""

from __future__ import annotations

import bz2
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skfly._files import gensim_file
from skfly.index import nearest_words

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

__all__ = ["read_articles", "run_demo", "show_pretrained"]

DUMP = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
WORD_PAIRS = "wordsim353.tsv"
SHORTEST_ARTICLE = 1_000

# Picked after seeing the WordSim-353 scores of six variants: those shown are a little flattered.
PARAMS: dict[str, Any] = {
    "max_features": 12_000,
    "stop_words": "english",
    "fold_numbers": True,
    "random_state": 0,
}
PRETRAINED_QUERIES = ("loan", "guitar", "python", "happy")
PRETRAINED_CONTEXTS = (
    ("bank", "they sat on the bank of the river"),
    ("bank", "the bank raised interest rates"),
)
GOOD_QUERIES = ("moon", "language", "war", "atom", "president", "species")
BAD_QUERY = "king"
CONTEXTS = (
    ("state", "the governor of the state of Alabama"),
    ("state", "the oxidation state of the metal"),
    ("apollo", "the crew of Apollo landed on the Moon"),
    ("apollo", "Apollo was the god of prophecy, son of Zeus and Leto"),
)
SENTENCE = "the acid reacts with the metal and hydrogen gas is released"
HASH_LENGTHS = (4, 16, 32)


def read_articles(*, verbose: int = 0) -> list[str]:
    """Return the articles of the Wikipedia dump in gensim's wheel, without stubs.

    Parameters
    ----------
    verbose : int
        1 shows progress on standard error.

    Returns
    -------
    texts : list of str
        About a hundred articles, 3 MB, without markup.
    """
    from skfly._messages import Progress

    path = gensim_file(DUMP)
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki

    texts = []
    with (
        bz2.open(path) as dump,
        Progress(bool(verbose)).stage("opening Wikipedia", "articles") as monitor,
    ):
        for _, markup, _ in extract_pages(dump, filter_namespaces=("0",)):
            text = filter_wiki(markup)
            if len(text) > SHORTEST_ARTICLE:
                texts.append(text)
                monitor.advance(1)
    return texts


def near_words(
    fly: FlyHashVectorizer, word: str, context: str | None = None, n_words: int = 8
) -> dict[str, Any]:
    """Return the words nearest to a word, alone or in a sentence, and how many cells they share.

    Words of the sentence itself are left out: they are near, but tell you nothing new.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> sorted(near_words(fly, "ripe", n_words=3)["words"])
    ['fruit', 'smells', 'sweet']
    """
    text = word if context is None else context
    code = fly.hash_words([word]) if context is None else fly.hash_in_context([text], [word])
    near = nearest_words(fly.model_, code, n_words, [fly.model_.tokens(text)])[0]
    words, shared = zip(*near, strict=True)
    return {"word": word, "context": context, "words": words, "shared_cells": shared}


def show_pretrained() -> dict[str, Any]:
    """Return neighbours of words, and of words in context, in the model that comes with skfly.

    Examples
    --------
    >>> shown = show_pretrained()
    >>> [near["words"][0] for near in shown["neighbours"]]
    ['loans', 'guitars', 'pythons', 'happier']
    """
    from skfly.vectorizer import FlyHashVectorizer

    fly = FlyHashVectorizer.from_pretrained("en")
    return {
        "neighbours": [near_words(fly, word) for word in PRETRAINED_QUERIES],
        "contexts": [near_words(fly, *use) for use in PRETRAINED_CONTEXTS],
    }


def run_demo(
    output: str | os.PathLike[str], *, n_jobs: int | None = None, verbose: int = 0
) -> dict[str, Any]:
    """Train on the articles, save the model, and collect results to show.

    Parameters
    ----------
    output : path-like
        Where the model goes.
    n_jobs : int or None
        Threads; the result does not depend on it.
    verbose : int
        1 shows progress on standard error.

    Returns
    -------
    result : dict
        What ``skfly demo --json`` prints.
    """
    from skfly.evaluation import word_similarity
    from skfly.vectorizer import FlyHashVectorizer

    began = time.perf_counter()
    texts = read_articles(verbose=verbose)
    read = time.perf_counter()
    fly = FlyHashVectorizer(**PARAMS, n_jobs=n_jobs, verbose=verbose).fit(texts)
    learned = time.perf_counter()
    fly.set_params(n_jobs=None, verbose=0).save(output)
    scores = word_similarity(fly, gensim_file(WORD_PAIRS), HASH_LENGTHS)
    return {
        "n_articles": len(texts),
        "n_characters": sum(map(len, texts)),
        "n_words": fly.n_words_seen_,
        "n_windows": fly.n_windows_seen_,
        "n_different_words": len(fly.vocabulary_),
        "n_kenyon_cells": fly.n_features_out_,
        "hash_length": fly.hash_length,
        "seconds_reading": round(read - began, 2),
        "seconds_learning": round(learned - read, 2),
        "model": os.fspath(output),
        "model_bytes": Path(output).stat().st_size,
        "code_bytes_per_word": -(-fly.n_features_out_ // 8),
        "good_neighbours": [near_words(fly, word) for word in GOOD_QUERIES],
        "bad_neighbours": near_words(fly, BAD_QUERY),
        "contexts": [near_words(fly, *use) for use in CONTEXTS],
        "sentence": SENTENCE,
        "cells": [
            {
                "number": cell.number,
                "activation": round(cell.activation, 4),
                "words": [word for word, _ in cell.words],
            }
            for cell in fly.kenyon_cells(SENTENCE, n_cells=4, n_words=8)
        ],
        "similarity": [
            {
                "hash_length": row.hash_length,
                "spearman": round(row.spearman, 1),
                "n_pairs": row.n_pairs,
                "n_pairs_in_all": row.n_pairs_in_all,
            }
            for row in scores.rows
        ],
    }
