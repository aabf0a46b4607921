"""Launches of kernels as a file, for ``replay.cpp`` to run them again."""

import struct

import numpy as np

# the places of a word come in the order that threads take them
ORDER_OF_THREADS = {"sort_places"}


class Recorder:
    """Writes every launch of a stand-in, with its arrays before and after.

    Parameters
    ----------
    file : binary file
    """

    def __init__(self, file):
        self._file = file
        self.names = []

    def __call__(self, name, grid, block, args, shared, run):
        arrays = {arg.ctypes.data: arg for arg in args if arg.ndim}
        before = {place: array.tobytes() for place, array in arrays.items()}
        run()
        self.names.append(name)
        self._numbers(len(name))
        self._file.write(name.encode())
        self._numbers(*(*grid, 1, 1)[:3], *(*block, 1, 1)[:3], shared)
        self._numbers(name not in ORDER_OF_THREADS, len(arrays))
        for place, array in arrays.items():
            self._numbers(array.nbytes)
            self._file.write(before[place] + array.tobytes())
        self._numbers(len(args))
        for arg in args:
            if arg.ndim:
                self._numbers(list(arrays).index(arg.ctypes.data))
            else:
                self._numbers(-1, arg.nbytes)
                self._file.write(np.asarray(arg).tobytes())

    def _numbers(self, *numbers):
        self._file.write(struct.pack(f"={len(numbers)}q", *numbers))
