"""Run a kernel over chunks of work on a few threads.

The numba kernels release the GIL and share nothing but the arrays that they own a part of, so
plain threads are enough. Unlike numba's own threading layers they may be entered from many
threads at once, survive a fork, and leave numba's settings alone.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["run_chunks"]

_MOST_THREADS = 256
_pool: ThreadPoolExecutor | None = None  # a thread that has nothing to do waits here


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

    helpers = [_threads().submit(work) for _ in range(min(n_threads, len(chunks)) - 1)]
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


def _threads() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="skfly")
    return _pool


def _forget() -> None:
    global _pool
    _pool = None  # the child of a fork has none of the threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
