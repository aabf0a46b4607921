"""Lay out the rows of a table as cells, and cells as Markdown, text or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean, stdev
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple


class Score(float):
    """A number with its standard deviation, as one value.

    Parameters
    ----------
    value : float
    std : float or None, default=None
        ``None``: it was measured once.

    Examples
    --------
    >>> from skfly.evaluation._table import Score
    >>> score = Score.mean([50.0, 52.0])
    >>> score, score.std, f"{score:.1f}"
    (51.0, 1.4142135623730951, '51.0 +- 1.4')
    """

    __slots__ = ("std",)
    std: float | None

    def __new__(cls, value: float, std: float | None = None) -> Score:
        score = super().__new__(cls, value)
        score.std = None if std is None else float(std)
        return score

    @classmethod
    def mean(cls, values: Sequence[float]) -> Score:
        """Return the mean of some values, with their sample standard deviation."""
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        return text if self.std is None else f"{text} +- {self.std:{spec}}"

    def __getnewargs__(self) -> tuple[float, float | None]:  # type: ignore[override]
        return float(self), self.std


class Row(SimpleNamespace):
    """The values of one row, as attributes; ``vars(row)`` is a dict of them."""


@dataclass(frozen=True)
class Column:
    """Description of a column.

    Attributes
    ----------
    name : str
        The attribute of a row.
    role : {"key", "value", "size", "info"}
        A key names what was measured, in the order in which :meth:`Table.score` takes them. A
        value is a result; :func:`mean_over_seeds` averages it. A size says of how much, and must
        be the same in tables that are averaged. The rest is for information.
    label : str or None
        Its heading. ``None``: it is written to files, but not shown.
    format : str
        Format of numbers that are not whole.
    text : str
        How values are shown if they need others of the row: ``"{n_pairs} of {n_pairs_in_all}"``.
    deviation : str or None
        The attribute of a row for the standard deviation of a value.
    default : Any
        Of a key that is not given.
    missing : str
        What is shown for None.
    """

    name: str
    role: Literal["key", "value", "size", "info"] = "info"
    label: str | None = None
    format: str = ".1f"
    text: str = ""
    deviation: str | None = None
    default: Any = None
    missing: str = "-"

    def show(self, row: Row) -> str:
        """Return the value of a row as text."""
        value = getattr(row, self.name)
        if value is None:
            return self.missing
        if self.text:
            return self.text.format(**vars(row))
        return format(value, self.format) if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Grid:
    """Layout of long rows: a line for each label, a column for each heading.

    Attributes
    ----------
    lines : tuple of str
        Columns that label the lines.
    across : tuple of str
        Columns that make the headings.
    value : str
        The column that fills the grid.
    heading : str
        Template of a heading.
    size : str or None
        A column that is shown once: below each heading, or at the end of each line.
    size_at : {"bottom", "right"}
    best_of : tuple of str
        The largest value among the rows that agree in these is shown in bold.
    """

    lines: tuple[str, ...]
    across: tuple[str, ...]
    value: str
    heading: str = "{}"
    size: str | None = None
    size_at: Literal["bottom", "right"] = "bottom"
    best_of: tuple[str, ...] = ()


class Cell(NamedTuple):
    """Content of one cell."""

    text: str
    is_number: bool = False
    is_best: bool = False


def lay_out(columns: Sequence[Column], rows: Sequence[Row], grid: Grid | None) -> list[list[Cell]]:
    """Return the cells line by line, the headings first.

    Without a grid, there is a line for each row and a column for each column that has a label.
    """
    if grid is not None:
        return _Pivot({column.name: column for column in columns}, rows, grid).lines()
    shown = [column for column in columns if column.label is not None]
    headings = [Cell(column.label or "") for column in shown]
    return [headings, *([_cell(column, row) for column in shown] for row in rows)]


def _cell(column: Column, row: Row | None) -> Cell:
    if row is None:
        return Cell("-", is_number=True)
    return Cell(column.show(row), isinstance(getattr(row, column.name), int | float))


class _Pivot:
    """Long rows, by the line and the column in which they are shown."""

    def __init__(self, columns: dict[str, Column], rows: Sequence[Row], grid: Grid) -> None:
        self._columns = columns
        self._rows = rows
        self._grid = grid
        self._by_line: dict[tuple[str, ...], dict[tuple[Any, ...], Row]] = {}
        for row in rows:
            label = tuple(self._show(name, row) for name in grid.lines)
            place = tuple(getattr(row, name) for name in grid.across)
            self._by_line.setdefault(label, {})[place] = row
        by_place = {p: row for line in self._by_line.values() for p, row in line.items()}
        self._by_place = {place: by_place[place] for place in _in_order(by_place)}

    def _show(self, name: str, row: Row) -> str:
        return self._columns[name].show(row)

    def _label(self, name: str) -> str:
        return self._columns[name].label or name

    def lines(self) -> list[list[Cell]]:
        """Return the cells line by line."""
        grid, value, best = self._grid, self._columns[self._grid.value], self._best()
        headings = (
            grid.heading.format(*(self._show(name, row) for name in grid.across))
            for row in self._by_place.values()
        )
        lines = [[Cell(text) for text in (*map(self._label, grid.lines), *headings)]]
        for label, line in self._by_line.items():
            found = [line.get(place) for place in self._by_place]
            cells = (_cell(value, row)._replace(is_best=id(row) in best) for row in found)
            lines.append([*map(Cell, label), *cells])
        if grid.size is not None:
            self._add_sizes(lines, self._columns[grid.size])
        return lines

    def _add_sizes(self, lines: list[list[Cell]], size: Column) -> None:
        label = Cell(self._label(size.name))
        if self._grid.size_at == "right":
            rows = (next(iter(line.values())) for line in self._by_line.values())
            for line, cell in zip(
                lines, [label, *(_cell(size, row) for row in rows)], strict=True
            ):
                line.append(cell)
        else:
            blank = [Cell("")] * (len(self._grid.lines) - 1)
            lines.append([label, *blank, *(_cell(size, row) for row in self._by_place.values())])

    def _best(self) -> set[int]:
        """Return the ids of the rows with the largest value among those they compete with."""
        best: dict[tuple[Any, ...], tuple[Any, int]] = {}
        for row in self._rows if self._grid.best_of else ():
            group = tuple(getattr(row, name) for name in self._grid.best_of)
            value = getattr(row, self._grid.value)
            if None not in group and value is not None and value > best.get(group, (-1e9, 0))[0]:
                best[group] = value, id(row)
        return {row for _, row in best.values()}


def _in_order(places: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return places as they come, but numbers from small to large, then None."""
    found = list(places)
    if all(len(place) == 1 and isinstance(place[0], int | None) for place in found):
        found.sort(key=lambda place: (place[0] is None, place[0] or 0))
    return found


