"""Where warnings are errors from the start (``python -W error``): imports and the command.

The tests themselves run so, but pytest has imported much before it.
"""

import subprocess
import sys

import pytest

EVERY_MODULE = """
import importlib, pkgutil, skfly
names = [module.name for module in pkgutil.walk_packages(skfly.__path__, "skfly.")]
for name in names:
    if not name.endswith("__main__") and not name.startswith("skfly.adapters."):  # need packages
        importlib.import_module(name)
print(len(names))
"""


def run(*args):
    return subprocess.run(
        [sys.executable, "-W", "error", *args], capture_output=True, text=True, check=False
    )


def test_no_module_warns_when_imported():
    done = run("-c", EVERY_MODULE)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


@pytest.mark.slow
def test_the_command_does_not_warn(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ripe fruit for the fly\nmoney from the bank\n" * 6000)
    model = str(tmp_path / "model")
    trained = run(
        "-m", "skfly.cli", "train", str(text), "-o", model, "--quiet",
        "--cells", "8", "--hash-length", "2",
    )  # fmt: skip
    assert (trained.returncode, trained.stderr) == (0, "")
    found = run("-m", "skfly.cli", "neighbors", model, "fruit")
    assert (found.returncode, found.stderr) == (0, "")
    assert "ripe" in found.stdout
