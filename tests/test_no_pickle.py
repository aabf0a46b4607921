"""Nothing that reads a file unpickles it, unless it was named and marked as trusted."""

import gzip
import io
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from fuzz._readers import READERS
from skfly.cli import app
from skfly.evaluation import load_vectors


class Mark:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.write_text, (self.path, "I was here"))


def payloads(mark):
    """Return files that run code where they are unpickled, by the names they may come under."""
    array = io.BytesIO()
    np.save(array, np.array([Mark(mark)], dtype=object), allow_pickle=True)
    return {
        "protocol 0": pickle.dumps(Mark(mark), 0),
        "protocol 4": pickle.dumps(Mark(mark), 4),
        "npy": array.getvalue(),
        "gzip": gzip.compress(pickle.dumps(Mark(mark))),
    }


@pytest.fixture
def mark(tmp_path):
    path = tmp_path / "mark"
    yield path
    assert not path.exists()


def test_the_payloads_work(tmp_path):
    mark = tmp_path / "mark"
    for name, payload in payloads(mark).items():
        if name == "npy":
            np.load(io.BytesIO(payload), allow_pickle=True)
        else:
            pickle.loads(gzip.decompress(payload) if name == "gzip" else payload)
        assert mark.exists(), name
        mark.unlink()


@pytest.mark.parametrize("reader", [name for name in READERS if not name.startswith("bad")])
def test_every_reader(reader, mark, tmp_path):
    kind = READERS[reader]
    files = kind.seeds()[0]
    for number, payload in enumerate(payloads(mark).values()):
        for spoiled in [[name] for name in files] + [list(files)]:
            directory = tmp_path / f"{number} {len(list(tmp_path.iterdir()))}"
            for name, content in files.items():
                path = directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(payload if name in spoiled else content)
            try:
                kind.read(directory, number)
            except (*kind.errors, EOFError, AttributeError):
                continue


@pytest.mark.parametrize("suffix", [".kv", ".kv.gz", ".bin", ".txt", ".vec", ".txt.gz", ".bin.gz"])
def test_vectors_of_every_ending(suffix, mark, tmp_path):
    for name, payload in payloads(mark).items():
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(payload)
        with pytest.raises((ValueError, OSError)):
            load_vectors(path)


def test_one_that_is_trusted_is_opened(tmp_path):
    mark, path = tmp_path / "mark", tmp_path / "mine.kv"
    path.write_bytes(payloads(mark)["protocol 4"])
    with pytest.raises(ValueError, match="cannot be read as word vectors"):
        load_vectors(path, trusted=True)
    assert mark.exists()


COMMANDS = [
    ("info", "FILE"),
    ("verify", "FILE", "DIRECTORY"),
    ("hash", "FILE", "-"),
    ("neighbors", "FILE", "fly"),
    ("context", "FILE", "fly", "the fly"),
    ("cells", "FILE", "fly"),
    ("export", "FILE", "-o", "OUT"),
    ("explore", "FILE", "--no-browser"),
    ("train", "FILE", "-o", "OUT", "--quiet"),
    ("train", "-", "-o", "OUT", "--encoded-corpus", "FILE"),
    ("train", "-", "-o", "OUT", "--checkpoint", "DIRECTORY"),
    ("train", "DIRECTORY", "-o", "OUT", "--quiet"),
    ("explore", "en", "--index", "FILE", "--no-browser"),
    ("index", "DIRECTORY", "-o", "OUT", "--model", "FILE"),
    ("index", "FILE", "-o", "OUT", "--model", "en"),
    ("search", "FILE", "fly"),
    ("evaluate", "words", "FILE", "--data", "DIRECTORY"),
    ("evaluate", "analogies", "en", "FILE"),
    ("evaluate", "contexts", "FILE", "--wic", "DIRECTORY"),
    ("evaluate", "sentences", "FILE", "--sts", "FILE"),
    ("evaluate", "documents", "--data", "DIRECTORY"),
    ("evaluate", "FILE", "--wordsim", "DIRECTORY"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command(command, mark, tmp_path, monkeypatch):
    names = ("vectors.kv", "model.skfly", "corpus.json", "ids.npy", "checkpoint-00000001.skfly")
    for number, payload in enumerate(payloads(mark).values()):
        directory = tmp_path / str(number)
        for place in (directory, directory / "vectors"):
            place.mkdir()
            for name in names:
                (place / name).write_bytes(payload)
        for file in (directory / "vectors.kv", directory / "model.skfly"):
            given = {"FILE": str(file), "DIRECTORY": str(directory), "OUT": str(tmp_path / "out")}
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a fly\n")))
            with pytest.raises(SystemExit):
                app([given.get(word, word) for word in command], prog_name="skfly")
