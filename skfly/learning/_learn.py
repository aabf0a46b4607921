"""From an encoded corpus to a learned network, or from one learned network to the next."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend
from skfly.learning._batches import BatchStream
from skfly.learning._consensus import count_consensus
from skfly.learning._hebbian import HebbianRule, inverse_frequencies
from skfly.learning._lloyd import LloydRule
from skfly.learning._report import Learned
from skfly.learning._settings import LearningSettings
from skfly.learning._train import History, Monitor, Rule, train
from skfly.text import EncodedCorpus

__all__ = ["Network", "OnEpoch", "Stages", "learn"]

# Sentences that stay together in the random order. The Hebbian rule takes small minibatches, which
# must not come from one place in the corpus; a short corpus has few sentences to shuffle.
_BLOCK_SIZE = {"lloyd": 32, "hebbian": 1}
_LEAST_BLOCKS = 100


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
    corpus: EncodedCorpus,
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
    """
    n_words = corpus.n_words + (previous.n_words if previous else 0)
    counts = word_counts + (previous.word_counts if previous else 0)
    settings = LearningSettings.resolve(
        params, rule=rule, n_words=n_words, n_cells=n_cells, n_vocabulary=len(counts)
    )
    n_epochs = 1 if previous else settings.n_epochs
    first_epoch = previous.n_epochs if previous else 0
    stream = BatchStream(
        corpus,
        id_map=id_map,
        counts=counts,
        subsample=settings.subsample,
        batch_size=settings.batch_size,
        block_size=max(1, min(_BLOCK_SIZE[rule], corpus.n_sentences // _LEAST_BLOCKS)),
        seed=seed,
        ahead=backend.n_threads > 1,
    )
    # the fixed-point rule remembers one epoch, or all text so far where learning goes on
    fading = corpus.n_words / n_words / stream.n_batches
    learner = _make_rule(
        rule, backend, n_cells, window, counts, settings, n_epochs, fading, previous
    )
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(first_epoch,)))

    def network(learned: Learned, history: History, shown: Stages) -> Network:
        counted = None
        if consensus:
            with shown.stage("consensus", "windows", stream.n_batches) as monitor:
                counted = count_consensus(
                    backend,
                    learned,
                    stream,
                    first_epoch + n_epochs,
                    window=window,
                    truncate=settings.truncate_windows,
                    n_active=min(settings.n_active, n_cells),
                    monitor=monitor,
                )
            if previous is not None and previous.consensus is not None:
                counted += previous.consensus
        n_done = first_epoch + len(history.energy)
        return Network(learned, counted, counts, n_words, n_done, settings, history)

    def after_epoch(rule: Rule, history: History) -> bool:
        if on_epoch is None:
            return False
        so_far = History(history.n_windows, history.energy.copy(), history.cells_used.copy())
        return on_epoch(
            len(so_far.energy) - 1,
            n_epochs,
            {"energy": so_far.energy[-1], "cells_used": so_far.cells_used[-1]},
            lambda: network(_finish_copy(rule), so_far, _Unseen()),
        )

    with stages.stage("learning", "windows", n_epochs * stream.n_batches) as monitor:
        history = train(
            learner,
            stream,
            n_epochs,
            random=random,
            first_epoch=first_epoch,
            monitor=monitor,
            on_epoch=after_epoch,
        )
    if history.n_windows == 0:
        if previous is not None:  # a part of the stream with nothing to learn from
            return replace(previous, history=history)
        raise ValueError(_no_windows(corpus, window, settings.truncate_windows))
    learned = learner.finish()
    del learner  # and the arrays that only learning needs
    return network(learned, history, stages)


def _finish_copy(rule: Rule) -> Learned:
    """Return what a rule has learned so far, and leave it as it is."""
    twin = copy.copy(rule)
    for name, value in vars(rule).items():
        if isinstance(value, np.ndarray):
            setattr(twin, name, value.copy())
    return twin.finish()


def _make_rule(
    name: str,
    backend: Backend,
    n_cells: int,
    window: int,
    counts: NDArray[np.int64],
    settings: LearningSettings,
    n_epochs: int,
    fading: float,
    previous: Network | None,
) -> Rule:
    go_on_from = None if previous is None else previous.learned
    if name == "hebbian":
        return HebbianRule(
            backend,
            len(counts),
            n_cells,
            weights=inverse_frequencies(counts, settings.shrinkage),
            window=window,
            truncate=settings.truncate_windows,
            learning_rate=settings.learning_rate,
            n_epochs=n_epochs,
            go_on_from=go_on_from,
        )
    return LloydRule(
        backend,
        len(counts),
        n_cells,
        window=window,
        truncate=settings.truncate_windows,
        shrinkage=settings.shrinkage,
        fading=fading,
        restart_idle=previous is None,  # one part of a stream may lack a cell's windows
        go_on_from=go_on_from,
    )


def _no_windows(corpus: EncodedCorpus, window: int, truncate: bool) -> str:
    if truncate:
        return "no sentence of the corpus has a word of the vocabulary"
    longest = int(np.diff(corpus.sentences).max(initial=0))
    return (
        f"no sentence is as long as the window of {window} words (the longest has {longest}): "
        "choose a smaller window, or truncate_windows=True to cut windows at sentence ends"
    )
