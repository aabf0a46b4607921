"""``skfly evaluate report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from skfly.cli._app import Encoding, Json, Quiet, examples
from skfly.cli._console import print_json, show_warning
from skfly.cli._evaluate import (
    Corpus,
    ModelOrVectors,
    TrustPickle,
    Unknown,
    evaluations,
    load_to_evaluate,
)
from skfly.cli._files import check_place, read_lines

_DATA_HELP = """The datasets, anywhere in this directory: wordsim/, wic/, scws*, 20news*,
stsa.binary.*, *.label (TREC), X.txt and Y.txt (Web of Science), vectors/."""
_OUTPUT_HELP = "Where the page and the CSV files go."
_VECTORS_HELP = "More word vectors to compare with; may be repeated."
_EXPERIMENTS_HELP = "Some of similarity, codes, contexts, clusters, documents, curve."
_REFERENCE_HELP = "An earlier report, or CSV files like its own, to compare with."
Data = Annotated[Path, typer.Option(metavar="DIR", help=_DATA_HELP, show_default=False)]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help=_OUTPUT_HELP, show_default=False)
]
Vectors = Annotated[list[Path] | None, typer.Option(metavar="FILE", help=_VECTORS_HELP)]
Experiments = Annotated[str | None, typer.Option(metavar="NAME,...", help=_EXPERIMENTS_HELP)]
Reference = Annotated[Path | None, typer.Option(metavar="DIR", help=_REFERENCE_HELP)]


@evaluations.command(
    epilog=examples(
        "skfly evaluate report corpus.skfly --data datasets/ -o out/ --vectors word2vec.bin",
        "skfly evaluate report corpus.skfly --data datasets/ -o out/ --experiments codes,clusters",
        "skfly evaluate report new.skfly --data datasets/ -o new/ --reference out/",
    )
)
def report(
    model: ModelOrVectors,
    data: Data,
    output: Output,
    vectors: Vectors = None,
    experiments: Experiments = None,
    corpus: Corpus = None,
    reference: Reference = None,
    encoding: Encoding = "utf-8",
    unknown_words: Unknown = None,
    trust_pickle: TrustPickle = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run all experiments on a model, and write a page and CSV files."""
    from skfly.evaluation import load_vectors
    from skfly.evaluation.report import write_report

    if not output.is_dir():
        check_place(output)
    result = write_report(
        load_to_evaluate(model, trust_pickle, unknown_words),
        data,
        output,
        name=_name(model),
        vectors={_name(path): load_vectors(path, trusted=trust_pickle) for path in vectors or []},
        corpus=_corpus(corpus, encoding),
        experiments=_chosen(experiments),
        reference=reference,
        on_progress=None if quiet else _tell,
    )
    if as_json:
        about = {"report": str(result.path), "seconds": round(result.seconds, 2)}
        goals = result.goals.to_dict()["rows"]
        print_json(about | {"goals": goals, "missing": result.missing, "notes": result.notes})
        return
    for name, why in result.missing.items():
        show_warning(f"{name} was not run: {why}")
    verdicts = [goal.verdict for goal in result.goals.rows]
    typer.echo(
        f"{result.path}: of {len(verdicts)} figures beside a reference or a peer, "
        f"{verdicts.count('reached')} reached, {verdicts.count('missed')} missed, "
        f"in {result.seconds:.0f} s"
    )


def _name(path: Path) -> str:
    return path.name.split(".", maxsplit=1)[0]


def _corpus(path: Path | None, encoding: str) -> Any:
    from skfly.text import EncodedCorpus

    if path is None:
        return None
    return EncodedCorpus.load(path) if path.is_dir() else read_lines(path, encoding)


def _chosen(experiments: str | None) -> list[str] | None:
    if experiments is None:
        return None
    names = [name.strip() for name in experiments.split(",")]
    if "textcnn" in names:
        show_warning("the experiment textcnn is now examples/paper/text_cnn.py: not run")
    return [name for name in names if name != "textcnn"]


def _tell(experiment: str, done: str) -> None:
    typer.echo(f"skfly: {experiment}: {done}", err=True)
