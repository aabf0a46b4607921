"""Some damaged files for each reader; ``run.py`` reads many thousands."""

import sys

import pytest

from fuzz._campaign import Worker
from fuzz._mutate import sign
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


@pytest.mark.parametrize("reader", ["model", "keyed vectors", "index of documents"])
def test_a_signed_file_passes_every_checksum(reader, tmp_path):
    kind = READERS[reader]
    for number, files in enumerate(kind.seeds()):
        ((name, content),) = files.items()
        unsigned = content.replace(b"checksums", b"checksumz")
        with pytest.raises(kind.errors, match=r"checksum|arrays are not those"):
            read(kind, tmp_path / f"{number}", name, unsigned)
        read(kind, tmp_path / f"{number} signed", name, sign(unsigned))


def read(kind, directory, name, content):
    directory.mkdir()
    (directory / name).write_bytes(content)
    return kind.read(directory, 0)


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
