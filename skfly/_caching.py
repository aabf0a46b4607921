"""Caching of compiled kernels, and a notice when compilation takes long."""

from __future__ import annotations

import logging
import os
import time
from functools import cache
from typing import Any

from numba import njit
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

COMPILATION_LOG = "skfly.compilation"
_LONG = 1.0  # seconds

_LOG = logging.getLogger("skfly")


@cache
def can_cache() -> bool:
    """Return whether numba can cache compiled kernels; log a warning if it cannot.

    It needs the directory of the package, that of the user or ``NUMBA_CACHE_DIR``, and raises
    where it can write to none of them, as in a container with a read-only file system.
    """
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        _LOG.warning(
            "compiled kernels cannot be cached, so every process compiles them again: set "
            "NUMBA_CACHE_DIR to a writable directory"
        )
        return False
    return True


def _probe() -> None:
    """Never called."""


OPTIONS: dict[str, Any] = {
    "nogil": True,
    "cache": can_cache(),
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,
}
"""Options of all kernels."""


class _CompilationNotice(event.Listener):  # type: ignore[misc, unused-ignore]
    """Logs once that kernels are being compiled, when that has taken over a second."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._seconds = 0.0
        self._is_given = False

    def on_start(self, event: Any) -> None:
        if self._is_ours(event):
            self._depth += 1
            if self._depth == 1:
                self._began = time.monotonic()

    def on_end(self, event: Any) -> None:
        if not self._is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0 and not self._is_given:
            self._seconds += time.monotonic() - self._began
            if self._seconds > _LONG and can_cache():
                self._is_given = True
                logging.getLogger(COMPILATION_LOG).warning(
                    "compiling kernels, which takes up to half a minute; later runs load them"
                )

    def _is_ours(self, event: Any) -> bool:
        kernel = event.data["dispatcher"].py_func
        return kernel is not _probe and str(kernel.__module__).startswith("skfly.")


event.register("numba:compile", _CompilationNotice())  # type: ignore[no-untyped-call, unused-ignore]

if hasattr(os, "register_at_fork"):
    # Forks wait until no thread compiles a kernel: the child would get numba's lock as it was, but
    # not the thread that held it, and the first kernel that it needs would wait forever.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_child=global_compiler_lock.release,
        after_in_parent=global_compiler_lock.release,
    )
