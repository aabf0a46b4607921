"""What ``skfly demo`` does: learn from a hundred Wikipedia articles and look at the result.

The text is the shortened English Wikipedia dump in gensim's wheel, the word pairs are WordSim-353
from the same place, so nothing is downloaded. Every function returns plain data;
:mod:`skfly.cli` prints it.
"""

from __future__ import annotations

import bz2
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

__all__ = ["read_articles", "run_demo"]

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


@dataclass(frozen=True)
class Neighbours:
    """The words whose codes share most cells with a code.

    Attributes
    ----------
    word : str
        Whose code it is.
    context : str or None
        The sentence that the word was in; ``None`` for the word's static code.
    words : list of str
        The nearest first.
    shared_cells : list of int
        How many cells each has in common with the code.
    """

    word: str
    context: str | None
    words: list[str]
    shared_cells: list[int]


@dataclass(frozen=True)
class Cell:
    """A Kenyon cell, how active a sentence makes it, and the words that it stands for."""

    number: int
    activation: float
    words: list[str]


@dataclass(frozen=True)
class SimilarityScore:
    """Agreement with people on how similar words are.

    Attributes
    ----------
    hash_length : int
    spearman : float
        100 times Spearman's rank correlation.
    n_pairs : int
        Pairs of words of which the model knows both.
    n_pairs_in_all : int
    """

    hash_length: int
    spearman: float
    n_pairs: int
    n_pairs_in_all: int


@dataclass(frozen=True)
class DemoResult:
    """All that the demo shows."""

    n_articles: int
    n_characters: int
    n_words: int
    n_windows: int
    n_different_words: int
    n_kenyon_cells: int
    hash_length: int
    seconds_reading: float
    seconds_learning: float
    model: str
    model_bytes: int
    code_bytes_per_word: int
    good_neighbours: list[Neighbours]
    bad_neighbours: Neighbours
    contexts: list[Neighbours]
    sentence: str
    cells: list[Cell]
    similarity: list[SimilarityScore]


def read_articles(*, verbose: int = 0) -> list[str]:
    """Return the articles of the Wikipedia dump in gensim's wheel that are not mere stubs.

    Parameters
    ----------
    verbose : int
        1 shows progress on standard error.

    Returns
    -------
    texts : list of str
        About a hundred articles, 3 MB, without markup.
    """
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki
    from gensim.test.utils import datapath

    from skfly._progress import Progress

    texts = []
    with (
        bz2.open(datapath(DUMP)) as dump,
        Progress(bool(verbose)).stage("opening Wikipedia", "articles") as monitor,
    ):
        for _, markup, _ in extract_pages(dump, filter_namespaces=("0",)):
            text = filter_wiki(markup)
            if len(text) > SHORTEST_ARTICLE:
                texts.append(text)
                monitor.advance(1)
    return texts


def read_word_pairs() -> list[tuple[str, str, float]]:
    """Return WordSim-353, which gensim ships: two words and how similar people find them.

    Examples
    --------
    >>> pairs = read_word_pairs()
    >>> len(pairs), pairs[1]
    (353, ('tiger', 'cat', 7.35))
    """
    from gensim.test.utils import datapath

    from skfly.evaluation import read_word_pairs

    pairs = read_word_pairs(datapath(WORD_PAIRS)).pairs
    return [(left.lower(), right.lower(), score) for left, right, score in pairs]


def nearest_words(
    fly: FlyHashVectorizer, words: Sequence[str], n_words: int = 8
) -> list[Neighbours]:
    """Return the nearest words of each word, by the cells that their static codes share.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    words : sequence of str
    n_words : int, default=8
        How many to return.

    Returns
    -------
    neighbours : list of Neighbours

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> sorted(nearest_words(fly, ["ripe"], n_words=3)[0].words)
    ['fruit', 'smells', 'sweet']
    """
    codes = fly.hash_words(words)
    return [
        _neighbours(fly, word, None, codes[[row]], {word}, n_words)
        for row, word in enumerate(words)
    ]


