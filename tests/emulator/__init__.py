"""``kernels.cu`` compiled for the CPU, and its kernels by name.

``grid.h`` gives the file a grid of blocks and threads. Arguments are checked as a GPU would not:
every one must have exactly the type that the kernel says.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
KERNELS = resources.files("skfly.engine") / "kernels.cu"
OPTIONS = (
    "-std=c++17",
    "-ffp-contract=off",
    "-U_FORTIFY_SOURCE",
    "-fcf-protection=none",
    "-pthread",
)
STRICT = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")


def missing():
    """Return why kernels cannot be compiled here, or an empty string."""
    if not sys.platform.startswith("linux"):
        return "the grid of threads is written for Linux"
    if shutil.which("g++") is None:
        return "there is no g++ to compile the kernels with"
    return ""


def compile_with(*options, source, target, kernels=KERNELS):
    """Compile a source of this folder together with the kernels."""
    command = ["g++", *OPTIONS, *STRICT, *options, f'-DKERNELS="{kernels}"']
    command += [str(HERE / source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@functools.cache
def library():
    """Return the kernels as a library of this process."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "kernels.so"
        compile_with("-O2", "-fPIC", "-shared", source="library.cpp", target=target)
        loaded = ctypes.CDLL(os.fspath(target))
    for name in ("last_error", "kernel_name", "kernel_signature"):
        getattr(loaded, name).restype = ctypes.c_char_p
    return loaded


@functools.cache
def signatures():
    """Return the arguments' types of every kernel: ``{"set_drives": ["int16*", ...], ...}``."""
    loaded = library()
    return {
        loaded.kernel_name(i).decode(): loaded.kernel_signature(i).decode().split(", ")
        for i in range(loaded.n_kernels())
    }


def check(name, args):
    """Check that a kernel can be given these arguments: arrays, on any device, and numbers."""
    wanted = signatures()[name]
    assert len(args) == len(wanted), f"{name} takes {len(wanted)} arguments, got {len(args)}"
    for arg, kind in zip(args, wanted, strict=True):
        plain = kind.removeprefix("const ").removesuffix("*")
        assert str(arg.dtype) == plain, f"{name}: {arg.dtype} for {kind}"
        assert bool(arg.shape) == kind.endswith("*"), f"{name}: shape {arg.shape} for {kind}"


def launch(name, grid, block, *args, shared=0):
    """Run a kernel on numpy arrays and scalars, to its end."""
    check(name, args)
    holders = [_argument(arg) for arg in args]
    pointers = (ctypes.c_void_p * len(holders))(*[ctypes.addressof(h) for h in holders])
    grid, block = ((ctypes.c_uint * 3)(*(*size, 1, 1)[:3]) for size in (grid, block))
    run(library().launch_kernel, name.encode(), grid, block, ctypes.c_size_t(shared), pointers)


def run(function, *args):
    """Call a function of the library, and raise what it reports."""
    if function(*args):
        raise RuntimeError(library().last_error().decode())


def _argument(arg):
    """Return an argument as what a kernel gets: a pointer or a number, in ctypes."""
    if arg.ndim:
        assert arg.flags.c_contiguous
        return ctypes.c_void_p(arg.ctypes.data)
    return np.ctypeslib.as_ctypes_type(arg.dtype)(arg.item())
