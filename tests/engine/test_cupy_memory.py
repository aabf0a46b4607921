"""The memory that the GPU engine takes, counted on a stand-in that leaves out the work."""

import numpy as np
import pytest
from scipy import sparse

import emulator
from emulator.fake_cupy import cupy_engine
from skfly.engine import Batch, drive_for
from skfly.engine._cupy import device_bytes
from skfly.rules import RULES, CorpusSize, Task
from skfly.rules._windows import WindowSettings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing()),
]

V, K = 20_000, 600
WINDOWS = 1_100_000  # more than a batch of the default settings has


def one_batch(n_windows):
    ids = np.random.default_rng(0).integers(-1, V, n_windows, dtype=np.int32)
    return Batch(ids, np.append(np.arange(0, n_windows, 20), n_windows))


def one_rule(name, engine):
    """Return a rule with its own settings, to learn everything but lateral connections."""
    params = dict.fromkeys(WindowSettings.__dataclass_fields__, "auto") | {"decorrelation": None}
    return RULES[name](
        Task(
            engine=engine,
            counter=engine,
            n_cells=K,
            window=11,
            word_counts=np.ones(V, np.int64),
            n_tokens=WINDOWS,
            settings=RULES[name].resolve(params, CorpusSize(WINDOWS, V, K)),
            n_epochs=2,
            n_batches=20,
            new_share=1.0,
            consensus=True,
        )
    )


@pytest.mark.parametrize(("n_devices", "nccl"), [(1, False), (2, False), (2, True)])
def test_learning_needs_no_more_than_is_said(n_devices, nccl):
    assert device_bytes(2 * V, K) <= 300e6
    batch, random = one_batch(WINDOWS), np.random.default_rng(0)
    for name, least in {"lloyd": 144e6, "hebbian": 240e6}.items():
        engine, fake = cupy_engine(n_devices=n_devices, nccl=nccl, dry=True)
        rule = one_rule(name, engine)
        rule.step(batch, 0, 0, random)
        rule.end_epoch(0)
        rule.end_stage(0)
        rule.step(batch, 1, 0, random)
        rule.finish()
        assert least < fake.peak[0] <= device_bytes(2 * V, K)
        assert all(peak <= device_bytes(2 * V, K) for peak in fake.peak)


def test_it_does_not_grow_with_the_text():
    peaks = []
    for n_windows in (1 << 22, 1 << 23):
        engine, fake = cupy_engine(dry=True)
        batch = one_batch(n_windows)
        drives = engine.new_drives((2 * V, 8))
        winners = engine.find_winners(drives, *batch, 11, True)
        sums, rates = engine.zeros((2 * V, 8)), np.ones(V, np.float32)
        engine.add_windows(sums, rates, drives, *batch, winners, 11)
        engine.count_top(engine.zeros((V, 8)), drives, batch, 11, True, 2)
        peaks.append(fake.peak[0])
    assert peaks[0] == peaks[1] <= device_bytes(2 * V, 8)


def test_hashing_needs_that_of_the_rows_in_use():
    engine, fake = cupy_engine(dry=True)
    synapses = np.zeros((2 * V, K), np.float32)
    rows = np.tile(np.arange(1000, dtype=np.int32), 3000)
    indptr = np.arange(0, len(rows) + 1, 100)
    engine.top_cells(synapses, drive_for(1.0, 11, 0.0), rows, indptr, 32)
    assert fake.peak[0] < 1000 * K * 4 + 20e6


def test_sparse_products_need_that_of_the_dense_matrix():
    engine, fake = cupy_engine(dry=True)
    values, ends = np.ones(2_000_000, np.float32), np.arange(0, 2_000_001, 100)
    columns = np.tile(np.arange(V, dtype=np.int32), 100)
    matrix = sparse.csr_array((values, columns, ends), shape=(V, V))
    dense = np.zeros((V, 332), np.float32)
    engine.multiply_sparse(matrix, dense)
    assert fake.peak[0] < dense.nbytes + 20e6 < device_bytes(2 * V, 400)
