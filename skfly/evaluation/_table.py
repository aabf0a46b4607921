"""The table that every evaluation returns: print it, write it, draw it, average it over seeds.

A table holds long rows, one for each thing that was measured, with a value for each column.
Written to CSV or JSON it is just these rows. Shown to people, the rows may be laid out as a grid
(:class:`Grid`) and drawn (:class:`Chart`).
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from skfly._files import write_file
from skfly.evaluation._drawing import Chart, draw
from skfly.evaluation._layout import (
    Cell,
    Column,
    Grid,
    Row,
    Score,
    html,
    lay_out,
    markdown,
    plain_text,
)


class Table:
    """Results of an evaluation.

    ``str(table)`` is a table in Markdown.

    Parameters
    ----------
    rows : iterable of mappings
        From names of columns to values: text, numbers, or None. A number may carry its standard
        deviation.
    columns : sequence of Column or None, default=None
        ``None``: those of the first row; floats are results.
    title : str, default=""
    notes : sequence of str, default=()
    grid : Grid or None, default=None
        How it is laid out for people; ``None``: as it is.
    chart : Chart or None, default=None
        How it is drawn.

    Attributes
    ----------
    rows : list of Row
        Each with the columns as attributes.

    Examples
    --------
    >>> from skfly.evaluation import Table
    >>> table = Table([{"dataset": "RG", "spearman": 61.27}, {"dataset": "RW", "spearman": None}])
    >>> print(table)
    | dataset | spearman |
    |---|---|
    | RG | 61.3 |
    | RW | - |
    >>> table.score("RG"), table.rows[0].spearman
    (61.27, 61.27)
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        columns: Sequence[Column] | None = None,
        *,
        title: str = "",
        notes: Sequence[str] = (),
        grid: Grid | None = None,
        chart: Chart | None = None,
    ) -> None:
        given = list(rows)
        self.columns = _columns_of(given) if columns is None else tuple(columns)
        self.rows = [self._row(values) for values in given]
        self.title = title
        self.notes = tuple(notes)
        self.grid = grid
        self.chart = chart

    def _row(self, values: Mapping[str, Any]) -> Row:
        row: dict[str, Any] = {}
        for column in self.columns:
            value: Any = values.get(column.name)
            row[column.name] = value.item() if hasattr(value, "item") else value
            if column.deviation is not None:
                row[column.deviation] = value.std if isinstance(value, Score) else None
        return Row(**row)

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Table of {len(self)} rows: {names}>"

    def __str__(self) -> str:
        return self.to_markdown()

    # Look up

    def values(self, column: str) -> list[Any]:
        """Return the different values of a column, in the order in which they first appear.

        Parameters
        ----------
        column : str

        Returns
        -------
        values : list
        """
        return list(dict.fromkeys(getattr(row, column) for row in self.rows))

    def row(self, *key: Any, **named: Any) -> Row:
        """Return the row with a key.

        Parameters
        ----------
        *key, **named
            Values of the key columns, in their order or by their names. ``None`` is the hash
            length of dense vectors, and the default.

        Returns
        -------
        row : Row
        """
        keys = self._named("key")
        wanted = {column.name: column.default for column in keys}
        wanted |= dict(zip(wanted, key, strict=False)) | named
        if len(key) > len(keys) or len(wanted) > len(keys):
            raise TypeError(f"the key is {', '.join(column.name for column in keys)}")
        for row in self.rows:
            if wanted.items() <= vars(row).items():
                return row
        shown = ", ".join(f"{name}={value!r}" for name, value in wanted.items())
        raise KeyError(f"no row with {shown}")

    def score(self, *key: Any, **named: Any) -> Any:
        """Return one result.

        Parameters
        ----------
        *key, **named
            As in :meth:`row`.

        Returns
        -------
        score : float or None
            ``None``: there is none.
        """
        return getattr(self.row(*key, **named), self._named("value")[0].name)

    def _named(self, role: str) -> list[Column]:
        return [column for column in self.columns if column.role == role]

    # Write

    def to_dict(self) -> dict[str, Any]:
        """Return the rows, each a dict, with the title and the notes if there are any.

        Returns
        -------
        table : dict
        """
        about = {"title": self.title, "notes": list(self.notes)}
        rows = [dict(vars(row)) for row in self.rows]
        return {name: value for name, value in about.items() if value} | {"rows": rows}

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return :meth:`to_dict` as JSON.

        Parameters
        ----------
        path : path-like or None, default=None
            A file to write it to.

        Returns
        -------
        text : str
        """
        return _written(json.dumps(self.to_dict(), indent=2) + "\n", path)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the rows as CSV with a header; None is empty.

        Parameters
        ----------
        path : path-like or None, default=None
            A file to write it to.

        Returns
        -------
        text : str
        """
        text = io.StringIO()
        writer = csv.DictWriter(text, list(vars(self._row({}))), lineterminator="\n")
        writer.writeheader()
        writer.writerows(vars(row) for row in self.rows)
        return _written(text.getvalue(), path)

    def to_markdown(self) -> str:
        """Return the table in Markdown, formatted for reading.

        Returns
        -------
        text : str
        """
        return markdown(self._cells())

    def to_text(self) -> str:
        """Return the table in plain columns, formatted for reading.

        Returns
        -------
        text : str
        """
        parts = [self.title, plain_text(self._cells()), *self.notes]
        return "\n".join(filter(None, parts))

    def to_html(self) -> str:
        """Return the table in HTML, formatted for reading.

        Returns
        -------
        text : str
        """
        notes = (f"<p>{escape(note)}</p>" for note in self.notes)
        return "".join([html(self._cells(), self.title), *notes])

    def _cells(self) -> list[list[Cell]]:
        return lay_out(self.columns, self.rows, self.grid)

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, target: Any = None, **only: Any) -> Any:
        """Draw the table.

        Needs matplotlib: ``pip install "skfly[plot]"``.

        Parameters
        ----------
        target : path-like or matplotlib Axes, optional
            A file to write (its ending says what: ``.png``, ``.svg``, ``.pdf``), or where to
            draw. Without it, a new figure is made.
        **only
            Draw the rows with these values of columns only: ``dataset="MEN"``.

        Returns
        -------
        ax : matplotlib Axes
        """
        if self.chart is None:
            raise ValueError("tables of this kind cannot be drawn")
        if self.chart.split is not None and self.rows:
            only = {self.chart.split: getattr(self.rows[0], self.chart.split)} | only
        rows = [row for row in self.rows if only.items() <= vars(row).items()]
        if not rows:
            shown = ", ".join(f"{name}={value!r}" for name, value in only.items())
            raise ValueError(f"there are no rows to draw{' with ' * bool(only)}{shown}")
        labels = {column.name: column.label or column.name for column in self.columns}
        title = ", ".join(f"{labels[name]}: {value}" for name, value in only.items())
        return draw(self.chart, rows, target, title)


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    results = {name for name in names if any(isinstance(row.get(name), float) for row in rows)}
    return tuple(Column(name, "value" if name in results else "key", label=name) for name in names)


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write_file(path, text)
    return text


