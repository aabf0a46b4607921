"""Compiled kernels: when they are worth loading, their threads, and a limit on those of BLAS.

The numba kernels release the GIL and share nothing but the arrays that they own a part of, so
plain threads are enough. Unlike numba's own threading layers they may be entered from many
threads at once, survive a fork, and leave numba's settings alone.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any

import threadpoolctl
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

_WORTH_LOADING = 1 << 27  # numbers that take numpy as long as loading takes
_A_CALL = 1 << 15  # numbers that take as long as what numpy does once a call
_MOST_THREADS = 256  # a model file may ask for any number of jobs
_pool: ThreadPoolExecutor | None = None  # idle threads wait here
# held while threadpoolctl looks through the loaded libraries, which takes a lock of the C library:
# a fork waits for it, since its child would never get that lock
_looking = Lock()


def is_loaded(name: str) -> bool:
    """Return whether a module has been imported, to its end.

    A thread that imports it now may not exist in a child of a fork, which would wait forever.
    """
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


class Kernels:
    """Compiled kernels that may not be loaded yet.

    Importing numba and loading kernels takes half a second, and compiling them a few, for what
    numpy does in less as long as there is little to do. So they are loaded once numpy has worked
    about as long as that takes.

    Parameters
    ----------
    name : str
        Their module.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._n_numbers = 0
        self.module: Any = None  # for users to keep

    def are_worth_loading(self, n_numbers: int) -> bool:
        """Return whether to use them for another piece of work: they are loaded, or it is much."""
        if is_loaded(self.name):
            return True
        self._n_numbers += max(n_numbers, _A_CALL)
        return self._n_numbers > _WORTH_LOADING


def n_threads_for(n_jobs: int | None) -> int:
    """Return the number of threads to use; ``None``: as many as numba is set to use, or would be.

    Examples
    --------
    >>> n_threads_for(2), n_threads_for(10**9)
    (2, 256)
    """
    if n_jobs is None:
        if is_loaded("numba"):
            import numba

            return int(numba.get_num_threads())
        n_jobs = int(os.environ.get("NUMBA_NUM_THREADS") or -1)
    return min(int(effective_n_jobs(n_jobs)), _MOST_THREADS)


def run_chunks(
    kernel: Callable[..., Any], chunks: Iterable[tuple[Any, ...]], n_threads: int
) -> list[Any]:
    """Call ``kernel(*chunk)`` for every chunk and return the results in order."""
    chunks = list(chunks)
    if n_threads <= 1 or len(chunks) <= 1:
        return [kernel(*chunk) for chunk in chunks]
    left = deque(enumerate(chunks))
    results: list[Any] = [None] * len(chunks)

    def work() -> None:
        while left:
            try:
                number, chunk = left.popleft()
            except IndexError:  # another thread took it
                return
            results[number] = kernel(*chunk)

    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="skfly")
    helpers = [_pool.submit(work) for _ in range(min(n_threads, len(chunks)) - 1)]
    try:
        work()
    except BaseException:
        left.clear()
        raise
    finally:
        # none of them writes to an array after this
        began = [helper for helper in helpers if not helper.cancel()]
        failures = [helper.exception() for helper in began]
    for failure in failures:
        if failure is not None:
            raise failure
    return results


class _BlasLimit:
    """A limit on BLAS's threads, in force while anyone needs it.

    The limit applies to the whole process, and threadpoolctl lets only the thread that set it lift
    it. So a separate thread sets it for the first user and waits for the last.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_users = 0
        self.before = 1  # threads, before the limit was set
        self.controller: Any = None
        self.done = Event()
        self.holder = Thread()

    def hold(self, done: Event, set_: Event) -> None:
        _free_blas()
        with _looking:
            self.controller = ThreadpoolController()  # takes some milliseconds: once for all
        blas = self.controller.select(user_api="blas").info()
        self.before = max((library["num_threads"] for library in blas), default=1)
        limit = self.controller.limit(limits=1, user_api="blas")
        set_.set()
        done.wait()
        limit.restore_original_limits()


_blas = _BlasLimit()


def _free_blas() -> None:
    """Let this thread set the limit, even if another set it last (threadpoolctl 3.8 and newer)."""
    controller: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS at one thread while any thread of the process is within this context.

    Overlapping users neither lift the limit too early nor leave it behind.
    """
    limit = _blas  # a child of a fork has another one
    with limit.lock:
        limit.n_users += 1
        if limit.n_users == 1:
            limit.done, set_ = Event(), Event()
            limit.holder = Thread(target=limit.hold, args=(limit.done, set_), daemon=True)
            limit.holder.start()
            set_.wait()
    try:
        # libraries on top of OpenMP have a limit for each thread
        here = limit.controller.limit(limits=1, user_api="blas")
        try:
            yield
        finally:
            here.restore_original_limits()
    finally:
        if limit is _blas:
            with limit.lock:
                limit.n_users -= 1
                if limit.n_users == 0:
                    limit.done.set()
                    limit.holder.join()


def _after_fork() -> None:
    global _pool, _blas
    _looking.release()
    _pool = None  # the child has none of the threads
    if _blas.n_users and _blas.controller is not None:  # nor the one that would lift the limit
        _blas.controller.limit(limits=_blas.before, user_api="blas")
        _free_blas()
    _blas = _BlasLimit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_looking.acquire, after_in_parent=_looking.release, after_in_child=_after_fork
    )
