"""The nearest words of a word in its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skfly.evaluation import Table
from skfly.evaluation._table import Column

__all__ = ["context_neighbors"]

USES = (
    ("apple", "Apple stock rallied after the company announced a new computer and software."),
    ("apple", "She baked an apple pie with sugar, butter and fresh fruit."),
    ("bank", "The bank raised the interest rate of its loans and its credit cards."),
    ("bank", "They walked along the bank of the river to the old bridge."),
)
"""Two words in two contexts each; the words are those of the paper's figure 4."""
_COLUMNS = (
    Column("word", "key", "word"),
    Column("context", "key", "context"),
    Column("nearest", "info", "nearest words"),
)


def context_neighbors(
    fly: Any, uses: Sequence[tuple[str, str]] = USES, n_words: int = 10
) -> Table:
    """Find the words that are nearest to words in context.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    uses : sequence of (str, str)
        A word, and a text with it. By default "apple" and "bank" in two contexts each, as in the
        paper's figure 4.
    n_words : int, default=10

    Returns
    -------
    table : Table
        A row for each use: ``word``, ``context``, and ``nearest``, with commas between the words.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> from context_neighbors import context_neighbors
    >>> texts = ["the bank of the river is green", "the bank lends us money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=16, hash_length=2, random_state=0).fit(texts)
    >>> print(context_neighbors(fly, [("bank", "the bank lends")], n_words=2))
    | word | context | nearest words |
    |---|---|---|
    | bank | the bank lends | ..., ... |
    """
    codes = fly.hash_in_context([text for _, text in uses], [word for word, _ in uses])
    rows = []
    for (word, text), code in zip(uses, codes.toarray(), strict=True):
        nearest = ", ".join(near for near, _ in fly.wv.similar_by_vector(code, topn=n_words))
        rows.append({"word": word, "context": text, "nearest": nearest})
    return Table(rows, _COLUMNS)
