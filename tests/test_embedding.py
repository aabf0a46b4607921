"""Codes in the forms that other tools ask for."""

import numpy as np
import pytest

from skfly import FlyHashVectorizer
from skfly.codes import unpack_codes

TEXTS = ["ripe fruit smells sweet", "the bank lends money", "sweet money for the fruit fly"]
ASKED = ["sweet fruit", "unheard", "", "the bank"]


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=21, hash_length=3, random_state=0).fit(TEXTS * 20)


def test_all_forms_hold_what_transform_returns(fly):
    codes = fly.transform(ASKED).toarray()

    assert codes.sum(axis=1).tolist() == [3, 0, 0, 3]
    np.testing.assert_array_equal(fly.as_dense(ASKED), codes)
    np.testing.assert_array_equal(fly.as_sparse(ASKED).toarray(), codes)
    np.testing.assert_array_equal(unpack_codes(fly.as_packed(ASKED), 21).toarray(), codes)
    np.testing.assert_array_equal(fly.encode(ASKED), codes)
    assert fly.embed_documents(ASKED) == codes.tolist()
    assert [fly.embed_query(text) for text in ASKED] == codes.tolist()


@pytest.mark.parametrize("order", ["little", "big"])
def test_bits_are_in_the_order_asked_for(fly, order):
    packed = fly.as_packed(ASKED, bit_order=order)

    bits = np.unpackbits(packed, axis=1, bitorder=order)
    np.testing.assert_array_equal(bits[:, :21], fly.as_dense(ASKED))
    assert not bits[:, 21:].any()


def test_an_unknown_order_of_bits_is_refused(fly):
    with pytest.raises(ValueError, match="bit_order must be 'little' or 'big'; got 'middle'"):
        fly.as_packed(ASKED, bit_order="middle")


def test_dense_codes_are_floats_whatever_dtype_says(fly):
    other = FlyHashVectorizer(n_kenyon_cells=21, hash_length=3, random_state=0, dtype=bool)

    assert other.fit(TEXTS * 20).as_dense(ASKED).dtype == np.float32
    assert type(fly.embed_query("fruit")[0]) is float


def test_packed_codes_are_binary_where_others_are_graded():
    params = {"n_kenyon_cells": 21, "hash_length": 3, "random_state": 0}
    fly = FlyHashVectorizer(**params).fit(TEXTS * 20)
    binary = fly.as_packed(ASKED)

    fly.set_params(document_codes="graded")
    np.testing.assert_array_equal(fly.as_packed(ASKED), binary)
    assert np.linalg.norm(fly.encode("sweet fruit")) == pytest.approx(1)


def test_encode_takes_one_text_many_and_the_batches_of_mteb(fly):
    codes = fly.as_dense(ASKED)

    np.testing.assert_array_equal(fly.encode(ASKED[0], show_progress_bar=False), codes[0])
    np.testing.assert_array_equal(fly.encode(iter(ASKED)), codes)
    batches = [{"text": ASKED[:3]}, {"text": ASKED[3:]}]
    np.testing.assert_array_equal(fly.encode(batches, task_metadata=None), codes)
    np.testing.assert_array_equal(fly.encode({"text": ASKED}), codes)
    assert fly.encode([]).shape == (0, 21)


def test_normalized_rows_have_unit_length_and_empty_ones_stay_empty(fly):
    lengths = np.linalg.norm(fly.encode(ASKED, normalize_embeddings=True), axis=1)

    np.testing.assert_allclose(lengths, [1, 0, 0, 1], rtol=1e-6)
