"""The nearest words of a word in its context: figure 4 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from skfly.evaluation._rows import RowTable, markdown

__all__ = ["FIGURE_4", "ContextNeighborsRow", "ContextNeighborsTable", "context_neighbors"]

FIGURE_4 = (
    ("apple", "Apple stock rallied after the company announced a new computer and software."),
    ("apple", "She baked an apple pie with sugar, butter and fresh fruit."),
    ("bank", "The bank raised the interest rate of its loans and its credit cards."),
    ("bank", "They walked along the bank of the river to the old bridge."),
)
"""Two words in two contexts each; the words are the paper's."""


@dataclass(frozen=True)
class ContextNeighborsRow:
    """A word in its context, and the words that are nearest to its code there.

    Attributes
    ----------
    word, context, nearest : str
        ``nearest`` has commas between the words.
    """

    word: str
    context: str
    nearest: str


@dataclass(frozen=True)
class ContextNeighborsTable(RowTable[ContextNeighborsRow]):
    """Words in contexts, and their neighbours there.

    ``str(table)`` is a table in Markdown.

    Attributes
    ----------
    rows : list of ContextNeighborsRow
    """

    row_type: ClassVar[type] = ContextNeighborsRow

    def __str__(self) -> str:
        lines = [[row.word, row.context, row.nearest] for row in self.rows]
        return markdown(["word", "context", "nearest words"], lines)


def context_neighbors(
    fly: Any, uses: Sequence[tuple[str, str]] = FIGURE_4, n_words: int = 10
) -> ContextNeighborsTable:
    """Return the words that are nearest to words in context.

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
    table : ContextNeighborsTable

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> from skfly.evaluation import context_neighbors
    >>> texts = ["the bank of the river is green", "the bank lends us money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=16, hash_length=2, random_state=0).fit(texts)
    >>> print(context_neighbors(fly, [("bank", "the bank lends")], n_words=2))
    | word | context | nearest words |
    |---|---|---|
    | bank | the bank lends | ..., ... |
    """
    codes = fly.hash_in_context([text for _, text in uses], [word for word, _ in uses])
    words = fly.wv
    return ContextNeighborsTable(
        [
            ContextNeighborsRow(
                word,
                text,
                ", ".join(near for near, _ in words.similar_by_vector(code, topn=n_words)),
            )
            for (word, text), code in zip(uses, codes.toarray(), strict=True)
        ]
    )
