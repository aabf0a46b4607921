r"""The ``skfly`` command: it parses, calls, prints.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 2 something
is wrong with what was asked (one line on standard error says what), 130 interrupted.

Heavy packages are imported inside the commands, so that ``skfly --help`` is quick.
"""

from __future__ import annotations

import codecs
import json
import lzma
import os
import shlex
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from skfly import __version__
from skfly._console import Program, print_json, print_table, show_warning, size_text

if TYPE_CHECKING:
    from skfly.demo import DemoResult, Neighbours
    from skfly.evaluation import WordInContextTable, WordSimilarityTable
    from skfly.text import EncodedCorpus
    from skfly.vectorizer import FlyHashVectorizer

__all__ = ["app", "main"]

STANDARD_INPUT = Path("-")
_DOCUMENTS_AT_A_TIME = 1_000
_FREQUENT_WORDS = 10
_FROM_CORPUS = ("lowercase", "token_pattern", "stop_words", "fold_numbers")


app = typer.Typer(
    name="skfly",
    cls=Program,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Sentences(StrEnum):
    """How text is cut into sentences."""

    LINE = "line"
    PUNCTUATION = "punctuation"


class Rule(StrEnum):
    """Learning rules."""

    LLOYD = "lloyd"
    HEBBIAN = "hebbian"


class Backend(StrEnum):
    """What computes."""

    AUTO = "auto"
    CUPY = "cupy"
    NUMBA = "numba"
    NUMPY = "numpy"


class UnknownWords(StrEnum):
    """What the code of an unknown word is."""

    IGNORE = "ignore"
    SPELLING = "spelling"


class StopWords(StrEnum):
    """Lists of words to leave out."""

    ENGLISH = "english"


def _check_encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise typer.BadParameter(str(error)) from None


def _check_window(size: int) -> int:
    if size % 2 == 0:
        raise typer.BadParameter(f"{size} is even, but the target is in the middle")
    return size


def _examples(*commands: str) -> str:
    return "\n  ".join(["\b\nExamples:", *commands])  # \b: keep the lines as they are


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Threads; the result does not depend on it.")
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Encoding = Annotated[str, typer.Option(help="How the text is encoded.", callback=_check_encoding)]


@app.callback(invoke_without_command=True)
def _skfly(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Learn fruit fly codes from text, and use them.

    A quick look at what it does: skfly demo
    """
    if version:
        typer.echo(f"skfly {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(
    epilog=_examples(
        "skfly train corpus.txt.gz -o corpus.skfly",
        "skfly train book.txt -o book.skfly --sentences punctuation --vocabulary-size 5000",
        "zcat *.gz | skfly train - -o all.skfly --encoded-corpus all.ids",
        "skfly train all.ids -o wide.skfly --cells 1000",
    )
)
def train(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="A text file (plain, .gz, .bz2 or .xz), the directory of an encoded corpus, or "
            "- for standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the model goes.", show_default=False)
    ],
    sentences: Annotated[
        Sentences, typer.Option(help="One a line, or each line split further.")
    ] = Sentences.LINE,
    encoding: Encoding = "utf-8",
    encoded_corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the encoded corpus here. If it is there already, it is used and the text "
            "is not read again.",
        ),
    ] = None,
    fold_numbers: Annotated[
        bool | None, typer.Option(help="Make words with a digit the one word <NUM>, or not.")
    ] = None,
    stop_words: Annotated[
        StopWords | None, typer.Option(help="Leave out the words of this list.")
    ] = None,
    cells: Annotated[int, typer.Option(min=1, max=65_535, help="Kenyon cells.")] = 400,
    hash_length: Annotated[int, typer.Option(min=1, help="Active cells of a code.")] = 32,
    window: Annotated[
        int, typer.Option(min=1, help="Words in a window, an odd number.", callback=_check_window)
    ] = 11,
    vocabulary_size: Annotated[
        int, typer.Option(min=1, help="Learn only so many words, the most frequent.")
    ] = 20_000,
    min_count: Annotated[
        int | None, typer.Option(min=1, help="Learn only words that come this often.")
    ] = None,
    rule: Annotated[
        Rule, typer.Option(help="Learning rule; hebbian is the published one.")
    ] = Rule.LLOYD,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the text.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Words between two steps of learning.")
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="First learning rate of the hebbian rule.")
    ] = None,
    subsample: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Thin out words of a higher frequency; 0 keeps all."),
    ] = None,
    shrinkage: Annotated[
        float | None, typer.Option(min=0, help="The larger, the less rare words matter.")
    ] = None,
    jobs: Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    backend: Annotated[Backend, typer.Option(help="What computes.")] = Backend.AUTO,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn a model from a text.

    Where an option shows no default, its value follows the length of the text.
    """
    if hash_length > cells:
        message = f"{hash_length} is more than --cells {cells}"
        raise typer.BadParameter(message, param_hint="'--hash-length'")
    _check_place(output)
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
        "sentence_splitter": sentences.value,
        "fold_numbers": fold_numbers,
        "stop_words": stop_words and stop_words.value,
        "n_jobs": jobs,
        "random_state": seed,
        "backend": backend.value,
    }
    params = {name: value for name, value in given.items() if value is not None}
    began = time.perf_counter()
    fly = _train(corpus, encoding, encoded_corpus, params, quiet)
    fly.save(output)
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
        typer.echo(
            f"{output}: {summary['words']:,} words, learned from {summary['windows']:,} windows "
            f"in {summary['seconds']:.1f} s; {size_text(summary['file_bytes'])}"
        )


def _train(
    source: Path, encoding: str, kept: Path | None, params: dict[str, Any], quiet: bool
) -> FlyHashVectorizer:
    from skfly.text import EncodedCorpus
    from skfly.vectorizer import FlyHashVectorizer

    fly = FlyHashVectorizer(**params, verbose=0 if quiet else 1)
    documents: EncodedCorpus | Iterator[str]
    if kept is not None:
        documents = _encoded(source, encoding, kept, fly)
    elif source.is_dir():
        documents = EncodedCorpus.load(source)
    else:
        documents = _lines(source, encoding)
    if isinstance(documents, EncodedCorpus):
        # new text must be read as this corpus was, unless told otherwise
        text_params = documents.text_params
        follow = {name: text_params.get(name) for name in _FROM_CORPUS if name not in params}
        fly.set_params(**{name: value for name, value in follow.items() if value is not None})
    fly.fit(documents)
    fly.set_params(verbose=0)
    return fly


def _encoded(source: Path, encoding: str, kept: Path, fly: FlyHashVectorizer) -> EncodedCorpus:
    """Return the corpus that is kept, or read the text and keep it."""
    from skfly._params import TEXT_PARAMS
    from skfly._progress import Progress
    from skfly.text import EncodedCorpus, encode_documents

    if kept.exists():
        if fly.verbose:
            typer.echo(f"skfly: using {kept}; {source} is not read", err=True)
        if source.is_file() and source.stat().st_mtime > kept.stat().st_mtime:
            show_warning(f"{source} is newer than {kept}; remove that to read the text again")
        return EncodedCorpus.load(kept)
    if source.is_dir():
        raise typer.BadParameter(f"--encoded-corpus is for text, but {source} is encoded already")
    _check_place(kept)
    text_params = {name: fly.get_params()[name] for name in TEXT_PARAMS}
    with Progress(bool(fly.verbose)).stage("reading", "words") as monitor:
        corpus = encode_documents(
            _lines(source, encoding), on_progress=monitor.advance, **text_params
        )
    with corpus:
        if not corpus.n_words:
            raise ValueError(f"{source} has no words")
        corpus.save(kept)
    return EncodedCorpus.load(kept)


@app.command(
    "hash",
    epilog=_examples(
        'echo "the fly eats fruit" | skfly hash corpus.skfly',
        "skfly hash corpus.skfly documents.txt.gz --json",
        "skfly hash corpus.skfly words.txt --words --hash-length 8",
        "skfly hash corpus.skfly documents.txt -o codes.npz",
    ),
)
def hash_texts(
    model: Model,
    text: Annotated[
        Path,
        typer.Argument(
            metavar="TEXT_FILE",
            help="A text file (plain, .gz, .bz2 or .xz), one document a line, or - for standard "
            "input.",
        ),
    ] = STANDARD_INPUT,
    words: Annotated[
        bool, typer.Option("--words", help="Each line is a word: give its static code.")
    ] = False,
    unknown_words: Annotated[
        UnknownWords | None,
        typer.Option(help="With --words: no cell, or a code by words spelled alike."),
    ] = None,
    hash_length: Annotated[
        int | None, typer.Option(min=1, help="Active cells of a code; else as the model says.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="NPZ", help="Write a scipy sparse matrix here instead."
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    as_json: Json = False,
) -> None:
    """Print the codes of documents, or of words.

    The code of each line is the numbers of its active cells; empty if no word is known.
    """
    from scipy import sparse

    if output is not None:
        _check_place(output)
    fly = _load(model)
    # what belongs to Python only: lines are the text itself, and codes are sparse and binary
    fly.set_params(input="content", document_codes="binary", sparse_output=True)
    if hash_length is not None:
        fly.set_params(hash_length=hash_length)
    if unknown_words is not None:
        fly.set_params(unknown_words=unknown_words.value)
    parts = []
    for lines in _batches(_lines(text, encoding)):
        codes = sparse.csr_array(
            fly.hash_words([line.strip() for line in lines]) if words else fly.transform(lines)
        )
        if output is None:
            _print_codes(lines, codes, as_json)
        else:
            parts.append(codes)
    if output is not None:
        none = sparse.csr_array((0, fly.n_features_out_), dtype=fly.dtype)
        _write_codes(output, sparse.vstack([none, *parts], format="csr"), as_json)


def _print_codes(lines: Sequence[str], codes: Any, as_json: bool) -> None:
    cells = [
        codes.indices[start:stop].tolist()
        for start, stop in zip(codes.indptr, codes.indptr[1:], strict=False)
    ]
    typer.echo(
        "\n".join(
            json.dumps({"text": line, "cells": code}) if as_json else " ".join(map(str, code))
            for line, code in zip(lines, cells, strict=True)
        )
    )


def _write_codes(output: Path, codes: Any, as_json: bool) -> None:
    """Write codes beside their place and rename them into it."""
    from scipy import sparse

    beside = output.with_name(f".{output.name}-{os.getpid()}")
    try:
        with open(beside, "wb") as file:
            sparse.save_npz(file, codes)
        beside.replace(output)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    rows, cells = codes.shape
    if as_json:
        print_json({"codes": str(output), "rows": rows, "cells": cells})
    else:
        typer.echo(f"{output}: {rows:,} codes of {cells} cells")


@app.command(
    epilog=_examples(
        "skfly evaluate corpus.skfly",
        "skfly evaluate corpus.skfly --wordsim wordsim/ --hash-lengths 4,16,64 --plot scores.png",
        "skfly evaluate corpus.skfly --wordsim men.txt --wordsim rg.csv --csv scores.csv",
        "skfly evaluate corpus.skfly --seeds 3 --corpus corpus.txt.gz --json",
        "skfly evaluate word2vec.bin --wordsim wordsim/",
        "skfly evaluate corpus.skfly --wic wic/ --scws scws_ratings.txt",
    )
)
def evaluate(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model file, or word vectors: .txt, .vec or .bin in word2vec's format, .kv as "
            "gensim's KeyedVectors saves them (a pickle: open only what you trust).",
            show_default=False,
        ),
    ],
    wordsim: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="A file of word pairs (word1 word2 score), or a directory of such; may be "
            "given again. Without it: WordSim-353 and SimLex-999, which come with gensim.",
        ),
    ] = None,
    wic: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Score words in context instead: the directory of WiC (*.data.txt, *.gold.txt).",
        ),
    ] = None,
    scws: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Score words in context instead: SCWS, with 18 columns."
        ),
    ] = None,
    hash_lengths: Annotated[
        str | None, typer.Option(metavar="K,K,...", help="Active cells of a code.")
    ] = None,
    unknown_words: Annotated[
        UnknownWords | None,
        typer.Option(help="Leave out pairs with an unknown word, or code it by its spelling."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Learn so many models anew, with MODEL's parameters and the seeds 0, 1, ..., "
            "and tell mean and standard deviation. Needs --corpus.",
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS", help="What to learn from, as in skfly train; for --seeds."),
    ] = None,
    encoding: Encoding = "utf-8",
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the scores here as CSV.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the scores here as JSON.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the scores here (.png, .svg or .pdf)."),
    ] = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Compare the similarity of words with people's judgement.

    Scores are 100 times Spearman's rank correlation, over the pairs of which both words are
    known: of the share of cells that two codes agree on, or of the cosine of vectors. Words in
    context have the mean and standard deviation over four folds, with what a fifth chose.
    """
    from skfly.evaluation._datasets import load_datasets

    contexts = [path for path in (wic, scws) if path is not None]
    if contexts and (wordsim or seeds is not None or plot is not None):
        raise typer.BadParameter(
            "--wic and --scws give a table of their own: leave out --wordsim, --seeds and --plot"
        )
    if (seeds is None) != (corpus is None):
        raise typer.BadParameter("--seeds and --corpus belong together")
    lengths = _whole_numbers(hash_lengths, "--hash-lengths")
    for place in (csv_file, json_file, plot):
        if place is not None:
            _check_place(place)
    if plot is not None:
        _check_plot(plot)
    table: WordSimilarityTable | WordInContextTable
    if contexts:
        table = _evaluate_contexts(model, contexts, lengths, unknown_words, quiet)
    else:
        datasets = load_datasets(wordsim)
        table = _evaluate(
            model, datasets, lengths, unknown_words, seeds, corpus, encoding, jobs, quiet
        )
    if csv_file is not None:
        table.to_csv(csv_file)
    if json_file is not None:
        table.to_json(json_file)
    if plot is not None:
        cast("WordSimilarityTable", table).plot(plot)
    if as_json:
        print_json({"model": str(model), **table.to_dict()})
    else:
        typer.echo(str(table))


def _evaluate(
    path: Path,
    datasets: Sequence[Any],
    hash_lengths: Sequence[int] | None,
    unknown_words: UnknownWords | None,
    seeds: int | None,
    corpus: Path | None,
    encoding: str,
    jobs: int | None,
    quiet: bool,
) -> WordSimilarityTable:
    from skfly._progress import Progress
    from skfly.evaluation import HASH_LENGTHS, mean_over_seeds, word_similarity

    model = _load_to_evaluate(path, {"--seeds": corpus}, unknown_words)
    models: Iterable[Any] = [model]
    if corpus is not None:
        models = _relearned(model, corpus, encoding, range(seeds or 1), jobs, quiet)
    results = []
    for scored in models:
        with Progress(not quiet).stage("evaluating", "word pairs") as monitor:
            results.append(word_similarity(scored, datasets, hash_lengths or HASH_LENGTHS))
            monitor.advance(sum(map(len, datasets)))
    return results[0] if corpus is None else mean_over_seeds(results)


def _evaluate_contexts(
    path: Path,
    contexts: Sequence[Path],
    hash_lengths: Sequence[int] | None,
    unknown_words: UnknownWords | None,
    quiet: bool,
) -> WordInContextTable:
    from skfly._progress import Progress
    from skfly.evaluation import word_in_context
    from skfly.evaluation._context_data import load_context_data

    datasets = load_context_data(contexts)
    model = _load_to_evaluate(path, {"--hash-lengths": hash_lengths}, unknown_words)
    chosen: dict[str, Any] = {} if hash_lengths is None else {"hash_lengths": hash_lengths}
    with Progress(not quiet).stage("evaluating", "pairs") as monitor:
        table = word_in_context(model, datasets, **chosen)
        monitor.advance(sum(map(len, datasets)))
    return table


def _load_to_evaluate(
    path: Path, only_models: dict[str, Any], unknown_words: UnknownWords | None
) -> Any:
    """Return a model or vectors; refuse options that only a model can have."""
    from skfly.evaluation import load_vectors
    from skfly.evaluation._vectors import vectors_suffix

    dense = vectors_suffix(path) is not None
    for option, given in (only_models | {"--unknown-words": unknown_words}).items():
        if dense and given is not None:
            raise typer.BadParameter(f"{option} is for models of skfly, but {path} holds vectors")
    model = load_vectors(path) if dense else _load(path)
    if unknown_words is not None:
        model.set_params(unknown_words=unknown_words.value)
    return model


def _relearned(
    fly: FlyHashVectorizer,
    source: Path,
    encoding: str,
    seeds: Iterable[int],
    jobs: int | None,
    quiet: bool,
) -> Iterator[FlyHashVectorizer]:
    """Yield estimators with the same parameters, learned from a text with other seeds."""
    from skfly._params import TEXT_PARAMS
    from skfly._progress import Progress
    from skfly.text import EncodedCorpus, encode_documents
    from skfly.vectorizer import FlyHashVectorizer

    params = fly.get_params() | {"input": "content", "n_jobs": jobs, "verbose": int(not quiet)}
    if source.is_dir():
        corpus = EncodedCorpus.load(source)
    else:
        text_params = {name: params[name] for name in TEXT_PARAMS}
        with Progress(not quiet).stage("reading", "words") as monitor:
            corpus = encode_documents(
                _lines(source, encoding), on_progress=monitor.advance, **text_params
            )
    with corpus:
        for seed in seeds:
            yield FlyHashVectorizer(**(params | {"random_state": seed})).fit(corpus)


def _whole_numbers(text: str | None, option: str) -> list[int] | None:
    """Return numbers that are separated by commas."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        message = f"{text!r} is not a list of whole numbers above 0, such as 4,8,16"
        raise typer.BadParameter(message, param_hint=f"'{option}'")
    return [int(part) for part in parts]


