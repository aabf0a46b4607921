"""Whether compiled kernels can be kept on disk."""

from __future__ import annotations

import logging
from functools import cache

from numba import njit

__all__ = ["can_cache"]

_LOG = logging.getLogger("skfly")


@cache
def can_cache() -> bool:
    """Return whether numba finds a place to keep compiled kernels, and log it if there is none.

    It needs the directory of the package, that of the user or ``NUMBA_CACHE_DIR``, and raises
    where it can write to none of them, as in a container with a read-only file system.
    """
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        _LOG.warning(
            "compiled kernels cannot be kept, so every process compiles them again: set "
            "NUMBA_CACHE_DIR to a directory that can be written to"
        )
        return False
    return True


def _probe() -> None:
    """Never called."""
