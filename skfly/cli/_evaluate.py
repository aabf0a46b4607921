"""``skfly evaluate``: a group of commands, one for each kind of data.

To add one, write a function here or in a module of its own, with ``@evaluations.command()``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from skfly.cli._app import Encoding, Force, Jobs, Json, Quiet, UnknownWords, app, examples
from skfly.cli._console import Layout, print_json, print_markdown, say, show_warning
from skfly.cli._files import check_place, holds_only_words, load_model, read_lines

if TYPE_CHECKING:
    from skfly.evaluation import Table
    from skfly.vectorizer import FlyHashVectorizer

# options of 0.1 that it accepted and ignored
_IGNORED = {
    "contexts": ("--jobs", "--encoding"),
    "analogies": ("--jobs", "--encoding", "--measure"),
    "words": (),
}


_OF_REPORTS = ("--report", "--data", "--experiments")
_REPORTS_MOVED = """reports are now written by a script in skfly's repository and source
distribution: python examples/paper/report.py MODEL --data DIR -o OUT""".replace("\n", " ")


class _Evaluations(TyperGroup):
    """The command group; without a subcommand, it accepts the form of 0.1."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            if args[0] == "report" or any(arg.split("=")[0] in _OF_REPORTS for arg in args):
                raise typer.BadParameter(_REPORTS_MOVED)
            args = new_spelling(args)
            show_warning(
                "without a subcommand, 'skfly evaluate' will be removed; the new spelling is "
                f"'skfly evaluate {shlex.join(args)}'"
            )
        return super().parse_args(ctx, args)


def new_spelling(args: Sequence[str]) -> list[str]:
    """Convert arguments of ``skfly evaluate`` in 0.1 to the current form.

    Examples
    --------
    >>> new_spelling(["--analogies=questions.txt", "en.skfly", "--jobs", "2"])
    ['analogies', 'en.skfly', 'questions.txt']
    """
    words = [word for arg in args for word in (arg.split("=", 1) if arg[:2] == "--" else [arg])]
    kinds = {"analogies": ("--analogies",), "contexts": ("--wic", "--scws")}
    command = next((kind for kind in kinds if set(kinds[kind]) & set(words)), "words")
    kept, last = [command], []
    remaining = iter(words)
    for word in remaining:
        if word == "--analogies":
            last += [next(remaining, "")]
        elif word in _IGNORED[command]:
            next(remaining, None)
        else:
            kept.append(word)
    return kept + last


_HELP = "Measure how good a model or word vectors are."
evaluations = typer.Typer(cls=_Evaluations, rich_markup_mode=None, help=_HELP)
app.add_typer(
    evaluations,
    name="evaluate",
    epilog=examples(
        "skfly evaluate words corpus.skfly --json",
        "skfly evaluate contexts corpus.skfly --wic wic/",
        "skfly evaluate analogies corpus.skfly questions-words.txt",
        "skfly evaluate documents --data 20news-bydate.tar.xz",
        "skfly evaluate sentences corpus.skfly --sts sts-dev.csv",
    ),
)

_MODEL_HELP = """A model file, 'en', or word vectors: as FlyKeyedVectors saves them; .txt, .vec or
.bin in word2vec's format; .kv as gensim's KeyedVectors saves them (a pickle: see
--trust-pickle)."""
_WORDSIM_HELP = """A file of word pairs (word1 word2 score), or a directory of them; can be
repeated. Without it: WordSim-353 and SimLex-999, which come with gensim."""
_QUESTIONS_HELP = """Four words per line, in sections that begin with ': name'. Without it: the
questions of word2vec, which come with gensim."""
_SEEDS_HELP = """Train this many models with MODEL's parameters and the seeds 0, 1, ..., and print
mean and standard deviation. Needs --corpus."""
_UNKNOWN_HELP = "Leave out pairs with an unknown word, or compute its code from its spelling."
_PICKLE_HELP = "Open .kv files that you name. A pickle can run any program: open only your own."
_PLOT_HELP = "Draw the scores here (.png, .svg or .pdf)."