def _check_plot(path: Path) -> None:
    """Refuse what cannot be drawn, before any work is done."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ImportError("--plot needs matplotlib: install skfly[plot]")
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"{path} must end in .png, .svg or .pdf", param_hint="'--plot'")


@app.command(
    epilog=_examples(
        "skfly info corpus.skfly",
        "skfly info corpus.skfly --json",
    )
)
def info(model: Model, as_json: Json = False) -> None:
    """Tell what a model is."""
    about = _describe(_load(model), model)
    if as_json:
        print_json(about)
        return
    words = ", ".join(f"{word} {count:,}" for word, count in about["most_frequent_words"])
    rows = [
        ("cells", f"{about['cells']:,}"),
        ("words", f"{about['words']:,}"),
        ("hash length", about["hash_length"]),
        ("window", about["window"]),
        ("rule", about["rule"]),
        ("words read", f"{about['words_read']:,}"),
        ("windows seen", f"{about['windows_seen']:,}"),
        ("epochs", about["epochs"]),
        ("cells in use", f"{about['cells_in_use']:.1%}"),
        ("last energy", f"{about['energy']:.6g}"),
        ("learned with", _pairs(about["settings"])),
        ("not the default", _pairs(about["changed_parameters"]) or "nothing"),
        ("file size", size_text(about["file_bytes"])),
        ("packed code", f"{about['code_bytes_per_word']} bytes a word"),
        ("frequent words", words),
    ]
    print_table(str(model), rows)


def _describe(fly: FlyHashVectorizer, path: Path) -> dict[str, Any]:
    from skfly._params import SETTINGS
    from skfly.vectorizer import FlyHashVectorizer

    defaults = FlyHashVectorizer().get_params()
    changed = {
        name: _short_value(value)
        for name, value in fly.get_params().items()
        if value != defaults[name]
    }
    counts = fly.word_counts_
    vocabulary = list(fly.vocabulary_)
    return {
        "model": str(path),
        "cells": fly.n_features_out_,
        "words": len(vocabulary),
        "hash_length": fly.hash_length,
        "window": fly.window,
        "rule": fly.learning,
        "words_read": fly.n_words_seen_,
        "windows_seen": fly.n_windows_seen_,
        "epochs": fly.n_iter_,
        "cells_in_use": fly.cells_used_[-1],
        "energy": fly.energy_[-1],
        "settings": {name: getattr(fly, f"{name}_") for name in (*SETTINGS, "min_count")},
        "changed_parameters": changed,
        "file_bytes": path.stat().st_size,
        "code_bytes_per_word": -(-fly.n_features_out_ // 8),
        "most_frequent_words": [
            (vocabulary[i], int(counts[i])) for i in (-counts).argsort()[:_FREQUENT_WORDS]
        ],
    }


@app.command(
    epilog=_examples(
        "skfly demo",
        "skfly demo -o /tmp/demo.skfly --json",
    )
)
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")] = Path(
        "demo.skfly"
    ),
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn from 104 Wikipedia articles and show it.

    The text comes with gensim: nothing is downloaded. It takes some seconds.
    """
    from skfly.demo import run_demo

    _check_place(output)
    result = run_demo(output, n_jobs=jobs, verbose=0 if quiet else 1)
    if as_json:
        print_json(asdict(result))
    else:
        _print_demo(result)


