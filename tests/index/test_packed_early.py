"""The first queries of an index, before its kernels are loaded."""

import numpy as np
import pytest

from skfly._threads import Kernels
from skfly.index import PackedIndex


def early_and_later(monkeypatch, ask):
    """Return what an index answers by numpy and by kernels."""
    answers = []
    for module in ("no such module", "numpy"):
        monkeypatch.setattr("skfly.index._packed._KERNELS", Kernels(module))
        answers.append(ask())
    return answers


@pytest.mark.parametrize("measure", ["sokal-michener", "overlap", "cosine", "jaccard"])
@pytest.mark.parametrize("skip_empty", [False, True])
@pytest.mark.parametrize("one_size", [False, True])
def test_they_find_the_same(monkeypatch, measure, skip_empty, one_size):
    random = np.random.default_rng(0)
    codes = random.random((300, 77)) < random.random((300, 1)) * 0.3
    if one_size:
        codes = np.argsort(random.random((300, 77)), axis=1) < 9
    index, queries = PackedIndex(codes), codes[::25] | codes[1::25]

    def ask():
        return [
            *index.search(queries, 12, measure=measure, skip_empty=skip_empty),
            *index.search(queries, 500, measure=measure, skip_empty=skip_empty),
            *(row for part in index.within(queries, 0.3, measure=measure) for row in part),
        ]

    early, later = early_and_later(monkeypatch, ask)
    for left, right in zip(early, later, strict=True):
        np.testing.assert_array_equal(left, right)


def test_overlaps_and_sums_are_the_same(monkeypatch):
    random = np.random.default_rng(0)
    index = PackedIndex(random.random((200, 77)) < 0.2)
    query, weights = index.packed([3])[0], random.random(77)

    def ask():
        return index.overlaps(query, 20, 150), index.weighted_sums(weights, 20, 150)

    early, later = early_and_later(monkeypatch, ask)
    np.testing.assert_array_equal(early[0], later[0])
    np.testing.assert_array_equal(early[1], later[1])
