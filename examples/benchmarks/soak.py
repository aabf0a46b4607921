"""An hour of mixed use: does memory stay flat, and does anything fail?

    python examples/benchmarks/soak.py --minutes 60

In this process threads train, hash, search, save and load, on a hundred Wikipedia articles that
come with gensim; ``skfly explore`` serves a page in another, and is asked ``--rate`` times a
second over the loopback, by clients in a third that each stay below its limit. Every loop is
bounded and pauses. Once a minute the memory of the first two is read (Linux). It prints one table,
and what failed.

With ``--faults`` other threads write files of every kind while calls to the system fail, kill
processes that write, damage models, and send the page incomplete and invalid requests: see
``_soak_faults.py``. Files must still be old or new, never wrong.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
from _soak_faults import Faults

from skfly import FlyHashVectorizer
from skfly.demo import PARAMS, read_articles

A_CLIENT = 15  # requests a second; the page allows 20
MB = 1_000_000


def resident(pid):
    """Return the resident memory of a process, in MB."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024 / MB


class Loops:
    """Actions that are done again and again, each on a thread, how often, and what failed.

    Parameters
    ----------
    until : float
        When they end, by ``time.monotonic()``.
    done, failed : counter by name and list, or what is like them
        Where they are counted.
    """

    def __init__(self, until, done, failed):
        self.until, self.done, self.failed = until, done, failed
        self._lock = threading.Lock()

    def start(self, jobs):
        """Start jobs: a name, what to do with a generator of random numbers, a pause."""
        self.threads = [threading.Thread(target=self._repeat, args=job) for job in jobs]
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()

    def _repeat(self, name, action, pause):
        """Do something every so many seconds, if it can be so often, until the end."""
        random = np.random.default_rng(list(name.encode()))
        due = time.monotonic()
        while time.monotonic() < self.until:
            try:
                action(random)
            except Exception as error:
                with self._lock:
                    self.failed.append(f"{name}: {type(error).__name__}: {error}")
                time.sleep(1)
            else:
                with self._lock:
                    self.done[name] += 1
            due = max(due + pause, time.monotonic() - 1)  # what is late is made up for
            time.sleep(max(0.0, due - time.monotonic()))


def some(items, random, n):
    return [items[i] for i in random.integers(0, len(items), n)]


class Uses:
    """What is done with models in this process."""

    def __init__(self, articles, model, directory):
        self.articles, self.directory = articles, directory
        self.fly = FlyHashVectorizer.load(model, mmap=True)
        self.words = list(self.fly.wv.index_to_key)

    def train(self, random):
        fly = FlyHashVectorizer(n_kenyon_cells=50, hash_length=8, n_epochs=2, n_jobs=1)
        fly.fit(some(self.articles, random, 20))
        fly.partial_fit(some(self.articles, random, 5))
        path = Path(self.directory) / "trained.skfly"
        fly.save(path)
        texts = some(self.articles, random, 3)
        if (FlyHashVectorizer.load(path).transform(texts) != fly.transform(texts)).nnz:
            raise AssertionError("codes of a loaded model differ")

    def hash(self, random):
        texts = some(self.articles, random, 5)
        sizes = np.diff(self.fly.transform(texts).indptr)
        if set(sizes.tolist()) - {0, self.fly.hash_length}:
            raise AssertionError(f"codes have {set(sizes.tolist())} ones")

    def search(self, random):
        (word,) = some(self.words, random, 1)
        self.fly.wv.most_similar(word, topn=10)
        self.fly.hash_in_context([f"the {word} of the state"], [word])


class Client:
    """Asks the page, from an address of its own."""

    def __init__(self, port, number, words):
        self.words = words
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=60, source_address=(f"127.0.0.{number + 1}", 0)
        )

    def __call__(self, random):
        first, second = some(self.words, random, 2)
        path, query = (
            ("sentence", {"text": f"{first} and {second}"}),
            ("compare", {"left": f"the {first}", "right": f"the {second}"}),
            ("word", {"word": first}),
            ("cells", {}),
        )[random.integers(4)]
        self.connection.request(
            "POST", f"/api/{path}", json.dumps(query), {"Content-Type": "application/json"}
        )
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise AssertionError(f"/api/{path} answers {answer.status}: {content[:200]!r}")


