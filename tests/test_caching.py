"""Without a place to keep compiled kernels, every process compiles them."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import skfly
from skfly import _caching

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
    for folder in (package, *(path for path in package.iterdir() if path.is_dir())):
        (folder / "__pycache__").write_text("")
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
    assert run.stderr.startswith("WARNING skfly compiled kernels cannot be cached")


@pytest.mark.parametrize(("seconds", "n_notices"), [(0.3, 0), (0.6, 1), (20.0, 1)])
def test_long_compilation_is_announced_once(monkeypatch, caplog, seconds, n_notices):
    caplog.set_level(logging.WARNING, _caching.COMPILATION_LOG)
    now = [0.0]
    monkeypatch.setattr(_caching.time, "monotonic", lambda: now[0])
    notice = _caching._CompilationNotice()

    def compile_kernel(module):
        kernel = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
        event = SimpleNamespace(data={"dispatcher": kernel})
        notice.on_start(event)
        now[0] += seconds
        notice.on_end(event)

    for module in ("umap.umap_", "skfly.engine._kernels", "skfly.index._kernels", "umap.utils"):
        compile_kernel(module)
    assert len(caplog.records) == n_notices
