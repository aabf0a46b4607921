"""Run a kernel over chunks of work on a few threads.

The numba kernels release the GIL and share nothing but the arrays that they own a part of, so
plain threads are enough. Unlike numba's own threading layers they may be entered from many
threads at once, survive a fork, and leave numba's settings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import effective_n_jobs

__all__ = ["n_threads_for", "run_chunks"]

_MOST_THREADS = 256  # a model's file may tell of any number of jobs


def n_threads_for(n_jobs: int | None) -> int:
    """Return the number of threads to use; ``None``: as many as numba is set to use.

    Examples
    --------
    >>> n_threads_for(2), n_threads_for(10**9)
    (2, 256)
    """
    if n_jobs is None:
        import numba

        return int(numba.get_num_threads())
    return min(int(effective_n_jobs(n_jobs)), _MOST_THREADS)


def run_chunks(
    kernel: Callable[..., Any], chunks: Iterable[tuple[Any, ...]], n_threads: int
) -> list[Any]:
    """Call ``kernel(*chunk)`` for every chunk and return the results in order."""
    chunks = list(chunks)
    if n_threads <= 1 or len(chunks) <= 1:
        return [kernel(*chunk) for chunk in chunks]
    with ThreadPoolExecutor(min(n_threads, len(chunks))) as pool:
        return list(pool.map(lambda chunk: kernel(*chunk), chunks))
