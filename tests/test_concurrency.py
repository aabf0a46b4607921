"""One model used from threads and processes at once gives the same bits everywhere."""

import ast
import copy
import importlib
import os
import subprocess
import sys
import threading

import pytest
from numba.core.compiler_lock import global_compiler_lock

from parallel_use import digest, in_forks, in_threads
from skfly._threads import _looking

POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
HERE = os.path.dirname(__file__)
LAYERS = {"omp": "omppool", "workqueue": "workqueue", "tbb": "tbbpool"}


def run(path, *ways, layer=None):
    """Run ``parallel_use.py``; returns numba's threading layer, and the digests of each way."""
    environment = dict(os.environ)
    if layer is not None:
        environment["NUMBA_THREADING_LAYER"] = layer
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "parallel_use.py"), os.fspath(path), *ways],
        env=environment,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stderr
    *_, used, found = done.stdout.splitlines()
    return used, ast.literal_eval(found)


@pytest.fixture(scope="module")
def path(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "a.skfly"
    fitted.save(path)
    return path


def test_eight_threads_give_the_same_bits(fitted):
    assert set(in_threads(copy.deepcopy(fitted))) == {digest(fitted)}


@pytest.mark.parametrize("layer", LAYERS)
@POSIX
def test_under_each_threading_layer_of_numba(path, fitted, layer):
    try:
        importlib.import_module(f"numba.np.ufunc.{LAYERS[layer]}")
    except ImportError as error:
        pytest.skip(f"numba has no layer {layer} here: {error}")
    ways = ("in_threads", "in_forks", "in_forks_while_another_thread_fits")
    ways += ("with_many_threads_in_each",)

    used, found = run(path, *ways, layer=layer)

    assert used == layer
    assert [len(digests) for digests in found.values()] == [1, 8, 2, 4, 10]
    assert {one for digests in found.values() for one in digests} == {digest(fitted)}


def test_in_processes_that_are_spawned_and_in_workers_of_joblib(path, fitted):
    _, found = run(path, "in_spawned_processes", "in_loky_workers")

    assert [len(digests) for digests in found.values()] == [1, 2, 2]
    assert {one for digests in found.values() for one in digests} == {digest(fitted)}


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("doing", ["compiles", "looks through libraries"])
def test_a_fork_waits_until_no_thread_does_this(fitted, doing):
    """Else the child has a lock, closed, and not the thread that would open it."""
    closed, opened = threading.Event(), threading.Event()
    lock = global_compiler_lock if doing == "compiles" else _looking

    def hold_for_a_while():
        with lock:
            closed.set()
            opened.wait(0.5)  # nobody sets it: only time passes, in which the fork is asked for

    thread = threading.Thread(target=hold_for_a_while)
    thread.start()
    closed.wait()
    child = os.fork()
    if not child:
        free = getattr(lock, "_lock", lock).acquire(blocking=False)
        os._exit(0 if free else 1)
    thread.join()

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_of_a_fork(fitted):
    assert set(in_forks(fitted)) == {digest(fitted)}


def test_vectors_fit_the_hash_length_they_were_asked_at(fitted):
    """Other threads change the parameter meanwhile."""
    fly = copy.copy(fitted)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for length in (2, 3, 5):
                fly.set_params(hash_length=length)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(50):
            vectors = fly.wv
            assert set(vectors._index.sizes.tolist()) == {vectors.hash_length}
    finally:
        stop.set()
        changing.join()
