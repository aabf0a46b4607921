"""The table that document classification gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from skfly.evaluation._rows import NOTHING, RowTable, markdown, score_text

__all__ = ["ClassificationRow", "ClassificationTable"]


@dataclass(frozen=True)
class ClassificationRow:
    """How many documents of a dataset one method puts in the right class.

    Attributes
    ----------
    dataset : str
    method : str
    accuracy : float
        Percent of the documents to test, or the mean of it over several runs.
    n_train, n_test, n_classes : int
        Documents to learn from, documents to test, and classes.
    seconds : float
        To learn and to test, in one run, on average.
    std : float or None
        Standard deviation of ``accuracy`` over the runs, with ``n_runs - 1`` as divisor.
    n_runs : int
    """

    dataset: str
    method: str
    accuracy: float
    n_train: int
    n_test: int
    n_classes: int
    seconds: float
    std: float | None = None
    n_runs: int = 1


@dataclass(frozen=True)
class ClassificationTable(RowTable[ClassificationRow]):
    """Accuracy by dataset and method.

    ``str(table)`` is a table in Markdown: a line for each method, a column for each dataset.

    Attributes
    ----------
    rows : list of ClassificationRow

    Examples
    --------
    >>> from skfly.evaluation import ClassificationRow, ClassificationTable
    >>> print(ClassificationTable([
    ...     ClassificationRow("TREC-6", "fly, SVC", 88.4, 5452, 500, 6, 1.5),
    ...     ClassificationRow("SST-2", "tf-idf, SVC", 80.02, 6920, 1821, 2, 0.3)]))
    | method | TREC-6 | SST-2 |
    |---|---|---|
    | fly, SVC | 88.4 | - |
    | tf-idf, SVC | - | 80.0 |
    | documents | 500 of 6 classes | 1821 of 2 classes |
    """

    row_type: ClassVar[type] = ClassificationRow

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(dict.fromkeys(row.method for row in self.rows))

    def accuracy(self, dataset: str, method: str) -> float:
        """Return one accuracy.

        Parameters
        ----------
        dataset, method : str

        Returns
        -------
        accuracy : float
            In percent.
        """
        for row in self.rows:
            if (row.dataset, row.method) == (dataset, method):
                return row.accuracy
        raise KeyError(f"no accuracy of {method!r} for {dataset!r}")

    def __str__(self) -> str:
        by_place = {(row.method, row.dataset): row for row in self.rows}
        lines = []
        for method in self.methods:
            found = (by_place.get((method, name)) for name in self.datasets)
            shown = (
                NOTHING if row is None else score_text(row.accuracy, row.std) for row in found
            )
            lines.append([method, *shown])
        lines.append(["documents", *(self._size_text(name) for name in self.datasets)])
        return markdown(["method", *self.datasets], lines)

    def _size_text(self, dataset: str) -> str:
        row = next(row for row in self.rows if row.dataset == dataset)
        return f"{row.n_test} of {row.n_classes} classes"
