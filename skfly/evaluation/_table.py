"""The table that an evaluation of word similarity gives: print it, write it, draw it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any, ClassVar

from skfly.evaluation._rows import NOTHING, RowTable, axes_of, markdown, save_axes, score_text

__all__ = ["WordSimilarityRow", "WordSimilarityTable", "mean_over_seeds"]


@dataclass(frozen=True)
class WordSimilarityRow:
    """How well the similarity of words follows people's judgement, in one dataset.

    Attributes
    ----------
    dataset : str
    hash_length : int or None
        Of the codes; ``None`` for vectors.
    spearman : float or None
        100 times Spearman's rank correlation, or the mean of it over several runs. ``None`` if
        there is none: fewer than two pairs are known, or all are equally similar.
    n_pairs : int
        Pairs that were scored: those of which both words are known.
    n_pairs_in_all : int
        Pairs in the dataset.
    std : float or None
        Standard deviation of ``spearman`` over several runs, with ``n_runs - 1`` as divisor;
        ``None`` for a single one.
    n_runs : int
    """

    dataset: str
    hash_length: int | None
    spearman: float | None
    n_pairs: int
    n_pairs_in_all: int
    std: float | None = None
    n_runs: int = 1


@dataclass(frozen=True)
class WordSimilarityTable(RowTable[WordSimilarityRow]):
    """Scores by dataset and hash length.

    ``str(table)`` is a table in Markdown: a line for each hash length, a column for each dataset,
    and the pairs that were scored in the last line. Where there is no score it says ``-``.

    Attributes
    ----------
    rows : list of WordSimilarityRow
        By hash length, then by dataset.

    Examples
    --------
    >>> from skfly.evaluation import WordSimilarityRow, WordSimilarityTable
    >>> print(WordSimilarityTable([WordSimilarityRow("MEN", 4, 51.27, 2900, 3000),
    ...                            WordSimilarityRow("RG", 4, None, 0, 65)]))
    | hash length | MEN | RG |
    |---|---|---|
    | 4 | 51.3 | - |
    | pairs | 2900 of 3000 | 0 of 65 |
    """

    row_type: ClassVar[type] = WordSimilarityRow

    @property
    def hash_lengths(self) -> list[int | None]:
        """Hash lengths; ``None`` stands for vectors."""
        return list(dict.fromkeys(row.hash_length for row in self.rows))

    def score(self, dataset: str, hash_length: int | None = None) -> float | None:
        """Return one score.

        Parameters
        ----------
        dataset : str
        hash_length : int or None
            ``None`` for vectors.

        Returns
        -------
        spearman : float or None
        """
        for row in self.rows:
            if (row.dataset, row.hash_length) == (dataset, hash_length):
                return row.spearman
        raise KeyError(f"no score for {dataset!r} at hash length {hash_length}")

    def __str__(self) -> str:
        by_place = {(row.hash_length, row.dataset): row for row in self.rows}
        lines = []
        for length in self.hash_lengths:
            found = (by_place.get((length, name)) for name in self.datasets)
            label = "dense" if length is None else str(length)
            scores = (
                NOTHING if row is None else score_text(row.spearman, row.std) for row in found
            )
            lines.append([label, *scores])
        lines.append(["pairs", *(self._pairs_text(name) for name in self.datasets)])
        return markdown(["hash length", *self.datasets], lines)

    def _pairs_text(self, dataset: str) -> str:
        row = next(row for row in self.rows if row.dataset == dataset)
        return f"{row.n_pairs} of {row.n_pairs_in_all}"

    def plot(self, target: Any = None) -> Any:
        """Draw the scores against the hash length, one line a dataset.

        Vectors have no hash length: theirs is a dashed horizontal line. Standard deviations are
        drawn as bars. Needs matplotlib: ``pip install "skfly[plot]"``.

        Parameters
        ----------
        target : path-like or matplotlib Axes, optional
            A file to write (its ending says what: ``.png``, ``.svg``, ``.pdf``), or where to
            draw. Without it, a new figure is made.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_of(target)
        for number, name in enumerate(self.datasets):
            self._draw(ax, name, f"C{number}")
        lengths = sorted(length for length in self.hash_lengths if length is not None)
        if lengths:
            ax.set_xscale("log", base=2)
            ax.set_xticks(lengths, labels=[str(length) for length in lengths])
            ax.minorticks_off()
        ax.set_xlabel("hash length")
        ax.set_ylabel("100 x Spearman correlation")
        ax.legend()
        ax.grid(alpha=0.3)
        save_axes(ax, target)
        return ax

    def _draw(self, ax: Any, dataset: str, color: str) -> None:
        rows = [row for row in self.rows if row.dataset == dataset and row.spearman is not None]
        codes = sorted(
            (row for row in rows if row.hash_length is not None),
            key=lambda row: row.hash_length or 0,
        )
        ax.errorbar(
            [row.hash_length for row in codes],
            [row.spearman for row in codes],
            yerr=[row.std or 0.0 for row in codes] if any(row.std for row in codes) else None,
            marker="o",
            capsize=3,
            color=color,
            label=dataset,
        )
        for row in rows:
            if row.hash_length is None:
                ax.axhline(row.spearman, linestyle="--", color=color)


def mean_over_seeds(results: Iterable[WordSimilarityTable]) -> WordSimilarityTable:
    """Return the mean and the standard deviation of several results.

    Parameters
    ----------
    results : iterable of WordSimilarityTable
        Of models that differ in their seed only: same datasets, hash lengths and pairs.

    Returns
    -------
    table : WordSimilarityTable
        Where a result has no score, neither has the mean.

    Examples
    --------
    >>> from skfly.evaluation import WordSimilarityRow, WordSimilarityTable, mean_over_seeds
    >>> results = [WordSimilarityTable([WordSimilarityRow("RG", 4, score, 60, 65)])
    ...            for score in (50.0, 52.0)]
    >>> print(mean_over_seeds(results))
    | hash length | RG |
    |---|---|
    | 4 | 51.0 +- 1.4 |
    | pairs | 60 of 65 |
    """
    tables = list(results)
    if not tables:
        raise ValueError("there are no results to take the mean of")
    if any(row.n_runs > 1 for table in tables for row in table.rows):
        raise ValueError("expected results of single runs; one of these is a mean already")
    first = [_place(row) for row in tables[0].rows]
    if any([_place(row) for row in table.rows] != first for table in tables):
        raise ValueError(
            "the results are not of the same datasets, hash lengths and pairs; to score models "
            "on the pairs that all know, pass pairs_known_to=models to word_similarity"
        )
    return WordSimilarityTable(
        [_mean(rows) for rows in zip(*(t.rows for t in tables), strict=True)]
    )


def _place(row: WordSimilarityRow) -> tuple[str, int | None, int, int]:
    return row.dataset, row.hash_length, row.n_pairs, row.n_pairs_in_all


def _mean(rows: tuple[WordSimilarityRow, ...]) -> WordSimilarityRow:
    scores = [row.spearman for row in rows if row.spearman is not None]
    if len(scores) < len(rows):
        return replace(rows[0], spearman=None, n_runs=len(rows))
    std = stdev(scores) if len(scores) > 1 else None
    return replace(rows[0], spearman=fmean(scores), std=std, n_runs=len(rows))
