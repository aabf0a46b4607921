"""The kernels under AddressSanitizer and ThreadSanitizer, each thread a thread of the machine."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from scipy import sparse

import emulator
from emulator.fake_cupy import cupy_engine
from emulator.recorder import Recorder
from skfly.engine import drive_for
from skfly.rules.lloyd import information_terms

pytestmark = [
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
    pytest.mark.skipif(
        "SKFLY_SANITIZERS" not in os.environ, reason="takes a minute: tox -e gpu runs it"
    ),
]

SANITIZERS = {"memory": "address,undefined", "races": "thread"}


@pytest.fixture(scope="module")
def launches(tmp_path_factory):
    """Every kernel at least once, on two GPUs, with odd sizes; as a file."""
    path = tmp_path_factory.mktemp("launches") / "launches"
    engine, fake = cupy_engine(n_devices=2)
    with open(path, "wb") as file, pytest.MonkeyPatch.context() as patch:
        fake.on_launch = Recorder(file)
        for name, value in {
            "_gpu.THREADS": 64,
            "_gpu.BLOCKS": 4,
            "_gpu_text._ONE_BLOCK": 64,
            "_gpu_text._MOST_WARPS": 2,
            "_cupy._PARTS": 3,
            "_cupy._TALLY_BYTES": 1500,
            "_gpu_search._CODES_A_BLOCK": 100,
        }.items():
            patch.setattr(f"skfly.engine.{name}", value)
        use_every_kernel(engine)
    assert set(fake.on_launch.names) == set(emulator.signatures())
    return path


def use_every_kernel(engine):
    rng = np.random.default_rng(0)
    n_words, n_cells, n_places, window = 7, 33, 150, 5
    synapses = rng.standard_normal((2 * n_words, n_cells)).astype(np.float32)
    ids = rng.integers(-1, n_words, n_places, dtype=np.int32)
    ids[40:60] = 2
    text = (ids, np.array([0, 0, 1, 30, 31, 31, 90, 150]))
    rates = rng.random(n_words, dtype=np.float32)
    drive = drive_for(float(np.abs(synapses).max()), window, -np.inf)
    drives = engine.new_drives(synapses.shape)
    engine.set_drives(drives, synapses, drive)
    for truncate in (True, False):
        winners = engine.find_winners(drives, *text, window, truncate)
        engine.count_top(engine.zeros((n_words, n_cells)), drives, text, 5, truncate, 3)
    counts = engine.put(np.abs(synapses))
    engine.add_windows(counts, rates, drives, *text, winners, window)
    there, increments = engine.put(synapses), engine.zeros(synapses.shape)
    added = engine.add_windows(increments, rates, there, *text, winners, window)
    engine.hebbian_step(there, increments, added.overlap, 0.1)
    words = np.abs(synapses).sum(axis=1, dtype=float)
    terms = information_terms(words, np.ones((2, n_cells)), 1.0)
    engine.information_drives(drives, counts, terms, drive)
    engine.information(counts, counts, terms)
    engine.scale(counts, np.float32(0.5))
    engine.clear_cells(counts, np.array([0, n_cells - 1]))
    pairs = sparse.random_array((9, 14), density=0.3, format="csr", dtype=np.float32, rng=0)
    engine.multiply_sparse(pairs, synapses)
    engine.top_cells(synapses, drive, ids[:20] % n_words, np.array([0, 1, 1, 20]), 5)
    codes = rng.integers(0, 2**63, (250, 2), dtype=np.uint64)
    ranks, found = np.arange(129)[None], np.empty((3, 7), np.int64)
    engine.put_codes(codes).best(
        codes[:3], np.zeros(1, np.uint16), ranks, 129, found, found.copy()
    )


def replay(launches, sanitizer, folder, *changes):
    """Run the launches again, with changes to the source; return the process."""
    source = emulator.KERNELS.read_text()
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    kernels, target = folder / "kernels.cu", folder / "replay"
    kernels.write_text(source)
    options = ("-O1", "-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all")
    emulator.compile_with(*options, source="replay.cpp", target=target, kernels=kernels)
    command = [os.fspath(target), os.fspath(launches)]
    if sanitizer == "thread" and shutil.which("setarch"):
        command = ["setarch", os.uname().machine, "-R", *command]  # it wants a known memory map
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sanitizer", SANITIZERS.values(), ids=SANITIZERS)
def test_the_kernels_are_clean(launches, sanitizer, tmp_path):
    done = replay(launches, sanitizer, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" launches\n")


NO_BARRIER = (
    "    if (lane_of_thread() == 0) room[threadIdx.x / WARP] = value;\n    __syncthreads();",
    "    if (lane_of_thread() == 0) room[threadIdx.x / WARP] = value;",
)
# one place too many is read and nothing else is different: no other fault can come first
NO_BOUND = ("place >= n_tokens || begins", "place > n_tokens || begins")


@pytest.mark.parametrize(
    ("sanitizer", "change", "message"),
    [("thread", NO_BARRIER, "data race"), ("address", NO_BOUND, "heap-buffer-overflow")],
    ids=["a barrier less", "a check less"],
)
def test_what_is_wrong_would_be_found(launches, sanitizer, change, message, tmp_path):
    done = replay(launches, sanitizer, tmp_path, change)
    assert done.returncode != 0
    assert message in done.stderr
