"""Join words that often occur side by side: ``new york`` becomes ``new_york``.

This is gensim's ``Phrases``, applied twice so that pairs of pairs are joined too. A pass joins
every pair of words that scores above a threshold, from left to right:

    score(a, b) = (count(a b) - min_count) * n / (count(a) * count(b))

where ``n`` is the number of distinct words and pairs. As in gensim, a pair is counted under the
name ``a_b``, together with a word of that name and any other pair that joins to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import Numbering, WordBlock
from skfly.text._corpus import EncodedCorpus
from skfly.text._encode import Spool
from skfly.text._vocabulary import Vocabulary

DELIMITER = "_"
MIN_COUNT, THRESHOLD = 5, 10.0  # gensim's defaults
N_PASSES = 2
_WORDS_AT_A_TIME = 1 << 22
_MOST_PAIRS = 40_000_000  # gensim's max_vocab_size: past it, the rarest so far are dropped


def learn_phrases(
    corpus: EncodedCorpus, min_count: int = MIN_COUNT, threshold: float = THRESHOLD
) -> EncodedCorpus:
    r"""Find phrases, and return the corpus with them joined.

    The phrases are in the result's ``text_params["phrases"]``.

    Parameters
    ----------
    corpus : EncodedCorpus
        It should contain all words of the text.
    min_count : int
        Pairs that occur less often are not joined.
    threshold : float
        Pairs with a higher score are joined.

    Returns
    -------
    corpus : EncodedCorpus

    Examples
    --------
    >>> texts = ["in new york", "new york is big", "the new york times", "in the new times"]
    >>> corpus = EncodedCorpus.from_documents(texts)
    >>> joined = learn_phrases(corpus, min_count=1, threshold=2.0)
    >>> list(joined)[0], joined.text_params["phrases"]
    (['in', 'new_york'], ['new\tyork', ''])
    """
    passes: list[list[tuple[str, str]]] = []
    joined = corpus
    for _ in range(N_PASSES):
        passes.append(find_pairs(joined, min_count, threshold))
        before, joined = joined, join_corpus(joined, PhraseJoiner([passes[-1]]))
        if before is not corpus:
            before.close()
    joined.text_params |= {"phrases": phrases_to_list(passes)}
    return joined


def phrases_to_list(passes: Sequence[Sequence[tuple[str, str]]]) -> list[str]:
    """Return pairs as strings, with an empty string between passes."""
    listed: list[str] = []
    for number, pairs in enumerate(passes):
        listed += [""] * (number > 0) + [f"{left}\t{right}" for left, right in pairs]
    return listed


class PhraseJoiner:
    r"""Join phrases in sentences, blocks or corpora.

    Parameters
    ----------
    passes : list of list of pairs of str
        The pairs to join in each pass.

    Examples
    --------
    >>> joiner = PhraseJoiner.from_list(["new\tyork", "", "new_york\ttimes"])
    >>> joiner.join(["the", "new", "york", "times", "of", "york", "new", "york"])
    ['the', 'new_york_times', 'of', 'york', 'new_york']
    """

    def __init__(self, passes: Sequence[Sequence[tuple[str, str]]]) -> None:
        self._passes = [set(pairs) for pairs in passes]
        names = [DELIMITER.join(pair) for pairs in passes for pair in pairs]
        self._joined = list(dict.fromkeys(names))
        self._id_of = {name: i for i, name in enumerate(self._joined)}
        self._tables = [_PairTable(pairs, self._id_of) for pairs in passes]
        self._known: WeakKeyDictionary[Numbering, _Known] = WeakKeyDictionary()

    @classmethod
    def from_list(cls, phrases: Any) -> PhraseJoiner:
        """Create a joiner from phrases in the format that models store."""
        if not isinstance(phrases, list) or not all(isinstance(item, str) for item in phrases):
            raise ValueError("phrases must be a list of str")
        passes: list[list[tuple[str, str]]] = [[]]
        for item in phrases:
            left, tab, right = item.partition("\t")
            if item and not tab:
                raise ValueError(f"{item!r:.60} is not a pair of words separated by a tab")
            if item:
                passes[-1].append((left, right))
            else:
                passes.append([])
        return cls(passes)

    @property
    def words(self) -> list[str]:
        """The joined words."""
        return list(self._joined)

    def join(self, words: list[str]) -> list[str]:
        """Return a sentence with its phrases joined."""
        for pairs in self._passes:
            joined: list[str] = []
            is_new = False  # whether the last word was joined in this pass: not again
            for word in words:
                if joined and not is_new and (joined[-1], word) in pairs:
                    joined[-1] += DELIMITER + word
                    is_new = True
                else:
                    joined.append(word)
                    is_new = False
            words = joined
        return words

    def join_block(self, block: WordBlock) -> WordBlock:
        """Return a block with its phrases joined."""
        known = self._known.get(block.numbering)
        if known is None:
            known = self._known[block.numbering] = _Known(self._joined, self._tables)
        known.add(block.numbering.words, self._id_of)
        ids, kept = self._join_ids(known, known.ids(block.ids), block.sentences)
        before = np.concatenate([[0], np.cumsum(kept)])
        ends = before[block.sentences], before[block.documents]
        return WordBlock(known.numbering, ids[kept], *ends)

    def _join_ids(
        self, known: _Known, ids: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return ids with the first word of each pair replaced, and which ids to keep."""
        is_end = np.zeros(len(ids) + 1, np.bool_)
        is_end[sentences] = True
        kept = np.ones(len(ids), np.bool_)
        for table, parts in zip(self._tables, known.parts, strict=True):
            (places,) = np.nonzero(kept)
            if len(places) < 2 or not len(table.keys):
                continue
            words = ids[places]
            part = np.where(words >= 0, parts[words], -1)  # -1 is an unknown word
            together = ~np.logical_or.reduceat(is_end[1:], places)[:-1]
            hits, pair = table.find(part[:-1], part[1:], together)
            first = _every_other(hits)
            ids = ids.copy()
            ids[places[:-1][first]] = table.joined[pair[first]]
            kept[places[1:][first]] = False
        return ids, kept