def nearest_in_context(
    fly: FlyHashVectorizer, contexts: Iterable[tuple[str, str]], n_words: int = 8
) -> list[Neighbours]:
    """Return the words nearest to the codes of words in context.

    The words of the sentence itself are left out: they are near, but tell nothing.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    contexts : iterable of pairs of str
        A word, and a sentence with it.
    n_words : int, default=8
        How many to return.

    Returns
    -------
    neighbours : list of Neighbours
    """
    found = []
    for word, sentence in contexts:
        code = fly.hash_in_context([sentence], [word])
        own = set(sentence.lower().replace(",", " ").split())
        found.append(_neighbours(fly, word, sentence, code, own, n_words))
    return found


def _neighbours(
    fly: FlyHashVectorizer,
    word: str,
    context: str | None,
    code: Any,
    without: set[str],
    n_words: int,
) -> Neighbours:
    from skfly.codes import nearest

    vocabulary = list(fly.vocabulary_)
    rows, shared = nearest(code, fly.word_codes_, n_words + len(without))
    pairs = [
        (vocabulary[row], count)
        for row, count in zip(rows[0].tolist(), shared[0].tolist(), strict=True)
        if vocabulary[row] not in without
    ][:n_words]
    return Neighbours(word, context, [near for near, _ in pairs], [count for _, count in pairs])


def active_cells(
    fly: FlyHashVectorizer, sentence: str, n_cells: int = 4, n_words: int = 8
) -> list[Cell]:
    """Return the cells that a sentence activates most, each with the words it stands for.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    sentence : str
    n_cells, n_words : int
        How many to return.

    Returns
    -------
    cells : list of Cell
    """
    return [
        Cell(cell.number, round(cell.activation, 4), [word for word, _ in cell.words])
        for cell in fly.kenyon_cells(sentence, n_cells=n_cells, n_words=n_words)
    ]


def similarity_score(
    fly: FlyHashVectorizer, pairs: Sequence[tuple[str, str, float]]
) -> SimilarityScore:
    """Compare the similarity of the words' codes, ``(n11 + n00) / n``, with people's judgement.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    pairs : sequence of (str, str, float)
        Two words and how similar they are. Pairs with an unknown word are left out.

    Returns
    -------
    score : SimilarityScore
        At the present ``hash_length``.
    """
    scores = _similarity_scores(fly, pairs, [fly.hash_length])
    if not scores:
        raise ValueError("too few of the word pairs are known for a score")
    return scores[0]


def _similarity_scores(
    fly: FlyHashVectorizer,
    pairs: Sequence[tuple[str, str, float]],
    hash_lengths: Sequence[int],
) -> list[SimilarityScore]:
    from skfly.evaluation import word_similarity

    table = word_similarity(fly, {"word pairs": pairs}, hash_lengths)
    return [
        SimilarityScore(length, round(row.spearman, 1), row.n_pairs, row.n_pairs_in_all)
        for length, row in zip(hash_lengths, table.rows, strict=True)
        if row.spearman is not None
    ]


def run_demo(
    output: str | os.PathLike[str], *, n_jobs: int | None = None, verbose: int = 0
) -> DemoResult:
    """Learn from the articles, save the model, and collect what is worth showing.

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
    result : DemoResult
    """
    from skfly.vectorizer import FlyHashVectorizer

    began = time.perf_counter()
    texts = read_articles(verbose=verbose)
    read = time.perf_counter()
    fly = FlyHashVectorizer(**PARAMS, n_jobs=n_jobs, verbose=verbose).fit(texts)
    learned = time.perf_counter()
    fly.set_params(n_jobs=None, verbose=0).save(output)
    return DemoResult(
        n_articles=len(texts),
        n_characters=sum(map(len, texts)),
        n_words=fly.n_words_seen_,
        n_windows=fly.n_windows_seen_,
        n_different_words=len(fly.vocabulary_),
        n_kenyon_cells=fly.n_features_out_,
        hash_length=fly.hash_length,
        seconds_reading=round(read - began, 2),
        seconds_learning=round(learned - read, 2),
        model=os.fspath(output),
        model_bytes=Path(output).stat().st_size,
        code_bytes_per_word=-(-fly.n_features_out_ // 8),
        good_neighbours=nearest_words(fly, GOOD_QUERIES),
        bad_neighbours=nearest_words(fly, [BAD_QUERY])[0],
        contexts=nearest_in_context(fly, CONTEXTS),
        sentence=SENTENCE,
        cells=active_cells(fly, SENTENCE),
        similarity=_similarity_scores(fly, read_word_pairs(), HASH_LENGTHS),
    )