ModelOrVectors = Annotated[
    Path, typer.Argument(metavar="MODEL", help=_MODEL_HELP, show_default=False)
]
Wordsim = Annotated[list[Path] | None, typer.Option(metavar="PATH", help=_WORDSIM_HELP)]
Wic = Annotated[Path | None, typer.Option(metavar="DIR", help="WiC: *.data.txt, *.gold.txt.")]
Scws = Annotated[Path | None, typer.Option(metavar="FILE", help="SCWS, with 18 columns.")]
Questions = Annotated[
    Path | None, typer.Argument(metavar="FILE", help=_QUESTIONS_HELP, show_default=False)
]
HashLengths = Annotated[
    str | None, typer.Option(metavar="K,K,...", help="Numbers of active cells to score.")
]
WordMeasure = Annotated[str, typer.Option(help="cosine or sokal-michener.")]
ContextMeasure = Annotated[str, typer.Option(help="For vectors: cosine or jensen-shannon.")]
Unknown = Annotated[UnknownWords | None, typer.Option(help=_UNKNOWN_HELP)]
Seeds = Annotated[int | None, typer.Option(min=1, help=_SEEDS_HELP)]
Corpus = Annotated[Path | None, typer.Option(metavar="CORPUS", help="Text to train on.")]
TrustPickle = Annotated[bool, typer.Option("--trust-pickle", help=_PICKLE_HELP)]
TableLayout = Annotated[
    Layout | None,
    typer.Option("--format", help="Default: a table on a terminal, Markdown elsewhere."),
]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write CSV here.")]
JsonFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write JSON here.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help=_PLOT_HELP)]