class _PairTable:
    """Pairs of words as sorted integers; words have ids private to this table."""

    def __init__(self, pairs: Sequence[tuple[str, str]], id_of: dict[str, int]) -> None:
        words = dict.fromkeys(word for pair in pairs for word in pair)
        self.part_of = {word: i for i, word in enumerate(words)}
        self._n = max(len(words), 1)
        keys = [self.part_of[left] * self._n + self.part_of[right] for left, right in pairs]
        joined = [id_of[DELIMITER.join(pair)] for pair in pairs]
        self.keys, order = np.unique(np.array(keys, np.int64), return_index=True)
        self.joined = np.array(joined, np.int32)[order]

    def find(
        self, left: NDArray[Any], right: NDArray[Any], together: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which neighbours form a pair, and which pair."""
        keys = left.astype(np.int64) * self._n + right
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        hits = together & (left >= 0) & (right >= 0) & (self.keys[at] == keys)
        return hits, at


class _Known:
    """Map the words of a numbering to ids with phrases joined. Joined words come first."""

    def __init__(self, joined: list[str], tables: list[_PairTable]) -> None:
        self.numbering = Numbering(list(joined))
        self._tables = tables
        self._ids = np.zeros(0, np.int32)
        self.parts = [np.zeros(0, np.int32)] * len(tables)
        self._extend_parts(joined)

    def add(self, words: Sequence[str], id_of: dict[str, int]) -> None:
        """Add the words that are new in a numbering."""
        new = list(words[len(self._ids) :])
        if not new:
            return
        first = len(self.numbering.words)
        found = np.array([id_of.get(word, -1) for word in new], np.int32)
        given = first + np.cumsum(found < 0) - 1
        self._ids = np.concatenate([self._ids, np.where(found < 0, given, found).astype(np.int32)])
        added = [word for word in new if word not in id_of]
        self.numbering.words.extend(added)
        self._extend_parts(added)

    def _extend_parts(self, words: Sequence[str]) -> None:
        self.parts = [
            np.append(part, np.array([table.part_of.get(word, -1) for word in words], np.int32))
            for part, table in zip(self.parts, self._tables, strict=True)
        ]

    def ids(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Map ids to those with phrases joined; -1 stays -1."""
        return np.append(self._ids, np.int32(-1))[ids]


def _every_other(hits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return which of overlapping pairs to join: every other one.

    Examples
    --------
    >>> _every_other(np.array([True, True, True, False, True]))
    array([0, 2, 4])
    """
    (places,) = np.nonzero(hits)
    begins = np.diff(places, prepend=-2) > 1
    start = places[np.maximum.accumulate(np.where(begins, np.arange(len(places)), 0))]
    return np.asarray(places[(places - start) % 2 == 0])


def joined_as(
    corpus: EncodedCorpus, analyzer: TextAnalyzer
) -> AbstractContextManager[EncodedCorpus]:
    """Return a corpus with the analyzer's phrases joined, unless they already are."""
    joiner = analyzer.phrases
    if joiner is None or corpus.text_params.get("phrases") == analyzer.params["phrases"]:
        return nullcontext(corpus)  # it belongs to the caller: keep it open
    return join_corpus(corpus, joiner)


def join_corpus(
    corpus: EncodedCorpus, joiner: PhraseJoiner, max_memory: int = 1 << 28
) -> EncodedCorpus:
    """Return a corpus with phrases joined; past ``max_memory`` bytes it is in temporary files."""
    spool = Spool(max_memory)
    numbering = Numbering(list(corpus.vocabulary.words))
    counts = np.zeros(0, np.int64)
    n_words = 0
    words: Sequence[str] = joiner.words + list(numbering.words)
    try:
        for block in _blocks_of(corpus, numbering):
            joined = joiner.join_block(block)
            words = joined.numbering.words
            ids = joined.ids
            counted = np.bincount(ids[ids >= 0], minlength=len(words))
            counts = counted if not len(counts) else counts + counted
            spool.append(ids, n_words + joined.sentences, n_words + joined.documents)
            n_words += len(ids)
        if not len(counts):
            words = corpus.vocabulary.words
        vocabulary = Vocabulary(words, counts if len(counts) else None)
        return spool.corpus(vocabulary, None, corpus.text_params)
    except BaseException:
        spool.discard()
        raise


def _blocks_of(corpus: EncodedCorpus, numbering: Numbering) -> Iterator[WordBlock]:
    """Yield a corpus in blocks of whole documents."""
    documents = np.asarray(corpus.documents)
    sentences = corpus.sentences
    first = 0
    while first < corpus.n_documents:
        filled = int(np.searchsorted(documents, documents[first] + _WORDS_AT_A_TIME))
        last = min(max(filled, first + 1), corpus.n_documents)
        start, stop = int(documents[first]), int(documents[last])
        a, b = np.searchsorted(sentences, [start, stop]).tolist()
        yield WordBlock(
            numbering,
            np.array(corpus.ids[start:stop]),
            np.asarray(sentences[a + 1 : b + 1]) - start,
            documents[first + 1 : last + 1] - start,
        )
        first = last


def find_pairs(
    corpus: EncodedCorpus, min_count: int = MIN_COUNT, threshold: float = THRESHOLD
) -> list[tuple[str, str]]:
    """Return the pairs of words that score above a threshold.

    Examples
    --------
    >>> texts = ["new york is big", "new york", "the new york times", "it is new", "york"]
    >>> find_pairs(EncodedCorpus.from_documents(texts), min_count=1, threshold=1.0)
    [('new', 'york')]
    """
    vocabulary = corpus.vocabulary
    keys, counts = count_neighbors(corpus, np.arange(len(vocabulary)), len(vocabulary))
    return pairs_above(vocabulary, keys, counts, min_count, threshold)


def pairs_above(
    vocabulary: Vocabulary,
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    min_count: int = MIN_COUNT,
    threshold: float = THRESHOLD,
) -> list[tuple[str, str]]:
    """Return which of the pairs that :func:`count_neighbors` found score above a threshold."""
    words = list(vocabulary.words)
    left, right = np.divmod(keys, max(len(words), 1))
    of_words = vocabulary.counts.copy()
    of_pairs = counts.copy()
    n_same = _add_same_names(words, keys, of_words, of_pairs)
    n_names = np.count_nonzero(vocabulary.counts) + len(keys) - n_same
    # same order of operations as gensim
    scores = (of_pairs - min_count) / (of_words[left] * of_words[right]) * n_names
    found = np.flatnonzero(scores > threshold)
    return [(words[a], words[b]) for a, b in zip(left[found], right[found], strict=True)]


def count_neighbors(
    corpus: EncodedCorpus, columns: NDArray[np.int64], n_words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the pairs of words that occur side by side in a sentence.

    ``columns`` numbers the words of the corpus among ``n_words``; a pair is the number
    ``left * n_words + right``. Pairs are sorted.
    """
    keys, counts = np.zeros((2, 0), np.int64)
    forget = 1
    for block in _blocks_of(corpus, Numbering([])):
        ids = np.append(columns, -1)[block.ids]  # the last for -1, a word that is not known
        together = (ids[:-1] >= 0) & (ids[1:] >= 0)
        together[block.sentences[block.sentences < len(ids)] - 1] = False
        new, n_new = np.unique((ids[:-1] * n_words + ids[1:])[together], return_counts=True)
        keys, place = np.unique(np.concatenate([keys, new]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, n_new])).astype(np.int64)
        while len(keys) > _MOST_PAIRS:
            kept = counts > forget
            keys, counts, forget = keys[kept], counts[kept], forget + 1
    return keys, counts


def _add_same_names(
    words: Sequence[str],
    keys: NDArray[np.int64],
    of_words: NDArray[np.int64],
    of_pairs: NDArray[np.int64],
) -> int:
    """Give words and pairs of the same name the sum of their counts.

    Only words that contain the delimiter, such as joined ones, can share a name with a pair.
    Return how many fewer names than words and pairs there are.
    """
    has = np.array([DELIMITER in word for word in words] or [False])
    if not has.any() or not len(keys):
        return 0
    ids = {word: i for i, word in enumerate(words)}
    left, right = np.divmod(keys, len(words))
    same: dict[str, set[int]] = {}
    for i in np.flatnonzero(has[left] | has[right]).tolist():
        same.setdefault(words[left[i]] + DELIMITER + words[right[i]], set()).add(i)
    for i in np.flatnonzero(has & (of_words > 0)).tolist():
        parts = words[i].split(DELIMITER)
        for cut in range(1, len(parts)):
            halves = DELIMITER.join(parts[:cut]), DELIMITER.join(parts[cut:])
            if halves[0] in ids and halves[1] in ids:
                key = ids[halves[0]] * len(words) + ids[halves[1]]
                at = int(np.searchsorted(keys, key))
                if at < len(keys) and keys[at] == key:
                    same.setdefault(words[i], set()).add(at)
    n_same = 0
    for name, found in same.items():
        pairs, word = sorted(found), ids.get(name)
        own = 0 if word is None else int(of_words[word])
        total = own + int(of_pairs[pairs].sum())
        n_same += len(pairs) - (own == 0)
        of_pairs[pairs] = total
        if own:
            of_words[word] = total
    return n_same