def ask(port, rate, seconds, words, asked, failures):
    """Ask the page from several clients; counts are in ``asked``, failures are put."""
    n_clients = -(-rate // A_CLIENT)
    done, failed = Counter(), []
    loops = Loops(time.monotonic() + seconds, done, failed)
    loops.start(
        (f"client {number}", Client(port, number, words), n_clients / rate)
        for number in range(n_clients)
    )
    while any(thread.is_alive() for thread in loops.threads):
        time.sleep(0.5)
        asked.value = sum(done.values())
    loops.join()
    asked.value = sum(done.values())
    failures.put(failed)


def serve(model):
    """Start ``skfly explore``; return the process and its port."""
    command = [sys.executable, "-m", "skfly.cli", "explore", os.fspath(model)]
    server = subprocess.Popen(
        [*command, "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    for line in server.stdout:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            return server, int(found.group(1))
    raise RuntimeError("skfly explore did not start")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=int, default=50, help="requests a second")
    parser.add_argument("--faults", action="store_true", help="let things go wrong")
    args = parser.parse_args()
    articles = read_articles()
    with tempfile.TemporaryDirectory() as directory:
        model = Path(directory) / "model.skfly"
        FlyHashVectorizer(**PARAMS).fit(articles).save(model)
        server, port = serve(model)
        try:
            faults = Faults(articles, model, directory) if args.faults else None
            run(Uses(articles, model, directory), faults, server.pid, port, args)
        finally:
            server.terminate()
            server.wait()


def run(uses, faults, server, port, args):
    seconds = 60 * args.minutes
    spawn = multiprocessing.get_context("spawn")
    asked, failures = spawn.Value("q", 0), spawn.Queue()
    clients = spawn.Process(
        target=ask, args=(port, args.rate, seconds, uses.words, asked, failures)
    )
    clients.start()
    began, memory, done, failed = time.monotonic(), [], Counter(), []
    loops = Loops(began + seconds, done, failed)
    jobs = [("train", uses.train, 1.0), ("hash", uses.hash, 0.1), ("search", uses.search, 0.02)]
    if faults is not None:
        jobs += [("fail", faults.fail, 1.0), ("kill", faults.kill, 10.0)]
        jobs += [("damage", faults.damage, 0.5), ("attack", faults.attack(port), 1.0)]
    loops.start(jobs)
    print("| minute | trained | hashed | searched | asked | this, MB | page, MB |")
    print("|---" * 7 + "|")
    while time.monotonic() < loops.until:
        time.sleep(min(60.0, max(0.0, loops.until - time.monotonic())))
        memory.append((resident(os.getpid()), resident(server)))
        minute = (time.monotonic() - began) / 60
        counts = [done["train"], done["hash"], done["search"], asked.value]
        cells = [f"{minute:.0f}", *(f"{n:,}" for n in counts)]
        print("| " + " | ".join([*cells, *(f"{mb:.0f}" for mb in memory[-1])]) + " |", flush=True)
    loops.join()
    failed += failures.get()
    clients.join()
    quarter = max(1, len(memory) // 4)
    # the median: a training that is going on just then has more
    early = np.median(memory[quarter : 2 * quarter] or memory[:1], axis=0)
    late = np.median(memory[-quarter:], axis=0)
    print("\nmemory in the last quarter, less that in the second:", end=" ")
    print(", ".join(f"{mb:+.1f} MB" for mb in late - early))
    print(f"{asked.value / seconds:.1f} requests a second")
    if faults is not None:
        print(
            ", ".join(f"{name}: {done[name]:,}" for name in ("fail", "kill", "damage", "attack"))
        )
        print(
            f"{faults.failing.n_failed:,} calls failed; "
            f"{len(faults.left)} temporary directories left {sorted(faults.left)}"
        )
    print(f"{len(failed)} failed", *failed[:20], sep="\n    ")


if __name__ == "__main__":
    main()