def _print_demo(result: DemoResult) -> None:
    print_table(
        "Learned",
        [
            ("text", f"{result.n_articles} Wikipedia articles, {size_text(result.n_characters)}"),
            ("words", f"{result.n_words:,} without stop words"),
            ("known", f"{result.n_different_words:,} different words"),
            ("windows", f"{result.n_windows:,}"),
            ("opening", f"{result.seconds_reading:.1f} s"),
            ("learning", f"{result.seconds_learning:.1f} s"),
            ("code", f"{result.hash_length} of {result.n_kenyon_cells} cells on"),
            ("packed code", f"{result.code_bytes_per_word} bytes a word"),
        ],
    )
    print_table(
        "Nearest words, with the number of cells they share",
        [(near.word, _shared(near)) for near in result.good_neighbours],
        "These were chosen because they come out well. Others do not:",
    )
    print_table("", [(result.bad_neighbours.word, _shared(result.bad_neighbours))])
    print_table(
        "Words in context, and what is near their codes there (the sentence's words left out)",
        [(near.word, near.context, ", ".join(near.words)) for near in result.contexts],
    )
    print_table(
        f"Most active Kenyon cells of: {result.sentence}",
        [(f"cell {cell.number}", ", ".join(cell.words)) for cell in result.cells],
        "The sentences were chosen too, among some that the articles have words for.",
    )
    print_table(
        "Similarity of words against people's judgement (WordSim-353)",
        [
            (
                f"hash length {score.hash_length}",
                f"Spearman {score.spearman:.1f}",
                f"{score.n_pairs} of {score.n_pairs_in_all} pairs known",
            )
            for score in result.similarity
        ],
        "The text is small: half a million words with the stop words. The settings were picked by "
        "these scores. What larger texts give is in the docs.",
    )
    model = shlex.quote(result.model)
    print_table(
        f"The model is in {result.model} ({size_text(result.model_bytes)}). Try next",
        [
            (f"skfly info {model}",),
            (f"echo 'a voyage to the moon' | skfly hash {model}",),
            (f"echo moon | skfly hash {model} --words --hash-length 8",),
            ("skfly train YOUR_TEXT -o your.skfly",),
        ],
    )


