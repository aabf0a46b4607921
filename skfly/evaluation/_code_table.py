"""The table that a comparison of codes by hash length gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from skfly.evaluation._rows import NOTHING, RowTable, axes_of, markdown, save_axes, score_text

__all__ = ["CodeRow", "CodeTable"]


@dataclass(frozen=True)
class CodeRow:
    """How well codes of one kind and length follow people's judgement, in one dataset.

    Attributes
    ----------
    vectors : str
        What the codes are made of, or the name of the fly.
    method : str
        How they are made; ``"fly"``, or ``"dense"`` for the vectors themselves.
    dataset : str
    hash_length : int or None
        ``None`` for dense vectors.
    spearman : float or None
        100 times Spearman's rank correlation, or the mean of it over several runs. ``None``:
        there are no such codes, or no score.
    n_pairs, n_pairs_in_all : int
        Pairs that all know, and pairs in the dataset.
    std : float or None
        Standard deviation over the runs, with ``n_runs - 1`` as divisor.
    n_runs : int
    """

    vectors: str
    method: str
    dataset: str
    hash_length: int | None
    spearman: float | None
    n_pairs: int
    n_pairs_in_all: int
    std: float | None = None
    n_runs: int = 1


@dataclass(frozen=True)
class CodeTable(RowTable[CodeRow]):
    """Scores by dataset, kind of codes, and hash length.

    ``str(table)`` is a table in Markdown, as in the paper's appendix C: a line for each kind of
    codes in each dataset, a column for each hash length, the best of the codes in bold.

    Attributes
    ----------
    rows : list of CodeRow

    Examples
    --------
    >>> from skfly.evaluation import CodeRow, CodeTable
    >>> print(CodeTable([CodeRow("mine", "fly", "RG", 4, 61.3, 60, 65),
    ...                  CodeRow("GloVe", "LSH", "RG", 4, 21.2, 60, 65, 3.2, 5)]))
    | dataset | vectors | method | 4 |
    |---|---|---|---|
    | RG (60 of 65) | mine | fly | **61.3** |
    |  | GloVe | LSH | 21.2 +- 3.2 |
    """

    row_type: ClassVar[type] = CodeRow

    @property
    def hash_lengths(self) -> list[int]:
        """The hash lengths, in ascending order."""
        return sorted({row.hash_length for row in self.rows if row.hash_length is not None})

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Vectors and methods, as pairs of names."""
        return list(dict.fromkeys((row.vectors, row.method) for row in self.rows))

    def score(
        self, vectors: str, method: str, dataset: str, hash_length: int | None = None
    ) -> float | None:
        """Return one score.

        Parameters
        ----------
        vectors, method, dataset : str
        hash_length : int or None
            ``None`` for dense vectors.

        Returns
        -------
        spearman : float or None
        """
        for row in self.rows:
            place = (row.vectors, row.method, row.dataset, row.hash_length)
            if place == (vectors, method, dataset, hash_length):
                return row.spearman
        raise KeyError(f"no score of {vectors}, {method} for {dataset!r} at {hash_length}")

    def best(self, dataset: str, hash_length: int) -> CodeRow | None:
        """Return the row of the best codes of a length, if any has a score.

        Parameters
        ----------
        dataset : str
        hash_length : int

        Returns
        -------
        row : CodeRow or None
        """
        rows = [
            row
            for row in self.rows
            if (row.dataset, row.hash_length) == (dataset, hash_length)
            and row.spearman is not None
        ]
        return max(rows, key=lambda row: row.spearman or 0.0, default=None)

    def __str__(self) -> str:
        has_dense = any(row.hash_length is None for row in self.rows)
        columns: list[int | None] = [*self.hash_lengths, *([None] if has_dense else [])]
        labels = ["dense" if column is None else str(column) for column in columns]
        lines = []
        for dataset in self.datasets:
            rows = [row for row in self.rows if row.dataset == dataset]
            label = f"{dataset} ({rows[0].n_pairs} of {rows[0].n_pairs_in_all})"
            for vectors, method in self.kinds:
                by_length = {
                    row.hash_length: row
                    for row in rows
                    if (row.vectors, row.method) == (vectors, method)
                }
                shown = [self._score_text(by_length.get(column)) for column in columns]
                lines.append([label, vectors, method, *shown])
                label = ""
        return markdown(["dataset", "vectors", "method", *labels], lines)

    def _score_text(self, row: CodeRow | None) -> str:
        if row is None:
            return NOTHING
        text = score_text(row.spearman, row.std)
        best = row.hash_length is not None and row is self.best(row.dataset, row.hash_length)
        return f"**{text}**" if best else text

    def plot(self, target: Any = None, dataset: str | None = None) -> Any:
        """Draw the scores of a dataset against the hash length, one line for each kind of codes.

        Needs matplotlib: ``pip install "skfly[plot]"``.

        Parameters
        ----------
        target : path-like or matplotlib Axes, optional
            A file to write (its ending says what: ``.png``, ``.svg``, ``.pdf``), or where to
            draw. Without it, a new figure is made.
        dataset : str or None, default=None
            ``None``: the first.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_of(target)
        name = self.datasets[0] if dataset is None else dataset
        for vectors, method in self.kinds:
            rows = [
                row
                for row in self.rows
                if (row.vectors, row.method, row.dataset) == (vectors, method, name)
                and row.spearman is not None
            ]
            if method == "dense":
                for row in rows:
                    ax.axhline(row.spearman, linestyle="--", color="0.6", label=vectors)
            elif rows:
                ax.plot(
                    [row.hash_length for row in rows],
                    [row.spearman for row in rows],
                    marker="o",
                    linewidth=2.5 if method == "fly" else 1.0,
                    label=vectors if method == "fly" else f"{vectors}, {method}",
                )
        ax.set_xscale("log", base=2)
        ax.set_xticks(self.hash_lengths, labels=[str(length) for length in self.hash_lengths])
        ax.minorticks_off()
        ax.set_xlabel("hash length")
        ax.set_ylabel("100 x Spearman correlation")
        ax.set_title(name)
        ax.legend(fontsize="small", ncols=2)
        ax.grid(alpha=0.3)
        save_axes(ax, target)
        return ax
