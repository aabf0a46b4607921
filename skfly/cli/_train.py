"""``skfly train``."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skfly.cli._app import Encoding, Force, Jobs, Json, Quiet, app, examples
from skfly.cli._console import (
    as_options,
    on_interrupt,
    print_json,
    say,
    show_logs,
    show_warning,
    size_text,
)
from skfly.cli._files import STANDARD_INPUT, TextFiles, check_place, read_lines

if TYPE_CHECKING:
    from skfly.text import EncodedCorpus
    from skfly.vectorizer import FlyHashVectorizer

_FROM_CORPUS = ("lowercase", "token_pattern", "stop_words", "fold_numbers")


_OPTIONS = {
    "n_kenyon_cells": "--cells",
    "hash_length": "--hash-length",
    "window": "--window",
    "max_features": "--vocabulary-size",
    "min_count": "--min-count",
    "learning": "--rule",
    "n_epochs": "--epochs",
    "batch_size": "--batch-size",
    "learning_rate": "--learning-rate",
    "subsample": "--subsample",
    "shrinkage": "--shrinkage",
    "random_state": "--seed",
}


class Sentences(StrEnum):
    """How to split text into sentences."""

    LINE = "line"
    PUNCTUATION = "punctuation"


class Rule(StrEnum):
    """Learning rules."""

    WHITEN = "whiten"
    LLOYD = "lloyd"
    HEBBIAN = "hebbian"


class Backend(StrEnum):
    """Compute backend."""

    AUTO = "auto"
    CUPY = "cupy"
    NUMBA = "numba"
    NUMPY = "numpy"


class StopWords(StrEnum):
    """Lists of stop words."""

    ENGLISH = "english"


def _check_window(size: int) -> int:
    if size % 2 == 0:
        raise typer.BadParameter(
            f"{size} is even; choose an odd number, so that a word is in the middle"
        )
    return size


@app.command(
    epilog=examples(
        "skfly train corpus.txt.gz -o corpus.skfly",
        "skfly train book.txt -o book.skfly --sentences punctuation --vocabulary-size 5000",
        "zcat *.gz | skfly train - -o all.skfly --encoded-corpus all.ids",
        "skfly train all.ids -o wide.skfly --cells 1000",
        "skfly train reviews.parquet --column body -o reviews.skfly",
        "skfly train all.ids -o all.skfly --checkpoint state --resume",
    )
)
def train(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="A text file (plain, .gz, .bz2, .xz or .zst), a table (.parquet, .arrow or "
            ".feather), a directory of these, an encoded corpus, or - for standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File to write the model to.", show_default=False),
    ],
    sentences: Annotated[
        Sentences | None,
        typer.Option(
            help="What a sentence is: a line (the default here), or up to punctuation (in Python)."
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    column: Annotated[
        str | None, typer.Option(help="Column of a table that holds the text.")
    ] = None,
    encoded_corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the encoded corpus here. A complete one is used instead of reading the "
            "text again; an unfinished one is resumed.",
        ),
    ] = None,
    fold_numbers: Annotated[
        bool | None, typer.Option(help="Replace every word that contains a digit by <NUM>.")
    ] = None,
    stop_words: Annotated[
        StopWords | None, typer.Option(help="Remove the stop words of this language.")
    ] = None,
    cells: Annotated[int, typer.Option(min=1, max=65_535, help="Kenyon cells.")] = 400,
    hash_length: Annotated[
        int, typer.Option(min=1, help="Active cells of a code; 4 to 8 % of all are usual.")
    ] = 32,
    window: Annotated[
        int, typer.Option(min=1, help="Words in a window, an odd number.", callback=_check_window)
    ] = 11,
    vocabulary_size: Annotated[
        int, typer.Option(min=1, help="Maximum number of words; the most frequent are kept.")
    ] = 20_000,
    min_count: Annotated[
        int | None, typer.Option(min=1, help="Ignore words that occur less often.")
    ] = None,
    rule: Annotated[
        Rule, typer.Option(help="Learning rule; hebbian is the published one.")
    ] = Rule.WHITEN,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the text.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Words per training step.")] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="Initial learning rate of the hebbian rule.")
    ] = None,
    subsample: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Downsample words above this frequency; 0 keeps all."),
    ] = None,
    shrinkage: Annotated[
        float | None,
        typer.Option(min=0, help="Larger values give rare words less weight (lloyd)."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Save the state here every minute, so that an interrupted run can be resumed.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the run in --checkpoint, if any.")
    ] = False,
    jobs: Jobs = None,
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same model on the same machine.")
    ] = 0,
    backend: Annotated[Backend, typer.Option(help="Compute backend.")] = Backend.AUTO,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Write a much smaller file, which cannot learn further."),
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Train a model on text.

    Learning settings that show no default here depend on the length of the text.
    """
    if hash_length > cells:
        message = f"{hash_length} is more than --cells {cells}"
        raise typer.BadParameter(message, param_hint="'--hash-length'")
    check_place(output, force)
    _check_checkpoint(checkpoint, resume, quiet)
    given = {
        "n_kenyon_cells": cells,
        "hash_length": hash_length,
        "window": window,
        "max_features": vocabulary_size,
        "min_count": min_count,
        "learning": rule.value,
        "n_epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "subsample": subsample,
        "shrinkage": shrinkage,
        "sentence_splitter": (sentences or Sentences.LINE).value,
        "fold_numbers": fold_numbers,
        "stop_words": stop_words and stop_words.value,
        "n_jobs": jobs,
        "random_state": seed,
        "checkpoint_dir": checkpoint,
        "backend": backend.value,
    }
    params = {name: value for name, value in given.items() if value is not None}
    began = time.perf_counter()
    is_read = not _is_encoded(corpus) and not (encoded_corpus and encoded_corpus.exists())
    with (
        on_interrupt(lambda: _what_is_kept(checkpoint, encoded_corpus)),
        show_logs(quiet),
        as_options(_OPTIONS),
    ):
        fly = _train(corpus, encoding, column, encoded_corpus, params, quiet)
        fly.save(output, compact=compact)
    if sentences is None and is_read and not quiet:
        typer.echo(
            "skfly: each line was taken as a sentence; --sentences punctuation splits lines "
            "further, as FlyHashVectorizer does",
            err=True,
        )
    summary: dict[str, Any] = {
        "model": str(output),
        "file_bytes": output.stat().st_size,
        "words": len(fly.vocabulary_),
        "words_read": fly.n_words_seen_,
        "windows": fly.n_windows_seen_,
        "seconds": round(time.perf_counter() - began, 2),
    }
    if as_json:
        print_json(summary)
    elif not quiet:
        say(
            f"{output}: {summary['words']:,} words, learned from {summary['words_read']:,} "
            f"words of text in {summary['seconds']:.1f} s; {size_text(summary['file_bytes'])}"
        )


