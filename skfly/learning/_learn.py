"""From an encoded corpus to a learned network, or from one learned network to the next."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend
from skfly.backends._checks import check_array
from skfly.learning._batches import BatchStream
from skfly.learning._checkpoints import Checkpoints, Saved
from skfly.learning._consensus import count_consensus
from skfly.learning._hebbian import HebbianRule, inverse_frequencies
from skfly.learning._lloyd import LloydRule
from skfly.learning._report import Learned, check_state
from skfly.learning._settings import LearningSettings
from skfly.learning._train import History, Monitor, Position, Rule, train

__all__ = ["Corpus", "Network", "OnEpoch", "Stages", "learn"]

_LOG = logging.getLogger("skfly")

# Sentences that stay together in the random order. The Hebbian rule takes small minibatches, which
# must not come from one place in the corpus; a short corpus has few sentences to shuffle.
_BLOCK_SIZE = {"lloyd": 32, "hebbian": 1}
_LEAST_BLOCKS = 100
_LEARNING, _CONSENSUS = "learning", "consensus"  # stages of a run, in its checkpoints


@dataclass(frozen=True)
class Network:
    """What was learned so far.

    Attributes
    ----------
    learned : Learned
        The synapses, (2V, K), and what the rule needs to go on.
    consensus : ndarray of float32, (V, K), or None
        How often each cell was among the most active for each word.
    word_counts : ndarray of int64, (V,)
        Occurrences of the words in all text so far.
    n_words : int
        Words of all text so far, unknown ones too.
    n_epochs : int
        Epochs done so far.
    settings : LearningSettings
        Those of the last run.
    history : History
        That of the last run.
    """

    learned: Learned
    consensus: NDArray[np.float32] | None
    word_counts: NDArray[np.int64]
    n_words: int
    n_epochs: int
    settings: LearningSettings
    history: History


class Corpus(Protocol):
    """What learning asks a corpus, beside its batches."""

    @property
    def n_words(self) -> int: ...

    @property
    def n_sentences(self) -> int: ...

    @property
    def longest_sentence(self) -> int: ...

    def fingerprint(self) -> str: ...


class OnEpoch(Protocol):
    """Told of the end of each epoch."""

    def __call__(
        self,
        epoch: int,
        n_epochs: int,
        details: dict[str, float],
        network: Callable[[], Network],
    ) -> bool:
        """Return whether to stop.

        ``epoch`` counts from 0, and ``network`` gives what is learned so far.
        """
        ...


class Stages(Protocol):
    """Shows the stages of the work."""

    def stage(
        self, label: str, unit: str, total: int | None = None
    ) -> AbstractContextManager[Monitor]: ...


class _Unseen:
    """Shows nothing."""

    def stage(
        self,
        label: str,  # noqa: ARG002
        unit: str,  # noqa: ARG002
        total: int | None = None,  # noqa: ARG002
    ) -> AbstractContextManager[Monitor]:
        return nullcontext(self)

    def advance(self, amount: int, **details: float) -> None:
        pass


def learn(
    corpus: Corpus,
    *,
    id_map: NDArray[np.int32] | None,
    word_counts: NDArray[np.int64],
    rule: str,
    params: dict[str, Any],
    n_cells: int,
    window: int,
    consensus: bool,
    backend: Backend,
    seed: int,
    stages: Stages,
    previous: Network | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoint_dir: str | os.PathLike[str] | None = None,
    make_stream: Callable[..., Any] = BatchStream,
    n_shards: int = 1,
) -> Network:
    """Learn from a corpus.

    Parameters
    ----------
    corpus : EncodedCorpus
    id_map : ndarray of int32 or None
        Model id of each of the corpus's ids.
    word_counts : ndarray of int64
        Occurrences of the model's words in this corpus.
    rule : {"lloyd", "hebbian"}
    params : dict
        What :meth:`LearningSettings.resolve` takes.
    n_cells, window : int
    consensus : bool
        Whether to count the consensus of the words' occurrences.
    backend : Backend
    seed : int
    stages : Stages
    previous : Network, optional
        Go on from here with one pass over the corpus. It is not changed.
    on_epoch : function, optional
        Asked after each epoch whether to stop. The network that it may ask for costs a pass over
        the corpus where the consensus is counted.
    checkpoint_dir : path-like, optional
        Keep the state here; if there is one of this same run, go on from it.
    make_stream : callable
        Makes the batches: :class:`BatchStream`, or what has its parameters, if the corpus is
        elsewhere and the backend knows what to do with the batches.
    n_shards : int
        Machines that share a batch.
    """
    n_words = corpus.n_words + (previous.n_words if previous else 0)
    counts = word_counts + (previous.word_counts if previous else 0)
    settings = LearningSettings.resolve(
        params,
        rule=rule,
        n_words=n_words,
        n_cells=n_cells,
        n_vocabulary=len(counts),
        n_shards=n_shards,
    )
    stream = make_stream(
        corpus,
        id_map=id_map,
        counts=counts,
        subsample=settings.subsample,
        batch_size=settings.batch_size,
        block_size=max(1, min(_BLOCK_SIZE[rule], corpus.n_sentences // _LEAST_BLOCKS)),
        seed=seed,
        ahead=backend.n_threads > 1,
    )
    checkpoints = None
    if checkpoint_dir is not None:
        made_for = {
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
    run = _Run(
        stream=stream,
        rule=rule,
        settings=settings,
        counts=counts,
        n_words=n_words,
        n_cells=n_cells,
        window=window,
        consensus=consensus,
        backend=backend,
        n_epochs=1 if previous else settings.n_epochs,
        # the fixed-point rule remembers one epoch, or all text so far where learning goes on
        fading=corpus.n_words / n_words / stream.n_batches,
        previous=previous,
        checkpoints=checkpoints,
    )
    saved = None if checkpoints is None else checkpoints.last()
    learned, history = run.train(seed, stages, on_epoch, saved)
    if history.n_windows == 0:
        if previous is not None:  # a part of the stream with nothing to learn from; it was read
            return replace(previous, history=history, word_counts=counts, n_words=n_words)
        raise ValueError(_no_windows(corpus, window, settings, bool(counts.any())))
    network = run.network(learned, history, stages, saved)
    if checkpoints is not None:
        checkpoints.clear()
    return network


@dataclass
class _Run:
    """One run of learning, whole or from a checkpoint on."""

    stream: BatchStream
    rule: str
    settings: LearningSettings
    counts: NDArray[np.int64]
    n_words: int
    n_cells: int
    window: int
    consensus: bool
    backend: Backend
    n_epochs: int
    fading: float
    previous: Network | None
    checkpoints: Checkpoints | None

    @property
    def first_epoch(self) -> int:
        return self.previous.n_epochs if self.previous else 0

    def train(
        self, seed: int, stages: Stages, on_epoch: OnEpoch | None, saved: Saved | None
    ) -> tuple[Learned, History]:
        """Return what is learned, and how it went."""
        if saved is not None:
            assert self.checkpoints is not None
            with self.checkpoints.restoring():
                if saved.progress["stage"] == _CONSENSUS:
                    return self.learned_of(saved)
        rule = self.make_rule()
        sequence = np.random.SeedSequence(seed, spawn_key=(self.first_epoch,))
        random = np.random.default_rng(sequence)
        position = None
        if saved is not None:
            assert self.checkpoints is not None
            with self.checkpoints.restoring():
                position = Position.from_json(saved.progress["position"])
                if position.sizes and len(position.sizes) != self.n_cells:
                    raise ValueError(f"there are sizes of {len(position.sizes)} cells")
                rule.restore(saved.progress["rule"], saved.arrays)
                random.bit_generator.state = saved.progress["random"]

        def on_batch(position: Position) -> None:
            if self.checkpoints is not None and self.checkpoints.is_due():
                numbers, arrays = rule.state()
                progress = {
                    "stage": _LEARNING,
                    "position": position.to_json(),
                    "rule": numbers,
                    "random": random.bit_generator.state,
                }
                self.checkpoints.save(progress, arrays)

        def after_epoch(history: History) -> bool:
            details = {"energy": history.energy[-1], "cells_used": history.cells_used[-1]}
            _LOG.info(
                "epoch %d of %d: energy %.4f, %.0f %% of cells in use",
                len(history.energy),
                self.n_epochs,
                details["energy"],
                100 * details["cells_used"],
            )
            return on_epoch is not None and on_epoch(
                len(history.energy) - 1,
                self.n_epochs,
                details,
                lambda: self.network(self.so_far(rule), history, _Unseen()),
            )

        n_batches = self.stream.n_batches
        done = 0 if position is None else position.epoch * n_batches + position.batch
        with stages.stage("learning", "windows", self.n_epochs * n_batches - done) as monitor:
            history = train(
                rule,
                self.stream,
                self.n_epochs,
                random=random,
                first_epoch=self.first_epoch,
                monitor=monitor,
                position=position,
                on_batch=on_batch,
                on_epoch=after_epoch,
            )
        return rule.finish(), history

    def network(
        self, learned: Learned, history: History, stages: Stages, saved: Saved | None = None
    ) -> Network:
        """Return the network, with the consensus counted if it is wanted."""
        counted = self.count_consensus(learned, history, stages, saved) if self.consensus else None
        return Network(
            learned,
            counted,
            self.counts,
            self.n_words,
            self.first_epoch + len(history.energy),
            self.settings,
            history,
        )

    def learned_of(self, saved: Saved) -> tuple[Learned, History]:
        """Return what was learned before the consensus that a checkpoint is in."""
        progress, arrays, prefix = saved.progress, saved.arrays, "state."
        shape = (len(self.counts), self.n_cells)
        check_array("consensus", arrays["consensus"], np.float32, shape)
        check_array("synapses", arrays["synapses"], np.float32, (2 * shape[0], shape[1]))
        if not isinstance(progress["batch"], int) or progress["batch"] < 0:
            raise ValueError(f"batch is {progress['batch']!r:.30}")
        state = {
            name.removeprefix(prefix): array
            for name, array in arrays.items()
            if name.startswith(prefix)
        }
        check_state(self.rule, state, *shape)
        largest, floor = float(progress["largest"]), float(progress["floor"])
        learned = Learned(arrays["synapses"], largest, floor, state)
        return learned, History.from_json(progress["history"])

    def count_consensus(
        self, learned: Learned, history: History, stages: Stages, saved: Saved | None
    ) -> NDArray[np.float32]:
        first, before = 0, None
        if saved is not None and saved.progress["stage"] == _CONSENSUS:
            first, before = saved.progress["batch"], saved.arrays["consensus"]

        def on_batch(done: int, counts: Callable[[], NDArray[np.float32]]) -> None:
            if self.checkpoints is not None and self.checkpoints.is_due():
                progress = {
                    "stage": _CONSENSUS,
                    "batch": done,
                    "history": history._asdict(),
                    "largest": learned.largest,
                    "floor": learned.floor,
                }
                state = {f"state.{name}": array for name, array in learned.state.items()}
                arrays: dict[str, NDArray[Any]] = {"consensus": counts(), **state}
                self.checkpoints.save(progress, arrays | {"synapses": learned.synapses})

        with stages.stage("consensus", "windows", self.stream.n_batches - first) as monitor:
            counted = count_consensus(
                self.backend,
                learned,
                self.stream,
                self.first_epoch + self.n_epochs,
                window=self.window,
                truncate=self.settings.truncate_windows,
                n_active=min(self.settings.n_active, self.n_cells),
                monitor=monitor,
                first=first,
                before=before,
                on_batch=on_batch,
            )
        if self.previous is not None and self.previous.consensus is not None:
            counted += self.previous.consensus
        return counted

    def so_far(self, rule: Rule) -> Learned:
        """Return what a rule has learned so far, and leave it as it is."""
        twin = self.make_rule()
        numbers, arrays = rule.state()
        twin.restore(numbers, {name: array.copy() for name, array in arrays.items()})
        return twin.finish()

    def make_rule(self) -> Rule:
        """Return the rule, before its first step."""
        go_on_from = None if self.previous is None else self.previous.learned
        settings = self.settings
        if self.rule == "hebbian":
            return HebbianRule(
                self.backend,
                len(self.counts),
                self.n_cells,
                weights=inverse_frequencies(self.counts, settings.shrinkage),
                window=self.window,
                truncate=settings.truncate_windows,
                learning_rate=settings.learning_rate,
                n_epochs=self.n_epochs,
                go_on_from=go_on_from,
            )
        return LloydRule(
            self.backend,
            len(self.counts),
            self.n_cells,
            window=self.window,
            truncate=settings.truncate_windows,
            shrinkage=settings.shrinkage,
            fading=self.fading,
            restart_idle=self.previous is None,  # one part of a stream may lack a cell's windows
            go_on_from=go_on_from,
        )


def _digest(counts: NDArray[np.int64], id_map: NDArray[np.int32] | None) -> str:
    """Return a name for the words that are learned, and how often they come."""
    digest = hashlib.blake2b(np.ascontiguousarray(counts).data, digest_size=8)
    if id_map is not None:
        digest.update(np.ascontiguousarray(id_map).data)
    return digest.hexdigest()


def _no_windows(corpus: Corpus, window: int, settings: LearningSettings, known: bool) -> str:
    if not known:
        return "no sentence of the corpus has a word of the vocabulary"
    if settings.truncate_windows:
        return (
            f"subsample={settings.subsample} has left out every word of this short text: set "
            "subsample=0 to keep all"
        )
    return (
        f"no sentence is as long as the window of {window} words "
        f"(the longest has {corpus.longest_sentence}): "
        "choose a smaller window, or truncate_windows=True to cut windows at sentence ends"
    )
