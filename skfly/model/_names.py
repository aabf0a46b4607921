"""Names of cells: the words that set each apart from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

_MORE_STOP_WORDS = frozenset(
    """ain aren couldn did didn does doesn doing don hadn hasn haven isn just ll re shouldn ve
    wasn weren won wouldn became called early include includes including known later like made
    make makes making new said say says than then use used uses using way well""".split()  # noqa: SIM905
)


def is_stop_word(word: str) -> bool:
    """Return whether a word says little: an English function word, a number or a symbol.

    Examples
    --------
    >>> [word for word in ["the", "river", "<NUM>", "1984", "of"] if not is_stop_word(word)]
    ['river']
    """
    lower = word.lower()
    return (
        lower in ENGLISH_STOP_WORDS
        or lower in _MORE_STOP_WORDS
        or (len(lower) < 3 and lower.isascii())
        or not any(letter.isalpha() for letter in lower)
        or lower == "<num>"
    )


def content_words(words: Sequence[str], order: NDArray[Any], n_words: int) -> list[int]:
    """Return the first words, in this order, that are not stop words.

    If all are, the first ones are returned.
    """
    found: list[int] = []
    for i in order.tolist():
        if not is_stop_word(words[i]):
            found.append(i)
            if len(found) == n_words:
                break
    return found or order[:n_words].tolist()


def distinctive_words(candidates: Iterable[Sequence[str]], n_words: int) -> list[tuple[str, ...]]:
    """Return, strongest first, those words of each cell that few other cells have.

    Examples
    --------
    >>> distinctive_words([["water", "river"], ["water", "lake"], ["water", "tap"]], 1)
    [('river',), ('lake',), ('tap',)]
    """
    listed = [list(words) for words in candidates]
    often = Counter(word for words in listed for word in words)
    names = []
    for words in listed:
        # the rank among the cell's words, made worse by every other cell that has the word
        ranked = sorted(range(len(words)), key=lambda i: ((i + 2) * often[words[i]], i))
        names.append(tuple(words[i] for i in sorted(ranked[:n_words])))
    return names
