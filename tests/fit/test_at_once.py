"""Fits in several threads of one process do not disturb one another."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import joblib
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from skfly.rules import _lateral, _whitening

LLOYD = {"n_kenyon_cells": 12, "learning": "lloyd", "decorrelation": 0.5}
HEBBIAN = {"n_kenyon_cells": 10, "learning": "hebbian", "random_state": 1, "decorrelation": 0.25}
WHITEN = {"n_kenyon_cells": 12, "learning": "whiten"}
LESS_WHITE = {"n_kenyon_cells": 10, "learning": "whiten", "decorrelation": 0.25}


def bits(fly):
    model, training = fly.model_, fly._training
    return joblib.hash([model.arrays, training.learned.state, training.history, training.settings])


def blas_threads():
    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        assert set(blas_threads()) == {2}
        yield


@pytest.mark.parametrize(
    ("params", "module", "name"),
    [
        ([LLOYD, HEBBIAN], _lateral, "_power"),
        ([WHITEN, LESS_WHITE], _whitening, "decorrelate"),
    ],
    ids=["lateral", "whiten"],
)
def test_four_threads_give_the_bits_of_one_and_leave_blas_as_it_was(
    make_fly, documents, monkeypatch, params, module, name
):
    def fit(number):
        return make_fly(**params[number % 2], n_jobs=2).fit(documents)

    alone = [fit(0), fit(1)]
    expected = [bits(fly) for fly in alone]
    assert expected[0] != expected[1]
    assert set(blas_threads()) == {2}
    compute, together, within = getattr(module, name), Barrier(4, timeout=600), []

    def meet(*args):
        together.wait()  # so that all of them limit BLAS before one stops to
        within.append(set(blas_threads()))
        return compute(*args)

    monkeypatch.setattr(module, name, meet)
    for _ in range(5):
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda number: bits(fit(number)), range(4)))
        assert found == expected * 2
        assert set(blas_threads()) == {2}
    assert within == [{1}] * 20


@pytest.mark.parametrize(
    ("params", "module", "name"),
    [(LLOYD, _lateral, "_power"), (WHITEN, _whitening, "decorrelate")],
    ids=["lateral", "whiten"],
)
def test_a_fit_that_fails_leaves_blas_as_it_was_too(
    make_fly, documents, monkeypatch, params, module, name
):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(module, name, fail)
    with pytest.raises(MemoryError):
        make_fly(**params).fit(documents)
    assert set(blas_threads()) == {2}
