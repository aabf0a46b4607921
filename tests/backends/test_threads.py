"""Chunks of work on threads."""

import pytest

from skfly.backends._threads import run_chunks


@pytest.mark.parametrize("n_threads", [1, 3, 100])
def test_results_come_in_the_order_of_the_chunks(n_threads):
    chunks = [(i, i + 1) for i in range(20)]
    assert run_chunks(lambda a, b: a * b, chunks, n_threads) == [a * b for a, b in chunks]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_chunk_is_raised(n_threads):
    with pytest.raises(ZeroDivisionError):
        run_chunks(lambda a: 1 // a, [(1,), (0,), (2,)], n_threads)


def test_no_chunks_no_results():
    assert run_chunks(max, [], 2) == []
