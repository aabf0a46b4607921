"""Without a place to keep compiled kernels, every process compiles them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import skfly

USE = """
import logging
logging.basicConfig(format="%(levelname)s %(name)s %(message)s")
import skfly.engine._kernels, skfly.index._kernels, skfly.index._plane_kernels
from skfly.text import TextAnalyzer
from skfly.text._fast import FastReader
print(skfly.__file__)
print(FastReader(TextAnalyzer()).read(b"one fly\\n", "\\n").numbering.words)
"""


def test_a_read_only_installation(tmp_path):
    package = tmp_path / "site" / "skfly"
    shutil.copytree(
        Path(skfly.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    # root may write to read-only directories, but no one to a file as if it were one
    for room in (package, *(path for path in package.iterdir() if path.is_dir())):
        (room / "__pycache__").write_text("")
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "within")
    places = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "NUMBA_CACHE_DIR": nowhere}
    run = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=tmp_path,
        env=os.environ | places | {"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [str(package / "__init__.py"), "['one', 'fly']"]
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("WARNING skfly compiled kernels cannot be kept")