def markdown(lines: Sequence[Sequence[Cell]]) -> str:
    """Return cells as a table in Markdown."""
    shown = []
    for line in lines:
        texts = [cell.text.replace("|", r"\|").replace("\n", " ") for cell in line]
        marks = ["**" if cell.is_best else "" for cell in line]
        shown.append(f"| {' | '.join(m + t + m for m, t in zip(marks, texts, strict=True))} |")
    shown.insert(1, "|---" * len(lines[0]) + "|")
    return "\n".join(shown)


def plain_text(lines: Sequence[Sequence[Cell]]) -> str:
    """Return cells in columns, with numbers to the right."""
    widths = [max(len(cell.text) for cell in column) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(
            cell.text.rjust(width) if cell.is_number else cell.text.ljust(width)
            for cell, width in zip(line, widths, strict=True)
        )
        for line in lines
    )
    return "\n".join(map(str.rstrip, padded))


def html(lines: Sequence[Sequence[Cell]], title: str) -> str:
    """Return cells as a table in HTML."""
    shown = [f"<caption>{escape(title)}</caption>"] if title else []
    for number, line in enumerate(lines):
        tag = "td" if number else "th"
        texts = ((escape(cell.text), cell.is_best) for cell in line)
        cells = (f"<b>{text}</b>" if is_best else text for text, is_best in texts)
        shown.append(f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>")
    return f"<table>{''.join(shown)}</table>"
