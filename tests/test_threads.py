"""Chunks of work on threads, and how many threads BLAS has meanwhile."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event

import numpy as np
import pytest
import threadpoolctl

from skfly._threads import run_chunks, single_threaded_blas

WAIT = 60  # seconds until a test that hangs fails


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


def blas_threads():
    """Return the threads of every BLAS of the process whose limit is the process's."""
    return {
        pool["num_threads"]
        for pool in threadpoolctl.threadpool_info()
        if pool["user_api"] == "blas" and pool.get("threading_layer") != "openmp"
    }


def release_blas():
    """Forget which thread has set a limit: threadpoolctl since 3.8 obeys no other one."""
    controller = threadpoolctl.OpenBLASController
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


@pytest.fixture
def two_blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))  # it is loaded
    release_blas()
    limits = threadpoolctl.threadpool_limits(2, user_api="blas")
    release_blas()
    try:
        if blas_threads() != {2}:
            pytest.skip("a BLAS whose threads cannot be set")
        yield
    finally:
        release_blas()
        limits.restore_original_limits()
        release_blas()


@pytest.mark.usefixtures("two_blas_threads")
class TestSingleThreadedBlas:
    def test_the_limit_holds_within(self):
        for _ in range(2):
            with single_threaded_blas():
                assert blas_threads() == {1}
            assert blas_threads() == {2}

    def test_every_thread_can_set_it_one_after_another(self):
        def use():
            with single_threaded_blas():
                return blas_threads()

        with ThreadPoolExecutor(1) as pool:
            for _ in range(2):  # the threads live on
                assert use() == {1}
                assert blas_threads() == {2}
                assert pool.submit(use).result(WAIT) == {1}
                assert blas_threads() == {2}

    def test_the_inner_of_two_does_not_lift_it(self):
        with single_threaded_blas():
            with single_threaded_blas():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}

    def test_an_error_lifts_it(self):
        def fail():
            with single_threaded_blas():
                assert blas_threads() == {1}
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert blas_threads() == {2}

    def test_an_error_in_the_inner_one_leaves_it_to_the_outer(self):
        with single_threaded_blas():
            with pytest.raises(ZeroDivisionError), single_threaded_blas():
                1 // 0  # noqa: B018
            assert blas_threads() == {1}
        assert blas_threads() == {2}

    @pytest.mark.parametrize("fails", [False, True])
    def test_whoever_came_first_may_leave_first(self, fails):
        entered, leave = Event(), Event()

        def first():
            with single_threaded_blas():
                entered.set()
                assert leave.wait(WAIT)
                if fails:
                    raise ZeroDivisionError

        with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
            stack.callback(leave.set)  # or a failure below would hang
            other = pool.submit(first)
            assert entered.wait(WAIT)
            assert blas_threads() == {1}
            with single_threaded_blas():
                leave.set()
                assert isinstance(other.exception(WAIT), ZeroDivisionError) == fails
                assert blas_threads() == {1}
            assert blas_threads() == {2}

    def test_whoever_came_last_may_leave_first(self):
        with ThreadPoolExecutor(1) as pool, single_threaded_blas():

            def second():
                with single_threaded_blas():
                    return blas_threads()

            assert pool.submit(second).result(WAIT) == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}

    def test_many_at_once(self):
        n_threads = 8
        inside, leaving = Barrier(n_threads, timeout=WAIT), Barrier(n_threads, timeout=WAIT)

        def use(number):
            seen = []
            for turn in range(20):
                with single_threaded_blas():
                    inside.wait()
                    seen.append(blas_threads())
                    if (number + turn) % n_threads:
                        leaving.wait()
                if not (number + turn) % n_threads:
                    seen.append(blas_threads())  # this one has left, and all others wait within
                    leaving.wait()
            return seen

        with ThreadPoolExecutor(n_threads) as pool:
            for seen in pool.map(use, range(n_threads)):
                assert seen
                assert all(threads == {1} for threads in seen)
        assert blas_threads() == {2}

    def test_entering_and_leaving_without_any_order(self):
        def use(_):
            for _ in range(50):
                with single_threaded_blas():
                    if blas_threads() != {1}:
                        return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(use, range(8)))
        assert blas_threads() == {2}

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
    @pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
    def test_a_child_does_not_inherit_the_limit_of_another_thread(self):
        entered, leave = Event(), Event()

        def hold():
            with single_threaded_blas():
                entered.set()
                assert leave.wait(WAIT)

        with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
            stack.callback(leave.set)
            other = pool.submit(hold)
            assert entered.wait(WAIT)
            child = os.fork()
            if child == 0:
                try:
                    seen = [blas_threads()]
                    with single_threaded_blas():
                        seen.append(blas_threads())
                    seen.append(blas_threads())
                    os._exit(0 if seen == [{2}, {1}, {2}] else 1)
                finally:
                    os._exit(2)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            assert blas_threads() == {1}
            leave.set()
            other.result(WAIT)
        assert blas_threads() == {2}
