"""A stand-in for the calls of CuPy that the engine uses, on the emulated kernels.

It is as unkind as a GPU may be. Work that is given to a stream is put off until someone waits for
that stream, and then reads what its arguments hold by then, or (``hurry``) is done at once, before
that of other streams; new memory holds rubbish; a kernel gets arrays of its own device only, and
numbers of exactly its types. So host code that forgets to wait, or counts on zeros, gives wrong
results here too.
"""

import sys
import weakref
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import numpy as np

import emulator
from skfly.engine._cupy import CupyEngine

RUBBISH = 0xCD
NO_WINNERS = 0xFF  # -1: what is left when the work is left out


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""


class FakeCupy:
    """GPUs that are not there.

    Parameters
    ----------
    n_devices : int
    memory : int
        Bytes of each.
    nccl : bool
        Whether NCCL is there.
    error : str or None
        What CUDA says instead of the number of devices.
    hurry : int or None
        The stream of each device, by number, whose work is not put off.
    dry : bool
        Whether to leave out the work, and only count the memory.

    Attributes
    ----------
    used, peak : list of int
        Bytes of each device that are, and at most were, in use.
    launched : list of tuple
        Names of the kernels that ran, each with the number of its device.
    reduced : int
        Sums that NCCL has made.
    busy : int
        The most streams that had work to do at the same time.
    on_launch : callable or None
        Told ``(name, grid, block, args, shared, run)`` in place of ``run()``.
    """

    def __init__(
        self, n_devices=1, memory=16 << 30, nccl=False, error=None, hurry=None, dry=False
    ):
        self.n_devices, self.memory, self.dry, self.error = n_devices, memory, dry, error
        self.hurry = hurry
        self.used, self.peak = [0] * n_devices, [0] * n_devices
        self.launched, self.on_launch = [], None
        self.reduced = self.busy = 0
        self._current = [0]
        self._null_streams = [_Stream(self, number) for number in range(n_devices)]
        self._stream_stacks = [[stream] for stream in self._null_streams]
        self._streams = {stream.ptr: stream for stream in self._null_streams}
        self._memories = weakref.WeakValueDictionary()
        self._pinned = []
        self.modules = self._make_modules(nccl)

    @contextmanager
    def installed(self):
        """Be CuPy for a while."""
        before = {name: sys.modules.get(name) for name in self.modules}
        sys.modules.update(self.modules)
        try:
            yield self
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module

    def device_count(self):
        if self.error is not None:
            raise CUDARuntimeError(self.error)
        return self.n_devices

    def current_stream(self):
        return self._stream_stacks[self._current[-1]][-1]

    def is_pinned(self, array):
        place = array.ctypes.data
        return any(first <= place < last for first, last, _ in self._pinned)

    def allocate(self, shape, dtype):
        return _Array(self, _Memory(self, self._current[-1], shape, dtype), None)

    def zeros(self, shape, dtype):
        array = self.allocate(shape, dtype)
        array.fill(0)
        return array

    def alloc_pinned_memory(self, size):
        memory = np.full(size, NO_WINNERS if self.dry else RUBBISH, np.uint8)
        first = memory.ctypes.data
        self._pinned.append((first, first + size, memory))
        return memory

    def find_memory(self, place):
        return self._memories[place].array

    def find_stream(self, pointer):
        return self._streams[pointer]

    def _make_modules(self, with_nccl):
        cupy, cuda = ModuleType("cupy"), ModuleType("cupy.cuda")
        nccl = ModuleType("cupy.cuda.nccl")
        cupy.__version__ = "14.0.0"
        cupy.cuda = cuda
        cupy.ndarray, cupy.empty, cupy.zeros = _Array, self.allocate, self.zeros
        cupy.RawModule = lambda *, code, options: _Module(self, code, options)
        cupy.get_default_memory_pool = lambda: SimpleNamespace(free_bytes=lambda: 0)
        cuda.nccl = nccl
        cuda.Device = lambda number=None: _Device(self, number)
        cuda.Stream = lambda non_blocking: self._new_stream(non_blocking)
        cuda.alloc_pinned_memory = self.alloc_pinned_memory
        cuda.runtime = SimpleNamespace(
            CUDARuntimeError=CUDARuntimeError,
            getDeviceCount=self.device_count,
            getDeviceProperties=lambda number: {"name": f"Emulated {number}".encode()},
        )
        nccl.available = with_nccl
        if with_nccl:
            nccl.NCCL_INT32, nccl.NCCL_SUM = 2, 0
            group = _Group(self)
            nccl.groupStart, nccl.groupEnd = group.start, group.end
            nccl.NcclCommunicator = SimpleNamespace(initAll=group.communicators)
        return {"cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.nccl": nccl}

    def _new_stream(self, non_blocking):
        assert non_blocking, "the null stream is not emulated"
        device = self._current[-1]
        # the null stream is none that work is given to
        number = sum(stream.device_id == device for stream in self._streams.values()) - 1
        stream = _Stream(self, device, hurries=number == self.hurry)
        self._streams[stream.ptr] = stream
        return stream


def cupy_engine(**options):
    """Return an engine on all of a stand-in's GPUs, and the stand-in."""
    fake = FakeCupy(**options)
    with fake.installed():
        return CupyEngine(fake.modules["cupy"], range(fake.n_devices)), fake


class _Device:
    def __init__(self, fake, number):
        self._fake = fake
        self.id = fake._current[-1] if number is None else number
        assert 0 <= self.id < fake.n_devices, f"there is no device {self.id}"

    def __enter__(self):
        self._fake._current.append(self.id)
        return self

    def __exit__(self, *_):
        self._fake._current.pop()

    @property
    def mem_info(self):
        return self._fake.memory - self._fake.used[self.id], self._fake.memory


