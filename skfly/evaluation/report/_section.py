"""A part of the report: tables, drawings, and how it compares with the paper."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from skfly.evaluation._rows import RowTable, drawing_is_possible

__all__ = ["Drawing", "Goal", "GoalTable", "Grid", "Section", "beside"]


@dataclass(frozen=True)
class Grid:
    """A table to show.

    Attributes
    ----------
    caption : str
    header : sequence of str
    lines : sequence of sequences of str
    """

    caption: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Drawing:
    """A drawing to show: an SVG file, and what it shows."""

    caption: str
    svg: bytes


@dataclass(frozen=True)
class Goal:
    """A figure of the model beside what it should reach.

    Attributes
    ----------
    experiment, what : str
    found : float or None
        ``None``: it was not measured.
    paper : float or None
        What the paper reports, or another model in the same run has.
    reached : bool or None
    """

    experiment: str
    what: str
    found: float | None
    paper: float | None
    reached: bool | None

    @classmethod
    def at_least(
        cls, experiment: str, what: str, found: float | None, paper: float | None
    ) -> Goal:
        """Return the goal not to be below the paper."""
        reached = None if found is None or paper is None else found >= paper
        return cls(experiment, what, found, paper, reached)

    @property
    def verdict(self) -> str:
        """Whether it is reached, in a word."""
        return {True: "reached", False: "missed", None: "not measured"}[self.reached]


@dataclass(frozen=True)
class GoalTable(RowTable[Goal]):
    """All goals."""

    row_type: ClassVar[type] = Goal


@dataclass
class Section:
    """A part of the report.

    Attributes
    ----------
    title, about : str
        Its name, and how it was measured.
    grids : list of Grid
    drawings : list of Drawing
    goals : list of Goal
    notes : list of str
        What is missing or failed, and warnings.
    tables : dict from names of CSV files, without the ending, to tables
    seconds : float
    """

    title: str
    about: str
    grids: list[Grid] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: dict[str, RowTable[Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def draw(self, caption: str, plot: Callable[[], Any]) -> None:
        """Keep what ``plot`` draws, if it can be drawn here."""
        if not drawing_is_possible():
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawn = io.BytesIO()
            plot().figure.savefig(drawn, format="svg", metadata={"Date": None})
        self.drawings.append(Drawing(caption, drawn.getvalue()))


def beside(text: str, found: float | None, paper: float | None) -> str:
    """Return a figure, with the paper's.

    Examples
    --------
    >>> beside("51.3", 51.3, 34.0), beside("30.0", 30.0, 34.0), beside("51.3", 51.3, None)
    ('51.3 (paper 34.0)', '30.0 (paper 34.0: missed)', '51.3')
    """
    if paper is None:
        return text
    missed = ": missed" if found is not None and found < paper else ""
    return f"{text} (paper {paper:.1f}{missed})"
