"""Codes by numpy until kernels are worth loading: the same bits, and no wait at the start."""

import importlib.machinery
import subprocess
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from skfly._threads import Kernels, is_loaded
from skfly.engine import Drive, engine_for_codes, get_engine
from skfly.engine._early import EarlyEngine

NUMPY, NUMBA = get_engine("numpy"), get_engine("numba", 1)
SCORES = arrays_of.arrays(
    np.float32,
    arrays_of.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.25 + 2**-20, 1.0]),  # many ties
)


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch):
    monkeypatch.setattr("skfly.engine._early.KERNELS", Kernels("no such module"))


def an_engine(n_jobs=1):
    return EarlyEngine(n_jobs, lambda: pytest.fail("the other engine was loaded"))


@given(SCORES, st.integers(1, 9), st.sampled_from([-np.inf, 0.0, 0.3]))
def test_top_cells_of_single_rows(scores, n_top, floor):
    n_top = min(n_top, scores.shape[1])
    drive = Drive(np.float32(2.0**20), np.float32(floor))
    rows = np.arange(len(scores))[::-1].astype(np.int32)
    task = scores, drive, rows, np.arange(len(scores) + 1), n_top
    for found, expected in zip(an_engine().top_cells(*task), NUMPY.top_cells(*task), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("n_rows", [0, 1, 127, 128, 129, 1000])
def test_top_cells_of_many_rows(n_rows, n_jobs):
    random = np.random.default_rng(n_rows)
    scores = random.integers(-40, 40, (n_rows, 50)).astype(np.float32)
    rows, indptr = np.arange(n_rows, dtype=np.int32), np.arange(n_rows + 1)
    task = scores, Drive(np.float32(3), np.float32(-30)), rows, indptr, 7
    found = an_engine(n_jobs).top_cells(*task)
    for some, expected in zip(found, NUMBA.top_cells(*task), strict=True):
        np.testing.assert_array_equal(some, expected)


@pytest.mark.parametrize("indptr", [[0, 2, 2, 3], [0, 1, 3], [0, 0, 3]])
def test_top_cells_of_bags(indptr):
    scores = np.random.default_rng(0).random((3, 8), np.float32)
    task = scores, Drive(np.float32(9), np.float32(0)), np.array([2, 0, 1]), np.array(indptr), 3
    for found, expected in zip(an_engine().top_cells(*task), NUMBA.top_cells(*task), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_sums_of_rows(dtype):
    random = np.random.default_rng(0)
    weights = random.integers(-99, 99, (30, 20)).astype(dtype)
    task = weights, random.integers(0, 30, 12), random.integers(0, 999, 12) * 1.0, [0, 5, 5, 12]
    np.testing.assert_array_equal(an_engine().sum_rows(*task), NUMBA.sum_rows(*task))


@pytest.mark.parametrize("wrong", [{"n_top": 9}, {"rows": [3]}, {"indptr": [0, 2]}])
def test_wrong_arguments_are_refused(wrong):
    task = {"synapses": np.zeros((3, 8), np.float32), "drive": Drive(1.0, 0.0)}
    task |= {"rows": [0], "indptr": [0, 1], "n_top": 2} | wrong
    with pytest.raises(ValueError, match=r"must|n_top"):
        an_engine().top_cells(**task)


def test_kernels_are_worth_loading_for_much_work(monkeypatch):
    monkeypatch.setattr("skfly._threads._WORTH_LOADING", 100)
    monkeypatch.setattr("skfly._threads._A_CALL", 10)
    kernels = Kernels("no such module")
    assert [kernels.are_worth_loading(40) for _ in range(4)] == [False, False, True, True]
    small = Kernels("no such module")
    assert [small.are_worth_loading(1) for _ in range(11)] == 10 * [False] + [True]
    assert Kernels("no such module").are_worth_loading(101)
    assert Kernels("numpy").are_worth_loading(1)


def test_modules_that_are_being_imported_are_not_loaded(monkeypatch):
    module = types.ModuleType("half")
    module.__spec__ = importlib.machinery.ModuleSpec("half", None)
    module.__spec__._initializing = True
    monkeypatch.setitem(sys.modules, "half", module)
    monkeypatch.setitem(sys.modules, "blocked", None)
    assert not is_loaded("half")
    assert not is_loaded("blocked")
    assert not is_loaded("no such module")
    module.__spec__._initializing = False
    assert is_loaded("half")


def test_the_other_engine_takes_over(monkeypatch):
    monkeypatch.setattr("skfly.engine._early.KERNELS", Kernels("numpy"))
    engine = EarlyEngine(1, lambda: NUMBA)
    weights = np.ones((2, 3), np.int8)
    assert engine.sum_rows(weights, [0, 1], np.ones(2), [0, 2]).tolist() == [[2.0] * 3]
    cells, _ = engine.top_cells(np.eye(3, dtype=np.float32), Drive(1.0, 0.0), [1], [0, 1], 1)
    assert cells.tolist() == [[1]]
    assert engine._later is NUMBA


def test_which_models_have_it():
    assert isinstance(engine_for_codes("auto", 1, (2, 3)), EarlyEngine)
    assert engine_for_codes("numba", 2, (2, 3)).name == "numba"
    with pytest.raises(ValueError, match="backend must be one of"):
        engine_for_codes("fast", 1, (2, 3))


FIRST_CALLS = """
import sys
from skfly import FlyHashVectorizer
fly = FlyHashVectorizer.from_pretrained("en")
fly.transform(["the bank lends money"])
code = fly.hash_in_context(["fishermen sat on the bank of the river"], ["bank"])
print("numba" in sys.modules)
"""
NEIGHBOURS = """
fly.wv.most_similar("bank")
fly.wv.similar_by_vector(code.toarray()[0], topn=5)
print("numba" in sys.modules)
"""


def test_first_calls_of_a_process_do_without_numba():
    pytest.importorskip("gensim")
    run = [sys.executable, "-c", FIRST_CALLS + NEIGHBOURS]
    found = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]
