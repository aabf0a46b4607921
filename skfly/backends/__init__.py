"""The kernels, behind one small protocol, and the choice between them.

``numpy``
    The reference: short, slow, formula by formula. Every other backend is tested against it.
``numba``
    Compiled for the CPU it runs on, on as many threads as ``n_jobs`` allows.
``cupy``
    CUDA kernels on NVIDIA GPUs, through CuPy (extras ``cuda12`` and ``cuda13``).

``get_backend("auto")`` takes the fastest that can run here.
"""

from __future__ import annotations

from skfly._jobs import n_threads_for
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
    "choose_backend",
    "drive_for",
    "fixed_point_gain",
    "get_backend",
    "information_bound",
]

BACKENDS = ("auto", "cupy", "numba", "numpy")


def get_backend(
    name: str = "auto", n_jobs: int | None = None, shape: tuple[int, int] | None = None
) -> Backend:
    """Return the backend called ``name``; see :func:`choose_backend`.

    Examples
    --------
    >>> get_backend("numpy").name
    'numpy'
    >>> get_backend("numba", n_jobs=2).n_threads
    2
    """
    return choose_backend(name, n_jobs, shape)[0]


def choose_backend(
    name: str = "auto", n_jobs: int | None = None, shape: tuple[int, int] | None = None
) -> tuple[Backend, str]:
    """Return the backend called ``name``, and a word on which it is and why.

    Parameters
    ----------
    name : {"auto", "cupy", "numba", "numpy"}
        ``"auto"`` is CuPy if it can be imported, a GPU answers and the model fits; else numba.
    n_jobs : int or None
        Threads. ``None`` is what numba is set to (``NUMBA_NUM_THREADS``,
        ``numba.set_num_threads``), so the limits that joblib puts on its workers hold here too.
        ``-1`` is all cores. For CuPy, GPUs: ``None`` is the current one
        (``cupy.cuda.Device``), ``-1`` all that are visible (``CUDA_VISIBLE_DEVICES``). The
        results do not depend on it, and numba's setting is not changed.
    shape : tuple of int, optional
        Of the synapses, ``(2V, K)``, if it is known.

    Examples
    --------
    >>> choose_backend("numba", n_jobs=2)[1]
    'numba on 2 threads'
    """
    if name == "numpy":
        from skfly.backends._numpy import NumpyBackend

        return NumpyBackend(), "numpy"
    if name == "numba":
        return _on_threads(n_jobs)
    if name not in BACKENDS:
        raise ValueError(f"backend must be one of {BACKENDS}; got {name!r}")
    from skfly.backends._gpu_probe import open_gpus

    try:
        backend = open_gpus(n_jobs, shape)
    except (ImportError, ValueError) as error:
        if name == "auto":
            numba, words = _on_threads(n_jobs)
            return numba, f"{words}, since {error}"
        if isinstance(error, ImportError):
            raise ImportError(
                f'backend="cupy", but {error}: pip install "skfly[cuda12]" or "skfly[cuda13]", '
                "whichever your driver supports"
            ) from error
        raise ValueError(f"backend='cupy', but {error}; backend='numba' needs no GPU") from error
    return backend, f"cupy on {backend!r}"


def _on_threads(n_jobs: int | None) -> tuple[Backend, str]:
    from skfly.backends._numba import NumbaBackend

    n_threads = n_threads_for(n_jobs)
    return NumbaBackend(n_threads), f"numba on {n_threads} thread{'s' if n_threads > 1 else ''}"
