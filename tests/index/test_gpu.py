"""Search on a stand-in for a GPU finds what the CPU finds."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import emulator
from emulator.fake_cupy import FakeCupy
from skfly import FlyKeyedVectors
from skfly.index import GpuIndex, PackedIndex
from skfly.index._packed import MEASURES

pytestmark = pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing())


@pytest.fixture(autouse=True, scope="module")
def small_pieces():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.engine._gpu.THREADS", 64)
        patch.setattr("skfly.engine._gpu_search._CODES_A_BLOCK", 70)
        patch.setattr("skfly.engine._gpu_search._PIECE", 50)
        patch.setattr("skfly.engine._gpu_search._FOUND", 100)
        yield


@given(
    st.sampled_from([(1, 1), (69, 64), (71, 65), (300, 130)]),
    st.sampled_from([1, 3, 64, 400]),
    st.sampled_from(MEASURES),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=20)
def test_the_same_codes_are_found(shape, n, measure, one_size, skip_empty, seed):
    rng = np.random.default_rng(seed)
    if one_size:
        codes = np.argsort(rng.random(shape), axis=1) < max(1, shape[1] // 20)
    else:
        codes = rng.random(shape) < rng.choice([0.0, 0.05, 0.5], (shape[0], 1))
    queries = np.concatenate([codes[:4], rng.random((3, shape[1])) < 0.2])
    how = {"measure": measure, "skip_empty": skip_empty}
    index = PackedIndex(codes)
    expected = index.search(queries, n, **how)
    near = index.within(queries, 0.5, **how)
    with FakeCupy().installed() as fake:
        gpu = GpuIndex(index)
        found = gpu.search(queries, n, **how)
        found_near = gpu.within(queries, 0.5, **how)
    assert ("best_codes", 0) in fake.launched
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(found_near, near, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_part_of_the_codes_is_searched_on_the_cpu():
    codes = np.eye(9) + np.eye(9, k=1)
    with FakeCupy().installed() as fake:
        ids, _ = GpuIndex(codes).search(codes[:1], 2, measure="overlap", first=1)
    assert ids.tolist() == [[1, 2]]
    assert ("best_codes", 0) not in fake.launched


def test_a_pickle_holds_an_index_for_the_cpu():
    codes = np.eye(9) + np.eye(9, k=1)
    with FakeCupy().installed():
        index = GpuIndex(codes)
        assert index.nbytes == PackedIndex(codes).nbytes + 9 * 8
        copy = pickle.loads(pickle.dumps(index))
    assert type(copy) is PackedIndex
    np.testing.assert_array_equal(copy.dense(), codes)


def test_keyed_vectors_are_searched_on_the_gpu_and_pickled_without_it():
    rng = np.random.default_rng(0)
    codes = np.argsort(rng.random((200, 70)), axis=1) < 7
    wv = FlyKeyedVectors.from_codes([f"w{i}" for i in range(200)], codes)
    expected, n_bytes = wv.neighbors(["w3", "w150"], n=5), wv.nbytes
    with FakeCupy().installed() as fake:
        wv.build_index(backend="cupy")
        assert wv.nbytes > n_bytes
        assert wv.neighbors(["w3", "w150"], n=5) == expected
        assert wv.most_similar("w3", topn=5) == expected[0]
        assert ("best_codes", 0) in fake.launched
        copy = pickle.loads(pickle.dumps(wv))
        wv.drop_index()
    assert wv.nbytes == n_bytes
    fake.launched.clear()
    assert copy.neighbors(["w3", "w150"], n=5) == expected
    assert not fake.launched


def test_an_index_needs_a_gpu_or_a_known_backend():
    wv = FlyKeyedVectors.from_codes(["a"], [[1, 0]])
    with FakeCupy(n_devices=0).installed(), pytest.raises(ValueError, match="finds no GPU"):
        wv.build_index(backend="cupy")
    with pytest.raises(ValueError, match="must be 'numba' or 'cupy'; got 'metal'"):
        wv.build_index(backend="metal")
