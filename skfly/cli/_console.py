"""Console output: tables, JSON, one-line errors and warnings."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from skfly._messages import SmallTextWarning, VocabularyWarning

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # click's, wherever typer has it
_COMPILATION_LOG = "skfly.compilation"
_EXPECTED = (_UsageError, OSError, ValueError, MemoryError, ImportError)


# control characters, line separators and changes of text direction
_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Program(TyperGroup):
    """The command, with one-line messages instead of tracebacks for user errors."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        with _quiet_libraries():
            try:
                code = super().main(*args, **kwargs)
            except _EXPECTED as error:
                typer.echo(f"skfly: error: {in_one_line(error)}", err=True)
                code = 2
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; after Ctrl-C, say what was kept."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            for note in getattr(error, "__notes__", ()):
                say(f"\nskfly: interrupted; {note}", err=True)
            raise


@contextmanager
def on_interrupt(what_is_kept: Callable[[], str]) -> Iterator[None]:
    """On Ctrl-C within the context, say what is kept."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(what_is_kept())
        raise


def escaped(text: str) -> str:
    r"""Escape terminal control characters: a model's words may contain anything.

    Examples
    --------
    >>> print(escaped("fly\x1b[2J"), escaped("a\nb"), escaped("\u202eylf"))
    fly\x1b[2J a\nb \u202eylf
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def say(text: str, *, err: bool = False) -> None:
    """Print text that may name files or words, with their control characters escaped."""
    typer.echo("\n".join(map(escaped, text.split("\n"))), err=err)


def print_json(result: Mapping[str, Any]) -> None:
    """Print one JSON object on one line."""
    typer.echo(json.dumps(result))


class Layout(StrEnum):
    """How to print rows."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"


class Rows:
    """Print groups of rows: as tables on a terminal, plain lines elsewhere, or as requested.

    Parameters
    ----------
    layout : Layout or None
    group : str
        What a group is called: a column in Markdown and CSV, the title of a table.
    *columns : str
    """

    def __init__(self, layout: Layout | None, group: str, *columns: str) -> None:
        self._layout = layout
        self._group, self._columns = group, columns
        self._is_first = True

    def print(
        self, group: str, rows: Sequence[Sequence[object]], plain: Callable[[], None]
    ) -> None:
        """Print a group; ``plain`` prints it where there is no terminal."""
        cells = [[escaped(str(value)) for value in row] for row in rows]
        if self._layout in (Layout.CSV, Layout.MARKDOWN):
            shown = " ".join(escaped(group).split())
            header = [[self._group, *self._columns]] if self._is_first else []
            write = _csv if self._layout is Layout.CSV else _markdown
            typer.echo(write(header, [[shown, *row] for row in cells]), nl=False)
            self._is_first = False
        elif self._layout is Layout.TABLE or sys.stdout.isatty():
            if cells:
                _draw_table(escaped(group), cells, "", self._columns)
        else:
            plain()


def _csv(header: list[list[str]], rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*header, *rows])
    return text.getvalue()


def _markdown(header: list[list[str]], rows: list[list[str]]) -> str:
    rule = [["---"] * len(header[0])] if header else []
    lines = [[cell.replace("|", r"\|") for cell in row] for row in [*header, *rule, *rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def print_markdown(text: str, draw: bool = False) -> None:
    """Print Markdown, drawn on a terminal or if asked."""
    if not (draw or sys.stdout.isatty()):
        say(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown("\n".join(map(escaped, text.split("\n")))))


def print_table(title: str, rows: Sequence[Sequence[object]], note: str = "") -> None:
    """Print a table, with borders on a terminal and in plain columns elsewhere."""
    title, note = escaped(title), escaped(note)
    cells = [[escaped(str(value)) for value in row] for row in rows]
    if sys.stdout.isatty():
        _draw_table(title, cells, note)
        return
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [title] if title else []
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  " + "  ".join(padded).rstrip())
    typer.echo("\n".join([*lines, *([note] if note else []), ""]))


def _draw_table(
    title: str, cells: Sequence[Sequence[str]], note: str, columns: Sequence[str] = ()
) -> None:
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=ROUNDED, show_header=bool(columns), show_lines=False)
    for number, name in enumerate(columns or [""] * len(cells[0])):
        table.add_column(name, style="bold" if number == 0 else None, overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    if title:
        console.print(Text(title, style="bold cyan"))
    console.print(table)
    if note:
        console.print(Text(note))


def size_text(n_bytes: float) -> str:
    """Format a size in bytes for people.

    Examples
    --------
    >>> size_text(57_862_120), size_text(820)
    ('57.9 MB', '820 bytes')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {name}"
    return f"{n_bytes:.0f} bytes"


def in_one_line(error: BaseException) -> str:
    """Return an error's message and notes on one line."""
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory: {error}" if str(error) else "not enough memory"
    else:
        say: Any = getattr(error, "format_message", error.__str__)
        message = say().replace("Value error, ", "")  # pydantic's, in newer versions of typer
    parts = [message or type(error).__name__, *getattr(error, "__notes__", ())]
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None:
        parts.append(f"see '{context.command_path} --help'")
    message = "; ".join(part.rstrip(".") for part in parts).replace("?; see ", "? See ")
    return escaped(" ".join(message.split()))


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a one-line warning to standard error."""
    typer.echo(f"skfly: warning: {escaped(str(message))}", err=True)


def _shown_once() -> Callable[..., None]:
    """Return a function that shows each warning once, however many fits repeat it."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in shown:
            show_warning(message)
        shown.add(str(message))

    return show


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        show_warning(record.getMessage())


@contextmanager
def show_logs(quiet: bool = False) -> Iterator[None]:
    """Show warnings that the package logs; ``quiet`` hides them and warnings about the text."""
    if quiet:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallTextWarning)
            warnings.simplefilter("ignore", VocabularyWarning)
            yield
        return
    logger = logging.getLogger("skfly")
    handler = _Warnings(logging.WARNING)
    handler.addFilter(lambda record: record.name != _COMPILATION_LOG)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def as_options(names: Mapping[str, str]) -> Iterator[None]:
    """Replace parameters by the names of options in errors and warnings."""
    pattern = re.compile(rf"\b({'|'.join(names)})=([^\s,:;]+)")
    checked = re.compile(r"The '(\w+)' parameter of FlyHashVectorizer must be")

    def renamed(text: str) -> str:
        text = pattern.sub(lambda found: f"{names[found[1]]} {found[2]}", text)
        text = checked.sub(lambda found: f"{names.get(found[1], found[1])} must be", text)
        return text.replace(" or a str among {'auto'}", "")

    show = warnings.showwarning
    warnings.showwarning = lambda message, *args, **kwargs: show(
        renamed(str(message)), *args, **kwargs
    )
    try:
        yield
    except ValueError as error:
        named = ValueError(renamed(str(error)))
        for note in getattr(error, "__notes__", ()):
            named.add_note(note)
        raise named from error
    finally:
        warnings.showwarning = show


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Show skfly's warnings on one line, and hide logs and warnings of other packages."""
    logging.basicConfig(handlers=[logging.NullHandler()])
    if sys.stderr is not None and sys.stderr.isatty():
        compilation = logging.StreamHandler()
        compilation.setFormatter(logging.Formatter("skfly: %(message)s"))
        logging.getLogger(_COMPILATION_LOG).addHandler(compilation)
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", category=UserWarning, module=r"skfly\b")
            warnings.filterwarnings("always", category=SmallTextWarning)
            warnings.filterwarnings("always", category=VocabularyWarning)
        warnings.showwarning = _shown_once()
        yield
