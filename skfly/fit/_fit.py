"""One loop for all rules: batches, counts, updates, checkpoints, events."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._files import write_lock
from skfly._messages import Progress
from skfly.engine import Counter, Engine
from skfly.fit._batches import BatchStream
from skfly.fit._checkpoints import Checkpoints, Saved
from skfly.rules import (
    RULES,
    CorpusSize,
    Growing,
    Learned,
    LearnedDocuments,
    StepReport,
    Task,
)

_LOG = logging.getLogger("skfly")
_LEAST_BLOCKS = 100  # a short corpus has few sentences to shuffle
_FORMAT = 2  # of checkpoints


class History(NamedTuple):
    """The course of a run.

    The total number of windows and, for each epoch, the mean energy per window and the share of
    cells that won any.
    """

    n_windows: int = 0
    energy: tuple[float, ...] = ()
    cells_used: tuple[float, ...] = ()


@dataclass(frozen=True)
class Fitted:
    """The state of learning, and how it was reached.

    Attributes
    ----------
    rule : str
    learned : Learned
    word_counts : ndarray of int64, (V,)
        Occurrences of each word in all text so far.
    n_tokens : int
        Words of all text so far, with repetition, including unknown ones.
    n_epochs : int
        Epochs done so far.
    settings : Any
        Those of the last run.
    history : History
        That of the last run.
    checkpoints : Checkpoints or None
        Call ``forget`` once the model is saved.
    documents : LearnedDocuments or None
        Document cells, if any.
    """

    rule: str
    learned: Learned
    word_counts: NDArray[np.int64]
    n_tokens: int
    n_epochs: int
    settings: Any
    history: History = field(default_factory=History)
    checkpoints: Checkpoints | None = None
    documents: LearnedDocuments | None = None


def grow(fitted: Fitted, n_words: int) -> Fitted:
    """Return the state with room for more words at the end of the vocabulary."""
    n_new = n_words - len(fitted.word_counts)
    if not n_new:
        return fitted
    rule = RULES[fitted.rule]
    if not issubclass(rule, Growing):
        raise ValueError(f"learning={fitted.rule!r} cannot take new words later")
    state = rule.grow(fitted.learned.state, n_words)
    return replace(
        fitted,
        learned=replace(fitted.learned, state=state),
        word_counts=np.append(fitted.word_counts, np.zeros(n_new, np.int64)),
        documents=None if fitted.documents is None else fitted.documents.grow(n_words),
    )


class Corpus(Protocol):
    """What learning needs of a corpus besides its batches."""

    @property
    def n_words(self) -> int: ...

    @property
    def n_sentences(self) -> int: ...

    @property
    def longest_sentence(self) -> int: ...

    def fingerprint(self) -> str: ...


class OnEpoch(Protocol):
    """Called at the end of each epoch."""

    def __call__(
        self, epoch: int, n_epochs: int, details: dict[str, float], fitted: Callable[[], Fitted]
    ) -> bool:
        """Return whether to stop.

        ``epoch`` counts from 0, and ``fitted`` returns the result so far.
        """


@dataclass
class _Position:
    """The position of a run: finished stages, epochs and batches, and statistics so far.

    ``windows``, ``energy`` and ``sizes`` (windows of each cell) are those of the unfinished epoch.
    """

    stage: int = 0
    epoch: int = 0
    batch: int = 0
    windows: int = 0
    energy: float = 0.0
    sizes: list[int] = field(default_factory=list)
    history: History = field(default_factory=History)

    def add(self, report: StepReport) -> None:
        """Count one more batch."""
        self.batch += 1
        self.windows += report.n_windows
        self.energy += report.energy
        self.sizes = (np.asarray(self.sizes or 0) + report.cell_sizes).tolist()

    def figures(self) -> dict[str, float]:
        """Return the epoch's mean energy per window and the share of cells that won any."""
        used = float(np.mean(np.asarray(self.sizes) > 0)) if self.sizes else 0.0
        return {"energy": self.energy / max(self.windows, 1), "cells_used": used}

    def end_epoch(self) -> None:
        """Move the statistics of the epoch to the history."""
        if self.stage == 0:
            n_windows, energy, cells_used = self.history
            mean, used = self.figures().values()
            self.history = History(n_windows + self.windows, (*energy, mean), (*cells_used, used))
        self.epoch += 1
        self.batch, self.windows, self.energy, self.sizes = 0, 0, 0.0, []

    @classmethod
    def from_json(cls, content: dict[str, Any], n_cells: int) -> _Position:
        """Restore a position from ``asdict``; raise ``ValueError`` if it is invalid."""
        n_windows, energy, cells_used = content["history"]
        history = History(n_windows, tuple(map(float, energy)), tuple(map(float, cells_used)))
        position = cls(**content | {"history": history, "energy": float(content["energy"])})
        counts = [position.stage, position.epoch, position.batch, position.windows, n_windows]
        if not all(isinstance(n, int) and 0 <= n < 2**62 for n in counts + position.sizes):
            raise ValueError("a count of the position is not a count")
        if position.sizes and len(position.sizes) != n_cells:
            raise ValueError(f"there are sizes of {len(position.sizes)} cells")
        return position


