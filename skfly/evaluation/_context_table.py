"""The table that an evaluation of words in context gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from skfly.evaluation._rows import RowTable, markdown, score_text

__all__ = ["WordInContextRow", "WordInContextTable"]


@dataclass(frozen=True)
class WordInContextRow:
    """How well the similarity of words in context follows people's judgement.

    Attributes
    ----------
    dataset : str
    measure : {"accuracy", "spearman"}
        Percent of right answers, or 100 times Spearman's rank correlation.
    score : float or None
        Mean over all folds but the first. ``None`` if there is none: too few pairs are known.
    std : float or None
        Standard deviation over these folds, with their number less 1 as divisor.
    first_fold : float or None
        Score of the first fold, on which the settings below were chosen: it is too good.
    n_pairs : int
        Pairs that were scored, in all folds.
    n_pairs_in_all : int
        Pairs in the dataset.
    n_folds : int
    window : int or None
        Words of a context, with the target; 0: the target alone, without context.
    use_target : bool or None
        Whether the target itself counts, or only the words around it.
    hash_length : int or None
        Of the codes.
    alpha : float or None
        Weight of the dot product; the rest is that of the common neighbours.
    n_neighbors : int or None
        Nearest words of each code, of which the common ones are counted.
    threshold : float or None
        Above it a pair is positive; in a ranking, what is not above it counts 0.
    """

    dataset: str
    measure: str
    score: float | None
    std: float | None
    first_fold: float | None
    n_pairs: int
    n_pairs_in_all: int
    n_folds: int
    window: int | None = None
    use_target: bool | None = None
    hash_length: int | None = None
    alpha: float | None = None
    n_neighbors: int | None = None
    threshold: float | None = None


@dataclass(frozen=True)
class WordInContextTable(RowTable[WordInContextRow]):
    """Scores by dataset, and the settings that the first fold chose.

    ``str(table)`` is a table in Markdown.

    Attributes
    ----------
    rows : list of WordInContextRow

    Examples
    --------
    >>> from skfly.evaluation import WordInContextRow, WordInContextTable
    >>> print(WordInContextTable([WordInContextRow(
    ...     "WiC", "accuracy", 57.71, 0.27, 58.2, 7466, 7466, 5, 21, True, 16, 0.5, 100, 0.41)]))
    | dataset | measure | score | first fold | pairs | chosen on the first fold |
    |---|---|---|---|---|---|
    | WiC | accuracy | 57.7 +- 0.3 | 58.2 | 7466 of 7466 | window 21, hash length 16, \
alpha 0.5, 100 neighbours, threshold 0.41 |
    """

    row_type: ClassVar[type] = WordInContextRow

    def score(self, dataset: str) -> float | None:
        """Return the score of a dataset.

        Parameters
        ----------
        dataset : str

        Returns
        -------
        score : float or None
        """
        for row in self.rows:
            if row.dataset == dataset:
                return row.score
        raise KeyError(f"no score for {dataset!r}")

    def __str__(self) -> str:
        header = ["dataset", "measure", "score", "first fold", "pairs", "chosen on the first fold"]
        return markdown(
            header,
            [
                [
                    row.dataset,
                    row.measure,
                    score_text(row.score, row.std),
                    score_text(row.first_fold),
                    f"{row.n_pairs} of {row.n_pairs_in_all}",
                    _settings_text(row),
                ]
                for row in self.rows
            ],
        )


def _settings_text(row: WordInContextRow) -> str:
    parts = [
        "" if row.window is None else "no context" if row.window == 0 else f"window {row.window}",
        "without the target" if row.use_target is False else "",
        "" if row.hash_length is None else f"hash length {row.hash_length}",
        "" if row.alpha is None else f"alpha {row.alpha:g}",
        "" if row.n_neighbors is None else f"{row.n_neighbors} neighbours",
        "" if row.threshold is None else f"threshold {row.threshold:.3g}",
    ]
    return ", ".join(part for part in parts if part) or "-"
