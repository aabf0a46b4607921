"""``skfly evaluate``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from skfly.cli._app import Encoding, Jobs, Json, Quiet, UnknownWords, app, examples
from skfly.cli._console import print_json
from skfly.cli._files import check_place, load_model, read_lines
from skfly.cli._report import ReportOptions, write

if TYPE_CHECKING:
    from skfly.evaluation import WordAnalogyTable, WordInContextTable, WordSimilarityTable
    from skfly.vectorizer import FlyHashVectorizer


@app.command(
    epilog=examples(
        "skfly evaluate corpus.skfly",
        "skfly evaluate corpus.skfly --wordsim wordsim/ --hash-lengths 4,16,64 --plot scores.png",
        "skfly evaluate corpus.skfly --wordsim men.txt --wordsim rg.csv --csv scores.csv",
        "skfly evaluate corpus.skfly --seeds 3 --corpus corpus.txt.gz --json",
        "skfly evaluate word2vec.bin --wordsim wordsim/",
        "skfly evaluate corpus.skfly --wic wic/ --scws scws_ratings.txt",
        "skfly evaluate corpus.skfly --analogies questions-words.txt --hash-lengths 32",
        "skfly evaluate corpus.skfly --data datasets/ --report out/ --vectors word2vec.kv",
        "skfly evaluate corpus.skfly --data datasets/ --report out/ --experiments codes,clusters",
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
    analogies: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask for the fourth word of analogies instead: four words a line, in sections "
            "that begin with ': name'.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Run all experiments of the paper, and write a page and CSV files here. Needs "
            "--data.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The datasets for --report, anywhere in this directory: wordsim/, wic/, scws*, "
            "20news*, stsa.binary.*, *.label (TREC), X.txt and Y.txt (Web of Science), vectors/.",
        ),
    ] = None,
    vectors: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="More word vectors for --report to compare with; may be given again.",
        ),
    ] = None,
    experiments: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Some of similarity, codes, contexts, clusters, documents, textcnn, curve; for "
            "--report.",
        ),
    ] = None,
    hash_lengths: Annotated[
        str | None, typer.Option(metavar="K,K,...", help="Active cells of a code.")
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            help="Of similarity: cosine or sokal-michener; for vectors in context, cosine or "
            "jensen-shannon."
        ),
    ] = "auto",
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
        typer.Option(
            metavar="CORPUS",
            help="What to learn from, as in skfly train; for --seeds, and for --report's curve.",
        ),
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
    Analogies have the percentage of right answers.
    """
    if (report is None) != (data is None):
        raise typer.BadParameter("--report and --data belong together")
    if report is not None and data is not None:
        only_tables = (
            wordsim,
            wic,
            scws,
            analogies,
            hash_lengths,
            seeds,
            csv_file,
            json_file,
            plot,
        )
        if any(given is not None for given in only_tables):
            raise typer.BadParameter(
                "--report runs all experiments its own way: leave out the options of single ones"
            )
        fly_or_vectors = _load_to_evaluate(model, {}, unknown_words)
        write(
            ReportOptions(model, data, report, vectors or [], corpus, encoding, experiments),
            fly_or_vectors,
            quiet=quiet,
            as_json=as_json,
        )
        return
    if vectors or experiments:
        raise typer.BadParameter("--vectors and --experiments are for --report")
    from skfly.evaluation._datasets import load_datasets

    contexts = [path for path in (wic, scws) if path is not None]
    if (contexts or analogies) and (wordsim or seeds is not None or plot is not None):
        raise typer.BadParameter(
            "--wic, --scws and --analogies give a table of their own: leave out --wordsim, "
            "--seeds and --plot"
        )
    if contexts and analogies is not None:
        raise typer.BadParameter("--analogies gives a table of its own: no --wic or --scws")
    if (seeds is None) != (corpus is None):
        raise typer.BadParameter("--seeds and --corpus belong together")
    lengths = _whole_numbers(hash_lengths, "--hash-lengths")
    for place in (csv_file, json_file, plot):
        if place is not None:
            check_place(place)
    if plot is not None:
        _check_plot(plot)
    table: WordSimilarityTable | WordInContextTable | WordAnalogyTable
    if analogies is not None:
        table = _evaluate_analogies(model, analogies, lengths, unknown_words, quiet)
    elif contexts:
        table = _evaluate_contexts(model, contexts, lengths, measure, unknown_words, quiet)
    else:
        datasets = load_datasets(wordsim)
        table = _evaluate(
            model, datasets, lengths, measure, unknown_words, seeds, corpus, encoding, jobs, quiet
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
    measure: str,
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
            results.append(
                word_similarity(scored, datasets, hash_lengths or HASH_LENGTHS, measure=measure)
            )
            monitor.advance(sum(map(len, datasets)))
    return results[0] if corpus is None else mean_over_seeds(results)


def _evaluate_contexts(
    path: Path,
    contexts: Sequence[Path],
    hash_lengths: Sequence[int] | None,
    measure: str,
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
        table = word_in_context(model, datasets, measure=measure, **chosen)
        monitor.advance(sum(map(len, datasets)))
    return table


def _evaluate_analogies(
    path: Path,
    analogies: Path,
    hash_lengths: Sequence[int] | None,
    unknown_words: UnknownWords | None,
    quiet: bool,
) -> WordAnalogyTable:
    from skfly._progress import Progress
    from skfly.evaluation import HASH_LENGTHS, word_analogies
    from skfly.evaluation._analogies import TOTAL

    if unknown_words is not None:
        raise typer.BadParameter("--unknown-words is for pairs: analogies ask known words only")
    model = _load_to_evaluate(path, {"--hash-lengths": hash_lengths}, None)
    with Progress(not quiet).stage("evaluating", "analogies") as monitor:
        table = word_analogies(model, analogies, hash_lengths or HASH_LENGTHS)
        monitor.advance(sum(row.n_questions for row in table.rows if row.section == TOTAL))
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
    model = load_vectors(path) if dense else load_model(path)
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
                read_lines(source, encoding), on_progress=monitor.advance, **text_params
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
