"""Find GPUs that can run a model, or explain why there are none."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

from skfly.engine._cupy import CupyEngine, device_bytes
from skfly.engine._gpu import first_line

_OLDEST_CUPY = 13

MOST_CELLS = 4096
"""Maximum number of Kenyon cells that fits the kernels' shared memory."""


def open_gpus(n_jobs: int | None, shape: tuple[int, int] | None) -> CupyEngine:
    """Return an engine on the available GPUs, if it can run a model of this shape.

    Raises
    ------
    ImportError
        If there is no CuPy.
    ValueError
        If no GPU answers, or the model does not fit.
    """
    cupy = _import_cupy()
    numbers = _find_gpus(cupy, 1 if n_jobs is None else n_jobs)
    if shape is not None:
        if shape[1] > MOST_CELLS:
            raise ValueError(
                f"{shape[1]} Kenyon cells are more than the {MOST_CELLS} that fit a GPU's block"
            )
        needed = device_bytes(*shape)
        for number in numbers:
            free = _free_bytes(cupy, number)
            if free < needed:
                raise ValueError(
                    f"GPU {number} has {free / 1e6:,.0f} MB of free memory and the model needs "
                    f"{needed / 1e6:,.0f} MB"
                )
    engine = CupyEngine(cupy, numbers)
    engine.check()
    return engine


def _import_cupy() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a CUDA library is missing
        try:
            cupy = import_module("cupy")
        except Exception as error:  # a broken installation can fail in many ways
            if isinstance(error, ModuleNotFoundError) and error.name == "cupy":
                raise ImportError("CuPy is not installed") from error
            raise ImportError(f"CuPy cannot be imported ({first_line(error)})") from error
    if int(cupy.__version__.split(".")[0]) < _OLDEST_CUPY:
        raise ImportError(f"CuPy {cupy.__version__} is older than {_OLDEST_CUPY}")
    return cupy


def _find_gpus(cupy: Any, n_gpus: int) -> list[int]:
    """Return the numbers of up to ``n_gpus`` GPUs (-1: all), the current one first.

    CUDA shows the GPUs that ``CUDA_VISIBLE_DEVICES`` names. The current one is 0, or that of an
    enclosing ``with cupy.cuda.Device(number)``.
    """
    try:
        n_visible = int(cupy.cuda.runtime.getDeviceCount())
        current = int(cupy.cuda.Device().id) if n_visible else 0
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ValueError(f"CuPy {cupy.__version__} finds no GPU: {error}{_visible()}") from error
    if not n_visible:
        raise ValueError(f"CuPy {cupy.__version__} finds no GPU{_visible()}")
    numbers = [(current + i) % n_visible for i in range(n_visible)]
    return numbers if n_gpus < 0 else numbers[: max(1, n_gpus)]


def _visible() -> str:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return "" if visible is None else f" (CUDA_VISIBLE_DEVICES={visible!r})"


def _free_bytes(cupy: Any, number: int) -> int:
    """Return a GPU's free memory, including what CuPy holds but does not use."""
    with cupy.cuda.Device(number) as device:
        return int(device.mem_info[0] + cupy.get_default_memory_pool().free_bytes())
