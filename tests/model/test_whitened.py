"""The coder of cells that competed for words."""

import numpy as np
import pytest
from scipy import sparse

from skfly.engine import get_engine
from skfly.model import WhitenedCoder

RANDOM = np.random.default_rng(0)
VECTORS = RANDOM.standard_normal((30, 7))
WEIGHTS = RANDOM.random(30) + 0.1
CELLS = RANDOM.standard_normal((7, 20))


@pytest.fixture(scope="module")
def coder():
    return WhitenedCoder.from_floats(VECTORS, WEIGHTS, CELLS)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def top(vectors, n_top):
    return np.argsort(-(vectors @ CELLS), axis=1)[:, :n_top]


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_codes_are_the_formula_up_to_rounding(coder, name):
    engine = get_engine(name)
    ids = np.arange(30, dtype=np.int32)
    words = unit(VECTORS)
    assert (coder.words(engine, ids, 3).cells == top(words, 3)).mean() > 0.95
    counts = sparse.csr_array(RANDOM.poisson(0.2, (40, 30)).astype(np.float32))
    counts = counts[np.diff(counts.indptr) > 0]
    texts = np.sqrt(counts.toarray()) @ (words * WEIGHTS[:, None])
    assert (coder.bags(engine, counts, 3).cells == top(texts, 3)).mean() > 0.95
    contexts = [RANDOM.choice(30, 4, replace=False).astype(np.int32) for _ in ids]
    around = np.array([(words * WEIGHTS[:, None])[context].sum(axis=0) for context in contexts])
    expected = top(words + unit(around), 3)
    assert (coder.contexts(engine, ids, contexts, 3).cells == expected).mean() > 0.95


def test_engines_agree_to_the_last_bit(coder):
    counts = sparse.csr_array(RANDOM.poisson(0.3, (50, 30)).astype(np.float32))
    plain, fast = (coder.bags(get_engine(name), counts, 5) for name in ("numpy", "numba"))
    np.testing.assert_array_equal(plain.cells, fast.cells)
    np.testing.assert_array_equal(plain.activations, fast.activations)


def test_a_document_has_the_same_code_beside_any_others(coder):
    counts = sparse.csr_array(RANDOM.poisson(0.3, (50, 30)).astype(np.float32))
    engine = get_engine("numba")
    together = coder.bags(engine, counts, 5).cells
    alone = [coder.bags(engine, counts[[i]], 5).cells[0] for i in range(50)]
    np.testing.assert_array_equal(together, alone)


def test_a_mixture_of_one_word_is_the_word(coder):
    engine, ids = get_engine("numba"), np.arange(30, dtype=np.int32)
    only = sparse.csr_array(np.eye(30, dtype=np.float32))
    expected = coder.words(engine, ids, 4).cells
    np.testing.assert_array_equal(coder.mixtures(engine, only, 4).cells, expected)


def test_a_mixture_is_the_formula_whatever_its_scale(coder):
    engine, random = get_engine("numba"), np.random.default_rng(1)
    weights = random.random((40, 30)) ** 4
    expected = top(weights @ unit(VECTORS), 3)
    for scale in (1e-6, 1.0, 1e6):
        given = sparse.csr_array((scale * weights).astype(np.float32))
        assert (coder.mixtures(engine, given, 3).cells == expected).mean() > 0.95


def test_it_comes_back_from_its_arrays(coder):
    again = WhitenedCoder.from_arrays(coder.arrays, coder.numbers, 30)
    assert (again.n_words, again.n_cells) == (30, 20)
    with pytest.raises(ValueError, match="vectors"):
        WhitenedCoder.from_arrays(coder.arrays, {}, 29)
    vectors = coder.vectors.astype(np.int16)
    with pytest.raises(TypeError, match="vectors"):
        WhitenedCoder.from_arrays(coder.arrays | {"vectors": vectors}, {}, 30)


def test_strong_words_of_a_cell_are_those_that_excite_it(coder):
    found = coder.strengths(np.array([3]), np.full(30, 9))[:, 0]
    assert found.argmax() == (unit(VECTORS) @ CELLS[:, 3]).argmax()


class TestLongCodes:
    @pytest.fixture
    def both(self):
        return WhitenedCoder.from_floats(VECTORS, WEIGHTS, CELLS, -CELLS)

    def test_have_cells_of_their_own(self, both, coder):
        ids, engine = np.arange(30, dtype=np.int32), get_engine("numba")
        assert both.at_length(1) is both
        assert coder.at_length(20) is coder
        long = both.at_length(2)
        assert long is both.at_length(20)
        np.testing.assert_array_equal(long.responses(engine, ids), -coder.responses(engine, ids))

    def test_survive_files_and_compact_forms(self, both):
        again = WhitenedCoder.from_arrays(both.arrays, both.numbers, 30)
        np.testing.assert_array_equal(again.long_cells, both.long_cells)
        packed = both.compact()
        ids, engine = np.arange(30, dtype=np.int32), get_engine("numba")
        for length in (1, 4):
            found = packed.at_length(length).words(engine, ids, 1).cells
            expected = both.at_length(length).words(engine, ids, 1).cells
            assert (found == expected).mean() > 0.7

    def test_of_another_shape_are_refused(self, both):
        arrays = both.arrays | {"long_cells": both.long_cells[:, :-1].copy()}
        with pytest.raises(ValueError, match="long_cells"):
            WhitenedCoder.from_arrays(arrays, {}, 30)

    def test_further_words_have_them_too(self, both):
        engine = get_engine("numba")
        more = both.at_length(5).with_mixtures(engine, [sparse.csr_array(np.eye(30)[:3])])
        codes = more.words(engine, np.array([0, 1, 2, 30, 31, 32], np.int32), 5).cells
        np.testing.assert_array_equal(codes[:3], codes[3:])
