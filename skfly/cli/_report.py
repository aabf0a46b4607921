"""``skfly evaluate --report``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from skfly.cli._console import print_json
from skfly.cli._files import check_place, read_lines

if TYPE_CHECKING:
    from skfly.evaluation.report import Report

__all__ = ["ReportOptions", "write"]


@dataclass(frozen=True)
class ReportOptions:
    """What was asked for."""

    model: Path
    data: Path
    report: Path
    vectors: list[Path]
    corpus: Path | None
    encoding: str
    experiments: str | None


def write(options: ReportOptions, model: Any, *, quiet: bool, as_json: bool) -> None:
    """Write a report about a model, and print what was reached."""
    from skfly.evaluation import load_vectors
    from skfly.evaluation.report import write_report
    from skfly.text import EncodedCorpus

    if not options.report.is_dir():
        check_place(options.report)
    vectors = {path.name.split(".", maxsplit=1)[0]: load_vectors(path) for path in options.vectors}
    corpus: Any = None
    if options.corpus is not None and options.corpus.is_dir():
        corpus = EncodedCorpus.load(options.corpus)
    elif options.corpus is not None:
        corpus = read_lines(options.corpus, options.encoding)
    chosen = options.experiments
    report = write_report(
        model,
        options.data,
        options.report,
        name=options.model.name.split(".", maxsplit=1)[0],
        vectors=vectors,
        corpus=corpus,
        experiments=None if chosen is None else [name.strip() for name in chosen.split(",")],
        on_progress=None if quiet else _tell,
    )
    if as_json:
        print_json(
            {
                "report": str(report.path),
                "seconds": round(report.seconds, 2),
                "goals": [asdict(goal) for goal in report.goals],
                "missing": report.missing,
                "notes": report.notes,
            }
        )
    else:
        _print(report)


def _tell(experiment: str, done: str) -> None:
    typer.echo(f"skfly: {experiment}: {done}", err=True)


def _print(report: Report) -> None:
    for name, why in report.missing.items():
        typer.echo(f"skfly: warning: {name} was not run: {why}", err=True)
    verdicts = [goal.verdict for goal in report.goals]
    typer.echo(
        f"{report.path}: of {len(verdicts)} figures beside the paper's or a peer's, "
        f"{verdicts.count('reached')} reached, {verdicts.count('missed')} missed, "
        f"in {report.seconds:.0f} s"
    )
