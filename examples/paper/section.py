"""A part of the report."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from skfly.evaluation._drawing import can_draw
from skfly.evaluation._table import Column, Table

__all__ = ["Section", "goal", "goal_table"]

_GOALS = (
    Column("experiment", "key", "experiment"),
    Column("what", "key", "what"),
    Column("found", "value", "here", ".3g"),
    Column("reference", "value", "reference, or peer in this run", ".3g"),
    Column("reached"),
    Column("verdict", "info", ""),
)


@dataclass
class Section:
    """A part of the report.

    Attributes
    ----------
    title, about : str
        Its name, and how it was measured.
    tables : dict from names of CSV files, without the ending, to Table
    drawings : list of (str, bytes)
        Captions and SVG files.
    goals : list of dict
        Rows of :func:`goal_table`.
    notes : list of str
        What was not run or failed, and warnings.
    seconds : float
    """

    title: str
    about: str
    tables: dict[str, Table] = field(default_factory=dict)
    drawings: list[tuple[str, bytes]] = field(default_factory=list)
    goals: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, name: str, table: Table, title: str) -> Table:
        """Keep a table under the name of its CSV file."""
        table.title = title
        self.tables[name] = table
        return table

    def draw(self, caption: str, plot: Callable[..., Any], **only: Any) -> None:
        """Keep what ``plot`` draws, if matplotlib is installed."""
        if not can_draw():
            return
        drawn = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plot(**only).figure.savefig(drawn, format="svg", metadata={"Date": None})
        self.drawings.append((caption, drawn.getvalue()))


def goal(
    experiment: str,
    what: str,
    found: float | None,
    reference: float | None,
    reached: bool | None = None,
) -> dict[str, Any]:
    """Return a figure beside what it should reach.

    ``reached=None``: it is reached if ``found`` is not below ``reference``.
    """
    if reached is None and found is not None and reference is not None:
        reached = found >= reference
    verdict = {True: "reached", False: "missed", None: "not measured"}[reached]
    values = (experiment, what, found, reference, reached, verdict)
    return {column.name: value for column, value in zip(_GOALS, values, strict=True)}


def goal_table(sections: list[Section]) -> Table:
    """Return the goals of all sections."""
    return Table([row for section in sections for row in section.goals], _GOALS)
