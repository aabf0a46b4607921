"""The examples run."""

import runpy
import sys
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
STORIES = sorted(path.name for path in EXAMPLES.glob("[!_]*.py"))


def test_there_are_ten():
    assert len(STORIES) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
def test_it_runs(name, monkeypatch, capfd, tmp_path):
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.syspath_prepend(EXAMPLES)  # they share what they read
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the text is small
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert len(capfd.readouterr().out.splitlines()) >= 1
