import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly.index import InvertedIndex, PackedIndex, _plane_kernels


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_bit_for_each_code_and_cell(monkeypatch, n_jobs):
    monkeypatch.setattr("skfly.index._inverted._CODES_AT_A_TIME", 64)
    codes = np.random.default_rng(0).random((300, 11)) < 0.3
    index = InvertedIndex(codes, n_jobs=n_jobs)

    bits = np.unpackbits(index.planes.view(np.uint8), axis=1, bitorder="little")

    np.testing.assert_array_equal(bits[:, :300], codes.T)
    assert not bits[:, 300:].any()
    assert index.nbytes == PackedIndex(codes).nbytes + 11 * 5 * 8


def test_planes_are_pickled():
    codes = np.random.default_rng(0).random((300, 11)) < 0.3
    index = pickle.loads(pickle.dumps(InvertedIndex(codes)))

    assert type(index) is InvertedIndex
    assert index.search(codes[:1], 1)[1].tolist() == [[1.0]]


@settings(max_examples=40)
@given(
    st.tuples(st.integers(1, 600), st.integers(1, 80)),
    st.sampled_from([0.05, 0.5, 1.0]),
    st.integers(1, 9),
    st.integers(0, 2**32 - 1),
)
def test_planes_count_any_number_of_cells(shape, share, n, seed):
    """Also those for which the packed codes would be searched."""
    random = np.random.default_rng(seed)
    codes, queries = random.random(shape) < 0.3, random.random((3, shape[1])) < share
    expected = PackedIndex(codes).search(queries, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skfly.index._inverted._MOST_ONES", 1.1)
        found = InvertedIndex(codes).search(queries, n)

    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("n_ones", "n_calls"), [(32, 1), (200, 0)])
def test_planes_are_read_for_queries_with_few_ones(monkeypatch, n_ones, n_calls):
    calls = []
    kernel = _plane_kernels.nearest
    monkeypatch.setattr(_plane_kernels, "nearest", lambda *args: calls.append(kernel(*args)))

    InvertedIndex(np.eye(3, 400)).search(np.ones((1, 400)) * (np.arange(400) < n_ones), 1)

    assert len(calls) == n_calls