@evaluations.command(
    epilog=examples(
        "skfly evaluate words corpus.skfly",
        "skfly evaluate words corpus.skfly --wordsim wordsim/ --hash-lengths 4,16 --plot s.png",
        "skfly evaluate words corpus.skfly --wordsim men.txt --wordsim rg.csv --csv scores.csv",
        "skfly evaluate words corpus.skfly --seeds 3 --corpus corpus.txt.gz --json",
        "skfly evaluate words word2vec.bin --wordsim wordsim/",
    )
)
def words(
    model: ModelOrVectors,
    wordsim: Wordsim = None,
    hash_lengths: HashLengths = None,
    measure: WordMeasure = "auto",
    unknown_words: Unknown = None,
    seeds: Seeds = None,
    corpus: Corpus = None,
    encoding: Encoding = "utf-8",
    layout: TableLayout = None,
    csv_file: CsvFile = None,
    json_file: JsonFile = None,
    plot: Plot = None,
    trust_pickle: TrustPickle = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Score word similarity against human judgement.

    Scores are 100 times Spearman's rank correlation with the share of cells on which two codes
    agree, or with the cosine of two vectors. Pairs with an unknown word are left out.
    """
    from skfly.evaluation import load_word_pairs, mean_over_seeds, word_similarity

    if (seeds is None) != (corpus is None):
        raise typer.BadParameter("--seeds and --corpus need each other")
    chosen = hash_lengths_of(hash_lengths)
    check_places(force, csv_file, json_file, plot)
    datasets = load_word_pairs(wordsim)
    loaded = load_to_evaluate(model, trust_pickle, unknown_words, {"--seeds": seeds})
    models: Iterable[Any] = [loaded]
    if corpus is not None:
        models = _trained_again(loaded, corpus, encoding, range(seeds or 1), jobs, quiet)
    results = []
    for scored in models:
        with show_stage("word pairs", quiet) as monitor:
            results.append(word_similarity(scored, datasets, measure=measure, **chosen))
            monitor.advance(sum(map(len, datasets)))
    table = results[0] if corpus is None else mean_over_seeds(results)
    if plot is not None:
        table.plot(plot)
    print_table(table, model, csv_file, json_file, layout, as_json)


@evaluations.command(
    epilog=examples(
        "skfly evaluate contexts corpus.skfly --wic wic/ --scws scws_ratings.txt",
        "skfly evaluate contexts word2vec.bin --wic wic/ --measure cosine",
    )
)
def contexts(
    model: ModelOrVectors,
    wic: Wic = None,
    scws: Scws = None,
    hash_lengths: HashLengths = None,
    measure: ContextMeasure = "auto",
    unknown_words: Unknown = None,
    layout: TableLayout = None,
    csv_file: CsvFile = None,
    json_file: JsonFile = None,
    trust_pickle: TrustPickle = False,
    quiet: Quiet = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Score similarity in context against human judgement.

    For WiC, the percentage of correct answers; for SCWS, 100 times Spearman's rank correlation:
    mean and standard deviation over four folds. Settings are chosen on a fifth.
    """
    from skfly.evaluation import load_context_pairs, word_in_context

    if wic is None and scws is None:
        raise typer.BadParameter("give --wic, --scws, or both")
    chosen = hash_lengths_of(hash_lengths)
    check_places(force, csv_file, json_file)
    datasets = load_context_pairs([path for path in (wic, scws) if path is not None])
    only_models = {"--hash-lengths": hash_lengths}
    loaded = load_to_evaluate(model, trust_pickle, unknown_words, only_models)
    with show_stage("pairs", quiet) as monitor:
        table = word_in_context(loaded, datasets, measure=measure, **chosen)
        monitor.advance(sum(map(len, datasets)))
    print_table(table, model, csv_file, json_file, layout, as_json)


@evaluations.command(
    epilog=examples(
        "skfly evaluate analogies corpus.skfly questions-words.txt --hash-lengths 32",
        "skfly evaluate analogies word2vec.bin questions-words.txt --json",
    )
)
def analogies(
    model: ModelOrVectors,
    questions: Questions = None,
    hash_lengths: HashLengths = None,
    layout: TableLayout = None,
    csv_file: CsvFile = None,
    json_file: JsonFile = None,
    trust_pickle: TrustPickle = False,
    quiet: Quiet = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Score analogies: Athens is to Greece as Baghdad is to Iraq.

    Scores are percentages of correct answers. Questions with an unknown word are left out.
    """
    from skfly.evaluation import word_analogies

    chosen = hash_lengths_of(hash_lengths)
    check_places(force, csv_file, json_file)
    loaded = load_to_evaluate(model, trust_pickle, None, {"--hash-lengths": hash_lengths})
    with show_stage("analogies", quiet) as monitor:
        table = word_analogies(loaded, questions, **chosen)
        monitor.advance(table.rows[-1].n_questions)
    print_table(table, model, csv_file, json_file, layout, as_json)


def show_stage(unit: str, quiet: bool) -> Any:
    """Show progress."""
    from skfly._messages import Progress

    return Progress(not quiet).stage("evaluating", unit)


def load_to_evaluate(
    path: Path,
    trust_pickle: bool,
    unknown_words: UnknownWords | None,
    only_models: dict[str, Any],
) -> Any:
    """Return a model or vectors; refuse options that only a model can have."""
    from skfly.evaluation import is_vector_file, load_vectors

    has_codes = holds_only_words(path)
    has_vectors = has_codes or is_vector_file(path)
    for option, given in (only_models | {"--unknown-words": unknown_words}).items():
        if has_vectors and given is not None:
            raise typer.BadParameter(f"{option} is for models of skfly, but {path} holds vectors")
    if has_codes:
        from skfly.keyedvectors import FlyKeyedVectors

        return FlyKeyedVectors.load(path)
    model = load_vectors(path, trusted=trust_pickle) if has_vectors else load_model(path)
    if unknown_words is not None:
        model.set_params(unknown_words=unknown_words.value)
    return model


def _trained_again(
    fly: FlyHashVectorizer,
    source: Path,
    encoding: str,
    seeds: Iterable[int],
    jobs: int | None,
    quiet: bool,
) -> Iterator[FlyHashVectorizer]:
    """Yield estimators with the same parameters, trained on a text with other seeds."""
    from skfly._messages import Progress
    from skfly.text import TEXT_PARAMS, EncodedCorpus, encode_documents
    from skfly.vectorizer import FlyHashVectorizer

    params = fly.get_params() | {"input": "content", "n_jobs": jobs, "verbose": int(not quiet)}
    if source.is_dir():
        corpus = EncodedCorpus.load(source)
    else:
        text_params = {name: params[name] for name in TEXT_PARAMS}
        with Progress(not quiet).stage("reading", "words") as monitor:
            corpus = encode_documents(
                read_lines(source, encoding), on_progress=monitor.advance, **text_params
            )
    with corpus:
        for seed in seeds:
            yield FlyHashVectorizer(**(params | {"random_state": seed})).fit(corpus)


def hash_lengths_of(text: str | None) -> dict[str, Any]:
    """Return the argument ``hash_lengths``, if it is given."""
    if text is None:
        return {}
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        message = f"{text!r} is not a list of whole numbers above 0, such as 4,8,16"
        raise typer.BadParameter(message, param_hint="'--hash-lengths'")
    return {"hash_lengths": [int(part) for part in parts]}


def check_places(
    force: bool, csv_file: Path | None, json_file: Path | None, plot: Path | None = None
) -> None:
    """Reject outputs that cannot be written or drawn, before any work is done."""
    from importlib.util import find_spec

    for place in (csv_file, json_file, plot):
        if place is not None:
            check_place(place, force)
    if plot is None:
        return
    if find_spec("matplotlib") is None:
        raise ImportError('--plot needs matplotlib: pip install "skfly[plot]"')
    if plot.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"{plot} must end in .png, .svg or .pdf", param_hint="'--plot'")


def print_table(
    table: Table,
    model: Path | None,
    csv_file: Path | None,
    json_file: Path | None,
    layout: Layout | None,
    as_json: bool,
) -> None:
    if csv_file is not None:
        table.to_csv(csv_file)
    if json_file is not None:
        table.to_json(json_file)
    if as_json:
        print_json({"model": None if model is None else str(model), **table.to_dict()})
    elif layout is Layout.CSV:
        say(table.to_csv().rstrip("\n"))
    elif layout is Layout.MARKDOWN:
        say(str(table))
    else:
        print_markdown(str(table), draw=layout is Layout.TABLE)
