"""The training curve: scores by the time of training, a point an epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skfly.evaluation import Table, load_word_pairs, word_similarity
from skfly.evaluation._table import Chart, Column, Grid

__all__ = ["TrainingCurve"]

_COLUMNS = (
    Column("epoch", "key", "epoch"),
    Column("dataset", "key", "dataset"),
    Column("hash_length", "key", "hash length"),
    Column("spearman", "value", "score", deviation="std"),
    Column("seconds", "value", "seconds"),
    Column("energy", "value", "energy", ".4g"),
)
_SERIES = ("dataset", "hash_length")
_GRID = Grid(("epoch", "seconds", "energy"), _SERIES, "spearman", heading="{}, k={}")
_AXES = ("seconds of training; a point is an epoch", "100 x Spearman correlation")
_CHART = Chart("seconds", "spearman", _SERIES, _AXES)


class TrainingCurve:
    """Score the codes of a :class:`~skfly.FlyHashVectorizer` after every epoch of its training.

    A callback, which needs scikit-learn 1.9. Making codes after an epoch takes a pass over the
    text; the seconds in the table leave it out.

    Parameters
    ----------
    datasets : path-like, list, dict or None, default=None
        As in :func:`word_similarity`.
    hash_lengths : sequence of int, default=(16,)

    Attributes
    ----------
    table : Table
        Of the last call of ``fit``, a row for each epoch, dataset and hash length: ``epoch``
        (from 1), ``dataset``, ``hash_length``, ``spearman``, ``seconds`` (of training so far) and
        ``energy`` (mean energy of a window in this epoch).

    Examples
    --------
    ::

        curve = TrainingCurve("wordsim/", hash_lengths=(4, 16, 51))
        fly.set_callbacks(curve).fit(corpus)
        print(curve.table)
        curve.table.plot("curve.png")
    """

    def __init__(self, datasets: Any = None, hash_lengths: Sequence[int] = (16,)) -> None:
        self._datasets = load_word_pairs(datasets)
        self._hash_lengths = hash_lengths
        self._rows: list[dict[str, Any]] = []

    @property
    def table(self) -> Table:
        return Table(self._rows, _COLUMNS, grid=_GRID, chart=_CHART)

    def setup(self, estimator: Any, context: Any) -> None:  # noqa: ARG002
        """Start a new table."""
        self._rows = []

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
        if fitted_estimator is None:  # the end of the whole fit
            return
        scores = word_similarity(fitted_estimator, self._datasets, self._hash_lengths)
        epoch = {
            "epoch": context.task_id + 1,
            "seconds": metadata["seconds"],
            "energy": metadata["energy"],
        }
        self._rows += (vars(row) | epoch for row in scores.rows)
