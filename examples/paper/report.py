"""Run all experiments on a model, and write a page and CSV files.

    python examples/paper/report.py en.skfly --data DIR -o out/
    python examples/paper/report.py en.skfly --data DIR -o out/ --vectors w2v.bin --corpus CORPUS
    python examples/paper/report.py glove.txt --data DIR -o out/ --experiments similarity,contexts
    python examples/paper/report.py en.skfly --data DIR -o out/ --reference examples/paper/figures

The datasets may be anywhere in DIR; ``data_folder.py`` lists the names of their files.
Missing ones are reported, and the rest is run.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from inspect import getdoc
from pathlib import Path
from textwrap import shorten
from typing import Any

from data_folder import DataFolder
from experiments import EXPERIMENTS, Inputs
from page import page
from section import Section, goal, goal_table
from skfly import FlyHashVectorizer, __version__
from skfly._files import write_file
from skfly.evaluation import Table, is_vector_file, load_vectors
from skfly.evaluation._drawing import can_draw
from skfly.text import EncodedCorpus, TextLines

__all__ = ["Report", "write_report"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "gensim", "numba", "matplotlib")
_EXPECTED = (OSError, ValueError, ImportError, MemoryError)


@dataclass(frozen=True)
class Report:
    """What was measured.

    Attributes
    ----------
    path : Path
        The page.
    goals : Table
        Figures of the model, each beside a reference or a peer in the same run: ``experiment``,
        ``what``, ``found``, ``reference``, ``reached`` and ``verdict``.
    missing : dict from names of datasets to what is wrong
    seconds : float
    notes : dict from titles to lists of str
        What else was not run, failed, or was warned of.
    """

    path: Path
    goals: Table
    missing: dict[str, str]
    seconds: float
    notes: dict[str, list[str]] = field(default_factory=dict)


def write_report(
    model: Any,
    data: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    name: str = "fly",
    vectors: Mapping[str, Any] | None = None,
    corpus: Any = None,
    experiments: Iterable[str] | None = None,
    reference: str | os.PathLike[str] | None = None,
    on_progress: Callable[[str, str], None] | None = None,
) -> Report:
    """Run all experiments on a model, and write a page and CSV files.

    Parameters
    ----------
    model : FlyHashVectorizer or gensim.models.KeyedVectors
        A fitted vectorizer (it is not changed), or word vectors.
    data : path-like
        A directory with datasets: word pairs in ``wordsim/``, WiC in ``wic/``, SCWS as
        ``scws*``, 20 Newsgroups as ``20news*``, SST-2 as ``stsa.binary.*``, TREC-6 as
        ``*.label``, Web of Science as ``X.txt`` and ``Y.txt``, word vectors to compare with in
        ``vectors/``; anywhere in it. Missing datasets are reported, and the rest is run. Pickles
        (``.kv``) are not opened: pass such vectors yourself.
    out : path-like
        A directory, which is made. ``index.html`` is the page; it needs no other file.
    name : str, default="fly"
        What the model is called.
    vectors : mapping from names to gensim.models.KeyedVectors
        More word vectors to compare with.
    corpus : iterable, EncodedCorpus or None, default=None
        What to train a new model on for the training curve, which is left out without it.
    experiments : iterable of str or None, default=None
        Some of ``"similarity"``, ``"codes"``, ``"contexts"``, ``"clusters"``, ``"documents"``
        and ``"curve"``; ``None``: all.
    reference : path-like or None, default=None
        A directory with CSV files as a report has them, such as an earlier report, to compare
        with.
    on_progress : function or None
        Called with the experiment and what was done in it.

    Returns
    -------
    report : Report
    """
    chosen = list(EXPERIMENTS if experiments is None else experiments)
    for key in chosen:
        if key not in EXPERIMENTS:
            raise ValueError(f"experiments are {', '.join(EXPERIMENTS)}; got {key!r}")
    references = _read_reference(reference)
    folder = DataFolder(data)
    out = Path(out)
    out.mkdir(exist_ok=True)
    began = time.perf_counter()
    given = {**folder.vectors(), **(vectors or {})}
    sections = []
    for key in chosen:
        tell = partial(on_progress or _say_nothing, key)
        section = _run(key, Inputs(name, model, given, folder, corpus, tell))
        for file, table in section.tables.items():
            safe = re.sub(r"[^\w.-]+", "_", file)
            section.goals += _beside(safe, table, references.get(safe, []))
            table.to_csv(out / f"{safe}.csv")
        sections.append(section)
        tell(f"done in {section.seconds:.0f} s")
    seconds = time.perf_counter() - began
    goals = goal_table(sections)
    goals.to_csv(out / "goals.csv")
    settings = _settings(model, folder, given)
    html = page(f"How good is {name}?", sections, settings, _versions(), folder.missing, seconds)
    write_file(out / "index.html", html)
    notes = {section.title: section.notes for section in sections if section.notes}
    return Report(out / "index.html", goals, folder.missing, seconds, notes)


def _read_reference(path: str | os.PathLike[str] | None) -> dict[str, list[dict[str, str]]]:
    """Return the rows of all CSV files in a directory, by the names of the files."""
    if path is None:
        return {}
    if not Path(path).is_dir():
        raise NotADirectoryError(f"there is no directory {path}")
    found = {}
    for file in sorted(Path(path).glob("*.csv")):
        with open(file, newline="", encoding="utf-8") as lines:
            found[file.stem] = list(csv.DictReader(lines))
    return found


def _beside(name: str, table: Table, reference: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the figures of a table beside those that a reference has for the same keys."""
    keys = [column for column in table.columns if column.role == "key"]
    values = [column.name for column in table.columns if column.role == "value"]

    def key(row: Mapping[str, Any]) -> tuple[str, ...]:
        found = (row.get(column.name) for column in keys)
        return tuple("" if value is None else str(value).casefold() for value in found)

    theirs = {key(row): row for row in reference}
    goals = []
    for row in table.rows if values else ():
        found = getattr(row, values[0])
        figure = theirs.get(key(vars(row)), {}).get(values[0])
        what = ", ".join(f"{column.label} {column.show(row)}" for column in keys)
        with suppress(TypeError, ValueError):  # no figure there, or no number
            goals.append(goal(name, what, found, float(figure)))  # type: ignore[arg-type]
    return goals


