import numpy as np
import pytest

from skfly.codes import InvertedIndex, PackedCodes, pack_rows


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_bit_for_each_code_and_cell(monkeypatch, n_threads):
    monkeypatch.setattr("skfly.codes._inverted._CODES_A_CHUNK", 64)
    codes = np.random.default_rng(0).random((300, 11)) < 0.3
    index = InvertedIndex(PackedCodes.from_rows(pack_rows(codes), 11), n_threads)

    bits = np.unpackbits(index.planes.view(np.uint8), axis=1, bitorder="little")

    np.testing.assert_array_equal(bits[:, :300], codes.T)
    assert not bits[:, 300:].any()
    assert index.nbytes == 11 * 5 * 8


def test_pays_for_queries_with_few_cells():
    index = InvertedIndex(PackedCodes.from_rows(pack_rows(np.eye(3, 400)), 400))

    assert index.pays(np.array([32, 32]))
    assert not index.pays(np.array([200]))
