"""GPUs through the few calls of CuPy that the backend needs: devices, buffers, launches.

Two rules keep streams in order. Work on the arrays of the model goes to stream 0 of a GPU, one
step after another. Text is streamed by *lanes*, one for each of its two streams, each with its own
buffers: while the GPU copies and computes in one lane, the CPU fills the other. Between the two
kinds of work, :meth:`Gpu.wait` waits for the streams.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module, resources
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# as the CPU computes: a product and a sum are rounded one by one
COMPILER_OPTIONS = ("-std=c++17", "--fmad=false")
THREADS = 256  # per block, by default
BLOCKS = 2048  # of kernels that loop over rows: enough to fill any GPU
_LANES = 2
_ROUND = 1 << 12  # buffers grow by this many entries at least: batches differ a little in length


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def import_nccl() -> Any:
    """Return CuPy's NCCL, or None where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CuPy warns if the library is not installed
        nccl = import_module("cupy.cuda.nccl")
    return nccl if nccl.available else None


@cache
def _module(cupy: Any) -> Any:
    """Return the kernels; CuPy compiles them for each GPU, and keeps them on disk."""
    source = (resources.files("skfly.engine") / "kernels.cu").read_text(encoding="utf-8")
    return cupy.RawModule(code=source, options=COMPILER_OPTIONS)


@cache
def _kernel(cupy: Any, name: str) -> Any:
    return _module(cupy).get_function(name)


class Gpu:
    """One GPU.

    Parameters
    ----------
    cupy : module
    number : int
        The number of the device among those visible to CUDA.
    """

    def __init__(self, cupy: Any, number: int) -> None:
        self.cupy = cupy
        self.number = number
        self.device = cupy.cuda.Device(number)
        self._rooms: dict[str, Any] = {}
        with self.device:
            self.streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(_LANES)]
        self.lanes = [Lane(self, stream) for stream in self.streams]

    @property
    def model(self) -> str:
        """The GPU's name."""
        name = self.cupy.cuda.runtime.getDeviceProperties(self.number)["name"]
        return name.decode() if isinstance(name, bytes) else str(name)

    def check(self) -> None:
        """Run a kernel, or raise an error that says why that is not possible."""
        try:
            sums = self.send("check", np.array([1, 2], np.int32))
            self.launch("add_tallies", 1, sums[:1], sums[1:], np.int64(1))
            found = self.fetch(sums)[0]
        except Exception as error:  # of CUDA, its compiler, its libraries
            raise ValueError(
                f"GPU {self.number} ({self.model}) does not run the kernels: {first_line(error)}"
            ) from error
        if found != 3:
            raise ValueError(f"GPU {self.number} ({self.model}) gives wrong results")

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Any:
        """Return a new array of zeros."""
        with self.device, self.streams[0]:
            return self.cupy.zeros(shape, dtype)

    def room(self, name: str, size: int, dtype: DTypeLike) -> Any:
        """Return ``size`` entries of the buffer of that name, uninitialised."""
        held = self._rooms.get(name)
        if held is None or held.size < size:
            self.wait()  # for users of the old one
            self._rooms[name] = held = None
            with self.device, self.streams[0]:
                held = self.cupy.empty(-(-size // _ROUND) * _ROUND, dtype)
            self._rooms[name] = held
        return held[:size]

    def zeroed(self, name: str, size: int, dtype: DTypeLike) -> Any:
        """Return a buffer with zeros, for stream 0."""
        room = self.room(name, size, dtype)
        with self.device, self.streams[0]:
            room.fill(0)
        return room

    def send(self, name: str, array: NDArray[Any]) -> Any:
        """Return a buffer with the entries of a small numpy array, for stream 0."""
        room = self.room(name, array.size, array.dtype)
        room.set(np.ascontiguousarray(array).ravel(), stream=self.streams[0])
        return room

    def fetch(self, array: Any) -> NDArray[Any]:
        """Return the content of an array once stream 0 is done."""
        fetched: NDArray[Any] = array.get(stream=self.streams[0])
        return fetched

    def launch(
        self,
        name: str,
        grid: int | tuple[int, int],
        *args: Any,
        threads: int | None = None,
        shared: int = 0,
        stream: Any = None,
    ) -> None:
        """Launch a kernel, on stream 0 if no other is given; an int argument is a C int."""
        blocks = grid if isinstance(grid, tuple) else (grid,)
        typed = tuple(np.int32(arg) if isinstance(arg, int) else arg for arg in args)
        with self.device, self.streams[0] if stream is None else stream:
            kernel = _kernel(self.cupy, name)
            kernel(blocks, (THREADS if threads is None else threads,), typed, shared_mem=shared)

    def stream_in(
        self, target: Any, fill: Callable[[NDArray[Any], int, int], None], piece: int
    ) -> None:
        """Fill a device array through pinned buffers, ``piece`` entries at a time.

        ``fill(out, first, last)`` writes the entries ``first`` to ``last``. The call returns once
        they have arrived.
        """
        self.streams[0].synchronize()
        for number, first in enumerate(range(0, target.size, piece)):
            last = min(first + piece, target.size)
            lane = self.lanes[number % _LANES]
            lane.finish()
            staged = lane.pinned("staged", last - first, target.dtype)
            fill(staged, first, last)
            target[first:last].set(staged, stream=lane.stream)
        self.wait()

    def wait(self) -> None:
        """Wait until both streams are done."""
        for stream in self.streams:
            stream.synchronize()


class Lane:
    """A stream of a GPU with its own buffers and a list of actions for when it is done."""

    def __init__(self, gpu: Gpu, stream: Any) -> None:
        self.gpu = gpu
        self.stream = stream
        self._pinned: dict[str, NDArray[np.uint8]] = {}
        self._then: list[Callable[[], None]] = []

    def room(self, name: str, size: int, dtype: DTypeLike) -> Any:
        """Return ``size`` entries of a buffer on the GPU."""
        return self.gpu.room(f"{name} of lane {self.gpu.lanes.index(self)}", size, dtype)

    def pinned(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return ``size`` entries of a pinned buffer, which the GPU can copy from and to."""
        n_bytes = size * np.dtype(dtype).itemsize
        held = self._pinned.get(name)
        if held is None or held.size < n_bytes:
            self.stream.synchronize()
            rounded = -(-n_bytes // _ROUND) * _ROUND
            memory = self.gpu.cupy.cuda.alloc_pinned_memory(rounded)
            held = self._pinned[name] = np.frombuffer(memory, np.uint8, rounded)
        return held[:n_bytes].view(dtype)

    def send(self, name: str, array: NDArray[Any], dtype: DTypeLike) -> Any:
        """Return a buffer with the entries of an array, once the lane has copied them."""
        staged = self.pinned(name, array.size, dtype)
        staged[:] = array
        room = self.room(name, array.size, dtype)
        room.set(staged, stream=self.stream)
        return room

    def then(self, what: Callable[[], None]) -> None:
        """Call a function when the lane's work so far is done."""
        self._then.append(what)

    def finish(self) -> None:
        """Wait for the lane; its buffers are then free."""
        self.stream.synchronize()
        for what in self._then:
            what()
        self._then.clear()