def mean_over_seeds(results: Iterable[Table]) -> Table:
    """Return the mean and the standard deviation of several tables.

    Parameters
    ----------
    results : iterable of Table
        Of models that differ in their seed only: the same datasets, hash lengths and pairs.

    Returns
    -------
    table : Table
        Its rows have ``n_runs``. Where one table has no score, neither has the mean. What else
        differs from table to table, such as a setting that was chosen, is None.

    Examples
    --------
    >>> from skfly.evaluation import Table, mean_over_seeds
    >>> results = [Table([{"dataset": "RG", "spearman": score}]) for score in (50.0, 52.0)]
    >>> print(mean_over_seeds(results))
    | dataset | spearman |
    |---|---|
    | RG | 51.0 +- 1.4 |
    """
    tables = list(results)
    if not tables:
        raise ValueError("no results to average")
    if any(getattr(row, "n_runs", 1) > 1 for table in tables for row in table.rows):
        raise ValueError("expected results of single runs; one of them is a mean already")
    first = tables[0]
    fixed = [column.name for column in first.columns if column.role in ("key", "size")]
    places = [[[getattr(row, name) for name in fixed] for row in t.rows] for t in tables]
    if any(some != places[0] for some in places):
        raise ValueError(
            "the results have different datasets, hash lengths or pairs; to score models "
            "on the pairs that all know, pass pairs_known_to=models to word_similarity"
        )
    rows = [_mean_row(first.columns, rows) for rows in zip(*(t.rows for t in tables), strict=True)]
    names = [column.name for column in first.columns]
    columns = [*first.columns, *([] if "n_runs" in names else [Column("n_runs", "size")])]
    return Table(
        [row | {"n_runs": len(tables)} for row in rows],
        columns,
        title=first.title,
        notes=first.notes,
        grid=first.grid,
        chart=first.chart,
    )


def _mean_row(columns: Sequence[Column], rows: Sequence[Row]) -> dict[str, Any]:
    mean = {}
    for column in columns:
        values = [getattr(row, column.name) for row in rows]
        if column.role == "value":
            mean[column.name] = None if None in values else Score.mean(values)
        else:
            mean[column.name] = values[0] if all(v == values[0] for v in values) else None
    return mean