class _Stream:
    """A queue that is worked off when someone waits for it."""

    def __init__(self, fake, number, hurries=False):
        self._fake, self.device_id, self._hurries = fake, number, hurries
        self._queue = []
        self.ptr = id(self)

    def __enter__(self):
        assert self._fake._current[-1] == self.device_id, "a stream of another device"
        self._fake._stream_stacks[self.device_id].append(self)
        return self

    def __exit__(self, *_):
        self._fake._stream_stacks[self.device_id].pop()

    def put_off(self, work):
        if not self._fake.dry:
            self._queue.append(work)
            waiting = sum(bool(stream._queue) for stream in self._fake._streams.values())
            self._fake.busy = max(self._fake.busy, waiting)
        if self._hurries:
            self.synchronize()

    def synchronize(self):
        queue, self._queue = self._queue, []
        for work in queue:
            work()


class _Memory:
    """An allocation."""

    def __init__(self, fake, number, shape, dtype):
        self.device = number
        self.array = np.empty(shape, dtype)
        if not fake.dry:
            self.array.view(np.uint8).reshape(-1)[:] = RUBBISH
        fake._memories[self.array.ctypes.data] = self
        fake.used[number] += self.array.nbytes
        fake.peak[number] = max(fake.peak[number], fake.used[number])
        assert fake.used[number] <= fake.memory, "out of memory"
        weakref.finalize(self, _release, fake.used, number, self.array.nbytes)


def _release(used, number, size):
    used[number] -= size


class _Array:
    """An array on a device. Nothing but ``get`` tells what is in it."""

    def __init__(self, fake, memory, view):
        self._fake, self._memory = fake, memory
        self._view = memory.array if view is None else view
        self.shape, self.dtype = self._view.shape, self._view.dtype
        self.size, self.nbytes = self._view.size, self._view.nbytes

    @property
    def data(self):
        # made anew: an array that refers to itself would keep its memory until it is looked for
        return SimpleNamespace(
            ptr=self._view.ctypes.data, copy_from_device_async=self._copy_from_device, array=self
        )

    def __getitem__(self, key):
        assert isinstance(key, slice)
        return _Array(self._fake, self._memory, self._view[key])

    def reshape(self, *shape):
        assert self._view.flags.c_contiguous
        return _Array(self._fake, self._memory, self._view.reshape(*shape))

    def fill(self, value):
        self._on_own_device()
        self._fake.current_stream().put_off(lambda: self._view.fill(value))

    def set(self, array, stream):
        assert isinstance(array, np.ndarray)
        assert array.flags.c_contiguous
        assert (array.dtype, array.shape) == (self.dtype, self.shape)
        assert stream.device_id == self._memory.device
        # what is not pinned is copied at once; what is, when the stream comes to it
        source = array if self._fake.is_pinned(array) else array.copy()
        stream.put_off(lambda: np.copyto(self._view, source))

    def get(self, stream, out=None, blocking=True):
        assert stream.device_id == self._memory.device
        if out is None:
            out = np.full(self.shape, 0, self.dtype)
        else:
            assert self._fake.is_pinned(out)
        assert (out.dtype, out.shape) == (self.dtype, self.shape)
        stream.put_off(lambda: np.copyto(out, self._view))
        if blocking:
            stream.synchronize()
        return out

    def _copy_from_device(self, source, size, stream):
        assert size == self.nbytes == source.array.nbytes
        assert stream.device_id == self._memory.device
        stream.put_off(lambda: np.copyto(self._view, source.array._view))

    def _on_own_device(self):
        assert self._fake._current[-1] == self._memory.device, "an array of another device"


class _Module:
    def __init__(self, fake, code, options):
        assert code == emulator.KERNELS.read_text()
        assert "--fmad=false" in options
        self._fake = fake

    def get_function(self, name):
        emulator.signatures()[name]

        def kernel(grid, block, args, *, shared_mem):
            emulator.check(name, args)
            for arg in args:
                if isinstance(arg, _Array):
                    arg._on_own_device()
            fake, number = self._fake, self._fake._current[-1]

            def work():
                fake.launched.append((name, number))
                plain = [arg._view if isinstance(arg, _Array) else arg for arg in args]

                def run():
                    emulator.launch(name, grid, block, *plain, shared=shared_mem)

                if fake.on_launch is None:
                    run()
                else:
                    fake.on_launch(name, grid, block, plain, shared_mem, run)

            fake.current_stream().put_off(work)

        return kernel


class _Group:
    """NCCL of one process: communicators whose calls between start and end belong together."""

    def __init__(self, fake):
        self._fake = fake
        self._calls = None

    def communicators(self, numbers):
        self._n = len(numbers)
        return [
            SimpleNamespace(reduce=lambda *call, rank=rank: self._calls.append((rank, *call)))
            for rank in range(len(numbers))
        ]

    def start(self):
        self._calls = []

    def end(self):
        calls, self._calls = self._calls, None
        assert sorted(rank for rank, *_ in calls) == list(range(self._n))
        total = 0
        for _, sent, _, count, kind, operation, _, stream in calls:
            assert (kind, operation) == (2, 0)
            self._fake.find_stream(stream).synchronize()
            if not self._fake.dry:
                total = total + self._fake.find_memory(sent)[:count]
        (root,) = {call[6] for call in calls}
        received = self._fake.find_memory(calls[root][2])
        if not self._fake.dry:
            received[:count] = total
        self._fake.reduced += 1
