"""How many threads ``n_jobs`` stands for."""

from __future__ import annotations

from joblib import effective_n_jobs

__all__ = ["n_threads_for"]

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
