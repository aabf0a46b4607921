"""The training curve: scores against the time of learning, a point an epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from skfly.evaluation._datasets import load_datasets
from skfly.evaluation._rows import NOTHING, RowTable, axes_of, markdown, save_axes, score_text
from skfly.evaluation._word_similarity import word_similarity

__all__ = ["CurveRow", "CurveTable", "TrainingCurve"]


@dataclass(frozen=True)
class CurveRow:
    """How good codes are after an epoch.

    Attributes
    ----------
    epoch : int
        From 1.
    seconds : float
        Of learning so far; making codes of what was learned and scoring them is not counted.
    dataset : str
    hash_length : int
    spearman : float or None
        100 times Spearman's rank correlation.
    energy : float
        Mean energy of a window in this epoch.
    """

    epoch: int
    seconds: float
    dataset: str
    hash_length: int | None
    spearman: float | None
    energy: float


@dataclass(frozen=True)
class CurveTable(RowTable[CurveRow]):
    """Scores by epoch.

    ``str(table)`` is a table in Markdown: a line for each epoch, a column for each dataset and
    hash length.

    Attributes
    ----------
    rows : list of CurveRow

    Examples
    --------
    >>> from skfly.evaluation import CurveRow, CurveTable
    >>> print(CurveTable([CurveRow(1, 8.3, "MEN", 16, 55.0, -1.5),
    ...                   CurveRow(2, 16.5, "MEN", 16, 58.5, -1.8)]))
    | epoch | seconds | energy | MEN, k=16 |
    |---|---|---|---|
    | 1 | 8.3 | -1.5 | 55.0 |
    | 2 | 16.5 | -1.8 | 58.5 |
    """

    row_type: ClassVar[type] = CurveRow

    @property
    def kinds(self) -> list[tuple[str, int | None]]:
        """Datasets and hash lengths, as pairs."""
        return list(dict.fromkeys((row.dataset, row.hash_length) for row in self.rows))

    def __str__(self) -> str:
        by_epoch: dict[int, list[CurveRow]] = {}
        for row in self.rows:
            by_epoch.setdefault(row.epoch, []).append(row)
        lines = []
        for epoch, rows in by_epoch.items():
            scores = {(row.dataset, row.hash_length): score_text(row.spearman) for row in rows}
            lines.append(
                [
                    str(epoch),
                    f"{rows[0].seconds:.1f}",
                    f"{rows[0].energy:.4g}",
                    *(scores.get(kind, NOTHING) for kind in self.kinds),
                ]
            )
        labels = [f"{dataset}, k={length}" for dataset, length in self.kinds]
        return markdown(["epoch", "seconds", "energy", *labels], lines)

    def plot(self, target: Any = None) -> Any:
        """Draw the scores against the seconds of learning.

        Needs matplotlib: ``pip install "skfly[plot]"``.

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
        for dataset, length in self.kinds:
            rows = [
                row
                for row in self.rows
                if (row.dataset, row.hash_length) == (dataset, length) and row.spearman is not None
            ]
            ax.plot(
                [row.seconds for row in rows],
                [row.spearman for row in rows],
                marker="o",
                label=f"{dataset}, k={length}",
            )
        ax.set_xlim(left=0)
        ax.set_xlabel("seconds of learning; a point is an epoch")
        ax.set_ylabel("100 x Spearman correlation")
        ax.legend()
        ax.grid(alpha=0.3)
        save_axes(ax, target)
        return ax


class TrainingCurve:
    """A callback of :class:`~skfly.FlyHashVectorizer` that scores its codes after every epoch.

    Needs scikit-learn 1.9, which brought callbacks. To make codes after an epoch costs a pass over
    the text, which is not counted in the seconds.

    Parameters
    ----------
    datasets : path-like, list, dict or None, default=None
        As in :func:`word_similarity`.
    hash_lengths : sequence of int, default=(16,)

    Attributes
    ----------
    table : CurveTable
        Of the last call of ``fit``.

    Examples
    --------
    ::

        curve = TrainingCurve("wordsim/", hash_lengths=(4, 16, 51))
        fly.set_callbacks(curve).fit(corpus)
        print(curve.table)
        curve.table.plot("curve.png")
    """

    def __init__(self, datasets: Any = None, hash_lengths: Sequence[int] = (16,)) -> None:
        self._datasets = load_datasets(datasets)
        self._hash_lengths = hash_lengths
        self.table = CurveTable([])

    def setup(self, estimator: Any, context: Any) -> None:  # noqa: ARG002
        """Begin a new table."""
        self.table = CurveTable([])

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_end(
        self,
        estimator: Any,  # noqa: ARG002
        context: Any,
        *,
        metadata: Any = None,
        fitted_estimator: Any = None,
    ) -> None:
        """Score the codes at the end of an epoch."""
        if fitted_estimator is None:  # the end of all
            return
        scores = word_similarity(fitted_estimator, self._datasets, self._hash_lengths)
        self.table.rows.extend(
            CurveRow(
                context.task_id + 1,
                metadata["seconds"],
                row.dataset,
                row.hash_length,
                row.spearman,
                metadata["energy"],
            )
            for row in scores.rows
        )
