"""A hand-made corpus with planted topics, and what a rule is asked to learn from it."""

import numpy as np
import pytest

from planted import plant
from skfly.engine import Batch, get_engine
from skfly.fit import BatchStream
from skfly.rules import Task
from skfly.rules._windows import WindowSettings

SETTINGS = {
    "n_epochs": 10,
    "batch_size": 800,
    "learning_rate": 0.05,
    "subsample": 0.0,
    "shrinkage": 10.0,
    "truncate_windows": True,
    "n_active": 2,
    "decorrelation": None,
}


@pytest.fixture(scope="session")
def topics_corpus():
    return plant()


@pytest.fixture(scope="session")
def batch_of():
    """Return ``batch_of(*sentences)``."""

    def make(*sentences):
        ids = np.array([i for words in sentences for i in words], dtype=np.int32)
        return Batch(ids, np.cumsum([0, *map(len, sentences)]))

    return make


@pytest.fixture(scope="session")
def stream_of():
    """Return ``stream_of(corpus, **parameters)``: its batches."""

    def make(corpus, **changes):
        params = {
            "id_map": None,
            "counts": corpus.vocabulary.counts,
            "subsample": 0,
            "batch_size": 800,
            "block_size": 1,
            "seed": 0,
        }
        return BatchStream(corpus, **(params | changes))

    return make


@pytest.fixture(scope="session")
def make_task():
    """Return ``make_task(word_counts, **changes)``, which may be of the settings too."""

    def make(word_counts, backend="numba", n_jobs=2, **changes):
        engine, counts = get_engine(backend, n_jobs), np.asarray(word_counts, dtype=np.int64)
        settings = {name: changes.pop(name, default) for name, default in SETTINGS.items()}
        params = {
            "engine": engine,
            "counter": engine,
            "n_cells": 8,
            "window": 5,
            "word_counts": counts,
            "n_tokens": int(counts.sum()),
            "settings": WindowSettings(**settings),
            "n_epochs": settings["n_epochs"],
            "n_batches": 4,
            "new_share": 1.0,
            "consensus": False,
        }
        return Task(**(params | changes))

    return make


@pytest.fixture(scope="session")
def learn():
    """Return ``learn(rule, stream, n_epochs)``, which drives the first stage as ``fit`` does.

    It returns the number of windows, and the mean energy of a window in each epoch.
    """

    def go(rule, stream, n_epochs):
        random = np.random.default_rng(0)
        n_windows, energies = 0, []
        for epoch in range(n_epochs):
            reports = [rule.step(batch, 0, epoch, random) for batch in stream.epoch(epoch)]
            rule.end_epoch(0)
            windows = sum(report.n_windows for report in reports)
            n_windows += windows
            energies.append(sum(report.energy for report in reports) / windows)
        return n_windows, energies

    return go


@pytest.fixture(scope="session")
def finish():
    """Return ``finish(rule)``: what was learned, when the first stage is the only one."""

    def end(rule):
        rule.end_stage(0)
        return rule.finish()

    return end
