"""The choice of a engine."""

import sys

import numba
import numpy as np
import pytest

import emulator
from emulator.fake_cupy import FakeCupy
from skfly.engine import ENGINES, choose_engine, get_engine
from skfly.engine._cupy import device_bytes

needs_compiler = pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing())


@pytest.fixture(autouse=True)
def no_cupy(monkeypatch):
    """Whatever is installed, there is no CuPy but the tests' own."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_auto_is_numba_where_there_is_no_gpu():
    engine, which = choose_engine("auto", n_jobs=2)
    assert engine.name == "numba"
    assert which == "numba on 2 threads, since CuPy is not installed"


@pytest.mark.parametrize("name", [name for name in ENGINES if name not in ("auto", "cupy")])
def test_an_engine_goes_by_its_name(name):
    engine, which = choose_engine(name, n_jobs=1)
    assert engine.name == name
    assert which.startswith(name)
    assert "since" not in which


def test_an_unknown_engine_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"cupy.*numba.*numpy.*got 'fortran'"):
        get_engine("fortran")


def test_without_n_jobs_numbas_own_setting_is_used_and_kept():
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert get_engine("numba").n_threads == 1
        assert get_engine("numba", n_jobs=2).n_threads == 2
        assert numba.get_num_threads() == 1
    finally:
        numba.set_num_threads(before)


def test_all_cores():
    assert get_engine("numba", n_jobs=-1).n_threads >= 1


def test_cupy_without_cupy_names_the_extras():
    message = r'CuPy is not installed: pip install "skfly\[cuda12\]" or "skfly\[cuda13\]"'
    with pytest.raises(ImportError, match=message):
        get_engine("cupy")


def test_a_broken_cupy_is_told_apart_from_none(monkeypatch, tmp_path):
    (tmp_path / "cupy.py").write_text("raise AttributeError('no attribute float_')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy")
    with pytest.raises(ImportError, match=r"cannot be imported \(no attribute float_\)"):
        get_engine("cupy")
    assert get_engine("auto").name == "numba"


def test_an_old_cupy_is_refused():
    fake = FakeCupy()
    fake.modules["cupy"].__version__ = "12.3.0"
    with fake.installed(), pytest.raises(ImportError, match=r"CuPy 12.3.0 is older than 13"):
        get_engine("cupy")


@pytest.mark.parametrize("options", [{"error": "cudaErrorInsufficientDriver"}, {"n_devices": 0}])
def test_no_device(options, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    found = r"CuPy 14.0.0 finds no GPU.*CUDA_VISIBLE_DEVICES='7'"
    with FakeCupy(**options).installed():
        with pytest.raises(ValueError, match=rf"backend='cupy', but {found}.*numba"):
            get_engine("cupy")
        engine, which = choose_engine("auto", n_jobs=1)
    assert engine.name == "numba"
    assert which.startswith("numba on 1 thread, since CuPy 14.0.0 finds no GPU")
    assert options.get("error", "") in which


@needs_compiler
class TestWithGpus:
    def test_auto_takes_the_gpu(self):
        with FakeCupy().installed():
            engine, which = choose_engine("auto", shape=(40, 8))
        assert engine.name == "cupy"
        assert which == "cupy on GPU 0 (Emulated 0)"

    def test_a_model_that_does_not_fit_stays_on_the_cpu(self):
        shape = (40_000, 400)
        with FakeCupy(memory=device_bytes(*shape)).installed():
            assert get_engine("auto", shape=shape).name == "cupy"
        with FakeCupy(memory=device_bytes(*shape) - 1).installed():
            engine, which = choose_engine("auto", shape=shape)
            with pytest.raises(ValueError, match=r"MB of free memory and the model needs"):
                get_engine("cupy", shape=shape)
            assert get_engine("cupy").name == "cupy"  # not known yet
        assert engine.name == "numba"
        assert "since GPU 0 has" in which

    def test_more_cells_than_a_block_has_room_for(self):
        with FakeCupy().installed():
            assert get_engine("auto", shape=(40, 4096)).name == "cupy"
            engine, which = choose_engine("auto", shape=(40, 4097))
        assert engine.name == "numba"
        assert "4097 Kenyon cells are more than the 4096" in which

    @pytest.mark.parametrize(
        ("current", "n_jobs", "taken"),
        [(0, None, [0]), (2, None, [2]), (1, 2, [1, 2]), (2, 2, [2, 0]), (1, -1, [1, 2, 0])],
    )
    def test_the_current_device_comes_first(self, current, n_jobs, taken):
        fake = FakeCupy(n_devices=3)
        with fake.installed() as cuda, cuda.modules["cupy"].cuda.Device(current):
            engine = get_engine("cupy", n_jobs)
        assert [gpu.number for gpu in engine._gpus] == taken
        # and where it was made, it stays
        there = engine.put(np.ones((2, 3), np.float32))
        np.testing.assert_array_equal(engine.get(there), 1)
        assert fake.used[taken[0]] > 0

    def test_a_gpu_that_cannot_run_the_kernels_says_why(self):
        fake = FakeCupy()

        def failing(*, code, options):
            raise RuntimeError("nvrtc: error: invalid value for --gpu-architecture\nlong log")

        fake.modules["cupy"].RawModule = failing
        with fake.installed():
            engine, which = choose_engine("auto")
            assert engine.name == "numba"
            assert which.endswith(
                "since GPU 0 (Emulated 0) does not run the kernels: nvrtc: error: invalid value "
                "for --gpu-architecture"
            )
            with pytest.raises(ValueError, match="does not run the kernels"):
                get_engine("cupy")

    def test_a_gpu_that_computes_nonsense_is_not_used(self):
        fake = FakeCupy()
        fake.on_launch = lambda *_: None
        with fake.installed(), pytest.raises(ValueError, match="gives wrong results"):
            get_engine("cupy")
