"""The memory that the GPU backend takes, counted on a stand-in that leaves out the work."""

import numpy as np
import pytest

import emulator
from emulator.fake_cupy import cupy_backend
from skfly.backends import drive_for
from skfly.backends._cupy import device_bytes
from skfly.learning import Batch, HebbianRule, LloydRule

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

V, K = 20_000, 600
WINDOWS = 1_100_000  # more than a batch of the default settings has


def one_batch(n_windows):
    ids = np.random.default_rng(0).integers(-1, V, n_windows, dtype=np.int32)
    return Batch(ids, np.append(np.arange(0, n_windows, 20), n_windows))


@pytest.mark.parametrize(("n_devices", "nccl"), [(1, False), (2, False), (2, True)])
def test_learning_needs_no_more_than_is_said(n_devices, nccl):
    assert device_bytes(2 * V, K) <= 300e6
    backend, fake = cupy_backend(n_devices=n_devices, nccl=nccl, dry=True)
    settings = {"window": 11, "truncate": True}
    batch, random = one_batch(WINDOWS), np.random.default_rng(0)
    rule = LloydRule(backend, V, K, shrinkage=1e4, fading=0.05, **settings)
    rule.start(batch, random)
    rule.step(batch, 0)
    rule.end_epoch()
    rule.finish()
    del rule
    drives = backend.new_drives((2 * V, K))
    backend.set_drives(drives, np.zeros((2 * V, K), np.float32), drive_for(1.0, 11, 0.0))
    backend.count_top_cells(backend.zeros((V, K)), drives, *batch, 11, True, 6)
    del drives
    assert 144e6 < fake.peak[0] <= device_bytes(2 * V, K)

    backend, fake = cupy_backend(n_devices=n_devices, nccl=nccl, dry=True)
    weights = np.ones(V, np.float32)
    settings |= {"weights": weights, "learning_rate": 1e-3, "n_epochs": 2}
    rule = HebbianRule(backend, V, K, **settings)
    rule.start(batch, random)
    rule.step(batch, 0)
    rule.finish()
    assert 240e6 < fake.peak[0] <= device_bytes(2 * V, K)
    assert all(peak <= device_bytes(2 * V, K) for peak in fake.peak)


def test_it_does_not_grow_with_the_text():
    peaks = []
    for n_windows in (1 << 22, 1 << 23):
        backend, fake = cupy_backend(dry=True)
        batch = one_batch(n_windows)
        drives = backend.new_drives((2 * V, 8))
        winners = backend.find_winners(drives, *batch, 11, True)
        sums, rates = backend.zeros((2 * V, 8)), np.ones(V, np.float32)
        backend.add_windows(sums, rates, drives, *batch, winners, 11)
        backend.count_top_cells(backend.zeros((V, 8)), drives, *batch, 11, True, 2)
        peaks.append(fake.peak[0])
    assert peaks[0] == peaks[1] <= device_bytes(2 * V, 8)


def test_hashing_needs_that_of_the_rows_in_use():
    backend, fake = cupy_backend(dry=True)
    synapses = np.zeros((2 * V, K), np.float32)
    rows = np.tile(np.arange(1000, dtype=np.int32), 3000)
    indptr = np.arange(0, len(rows) + 1, 100)
    backend.top_cells(synapses, drive_for(1.0, 11, 0.0), rows, indptr, 32)
    assert fake.peak[0] < 1000 * K * 4 + 20e6
