"""The estimator on a stand-in for a GPU: the same bits as on the CPU."""

import numpy as np
import pytest

import emulator
from emulator.fake_cupy import FakeCupy
from skfly import FlyHashVectorizer
from skfly.fit import Checkpoints, _checkpoints

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

RULES = [
    {"learning": "whiten", "batch_size": 500},
    {"learning": "lloyd", "batch_size": 500},
    {"learning": "hebbian", "batch_size": 300, "truncate_windows": False},
    {"learning": "hebbian", "word_codes": "synapses", "n_epochs": 1},
]
GPUS = [{}, {"n_devices": 2}, {"n_devices": 3, "nccl": True}]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """The stand-in takes a while for threads that have nothing to do."""
    monkeypatch.setattr("skfly.engine._gpu.THREADS", 64)
    monkeypatch.setattr("skfly.engine._gpu.BLOCKS", 4)
    monkeypatch.setattr("skfly.engine._cupy._PARTS", 4)


@pytest.fixture
def gpus(request):
    with FakeCupy(**request.param).installed() as fake:
        yield fake


def assert_same(found, expected):
    """Every fitted attribute is a numpy array, or plain, and has the same bits."""
    for name in dir(expected):
        if (
            name.endswith("_")
            and not name.startswith("_")
            and name not in ("model_", "word_codes_")
        ):
            if not hasattr(expected, name):  # each rule has some of them
                assert not hasattr(found, name)
                continue
            value, mine = getattr(expected, name), getattr(found, name)
            assert type(mine) is type(value), name
            if name == "energy_":
                np.testing.assert_allclose(mine, value, rtol=1e-12)
            else:
                np.testing.assert_equal(mine, value, err_msg=name)


def assert_same_codes(found, expected, documents):
    for make in (
        lambda fly: fly.transform(documents[:30]),
        lambda fly: fly.word_codes_,
        lambda fly: fly.hash_words(["bank", "no such word", "fruit"]),
        lambda fly: fly.hash_in_context(["the bank lends money", "ripe"], ["bank", "fruit"]),
    ):
        mine, wanted = make(found), make(expected)
        assert type(mine) is type(wanted)
        np.testing.assert_array_equal(mine.toarray(), wanted.toarray())


@pytest.mark.parametrize("gpus", GPUS, indirect=True)
@pytest.mark.parametrize("params", RULES)
def test_all_that_is_learned_is_the_same(gpus, params, make_fly, documents, tmp_path):
    cpu = make_fly(backend="numba", **params).fit(documents)
    gpu = make_fly(backend="cupy", **params).set_params(n_jobs=gpus.n_devices).fit(documents)
    assert_same(gpu, cpu)
    assert_same_codes(gpu, cpu, documents)
    names = {name for name, _ in gpus.launched}
    windows = {"find_winners", "tally_winners", "top_of_bags"}
    expected = {
        "hebbian": windows | {"hebbian_apply"},
        "lloyd": windows | {"information_drives"},
        "whiten": {"multiply_sparse"},
    }
    assert expected[params["learning"]] <= names

    for fly in (cpu, gpu):
        fly.partial_fit(documents[:20])
    assert_same(gpu, cpu)
    assert_same_codes(gpu, cpu, documents)

    gpu.save(tmp_path / "gpu.skfly")
    again = FlyHashVectorizer.load(tmp_path / "gpu.skfly")
    assert again.backend == "cupy"
    assert_same(again, gpu)
    assert_same_codes(again.set_params(backend="numba"), cpu, documents)


@pytest.mark.parametrize("gpus", [{}], indirect=True)
def test_a_model_of_the_gpu_loads_where_there_is_none(gpus, make_fly, documents, tmp_path):
    fly = make_fly(learning="lloyd", backend="auto").fit(documents)
    assert gpus.launched
    codes = fly.transform(documents)
    fly.save(tmp_path / "model.skfly")
    gpus.n_devices = 0
    gpus.launched.clear()
    again = FlyHashVectorizer.load(tmp_path / "model.skfly")
    np.testing.assert_array_equal(again.transform(documents).toarray(), codes.toarray())
    again.partial_fit(documents[:5])
    assert not gpus.launched


@pytest.mark.parametrize("goes_on_with", ["cupy", "numba"])
@pytest.mark.parametrize("params", RULES[:3])
@pytest.mark.parametrize("gpus", [{}], indirect=True)
def test_a_fit_that_was_stopped_on_the_gpu_goes_on(
    gpus, params, goes_on_with, make_fly, documents, tmp_path, monkeypatch
):
    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)
    cpu = make_fly(backend="numba", **params).fit(documents)
    gpu = make_fly(backend="cupy", checkpoint_dir=tmp_path, **params)
    save, saved = Checkpoints.save, []

    def stopping(self, *state):
        save(self, *state)
        saved.append(state)
        if len(saved) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", stopping)
        with pytest.raises(KeyboardInterrupt):
            gpu.fit(documents)
    assert gpus.launched or params["learning"] == "whiten"
    assert_same(gpu.set_params(backend=goes_on_with).fit(documents), cpu)


@pytest.mark.parametrize("gpus", [{}], indirect=True)
def test_verbose_says_which_backend_and_why(gpus, make_fly, documents, capsys):
    make_fly(verbose=1).fit(documents[:20])
    assert "skfly: backend: cupy on GPU 0 (Emulated 0)\n" in capsys.readouterr().err
    gpus.error = "no driver"
    make_fly(verbose=1).fit(documents[:20])
    line = "skfly: backend: numba on 1 thread, since CuPy 14.0.0 finds no GPU: no driver"
    assert line in capsys.readouterr().err


def test_a_missing_gpu_is_found_out_before_text_is_read(make_fly):
    def text():
        raise AssertionError("it was read")
        yield

    with FakeCupy(n_devices=0).installed(), pytest.raises(ValueError, match="finds no GPU"):
        make_fly(backend="cupy").fit(text())
