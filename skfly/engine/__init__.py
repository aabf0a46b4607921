"""Compute engines: kernels behind one small protocol, and the choice between them.

``numpy``
    The reference: slow and obvious, formula by formula. Other engines are tested against it.
``numba``
    Compiled for the CPU it runs on, on as many threads as ``n_jobs`` allows.
``cupy``
    CUDA kernels on NVIDIA GPUs, through CuPy (extras ``cuda12`` and ``cuda13``).

``get_engine("auto")`` picks the fastest engine that runs on this machine.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.util import find_spec

from skfly._threads import is_loaded
from skfly.engine import _early
from skfly.engine._base import (
    Batch,
    Counter,
    Counts,
    Drive,
    Engine,
    Increment,
    WindowCounts,
    drive_for,
    fixed_point_gain,
    fused,
)

__all__ = [
    "ENGINES",
    "Batch",
    "Counter",
    "Counts",
    "Drive",
    "Engine",
    "Increment",
    "WindowCounts",
    "choose_engine",
    "drive_for",
    "engine_for_codes",
    "fixed_point_gain",
    "fused",
    "get_engine",
]

ENGINES = ("auto", "cupy", "numba", "numpy")


def get_engine(
    name: str = "auto", n_jobs: int | None = None, shape: tuple[int, int] | None = None
) -> Engine:
    """Return the engine called ``name``; see :func:`choose_engine`.

    Examples
    --------
    >>> get_engine("numpy").name
    'numpy'
    >>> get_engine("numba", n_jobs=2).n_threads
    2
    """
    return choose_engine(name, n_jobs, shape)[0]


def engine_for_codes(name: str, n_jobs: int | None, shape: tuple[int, int]) -> Engine:
    """Return the engine for a model's codes: for ``"auto"``, one that begins with numpy.

    Unless the compiled kernels are loaded already.
    """
    if name != "auto" or is_loaded(_early.KERNELS.name):
        return get_engine(name, n_jobs, shape)
    return _early.EarlyEngine(n_jobs, partial(get_engine, name, n_jobs, shape))


def choose_engine(
    name: str = "auto", n_jobs: int | None = None, shape: tuple[int, int] | None = None
) -> tuple[Engine, str]:
    """Choose an engine and describe it.

    Parameters
    ----------
    name : {"auto", "cupy", "numba", "numpy"}
        ``"auto"`` is CuPy if it can be imported and a GPU has enough memory for the model,
        otherwise numba.
    n_jobs : int or None
        Threads. ``None`` means numba's current setting (``NUMBA_NUM_THREADS``,
        ``numba.set_num_threads``), so the limits that joblib sets for its workers apply. ``-1``
        means all cores. For CuPy, GPUs: ``None`` is the current one (``cupy.cuda.Device``),
        ``-1`` all visible ones (``CUDA_VISIBLE_DEVICES``). The results do not depend on it, and
        numba's setting is not changed.
    shape : tuple of int, optional
        Shape of the synapses, ``(2V, K)``, if known.

    Examples
    --------
    >>> choose_engine("numba", n_jobs=2)[1]
    'numba on 2 threads'
    """
    if name == "numpy":
        from skfly.engine._numpy import NumpyEngine

        return NumpyEngine(), "numpy"
    if name not in ENGINES:
        raise ValueError(f"backend must be one of {ENGINES}; got {name!r}")
    reason = ""
    if name != "numba":
        try:
            # a module set to None cannot be imported and has no spec
            if not (sys.modules["cupy"] if "cupy" in sys.modules else find_spec("cupy")):
                raise ImportError("CuPy is not installed")
            from skfly.engine._gpu_probe import open_gpus

            gpus = open_gpus(n_jobs, shape)
            return gpus, f"cupy on {gpus!r}"
        except (ImportError, ValueError) as error:
            reason = f", since {error}"
            if name == "cupy" and isinstance(error, ImportError):
                raise ImportError(
                    f'backend="cupy", but {error}: pip install "skfly[cuda12]" or '
                    '"skfly[cuda13]", whichever your driver supports'
                ) from error
            if name == "cupy":
                raise ValueError(
                    f"backend='cupy', but {error}; backend='numba' needs no GPU"
                ) from error
    from skfly.engine._numba import NumbaEngine

    engine = NumbaEngine(n_jobs)
    n_threads = engine.n_threads
    return engine, f"numba on {n_threads} thread{'s' if n_threads > 1 else ''}{reason}"
