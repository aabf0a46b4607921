"""Drawing with matplotlib, which is imported only when something is drawn."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skfly._files import import_optional, write_file


@dataclass(frozen=True)
class Chart:
    """How to draw the rows of a table: lines with a point for each row.

    Attributes
    ----------
    x, y : str
        Columns.
    series : tuple of str
        Columns; the rows that agree in these make a line.
    labels : tuple of (str, str)
        Of the axes.
    split : str or None
        A column of which one value at a time is drawn.
    by_hash_length : bool
        Whether the x axis is logarithmic, and a row without ``x`` is a dashed horizontal line.
    """

    x: str
    y: str
    series: tuple[str, ...]
    labels: tuple[str, str]
    split: str | None = None
    by_hash_length: bool = False


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def axes_for(target: Any, size: tuple[float, float] = (7, 4.5)) -> Any:
    """Return the axes to draw in: those given, or new ones."""
    if target is not None and not isinstance(target, str | os.PathLike):
        return target
    figures = import_optional("matplotlib.figure", "plot", "drawing")
    return figures.Figure(figsize=size, layout="constrained").subplots()


def save_axes(ax: Any, target: Any) -> None:
    """Write a figure to a file, if ``target`` is one."""
    if not isinstance(target, str | os.PathLike):
        return
    path, drawn = Path(target), io.BytesIO()
    ax.figure.savefig(drawn, format=path.suffix[1:] or "png", dpi=150)
    write_file(path, drawn.getvalue())


def draw(chart: Chart, rows: Sequence[Any], target: Any, title: str = "") -> Any:
    """Draw rows and return the axes."""
    ax = axes_for(target)
    series: dict[str, list[Any]] = {}
    for row in rows:
        drawable = chart.by_hash_length or getattr(row, chart.x) is not None
        if drawable and getattr(row, chart.y) is not None:
            label = ", ".join(str(getattr(row, name)) for name in chart.series)
            series.setdefault(label, []).append(row)
    for number, (label, some) in enumerate(series.items()):
        _draw_series(ax, chart, some, label, f"C{number % 10}")
    ticks = sorted({getattr(row, chart.x) for row in rows} - {None})
    if chart.by_hash_length and ticks:
        ax.set_xscale("log", base=2)
        ax.set_xticks(ticks, labels=list(map(str, ticks)))
        ax.minorticks_off()
    ax.set_xlabel(chart.labels[0])
    ax.set_ylabel(chart.labels[1])
    ax.set_title(title)
    if series:
        ax.legend(fontsize="small")
    ax.grid(alpha=0.3)
    save_axes(ax, target)
    return ax


def _draw_series(ax: Any, chart: Chart, rows: Sequence[Any], label: str, color: str) -> None:
    points = [row for row in rows if getattr(row, chart.x) is not None]
    points.sort(key=lambda row: getattr(row, chart.x))
    x, y = ([getattr(row, name) for row in points] for name in (chart.x, chart.y))
    if points:
        errors = {"xerr": _deviations(x), "yerr": _deviations(y)}
        ax.errorbar(x, y, **errors, marker="o", capsize=3, color=color, label=label)
    for row in rows:
        if getattr(row, chart.x) is None:
            name = None if points else label
            ax.axhline(getattr(row, chart.y), linestyle="--", color=color, label=name)


def _deviations(values: Sequence[Any]) -> list[float] | None:
    found = [getattr(value, "std", None) or 0.0 for value in values]
    return found if any(found) else None
