"""CuPy itself, where it is installed: what the stand-in has, it has too."""

import inspect
import re
import warnings

import pytest

from emulator import fake_cupy
from skfly import FlyHashVectorizer
from skfly.engine import choose_engine, get_engine

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of CUDA that is not there
    cupy = pytest.importorskip("cupy", reason="no CuPy: tox -e gpu has it", exc_type=ImportError)

without_gpu = pytest.mark.skipif(cupy.cuda.is_available(), reason="there is a GPU")


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def test_every_name_that_the_stand_in_has_is_cupys():
    modules = fake_cupy.FakeCupy().modules
    assert {n for n in vars(modules["cupy"]) if not n.startswith("_")} <= public(cupy)
    names = {n for n in vars(modules["cupy.cuda"]) if not n.startswith("_")} - {"nccl"}
    assert names <= public(cupy.cuda)
    assert set(vars(modules["cupy.cuda"].runtime)) <= public(cupy.cuda.runtime)
    own = {"put_off"}
    for mine, theirs in {
        fake_cupy._Array: cupy.ndarray,
        fake_cupy._Stream: cupy.cuda.Stream,
        fake_cupy._Device: cupy.cuda.Device,
    }.items():
        assert public(mine) - own <= public(theirs)
    assert {"dtype", "nbytes", "shape", "size", "data"} <= public(cupy.ndarray)
    assert {"device_id", "ptr"} <= public(cupy.cuda.Stream) | {
        name for name in ("device_id", "ptr") if name in cupy.cuda.Stream.__doc__
    }
    assert {"ptr", "copy_from_device_async"} <= public(cupy.cuda.MemoryPointer)
    assert "free_bytes" in public(cupy.cuda.MemoryPool)


def test_arguments_are_as_the_stand_in_takes_them():
    assert "stream=None, order='C', out=None, blocking=True" in cupy.ndarray.get.__doc__
    assert "set(self, arr, stream=None)" in cupy.ndarray.set.__doc__
    assert "non_blocking (bool)" in cupy.cuda.Stream.__doc__
    assert re.search(r"grid, block, args,.*shared_mem=0", cupy.RawKernel.__call__.__doc__)
    assert "code" in cupy.RawModule.__doc__
    assert "options" in cupy.RawModule.__doc__
    for name in ("src", "size", "stream"):
        text = cupy.cuda.MemoryPointer.copy_from_device_async.__doc__
        assert name in text
    assert list(inspect.signature(cupy.empty).parameters)[:2] == ["shape", "dtype"]


@without_gpu
def test_no_gpu_is_an_error_that_says_what_was_found():
    found = rf"backend='cupy', but CuPy {re.escape(cupy.__version__)} finds no GPU: cudaError"
    with pytest.raises(ValueError, match=found):
        get_engine("cupy")
    with pytest.raises(ValueError, match="finds no GPU"):
        FlyHashVectorizer(backend="cupy").fit(["a text that is not read"])


@without_gpu
def test_auto_is_numba_and_says_why():
    engine, which = choose_engine("auto", n_jobs=1)
    assert engine.name == "numba"
    assert which.startswith(f"numba on 1 thread, since CuPy {cupy.__version__} finds no GPU")
