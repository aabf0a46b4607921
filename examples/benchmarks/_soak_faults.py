"""Faults for ``soak.py --faults``: failing calls, killed writers, damage, bad clients.

As a script, with a model and a directory, it is the writer that gets killed.
"""

import builtins
import errno
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import safetensors.numpy

from skfly import DocumentIndex, EncodedCorpus, FlyHashVectorizer, FlyKeyedVectors
from skfly.text import encode_to_directory

CALLS = [
    *[(os, name) for name in ("open", "fsync", "replace", "rename", "mkdir", "unlink", "chmod")],
    (builtins, "open"),
    (np, "save"),
    (safetensors.numpy, "save_file"),
]
REQUESTS = [
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: 127",
    b"\x00\xff\x00\xff\r\n\r\n",
    b"POST /api/word HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{",
    b"POST /api/word HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 17\r\n\r\n" + b'{"word": [1, {}]}',
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    b"GET /static/page.js HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes="
    + b"0-1," * 5_000
    + b"\r\n\r\n",
]


class FailingCalls:
    """Make calls to the system fail by chance, in threads that ask for it."""

    def __init__(self, random):
        self._random, self._thread = random, threading.local()
        self.n_failed = 0
        for owner, name in CALLS:
            setattr(owner, name, self._failing(getattr(owner, name)))

    def _failing(self, real):
        def call(*args, **kwargs):
            if getattr(self._thread, "on", False) and self._random.random() < 0.05:
                self.n_failed += 1
                code = (errno.EIO, errno.ENOSPC, errno.EMFILE)[self._random.integers(3)]
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        return call

    def __enter__(self):
        self._thread.on = True

    def __exit__(self, *error):
        self._thread.on = False


class Places:
    """A directory with a file of every kind, which two models take turns to write."""

    def __init__(self, directory, flies, articles):
        self.directory, self.flies, self.articles = Path(directory), flies, articles[:5]
        self.directory.mkdir(exist_ok=True)
        self.expected = [self._codes(fly) for fly in flies]

    def _codes(self, fly):
        return fly.transform(self.articles[:2]).indices.tolist()

    def write(self, number):
        fly = self.flies[number]
        fly.save(self.directory / "model")
        fly.wv.save(self.directory / "vectors")
        index = DocumentIndex(fly)
        index.add(self.articles)
        index.save(self.directory / "index")
        encode_to_directory(self.articles, self.directory / "corpus")

    def remove_corpus(self):
        """Make place for another one; what is removed has another name then."""
        if (self.directory / "corpus").exists():
            removed = self.directory / "removed"
            shutil.rmtree(removed, ignore_errors=True)
            (self.directory / "corpus").rename(removed)

    def check(self, whole=None):
        """Read everything: each file is one of the two, or the one that was written last."""
        allowed = self.expected if whole is None else [self.expected[whole]]
        if self._exists("model", whole):
            fly = FlyHashVectorizer.load(self.directory / "model", mmap=True)
            same(self._codes(fly) in allowed, "model")
        if self._exists("vectors", whole):
            wv = FlyKeyedVectors.load(self.directory / "vectors")
            flies = self.flies if whole is None else [self.flies[whole]]
            same(any(same_vectors(wv, fly.wv) for fly in flies), "vectors")
        if self._exists("index", whole):
            index = DocumentIndex.load(self.directory / "index")
            same(len(index) == len(self.articles), "index")
            same(index.search(self.articles[:1], n=1)[0][0, 0] == 0, "found document")
        if self._exists("corpus", whole):
            same(len(EncodedCorpus.load(self.directory / "corpus")) > 0, "corpus")

    def litter(self):
        return [path.name for path in self.directory.rglob("*") if ".skfly-tmp" in path.name]

    def _exists(self, name, whole):
        return whole is not None or (self.directory / name).exists()


def same_vectors(left, right):
    return left.index_to_key == right.index_to_key and bool((left.codes == right.codes).all())


def same(is_so, what):
    if not is_so:
        raise AssertionError(f"the {what} is not one of those that were written")


class Faults:
    """The jobs of ``soak.py`` in which something fails."""

    def __init__(self, articles, model, directory):
        self.model, self.directory = Path(model), Path(directory)
        fly = FlyHashVectorizer.load(model, mmap=True)
        other = FlyHashVectorizer(n_kenyon_cells=50, hash_length=8, n_epochs=2, n_jobs=1)
        self.flies = [fly, other.fit(articles)]
        self.codes = fly.transform(articles[:2]).indices.tolist()
        self.articles = articles
        self.failing = FailingCalls(np.random.default_rng(0))
        self.places = Places(self.directory / "failing", self.flies, articles)
        self.victims = Places(self.directory / "killed", self.flies, articles)
        self.left = set()

    def fail(self, random):
        """Write while calls to the system fail, read, and write again without failures."""
        number = int(random.integers(2))
        self.places.remove_corpus()
        try:
            with self.failing:
                self.places.write(number)
        except (OSError, ValueError):
            pass
        self.places.check()
        self.places.remove_corpus()
        self.places.write(number)
        self.places.check(number)
        self.left |= {*self.places.litter()}

    def kill(self, random):
        """Kill a process that writes, read, and write again."""
        command = [sys.executable, __file__, self.model, self.victims.directory]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            writer.stdout.readline()
            time.sleep(random.uniform(0, 1))
        finally:
            writer.kill()
            writer.communicate()
        self.victims.check()
        self.victims.remove_corpus()
        self.victims.write(0)
        self.victims.check(0)
        self.left |= {*self.victims.litter()}

    def damage(self, random):
        """Flip a bit of a model: it is refused, or the codes are the same."""
        content = bytearray(self.model.read_bytes())
        content[random.integers(len(content))] ^= 1 << int(random.integers(8))
        path = self.directory / "damaged"
        path.write_bytes(content)
        try:
            fly = FlyHashVectorizer.load(path, mmap=bool(random.integers(2)))
            codes = fly.transform(self.articles[:2]).indices.tolist()
        except ValueError:
            return
        same(codes == self.codes, "damaged model")

    def attack(self, port):
        """Return a job that sends half a request, or a bad one, on several connections."""

        def send(random):
            clients = []
            try:
                for _ in range(6):
                    clients.append(
                        socket.create_connection(
                            ("127.0.0.1", port), 30, source_address=("127.0.0.99", 0)
                        )
                    )
                    clients[-1].sendall(REQUESTS[random.integers(len(REQUESTS))])
                answers = [answer(client) for client in clients]
            except OSError:  # the page may close a connection at any time
                return
            finally:
                for client in clients:
                    client.close()
            if bad := [text for text in answers if text.startswith(b"HTTP/1.1 5")]:
                raise AssertionError(f"the page answers {bad[0][:100]!r}")

        return send


def answer(client):
    client.settimeout(0.5)
    try:
        return client.recv(1000)
    except OSError:
        return b""


def write_until_killed(model, directory):
    fly = FlyHashVectorizer.load(model, mmap=True)
    places = Places(directory, [fly], [" ".join(fly.wv.index_to_key[:200])] * 5)
    print("ready", flush=True)
    while True:
        places.remove_corpus()
        places.write(0)


if __name__ == "__main__":
    write_until_killed(*sys.argv[1:])
