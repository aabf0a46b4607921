"""Run the experiments and write the report."""

from __future__ import annotations

import os
import platform
import re
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from skfly import __version__
from skfly.evaluation._rows import drawing_is_possible, write_file
from skfly.evaluation.report._experiments import EXPERIMENTS, Inputs
from skfly.evaluation.report._folder import DataFolder
from skfly.evaluation.report._page import page
from skfly.evaluation.report._section import Goal, GoalTable, Section
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["Report", "write_report"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "gensim", "numba", "torch", "skorch", "matplotlib")
_EXPECTED = (OSError, ValueError, ImportError, MemoryError)


@dataclass(frozen=True)
class Report:
    """What was measured.

    Attributes
    ----------
    path : Path
        The page.
    goals : list of Goal
        Figures of the model, each beside the paper's or that of a peer in the same run.
    missing : dict from names of datasets to what is wrong
    notes : dict from titles to lists of str
        What else was not run, failed, or was warned of.
    seconds : float
    """

    path: Path
    goals: list[Goal]
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
    on_progress: Callable[[str, str], None] | None = None,
) -> Report:
    """Run the paper's experiments on a model, and write a page and CSV files about them.

    Parameters
    ----------
    model : FlyHashVectorizer or gensim.models.KeyedVectors
        A fitted vectorizer (it is not changed), or word vectors.
    data : path-like
        A directory with datasets: word pairs in ``wordsim/``, WiC in ``wic/``, SCWS as
        ``scws*``, 20 Newsgroups as ``20news*``, SST-2 as ``stsa.binary.*``, TREC-6 as
        ``*.label``, Web of Science as ``X.txt`` and ``Y.txt``, word vectors to compare with in
        ``vectors/``; anywhere in it. What is missing is told, and the rest is run.
    out : path-like
        A directory, which is made. ``index.html`` is the page; it needs no other file.
    name : str, default="fly"
        What the model is called.
    vectors : mapping from names to gensim.models.KeyedVectors
        More word vectors to compare with.
    corpus : iterable, EncodedCorpus or None, default=None
        What a new model is learned from for the training curve, which is else left out.
    experiments : iterable of str or None, default=None
        Some of ``"similarity"``, ``"codes"``, ``"contexts"``, ``"clusters"``, ``"documents"``,
        ``"textcnn"`` and ``"curve"``; ``None``: all.
    on_progress : function or None
        Called with the experiment and what was done in it.

    Returns
    -------
    report : Report
    """
    chosen = _check_experiments(experiments)
    out = Path(out)
    out.mkdir(exist_ok=True)
    folder = DataFolder(data)
    began = time.perf_counter()
    given = {**folder.vectors(), **(vectors or {})}
    sections = []
    for key in chosen:
        tell = _teller(on_progress, key)
        inputs = Inputs(name, model, given, folder, corpus, tell)
        sections.append(_run(key, inputs))
        for csv_name, table in sections[-1].tables.items():
            table.to_csv(out / (re.sub(r"[^\w.-]+", "_", csv_name) + ".csv"))
        tell(f"done in {sections[-1].seconds:.0f} s")
    seconds = time.perf_counter() - began
    goals = [goal for section in sections for goal in section.goals]
    GoalTable(goals).to_csv(out / "goals.csv")
    settings = _settings(model, folder, given)
    html = page(f"How good is {name}?", sections, settings, _versions(), folder.missing, seconds)
    write_file(out / "index.html", html)
    notes = {section.title: section.notes for section in sections if section.notes}
    return Report(out / "index.html", goals, folder.missing, seconds, notes)


def _check_experiments(experiments: Iterable[str] | None) -> list[str]:
    chosen = list(EXPERIMENTS if experiments is None else experiments)
    for name in chosen:
        if name not in EXPERIMENTS:
            raise ValueError(f"experiments are {', '.join(EXPERIMENTS)}; got {name!r}")
    return chosen


def _teller(
    on_progress: Callable[[str, str], None] | None, experiment: str
) -> Callable[[str], None]:
    return lambda done: None if on_progress is None else on_progress(experiment, done)


def _run(key: str, inputs: Inputs) -> Section:
    """Run an experiment; what goes wrong in it is told in its section."""
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", category=UserWarning, module=r"skfly\b")
        try:
            section = EXPERIMENTS[key](inputs)
        except ImportError as error:  # an extra, or something newer
            section = Section(key.capitalize(), "", notes=[f"Not run: {error}"])
        except _EXPECTED as error:
            section = Section(key.capitalize(), "", notes=[f"Failed: {error or type(error)}"])
    section.notes += list(dict.fromkeys(str(warning.message) for warning in caught))
    if section.tables and not drawing_is_possible():
        section.notes.append('Nothing is drawn: that needs pip install "skfly[plot]".')
    section.seconds = time.perf_counter() - began
    return section


def _settings(model: Any, folder: DataFolder, vectors: Mapping[str, Any]) -> dict[str, str]:
    about = {"data": str(folder.path)}
    if isinstance(model, FlyHashVectorizer):
        about |= {
            "words known": f"{len(model.vocabulary_):,}",
            "words read": f"{model.n_words_seen_:,}",
            "windows seen": f"{model.n_windows_seen_:,}",
            "epochs": str(model.n_iter_),
        }
        about |= {key: _short(value) for key, value in model.get_params().items()}
    else:
        about |= {"words known": f"{len(model):,}", "dimensions": str(model.vector_size)}
    for name, some in vectors.items():
        about[f"vectors {name}"] = f"{len(some):,} words, {some.vector_size} dimensions"
    return about


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."


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
