"""``kernels.cu`` through NVIDIA's own compiler, for every architecture, without a GPU."""

import re
import warnings

import pytest

import emulator
from skfly.engine._gpu import COMPILER_OPTIONS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of CUDA that is not there
    nvrtc = pytest.importorskip(
        "cupy_backends.cuda.libs.nvrtc", reason="no CuPy: tox -e gpu has it", exc_type=ImportError
    )

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# what CuPy adds to the options of a RawModule
CUPYS_OWN = ("-ftz=true", "--device-as-default-execution-space")
SOURCE = emulator.KERNELS.read_text()


def compiled(source, *options):
    """Return the program and what the compiler has to say."""
    program = nvrtc.createProgram(source, "kernels.cu", (), ())
    try:
        nvrtc.compileProgram(program, (*COMPILER_OPTIONS, *CUPYS_OWN, *options))
    finally:
        log = nvrtc.getProgramLog(program)
    return program, log.strip("\0\n ")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_kernel_compiles_without_a_word(architecture):
    program, log = compiled(SOURCE, f"--gpu-architecture=sm_{architecture}")
    assert log == ""
    binary = nvrtc.getCUBIN(program)
    assert binary[:4] == b"\x7fELF"
    names = re.findall(r'extern "C" __global__ void (\w+)', SOURCE)
    assert len(names) == 23
    for name in names:
        assert f".text.{name}\0".encode() in binary


def test_warnings_would_be_seen():
    _, log = compiled(SOURCE + "\n__device__ int f() { int unused = 3; return 0; }")
    assert "warning" in log


def test_products_and_sums_are_rounded_one_by_one():
    program, _ = compiled(SOURCE, "--gpu-architecture=compute_80")
    assert not re.findall(r"\bfma\.\w+\.f(?:32|64)", nvrtc.getPTX(program).decode())
    fused = nvrtc.createProgram(SOURCE, "kernels.cu", (), ())
    nvrtc.compileProgram(fused, ("-std=c++17", "--gpu-architecture=compute_80"))
    assert re.findall(r"\bfma\.\w+\.f(?:32|64)", nvrtc.getPTX(fused).decode())


def test_no_kernel_keeps_registers_in_memory():
    _, log = compiled(SOURCE, "--gpu-architecture=sm_80", "--ptxas-options=-v")
    spills = re.findall(r"(\d+) bytes spill", log)
    assert spills
    assert set(spills) == {"0"}
