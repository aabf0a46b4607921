"""The kernels, behind one small protocol, and the choice between them.

``numpy``
    The reference: short, slow, formula by formula. Every other backend is tested against it.
``numba``
    Compiled for the CPU it runs on, on as many threads as ``n_jobs`` allows.

``get_backend("auto")`` takes the fastest that can run here.
"""

from __future__ import annotations

from joblib import effective_n_jobs

from skfly.backends._base import (
    Backend,
    Drive,
    HebbianStep,
    Increment,
    drive_for,
    fixed_point_gain,
    information_bound,
)

__all__ = [
    "BACKENDS",
    "Backend",
    "Drive",
    "HebbianStep",
    "Increment",
    "drive_for",
    "fixed_point_gain",
    "get_backend",
    "information_bound",
]

BACKENDS = ("auto", "numba", "numpy")


def get_backend(name: str = "auto", n_jobs: int | None = None) -> Backend:
    """Return the backend called ``name``.

    Parameters
    ----------
    name : {"auto", "numba", "numpy"}
        ``"auto"`` is numba.
    n_jobs : int or None
        Threads. ``None`` is what numba is set to (``NUMBA_NUM_THREADS``,
        ``numba.set_num_threads``), so the limits that joblib puts on its workers hold here too.
        ``-1`` is all cores. The results do not depend on it, and numba's setting is not changed.

    Examples
    --------
    >>> get_backend("numpy").name
    'numpy'
    >>> get_backend("auto", n_jobs=2).n_threads
    2
    """
    if name == "numpy":
        from skfly.backends._numpy import NumpyBackend

        return NumpyBackend()
    if name in ("auto", "numba"):
        from skfly.backends._numba import NumbaBackend

        if n_jobs is None:
            import numba

            return NumbaBackend(numba.get_num_threads())
        return NumbaBackend(effective_n_jobs(n_jobs))
    raise ValueError(f"backend must be one of {BACKENDS}; got {name!r}")
