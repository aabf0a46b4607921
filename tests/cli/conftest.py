"""What the tests of the command share: a small text, a model of it, and a way to run."""

import io
import sys
from typing import NamedTuple

import pytest

from skfly import FlyHashVectorizer
from skfly.cli import app

TEXT = "the fly eats ripe fruit\nripe fruit smells sweet. flies like it\nbanks lend money\n" * 20


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def skfly(capsys, monkeypatch):
    """Run the command in this process."""

    def run(*args, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="ascii"))
        with pytest.raises(SystemExit) as exited:
            app([str(arg) for arg in args], prog_name="skfly")
        return Result(exited.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="session")
def fly():
    texts = TEXT.splitlines()
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=4, random_state=0).fit(texts)


@pytest.fixture
def model(fly, tmp_path):
    path = tmp_path / "model.skfly"
    fly.save(path)
    return path