def _what_is_kept(checkpoint: Path | None, encoded_corpus: Path | None) -> str:
    """Return what an interrupted run leaves behind."""
    from skfly.fit import Checkpoints

    if checkpoint is not None and Checkpoints.run_in(checkpoint) is not None:
        return f"{checkpoint} has the state of the run: the same command with --resume continues"
    lost = "no model was written"
    if checkpoint is not None:
        lost += ", and no checkpoint: the first comes after a minute of training"
    if encoded_corpus is not None and _is_encoded(encoded_corpus):
        return f"{lost}; {encoded_corpus} has the encoded text, which is not read again"
    return lost


def _check_checkpoint(directory: Path | None, resume: bool, quiet: bool) -> None:
    """Refuse to resume a run unless asked to, and reject unsuitable directories."""
    if directory is None:
        if resume:
            raise typer.BadParameter(
                "give the directory of the run: --checkpoint DIR", param_hint="'--resume'"
            )
        return
    from skfly.fit import Checkpoints

    is_there = Checkpoints.run_in(directory) is not None
    if resume and not is_there and not quiet:
        say(
            f"skfly: {directory} has no checkpoint to resume: starting from the beginning",
            err=True,
        )
    if is_there and not resume:
        message = (
            f"{directory} has an unfinished run, or one whose model was not saved: continue it "
            "with --resume, or remove the directory"
        )
        raise typer.BadParameter(message, param_hint="'--checkpoint'")
    Checkpoints(directory, {})


def _train(
    source: Path,
    encoding: str,
    column: str | None,
    kept: Path | None,
    params: dict[str, Any],
    quiet: bool,
) -> FlyHashVectorizer:
    from skfly.text import EncodedCorpus
    from skfly.vectorizer import FlyHashVectorizer

    fly = FlyHashVectorizer(**params, verbose=0 if quiet else 1)
    documents: Any
    if kept is not None and kept.exists():
        documents = _kept(source, kept, fly)
    elif _is_encoded(source):
        if kept is not None:
            raise typer.BadParameter(
                f"--encoded-corpus is for text, but {source} is encoded already"
            )
        documents = EncodedCorpus.load(source)
    elif source == STANDARD_INPUT:
        documents = read_lines(source, encoding)
    else:
        documents = TextFiles(source, encoding, column)
    if kept is not None and not isinstance(documents, EncodedCorpus):
        documents = _encode(source, documents, kept, fly)
    if isinstance(documents, EncodedCorpus):
        # new text must be read as this corpus was, unless options say otherwise
        text_params = documents.text_params
        follow = {name: text_params.get(name) for name in _FROM_CORPUS if name not in params}
        fly.set_params(**{name: value for name, value in follow.items() if value is not None})
    fly.fit(documents)
    fly.set_params(verbose=0)
    return fly


def _is_encoded(source: Path) -> bool:
    """Return whether a directory is, or was, an encoded corpus."""
    return source.is_dir() and any((source / name).exists() for name in ("corpus.json", "ids.npy"))


def _kept(source: Path, kept: Path, fly: FlyHashVectorizer) -> EncodedCorpus:
    """Return the existing encoded corpus."""
    from skfly.text import EncodedCorpus

    if fly.verbose:
        say(f"skfly: using {kept}; {source} is not read", err=True)
    if source.is_file() and source.stat().st_mtime > kept.stat().st_mtime:
        show_warning(f"{source} is newer than {kept}; remove {kept} to read the text again")
    return EncodedCorpus.load(kept)


def _encode(
    source: Path, documents: Iterable[str], kept: Path, fly: FlyHashVectorizer
) -> EncodedCorpus:
    """Encode the text to a directory."""
    from skfly._messages import Progress
    from skfly.text import TEXT_PARAMS, disk_needed, encode_to_directory

    check_place(kept, force=False)
    needed = disk_needed(documents)
    if fly.verbose and needed is not None:
        typer.echo(f"skfly: encoding takes about {size_text(needed)} of disk", err=True)
    text_params = {name: getattr(fly, name) for name in TEXT_PARAMS}
    with Progress(bool(fly.verbose)).stage("reading", "words") as monitor:
        corpus = encode_to_directory(
            documents, kept, on_progress=monitor.advance, n_jobs=fly.n_jobs, **text_params
        )
    if not corpus.n_words:
        shutil.rmtree(kept)
        raise ValueError(f"{source} has no words")
    return corpus
