"""When compiled kernels are worth loading; until then, numpy does the same."""

from __future__ import annotations

import sys

_WORTH_LOADING = 1 << 27  # numbers that take numpy as long as loading takes
_A_CALL = 1 << 15  # numbers that take as long as what numpy does once a call


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
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._n_numbers = 0

    def are_worth_loading(self, n_numbers: int) -> bool:
        """Return whether to use them for another piece of work: they are loaded, or it is much."""
        if is_loaded(self._name):
            return True
        self._n_numbers += max(n_numbers, _A_CALL)
        return self._n_numbers > _WORTH_LOADING
