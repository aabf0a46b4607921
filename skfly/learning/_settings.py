"""The numbers that learning runs with, and how ``"auto"`` becomes one of them.

The published rule (``hebbian``) gets the paper's settings. The fixed-point rule (``lloyd``) gets
settings that follow the length of the corpus: a short text cannot spare its frequent words, needs
less shrinkage of the rare ones and gains from more epochs.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["SHORT", "LearningSettings", "auto_min_count", "tell_of_small_corpus"]

_LOG = logging.getLogger("skfly")
_SMALL = 300_000

SHORT = 10_000_000
"""Words. A shorter text gains from more epochs, faster forgetting and a wider consensus."""


_BATCHES_PER_EPOCH = 20
# The largest batch bounds memory whatever the corpus. Setting the synapses anew costs the same
# for a small batch as for a large one, so a larger vocabulary has larger batches: the cost of a
# word does not depend on it.
_LARGEST_BATCH = 1 << 20
_BATCH_PER_WORD = 50


@dataclass(frozen=True)
class LearningSettings:
    """What a run of learning needs to know beside the network and the corpus.

    Attributes
    ----------
    n_epochs : int
    batch_size : int
        Words (window centres) in a minibatch.
    learning_rate : float
        Of the Hebbian rule at its start.
    subsample : float
        Threshold for leaving out frequent words at random; 0 keeps them all.
    shrinkage : float
        Words of the whole text that every cell is taken to have seen beside its own.
    truncate_windows : bool
        Whether windows are cut at the ends of sentences instead of dropped.
    n_active : int
        Cells of each window that take part in the consensus.
    decorrelation : float or None
        How far connections between the cells make them differ; ``None``: no connections.
    """

    n_epochs: int
    batch_size: int
    learning_rate: float
    subsample: float
    shrinkage: float
    truncate_windows: bool
    n_active: int
    decorrelation: float | None

    @classmethod
    def resolve(
        cls,
        params: Mapping[str, Any],
        *,
        rule: str,
        n_words: int,
        n_cells: int,
        n_vocabulary: int = 0,
        n_shards: int = 1,
    ) -> LearningSettings:
        """Return the settings for a text of ``n_words`` words, ``n_vocabulary`` different ones.

        ``params`` holds each setting by name, as a value or as ``"auto"``. A batch that
        ``n_shards`` machines share may be so many times as large.

        Examples
        --------
        >>> auto = dict.fromkeys(LearningSettings.__dataclass_fields__, "auto")
        >>> LearningSettings.resolve(auto, rule="hebbian", n_words=10**6, n_cells=400).n_epochs
        15
        >>> small = LearningSettings.resolve(auto, rule="lloyd", n_words=10**5, n_cells=400)
        >>> large = LearningSettings.resolve(auto, rule="lloyd", n_words=10**8, n_cells=400)
        >>> small.subsample > large.subsample, small.shrinkage < large.shrinkage
        (True, True)
        """
        auto = _hebbian() if rule == "hebbian" else _lloyd(n_words, n_vocabulary, n_shards)
        auto["n_active"] = max(1, round(auto["n_active"] * n_cells))
        chosen = {
            name: auto[name] if params[name] == "auto" else params[name]
            for name in cls.__dataclass_fields__
        }
        return cls(**chosen)


def _hebbian() -> dict[str, Any]:
    return {
        "n_epochs": 15,
        "batch_size": 10_000,
        "learning_rate": 4e-4,
        "subsample": 0.0,
        "shrinkage": 0.0,
        "truncate_windows": False,
        "n_active": 0.01,
        "decorrelation": None,
    }


def _lloyd(n_words: int, n_vocabulary: int, n_shards: int) -> dict[str, Any]:
    size = (n_words / 1e7) ** 0.75
    batch = max(1, math.ceil(n_words / _BATCHES_PER_EPOCH))
    return {
        "n_epochs": 8 if n_words < SHORT else 4,
        "batch_size": min(batch, n_shards * max(_LARGEST_BATCH, _BATCH_PER_WORD * n_vocabulary)),
        "learning_rate": 0.0,
        "subsample": 1e-4 / min(max(size, 1e-4), 1.0),
        "shrinkage": 10_000.0 * min(size, 1.0),
        "truncate_windows": True,
        # of all cells; the fewer windows a word has, the more cells of each are heard
        "n_active": 0.01 * min(max(SHORT / n_words, 1.0), 4.0),
        # the moments of a short text's evidence are mostly chance
        "decorrelation": max(0.05, 0.25 * min(size, 1.0)),
    }


def auto_min_count(n_words: int) -> int:
    """Return how often a word must come to be learned, for a text of ``n_words`` words.

    Examples
    --------
    >>> auto_min_count(100), auto_min_count(200_000), auto_min_count(10**7)
    (1, 2, 5)
    """
    if n_words < 100_000:
        return 1
    return 2 if n_words < 1_000_000 else 5


def tell_of_small_corpus(n_words: int) -> None:
    """Say what to expect of a text of ``n_words`` words if it is small; once in a process."""
    if n_words < _SMALL:
        _tell_once()


@cache  # runs once
def _tell_once() -> None:
    _LOG.warning(
        "learning from less than %d words: expect topics rather than meanings; good word "
        "similarities need a million words or more",
        _SMALL,
    )
