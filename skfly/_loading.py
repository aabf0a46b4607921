"""When compiled kernels are worth loading; until then, numpy does the same."""

from __future__ import annotations

import sys

_WORTH_LOADING = 1 << 27  # numbers that take numpy as long as loading takes


def is_loaded(name: str) -> bool:
    """Return whether a module has been imported, to its end.

    A thread that imports it now may not exist in a child of a fork, which would wait forever.
    """
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


class Kernels:
    """Compiled kernels that may not be loaded yet.

    Importing numba and loading kernels takes half a second, and compiling them a few, for what
    numpy does in less as long as there is little to do. So they are loaded once numpy has worked
    about as long as that takes.

    Parameters
    ----------
    name : str
        Their module.
    little : int, default=0
        Pieces of work with no more numbers do not count: numpy is as fast for them.
    """

    def __init__(self, name: str, little: int = 0) -> None:
        self._name, self._little = name, little
        self._n_numbers = 0

    def are_worth_loading(self, n_numbers: int) -> bool:
        """Return whether to use them for another piece of work: they are loaded, or it is much."""
        if is_loaded(self._name):
            return True
        if n_numbers > self._little:
            self._n_numbers += n_numbers
        return self._n_numbers > _WORTH_LOADING
