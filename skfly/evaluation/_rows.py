"""What all tables have in common: print them, write them, draw them."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

__all__ = [
    "NOTHING",
    "RowTable",
    "axes_of",
    "drawing_is_possible",
    "markdown",
    "save_axes",
    "score_text",
    "write_file",
]

NOTHING = "-"
Row = TypeVar("Row")


@dataclass(frozen=True)
class RowTable(Generic[Row]):
    """A table with a list of rows, each a dataclass.

    Attributes
    ----------
    rows : list
    """

    rows: list[Row]
    row_type: ClassVar[type]

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets."""
        return list(dict.fromkeys(row.dataset for row in self.rows))  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as :meth:`to_json` writes them."""
        return {"rows": [asdict(row) for row in self.rows]}  # type: ignore[call-overload]

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a JSON file: an object with a list ``"rows"``.

        Parameters
        ----------
        path : path-like
        """
        write_file(path, json.dumps(self.to_dict(), indent=2) + "\n")

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a CSV file with a header; what there is not is left empty.

        Parameters
        ----------
        path : path-like
        """
        text = io.StringIO()
        names = [field.name for field in fields(self.row_type)]
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_dict()["rows"])
        write_file(path, text.getvalue())


def score_text(score: float | None, std: float | None = None) -> str:
    """Return a score as it is shown.

    Examples
    --------
    >>> score_text(51.27), score_text(51.27, 1.0), score_text(None)
    ('51.3', '51.3 +- 1.0', '-')
    """
    if score is None:
        return NOTHING
    return f"{score:.1f}" + ("" if std is None else f" +- {std:.1f}")


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    shown = [f"| {' | '.join(line)} |" for line in (header, *lines)]
    shown.insert(1, "|---" * len(header) + "|")
    return "\n".join(shown)


def drawing_is_possible() -> bool:
    """Return whether matplotlib is there."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def axes_of(target: Any, size: tuple[float, float] = (7, 4.5)) -> Any:
    """Return the axes to draw in: those given, or new ones for a file or for nothing."""
    if target is not None and not isinstance(target, str | os.PathLike):
        return target
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: install skfly[plot]") from error
    return figures.Figure(figsize=size, layout="constrained").subplots()


def save_axes(ax: Any, target: Any) -> None:
    """Write a figure to a file, if one is asked for."""
    if not isinstance(target, str | os.PathLike):
        return
    path, drawn = Path(target), io.BytesIO()
    ax.figure.savefig(drawn, format=path.suffix[1:] or "png", dpi=150)
    write_file(path, drawn.getvalue())


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file beside its place and rename it into it."""
    target = Path(path)
    beside = target.with_name(f".{target.name}-{os.getpid()}")
    data = content.encode() if isinstance(content, str) else content
    try:
        beside.write_bytes(data)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
