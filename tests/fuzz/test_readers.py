"""Some damaged files for each reader; ``run.py`` reads many thousands."""

import sys

import pytest

from fuzz._campaign import Worker
from fuzz._readers import READERS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")
N_FILES = 60
FEWER = {"checkpoint": 40}  # with each of which a run goes on to its end


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.stop()


@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_are_read_or_refused(reader, worker):
    n_files = FEWER.get(reader, N_FILES)

    result = worker.run(reader, 0, n_files)

    assert result.failures == []
    assert result.outcomes["read"] > 0
    assert result.outcomes["refused"] > 0
    assert result.outcomes.total() == n_files


class TestTheOracle:
    """It finds what it looks for."""

    @pytest.mark.parametrize(
        ("what", "found"),
        [
            ("crash", "it ended with -"),
            ("memory", "MemoryError"),
            ("hang", "OvertimeError"),
            ("pickle", "ForbiddenError"),
            ("write", "ForbiddenError"),
            ("other error", "KeyError"),
        ],
    )
    def test_of_a_reader_that_fails(self, what, found, worker):
        result = worker.run(f"bad: {what}", 0, 1)

        assert result.outcomes == {"failed": 1}
        assert found in result.failures[0][1]
