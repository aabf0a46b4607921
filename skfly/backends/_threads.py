"""Run a kernel over chunks of work on a few threads.

The numba kernels release the GIL and share nothing but the arrays that they own a part of, so
plain threads are enough. Unlike numba's own threading layers they may be entered from many
threads at once, survive a fork, and leave numba's settings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["run_chunks"]


def run_chunks(
    kernel: Callable[..., Any], chunks: Iterable[tuple[Any, ...]], n_threads: int
) -> list[Any]:
    """Call ``kernel(*chunk)`` for every chunk and return the results in order."""
    chunks = list(chunks)
    if n_threads <= 1 or len(chunks) <= 1:
        return [kernel(*chunk) for chunk in chunks]
    with ThreadPoolExecutor(min(n_threads, len(chunks))) as pool:
        return list(pool.map(lambda chunk: kernel(*chunk), chunks))
