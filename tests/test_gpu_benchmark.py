"""The script for people with a GPU runs, on a stand-in for one."""

import runpy
from pathlib import Path

import pytest

import emulator
from emulator.fake_cupy import FakeCupy

SCRIPT = Path(__file__).parents[1] / "examples" / "benchmarks" / "gpu.py"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
    pytest.mark.skipif(not SCRIPT.exists(), reason="the examples are not here"),
]

SMALL = [
    "--cells=12",
    "--vocabulary=60",
    "--words=1500",
    "--compared=600",
    "--batch=500",
    "--queries=5",
    "--repeats=1",
]


@pytest.fixture
def main(monkeypatch):
    monkeypatch.setattr("skfly.engine._gpu.THREADS", 64)
    monkeypatch.setattr("skfly.engine._gpu.BLOCKS", 4)
    monkeypatch.setattr("skfly.engine._cupy._PARTS", 4)
    return runpy.run_path(str(SCRIPT))["main"]


def test_it_compares_and_measures(main, capsys):
    with FakeCupy(n_devices=2).installed():
        main(SMALL)
    out = capsys.readouterr().out
    assert "GPU 0 (Emulated 0) and GPU 1 (Emulated 1)" in out
    assert out.count(": equal") == 2 * (2 * 4 + 1)
    assert "differ" not in out
    assert "The host makes batches of words/s" in out
    assert "all of fit: words/s" in out
    assert out.count(" x\n") == 5


def test_it_stops_where_results_differ(main, capsys):
    fake = FakeCupy()

    def wrong(name, grid, block, args, shared, run):
        run()
        if name == "find_winners":
            args[-1][:] = 0

    fake.on_launch = wrong
    with fake.installed(), pytest.raises(SystemExit, match="do not agree: lloyd, synapses"):
        main(SMALL)


def test_without_a_gpu_it_says_so(main):
    with FakeCupy(n_devices=0).installed(), pytest.raises(SystemExit, match="finds no GPU"):
        main([])


def test_the_host_needs_no_gpu(main, capsys):
    with FakeCupy(n_devices=0).installed():
        main([*SMALL, "--host"])
    assert "frequent words left out" in capsys.readouterr().out
