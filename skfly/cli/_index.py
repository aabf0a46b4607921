"""``skfly index``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skfly.cli._app import Encoding, Force, Jobs, Json, Quiet, app, examples
from skfly.cli._console import on_interrupt, print_json, say, show_logs, show_warning, size_text
from skfly.cli._files import check_place, load_to_hash, read_lines

if TYPE_CHECKING:
    from skfly import DocumentIndex, FlyHashVectorizer

_DOCUMENTS_AT_A_TIME = 1_000


class By(StrEnum):
    """What counts as a document."""

    FILE = "file"
    PARAGRAPH = "paragraph"
    LINE = "line"


@app.command(
    epilog=examples(
        "skfly index notes/ -o notes.idx",
        "skfly index notes/ diary.txt -o notes.idx --by paragraph",
        "skfly index titles.txt.gz -o titles.idx --by line --model corpus.skfly",
        "skfly index reviews.parquet --column body -o reviews.idx --no-texts",
    )
)
def index(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE_OR_FOLDER",
            help="Text files (plain, .gz, .bz2, .xz or .zst), tables (.parquet, .arrow or "
            ".feather), or directories of these.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File to write the index to.", show_default=False),
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            help="A model file, or 'en'. Default: train a model on the texts, which is better "
            "with a few hundred thousand words or more."
        ),
    ] = None,
    by: Annotated[
        By, typer.Option(help="What counts as a document in text files; in tables, it is a row.")
    ] = By.FILE,
    column: Annotated[
        str | None, typer.Option(help="Column of a table that holds the text.")
    ] = None,
    texts: Annotated[
        bool, typer.Option(help="Keep the texts in the index, to show passages.")
    ] = True,
    encoding: Encoding = "utf-8",
    force: Force = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Index texts for "skfly search".

    The index is one file that includes the model. Documents are named after their file, plus
    the number of the line or row, from 1, if a file has several.
    """
    check_place(output, force)
    from skfly import DocumentIndex, FlyHashVectorizer

    documents = _Documents(sources, by, column, encoding)
    began = time.perf_counter()
    with on_interrupt(lambda: "no index was written"), show_logs(quiet):
        if model is None:
            fly = FlyHashVectorizer(random_state=0, n_jobs=jobs, verbose=0 if quiet else 1)
            with warnings.catch_warnings(record=True) as given:
                fly.fit(documents)
            _repeat(given)
        else:
            fly = load_to_hash(model, None).set_params(n_jobs=jobs)
        made = DocumentIndex(fly, keep_texts=texts)
        _add(made, documents, quiet)
    made.save(output)
    summary: dict[str, Any] = {
        "index": str(output),
        "file_bytes": output.stat().st_size,
        "documents": len(made),
        "without_known_words": made.n_empty,
        "seconds": round(time.perf_counter() - began, 2),
    }
    if as_json:
        print_json(summary)
    elif not quiet:
        lost = f" ({made.n_empty:,} without a known word)" if made.n_empty else ""
        say(
            f"{output}: {len(made):,} documents{lost} in {summary['seconds']:.1f} s; "
            f"{size_text(summary['file_bytes'])}"
        )


def _repeat(given: list[warnings.WarningMessage]) -> None:
    """Show the warnings of a fit; say what helps here if the text is small."""
    from skfly import SmallTextWarning

    for warning in given:
        if issubclass(warning.category, SmallTextWarning):
            what = str(warning.message).partition("; ")[0]
            show_warning(f"{what}; in English texts, '--model en' may find more")
        else:
            show_warning(warning.message)


def open_documents(path: Path, fly: FlyHashVectorizer, quiet: bool) -> DocumentIndex:
    """Open an index, or hash the files of a directory with a model."""
    from skfly import DocumentIndex

    if not path.exists():
        raise FileNotFoundError(f"there is no index {path}")
    if not path.is_dir():
        return DocumentIndex.load(path)
    made = DocumentIndex(fly, keep_texts=True)
    _add(made, _Documents([path], By.FILE, None, "utf-8"), quiet)
    return made


def _add(made: Any, documents: _Documents, quiet: bool) -> None:
    """Add the documents in batches: their names are only known once they are read."""
    from skfly._messages import Progress

    named = documents.named()
    with Progress(not quiet).stage("indexing", "documents") as monitor:
        while batch := list(islice(named, _DOCUMENTS_AT_A_TIME)):
            made.add([text for _, text in batch], [name for name, _ in batch])
            monitor.advance(len(batch))


class _Documents:
    """The documents of files and directories, with names; each iteration reads them again."""

    def __init__(self, sources: list[Path], by: By, column: str | None, encoding: str) -> None:
        from skfly.text import TABLE_SUFFIXES, files_in

        for source in sources:
            if not source.exists():
                raise FileNotFoundError(f"there is no file {source}")
        self._files = [(file, source.is_dir()) for source in sources for file in files_in(source)]
        self._tables = TABLE_SUFFIXES
        if column is not None and not any(
            file.endswith(TABLE_SUFFIXES) for file, _ in self._files
        ):
            raise ValueError("--column is for Parquet and Arrow files; none was given")
        self._by, self._column, self._encoding = by, column, encoding
        self._has_warned = False

    def __iter__(self) -> Iterator[str]:
        return (text for _, text in self.named())

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the text of each document."""
        left_out = []
        for file, is_found in self._files:
            try:
                yield from self._of_file(file)
            except ValueError as error:
                if not is_found:  # the user named it
                    raise
                left_out.append(str(error))
        if left_out and not self._has_warned:
            more = f" ({len(left_out) - 1:,} more files too)" if len(left_out) > 1 else ""
            show_warning(f"left out: {left_out[0]}{more}")
            self._has_warned = True

    def _of_file(self, file: str) -> Iterator[tuple[str, str]]:
        from skfly.text import TextColumn

        if file.endswith(self._tables):
            for number, text in enumerate(TextColumn(file, self._column), 1):
                yield f"{file}:{number}", text
            return
        lines = read_lines(Path(file), self._encoding)
        if self._by is By.FILE:
            yield file, "".join(lines)
            return
        held: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.strip():
                held.append(line)
            if held and (self._by is By.LINE or not line.strip()):
                first = number if self._by is By.LINE else number - len(held)
                yield f"{file}:{first}", "".join(held).rstrip("\r\n")
                held = []
        if held:
            yield f"{file}:{number - len(held) + 1}", "".join(held).rstrip("\r\n")