def _run(key: str, inputs: Inputs) -> Section:
    """Run an experiment; its section reports what goes wrong."""
    began = time.perf_counter()
    title, experiment = EXPERIMENTS[key]
    section = Section(title, getdoc(experiment) or "")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", category=UserWarning, module=r"skfly\b")
        try:
            experiment(inputs, section)
        except ImportError as error:  # an extra, or a newer scikit-learn
            section.notes.append(f"Not run: {error}")
        except _EXPECTED as error:
            section.notes.append(f"Failed: {error or type(error)}")
    section.notes += list(dict.fromkeys(str(warning.message) for warning in caught))
    if section.tables and not can_draw():
        section.notes.append('Nothing is drawn: that needs pip install "skfly[plot]".')
    section.seconds = time.perf_counter() - began
    return section


def _settings(model: Any, folder: DataFolder, vectors: Mapping[str, Any]) -> dict[str, str]:
    about = {"data": str(folder.path)}
    if isinstance(model, FlyHashVectorizer):
        about |= {"words known": f"{len(model.vocabulary_):,}", "epochs": str(model.n_iter_)}
        about |= {"words read": f"{model.n_words_seen_:,}"}
        about |= {"windows seen": f"{model.n_windows_seen_:,}"}
        about |= {key: shorten(repr(v), 80) for key, v in model.get_params().items()}
    else:
        about |= {"words known": f"{len(model):,}", "dimensions": str(model.vector_size)}
    for name, some in vectors.items():
        about[f"vectors {name}"] = f"{len(some):,} words, {some.vector_size} dimensions"
    return about


def _versions() -> dict[str, str]:
    found = {"skfly": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    found["system"] = platform.platform()
    found["processors"] = str(os.cpu_count())
    return found


def _say_nothing(*_: str) -> None:
    """Ignore progress."""


def say(*words: str) -> None:
    print(*words, sep=": ", file=sys.stderr, flush=True)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path, help="a model file, or word vectors")
    parser.add_argument("--data", type=Path, required=True, help="the datasets")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a directory")
    parser.add_argument("--vectors", type=Path, action="append", default=[], help="more vectors")
    parser.add_argument("--experiments", help=",".join(EXPERIMENTS))
    parser.add_argument("--corpus", type=Path, help="what to train on for the training curve")
    parser.add_argument("--reference", type=Path, help="an earlier report, or CSV files like it")
    args = parser.parse_args(argv)
    load = load_vectors if is_vector_file(args.model) else FlyHashVectorizer.load
    corpus = args.corpus
    if corpus is not None:
        corpus = EncodedCorpus.load(corpus) if corpus.is_dir() else TextLines(corpus)
    report = write_report(
        load(args.model),
        args.data,
        args.output,
        name=_stem(args.model),
        vectors={_stem(path): load_vectors(path) for path in args.vectors},
        corpus=corpus,
        experiments=args.experiments and args.experiments.split(","),
        reference=args.reference,
        on_progress=say,
    )
    for dataset, why in report.missing.items():
        say(dataset, f"not run: {why}")
    verdicts = [goal.verdict for goal in report.goals.rows]
    print(
        f"{report.path}: of {len(verdicts)} figures beside a reference or a peer, "
        f"{verdicts.count('reached')} reached, {verdicts.count('missed')} missed, "
        f"in {report.seconds:.0f} s"
    )


def _stem(path: Path) -> str:
    return path.name.split(".", maxsplit=1)[0]


if __name__ == "__main__":
    main()
