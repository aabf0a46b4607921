"""Every allocation of a megabyte or more fails once: the object stays, and the next try works."""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="allocations are those of glibc, on Linux"
)
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ to compile malloc with")
def test_any_large_allocation_may_fail(tmp_path):
    library = tmp_path / "failing_malloc.so"
    options = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    source = HERE / "failing_malloc.cpp"
    subprocess.run(["g++", *options, str(source), "-o", str(library)], check=True)
    done = subprocess.run(
        [sys.executable, str(HERE / "failing_allocations.py")],
        env=os.environ | {"LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    sys.stdout.write(
        f"{sum(failed for failed, _ in found.values())} allocations failed: {found}\n"
    )
    for name, (failed, raised) in found.items():
        assert failed > 0, name  # otherwise the call is too small for this test
        assert 0 < raised <= failed, name
