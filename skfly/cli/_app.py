"""The application, and the options that commands share."""

from __future__ import annotations

import codecs
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from skfly import __version__
from skfly.cli._console import Layout, Program

app = typer.Typer(
    name="skfly",
    cls=Program,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class UnknownWords(StrEnum):
    """How to code unknown words."""

    IGNORE = "ignore"
    SPELLING = "spelling"


def check_encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise typer.BadParameter(str(error)) from None


def examples(*commands: str) -> str:
    return "\n  ".join(["\b\nExamples:", *commands])  # \b: keep the lines as they are


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
LayoutOption = Annotated[
    Layout | None,
    typer.Option("--format", help="Default: a table on a terminal, plain lines elsewhere."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide the progress display.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Number of threads. Does not affect the result.")
]
Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A model file, or 'en' for the English model that ships with skfly.",
        show_default=False,
    ),
]
HashLength = Annotated[
    int | None, typer.Option(min=1, help="Number of active cells in a code. Default: the model's.")
]
NWords = Annotated[int, typer.Option("--words", "-n", min=1, help="Number of words to list.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the text.", callback=check_encoding)]


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "skfly neighbors en bank                        words similar to 'bank'",
        "skfly train corpus.txt --output my.skfly       train a model on your text",
        "skfly demo                                     a short tour",
    ),
)
def _skfly(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Train and use fruit fly codes: sparse binary codes of text."""
    if version:
        typer.echo(f"skfly {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