def fit(
    corpus: Corpus,
    *,
    id_map: NDArray[np.int32] | None,
    word_counts: NDArray[np.int64],
    rule: str,
    params: dict[str, Any],
    n_cells: int,
    window: int,
    consensus: bool,
    engine: Engine,
    seed: int,
    progress: Progress,
    previous: Fitted | None = None,
    alike: Callable[[NDArray[np.int64]], sparse.csr_array] | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoint_dir: str | os.PathLike[str] | None = None,
    make_stream: Callable[..., Any] = BatchStream,
    counter: Counter | None = None,
    n_shards: int = 1,
) -> Fitted:
    """Learn from a corpus.

    Parameters
    ----------
    corpus : EncodedCorpus
    id_map : ndarray of int32 or None
        Model id of each of the corpus's ids.
    word_counts : ndarray of int64
        Occurrences of the model's words in this corpus.
    rule : str
        A name in :data:`skfly.rules.RULES`.
    params : dict
        Each setting of the rule by name, as a value or as ``"auto"``.
    n_cells, window : int
    consensus : bool
        Whether words get their codes from the windows they occur in.
    engine : Engine
    seed : int
    progress : Progress
    previous : Fitted, optional
        Continue from here with one pass over the corpus. It is not changed.
    alike : callable, optional
        How alike words are spelled; see :class:`~skfly.rules.Task`.
    on_epoch : function, optional
        Called after each epoch; decides whether to stop. Computing the result so far takes the
        rule's later stages.
    checkpoint_dir : path-like, optional
        Write checkpoints here, and resume from those of the same run.
    make_stream : callable
        Creates the batches: :class:`BatchStream` or, for a corpus on a cluster, a function with
        the same parameters.
    counter : Counter, optional
        Counts the windows of batches; by default the engine.
    n_shards : int
        Machines that share a batch.
    """
    n_tokens = corpus.n_words + (previous.n_tokens if previous else 0)
    counts = word_counts + (previous.word_counts if previous else 0)
    kind = RULES[rule]
    settings = kind.resolve(params, CorpusSize(n_tokens, len(counts), n_cells, n_shards))
    stream = make_stream(
        corpus,
        id_map=id_map,
        counts=counts,
        subsample=settings.subsample,
        batch_size=settings.batch_size,
        block_size=max(1, min(kind.block_size, corpus.n_sentences // _LEAST_BLOCKS)),
        seed=seed,
        ahead=engine.n_threads > 1,
    )
    task = Task(
        engine=engine,
        counter=counter or engine,
        n_cells=n_cells,
        window=window,
        word_counts=counts,
        n_tokens=n_tokens,
        settings=settings,
        n_epochs=1 if previous else settings.n_epochs,
        n_batches=stream.n_batches,
        new_share=corpus.n_words / n_tokens,
        consensus=consensus,
        previous=previous.learned if previous else None,
        alike=alike,
    )
    run = _Run(rule, task, stream, previous.n_epochs if previous else 0, seed)
    checkpoints = None
    if checkpoint_dir is not None:
        made_for = {
            "format": _FORMAT,
            "corpus": corpus.fingerprint(),
            "words": _digest(counts, id_map),
            "learning": rule,
            "n_kenyon_cells": n_cells,
            "window": window,
            "consensus": consensus,
            "seed": seed,
            **asdict(settings),
        }
        checkpoints = Checkpoints(checkpoint_dir, made_for)
    with nullcontext() if checkpoint_dir is None else write_lock(checkpoint_dir):
        if checkpoints is not None:
            checkpoints.tidy()
        history = run.learn(progress, on_epoch, checkpoints)
    if history.n_windows == 0 or not word_counts.any():
        if previous is None:
            raise ValueError(_no_windows(corpus, window, settings, bool(counts.any())))
        # a part of a stream without known words; it still counts as read
        history = history._replace(n_windows=0)
        return Fitted(
            rule, previous.learned, counts, n_tokens, previous.n_epochs, previous.settings, history
        )
    fitted = run.finish(progress, history)
    if checkpoints is not None:
        checkpoints.finish()
    return replace(fitted, checkpoints=checkpoints)


class _Run:
    """One run of a rule over a stream, from the start or from a checkpoint."""

    def __init__(self, name: str, task: Task, stream: Any, first_epoch: int, seed: int) -> None:
        self._name = name
        self._task = task
        self._stream = stream
        self._first_epoch = first_epoch
        self._rule = RULES[name](task)
        self._at = _Position()
        sequence = np.random.SeedSequence(seed, spawn_key=(first_epoch,))
        self._random = np.random.default_rng(sequence)

    def learn(
        self, progress: Progress, on_epoch: OnEpoch | None, checkpoints: Checkpoints | None
    ) -> History:
        """Run the stages of the rule; return the history of the first."""
        at = self._at
        if checkpoints is not None and (saved := checkpoints.last()) is not None:
            with checkpoints.restoring():
                at = self._restore(saved)
            progress.tell("checkpoint", "resuming the interrupted run")
        for number, stage in enumerate(self._rule.stages):
            if number < at.stage:
                continue
            n_batches = self._stream.n_batches
            n_done = at.epoch * n_batches + at.batch
            total = stage.n_epochs * n_batches
            with progress.stage(stage.label, stage.unit, total, n_done) as monitor:
                while at.epoch < stage.n_epochs:
                    self._epoch(monitor, checkpoints)
                    at.end_epoch()
                    if number == 0 and self._stops(on_epoch):
                        break
            if number == 0 and at.history.n_windows == 0:
                break
            self._rule.end_stage(number)
            at.stage, at.epoch = number + 1, 0
        return at.history

    def _epoch(self, monitor: Progress, checkpoints: Checkpoints | None) -> None:
        rule, at = self._rule, self._at
        before = sum(stage.n_epochs for stage in rule.stages[: at.stage])
        for batch in self._stream.epoch(self._first_epoch + before + at.epoch, at.batch):
            report = rule.step(batch, at.stage, at.epoch, self._random)
            at.add(report)
            details = {"epoch": at.epoch + 1, **at.figures()} if sum(at.sizes) else {}
            monitor.advance(report.n_windows, **details)
            if checkpoints is not None and checkpoints.is_due():
                numbers, arrays = rule.state()
                checkpoints.save(
                    {
                        "position": asdict(at),
                        "rule": numbers,
                        "random": self._random.bit_generator.state,
                    },
                    arrays,
                )
        rule.end_epoch(at.stage)

    def _restore(self, saved: Saved) -> _Position:
        progress = saved.progress
        self._at = _Position.from_json(progress["position"], self._task.n_cells)
        self._rule.restore(self._at.stage, progress["rule"], saved.arrays)
        self._random.bit_generator.state = progress["random"]
        return self._at

    def _stops(self, on_epoch: OnEpoch | None) -> bool:
        """Report the epoch that has just ended; return whether it was the last."""
        history, n_epochs = self._at.history, self._task.n_epochs
        figures = {"energy": history.energy[-1], "cells_used": history.cells_used[-1]}
        if figures["cells_used"]:
            _LOG.info(
                "epoch %d of %d: energy %.4f, %.0f %% of cells in use",
                len(history.energy),
                n_epochs,
                figures["energy"],
                100 * figures["cells_used"],
            )
        return on_epoch is not None and on_epoch(
            len(history.energy) - 1, n_epochs, figures, self._so_far
        )

    def _so_far(self) -> Fitted:
        """Return the result so far without changing the run."""
        twin = _Run(self._name, self._task, self._stream, self._first_epoch, 0)
        numbers, arrays = self._rule.state()
        twin._rule.restore(0, numbers, {name: array.copy() for name, array in arrays.items()})
        twin._rule.end_stage(0)
        twin._at = _Position(stage=1, history=self._at.history)
        silent = Progress(enabled=False)
        return twin.finish(silent, twin.learn(silent, None, None))

    def finish(self, progress: Progress, history: History) -> Fitted:
        task, n_steps = self._task, self._rule.finishing_steps
        shown = progress if n_steps else Progress(enabled=False)
        with shown.stage("word cells", "", n_steps) as monitor:
            learned = self._rule.finish(monitor.advance)
        return Fitted(
            self._name,
            learned,
            task.word_counts,
            task.n_tokens,
            self._first_epoch + len(history.energy),
            task.settings,
            history,
        )


def _digest(counts: NDArray[np.int64], id_map: NDArray[np.int32] | None) -> str:
    """Return a digest of the words to learn and their counts."""
    digest = hashlib.blake2b(np.ascontiguousarray(counts).data, digest_size=8)
    if id_map is not None:
        digest.update(np.ascontiguousarray(id_map).data)
    return digest.hexdigest()


def _no_windows(corpus: Corpus, window: int, settings: Any, known: bool) -> str:
    if not known:
        return "no sentence of the corpus has a word of the vocabulary"
    if getattr(settings, "truncate_windows", True):
        return (
            f"subsample={settings.subsample} has left out every word of this short text: set "
            "subsample=0 to keep all"
        )
    return (
        f"no sentence is as long as the window of {window} words "
        f"(the longest has {corpus.longest_sentence}): "
        "choose a smaller window, or truncate_windows=True to cut windows at sentence ends"
    )


def least_count(n_tokens: int, min_count: int | str) -> int:
    """Return the minimum count of a word; ``"auto"`` depends on the length of the text.

    Examples
    --------
    >>> least_count(100, "auto"), least_count(200_000, "auto"), least_count(10**7, "auto")
    (1, 2, 5)
    """
    if min_count != "auto":
        return int(min_count)
    if n_tokens < 100_000:
        return 1
    return 2 if n_tokens < 1_000_000 else 5
