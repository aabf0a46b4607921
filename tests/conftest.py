"""What the tests share: a small text about two topics, and small estimators."""

import logging
import os

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from skfly import FlyHashVectorizer
from skfly._caching import COMPILATION_LOG

# whether kernels are compiled depends on what ran before
logging.getLogger(COMPILATION_LOG).setLevel(logging.CRITICAL)

# The first example compiles kernels, and a busy machine is slow. The examples are always the same,
# so that a test does not fail by chance; SKFLY_HYPOTHESIS=random draws others every time.
_UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("skfly", derandomize=True, max_examples=50, **_UNHURRIED)
settings.register_profile("random", derandomize=False, **_UNHURRIED)
# for tox -e mutants: the same examples every time, and no search for the smallest that fails
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.differing_executors],  # pytest runs twice in a process
)
settings.load_profile(os.environ.get("SKFLY_HYPOTHESIS", "skfly"))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Fail where a module of tests cannot be imported: only modules of skfly may be skipped so.

    ``--doctest-ignore-import-errors`` would hide it.
    """
    report = yield
    if report.skipped and "unable to import module" in str(report.longrepr):
        report.outcome = "failed"
    return report


FRUIT = ["fly", "fruit", "ripe", "banana", "peach", "sweet", "smell", "tree", "juice", "odor"]
MONEY = ["bank", "money", "loan", "interest", "credit", "debt", "cash", "pay", "fund", "price"]
BOTH = ["the", "and", "with", "very", "some", "of"]


@pytest.fixture(scope="session")
def topics():
    """Two topics: the words of each."""
    return {"fruit": FRUIT, "money": MONEY}


@pytest.fixture(scope="session")
def sentences():
    """Documents, by turns about fruit and money; each is a list of sentences of words."""
    random = np.random.default_rng(0)
    return [
        [
            random.choice(topic + BOTH, size=random.integers(6, 13)).tolist()
            for _ in range(random.integers(1, 4))
        ]
        for topic in [FRUIT, MONEY] * 60
    ]


@pytest.fixture(scope="session")
def documents(sentences):
    """The same documents as text."""
    return [
        " ".join(" ".join(sentence).capitalize() + "." for sentence in document)
        for document in sentences
    ]


@pytest.fixture(scope="session")
def make_fly():
    """Return small estimators: ``make_fly(**parameters)``."""

    def make(**params):
        small = {"n_kenyon_cells": 20, "hash_length": 4, "window": 5, "n_epochs": 2}
        return FlyHashVectorizer(**(small | {"n_jobs": 1, "random_state": 0} | params))

    return make


@pytest.fixture(scope="session")
def fitted(make_fly, documents):
    """A fitted estimator that tests must not change; ``copy.deepcopy`` it to do so."""
    return make_fly().fit(documents)


@pytest.fixture(scope="session")
def make_lloyd(make_fly):
    """Return small estimators whose cells compete for windows: ``make_lloyd(**parameters)``."""
    return lambda **params: make_fly(**({"learning": "lloyd"} | params))


@pytest.fixture(scope="session")
def fitted_lloyd(make_lloyd, documents):
    """A fitted estimator with synapses and a consensus, that tests must not change."""
    return make_lloyd().fit(documents)


@pytest.fixture(scope="session")
def fingerprint():
    """Return ``fingerprint(fly)``: for everything that was learned a hash of its type and bits."""

    def of(fly):
        names = [name for name in dir(fly) if name.endswith("_") and not name.startswith("_")]
        learned = [name for name in names if name not in ("model_", "word_codes_")]
        found = {name: getattr(fly, name) for name in learned if hasattr(fly, name)}
        if hasattr(fly, "_model"):
            found["arrays"] = fly._model.arrays
        return {name: joblib.hash(plain(value), coerce_mmap=True) for name, value in found.items()}

    def plain(value):
        """Return empty arrays as numpy makes them; their strides may be anything."""
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items()}
        if isinstance(value, np.ndarray) and not value.size:
            return np.zeros(value.shape, value.dtype)
        return value

    return of