def _shared(near: Neighbours) -> str:
    pairs = zip(near.words, near.shared_cells, strict=True)
    return ", ".join(f"{word} {count}" for word, count in pairs)


# Files


def _check_place(path: Path) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no directory {path.parent}")
    try:
        with tempfile.NamedTemporaryFile(prefix=".skfly-", dir=path.parent):
            pass
    except OSError as error:
        raise OSError(f"cannot write in {path.parent}: {error.strerror}") from error


def _load(model: Path) -> FlyHashVectorizer:
    from skfly.vectorizer import FlyHashVectorizer

    if not model.exists():
        raise FileNotFoundError(f"there is no model file {model}")
    return FlyHashVectorizer.load(model, mmap=True)


def _lines(source: Path, encoding: str) -> Iterator[str]:
    """Return the lines of a file or of standard input."""
    from skfly.text import TextLines

    if source == STANDARD_INPUT:
        return _checked(_standard_input(encoding), "standard input")
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a directory, not a text file")
    return _checked(TextLines(source, encoding=encoding), str(source))


def _standard_input(encoding: str) -> Iterable[str]:
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    reconfigure: Any = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding=encoding, errors="strict")
    return sys.stdin


def _checked(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield lines; say which text it was if it cannot be read."""
    try:
        yield from lines
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} cannot be read as {error.encoding} ({error.reason}); --encoding sets another"
        ) from error
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{name} is damaged or cut short: {error}") from error


def _batches(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield some lines at a time, without their ends; one by one if a person types them."""
    size = 1 if sys.stdin is not None and sys.stdin.isatty() else _DOCUMENTS_AT_A_TIME
    while batch := [line.rstrip("\r\n") for line in islice(lines, size)]:
        yield batch


def _pairs(values: Mapping[str, Any]) -> str:
    shown = {
        name: f"{value:.4g}" if isinstance(value, float) else repr(value)
        for name, value in values.items()
    }
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def _short_value(value: Any) -> Any:
    if isinstance(value, list):
        return f"<{len(value)} words>"
    return value.__name__ if isinstance(value, type) else value


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="skfly")


if __name__ == "__main__":
    main()
