"""``skfly evaluate documents`` and ``sentences``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from skfly.cli._app import Force, HashLength, Jobs, Json, Quiet, examples
from skfly.cli._evaluate import (
    CsvFile,
    HashLengths,
    JsonFile,
    ModelOrVectors,
    TableLayout,
    TrustPickle,
    check_places,
    evaluations,
    hash_lengths_of,
    load_to_evaluate,
    print_table,
    show_stage,
)
from skfly.cli._files import load_model

_DATA_HELP = """A directory of 20 Newsgroups, SST-2, TREC-6 or Web of Science, an archive of 20
Newsgroups or a table of Reuters-21578; can be repeated."""
_PARAMETERS_HELP = """A model file. New models with its parameters are trained on the texts of
DATA. Without it: the default parameters."""
_VDSH_HELP = """Split and prepare the documents as papers on semantic hashing do, instead of the
split that they come with."""
_STS_HELP = "A part of the STS Benchmark, such as sts-dev.csv; can be repeated."

Parameters = Annotated[
    Path | None, typer.Argument(metavar="MODEL", help=_PARAMETERS_HELP, show_default=False)
]
Data = Annotated[list[Path], typer.Option(metavar="DATA", help=_DATA_HELP, show_default=False)]
Runs = Annotated[
    int, typer.Option(min=1, help="Number of models to train, with the seeds 0, 1, ...")
]
Cells = Annotated[int | None, typer.Option(min=1, help="Number of Kenyon cells.")]
Codes = Annotated[str | None, typer.Option(help="binary, graded or counts.")]
AsIs = Annotated[bool, typer.Option("--no-fit", help="Score MODEL itself, without training.")]
Vdsh = Annotated[bool, typer.Option("--vdsh", help=_VDSH_HELP)]
Baseline = Annotated[bool, typer.Option("--baseline", help="Score tf-idf too.")]
Sts = Annotated[list[Path], typer.Option(metavar="FILE", help=_STS_HELP, show_default=False)]


@evaluations.command(
    epilog=examples(
        "skfly evaluate documents --data 20news-bydate.tar.xz",
        "skfly evaluate documents --data reuters21578.tsv.xz --vdsh --cells 400 --hash-length 16",
        "skfly evaluate documents corpus.skfly --no-fit --data sst2/ --data trec/ --baseline",
    )
)
def documents(
    data: Data,
    model: Parameters = None,
    seeds: Runs = 3,
    cells: Cells = None,
    hash_length: HashLength = None,
    document_codes: Codes = None,
    no_fit: AsIs = False,
    vdsh: Vdsh = False,
    baseline: Baseline = False,
    layout: TableLayout = None,
    csv_file: CsvFile = None,
    json_file: JsonFile = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Score search and classification of documents.

    P@10 and P@100 are the percentage of the nearest training texts that share a topic with a test
    text. "ten labels" and "all labels" are the accuracy of a linear classifier trained with ten
    labels per class or with all. Bits are log2 C(cells, hash length).
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    from skfly.evaluation import document_scores, load_labelled_texts, vdsh_split

    if no_fit and (model is None or cells is not None):
        raise typer.BadParameter("--no-fit needs a MODEL, and cannot be combined with --cells")
    check_places(force, csv_file, json_file)
    chosen = {
        "n_kenyon_cells": cells,
        "hash_length": hash_length,
        "document_codes": document_codes,
        "n_jobs": jobs,
    }
    fly = _vectorizer(model, no_fit, {k: v for k, v in chosen.items() if v is not None})
    methods = {"tf-idf": TfidfVectorizer(sublinear_tf=True)} if baseline else {}
    datasets = [vdsh_split(path) if vdsh else load_labelled_texts(path) for path in data]
    with show_stage("texts", quiet) as monitor:
        table = document_scores(
            methods | {"fly": fly},
            datasets,
            n_runs=seeds,
            on_progress=lambda row: monitor.advance(row.n_test),
        )
    print_table(table, model, csv_file, json_file, layout, as_json)


@evaluations.command(
    epilog=examples(
        "skfly evaluate sentences corpus.skfly --sts sts-dev.csv",
        "skfly evaluate sentences corpus.skfly --sts sts-dev.csv --hash-lengths 32,64,128",
        "skfly evaluate sentences glove.txt --sts sts-dev.csv",
    )
)
def sentences(
    model: ModelOrVectors,
    sts: Sts,
    hash_lengths: HashLengths = None,
    layout: TableLayout = None,
    csv_file: CsvFile = None,
    json_file: JsonFile = None,
    trust_pickle: TrustPickle = False,
    quiet: Quiet = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Score sentence similarity against human judgement.

    Scores are 100 times Spearman's rank correlation with the cosine of two sentences' codes, or
    of the means of their words' vectors.
    """
    from skfly.evaluation import read_sts, sentence_similarity

    chosen = hash_lengths_of(hash_lengths)
    check_places(force, csv_file, json_file)
    datasets = [read_sts(path) for path in sts]
    loaded = load_to_evaluate(model, trust_pickle, None, {"--hash-lengths": hash_lengths})
    with show_stage("pairs", quiet) as monitor:
        table = sentence_similarity(loaded, datasets, **chosen)
        monitor.advance(sum(map(len, datasets)))
    print_table(table, model, csv_file, json_file, layout, as_json)


def _vectorizer(path: Path | None, no_fit: bool, chosen: dict[str, Any]) -> Any:
    """Return the estimator to fit, or a frozen one."""
    from sklearn.base import clone
    from sklearn.frozen import FrozenEstimator

    from skfly.vectorizer import FlyHashVectorizer

    fly = FlyHashVectorizer() if path is None else load_model(path)
    fly.set_params(input="content", **chosen)
    return FrozenEstimator(fly) if no_fit else clone(fly)
