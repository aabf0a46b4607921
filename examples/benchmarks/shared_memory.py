"""Memory of several processes that hash with one memory-mapped model (Linux).

    python examples/benchmarks/shared_memory.py MODEL [--processes 10]

Each process loads the model with ``mmap=True``, hashes some words and contexts, and waits until
all have done so. Then the kernel reports each one's share of the pages of the model's file
(PSS of that mapping: a page that n processes have counts 1/n for each), and for what is its own.
One row for one process, one for all of them; and the same with ``mmap=False``.
"""

import argparse
import multiprocessing
from pathlib import Path

from skfly import FlyHashVectorizer

MB = 1 << 20


def shares(path):
    """Return this process's share of the pages of a file, and all of its share, in bytes."""
    of_file = in_all = 0
    mapped = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head = line.split()
        if "-" in head[0] and not head[0].endswith(":"):
            mapped = head[5] if len(head) > 5 else ""
        elif head[0] == "Pss:":
            in_all += 1024 * int(head[1])
            of_file += 1024 * int(head[1]) if mapped == str(path) else 0
    return of_file, in_all


def hash_something(path, mmap, ready, told):
    fly = FlyHashVectorizer.load(path, mmap=mmap)
    words = list(fly.vocabulary_)
    fly.hash_words(words)
    fly.hash_in_context([words[i : i + 11] for i in range(len(words) - 11)], words[5:-6])
    ready.wait()
    told.put(shares(path))
    ready.wait()


def measure(path, n_processes, mmap):
    context = multiprocessing.get_context("spawn")
    ready, told = context.Barrier(n_processes), context.Queue()
    args = (path, mmap, ready, told)
    processes = [context.Process(target=hash_something, args=args) for _ in range(n_processes)]
    for process in processes:
        process.start()
    found = [told.get() for _ in processes]
    for process in processes:
        process.join()
    return [sum(column) for column in zip(*found, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--processes", type=int, default=10)
    options = parser.parse_args()
    path = options.model.resolve()
    print(f"the model file has {path.stat().st_size / MB:.0f} MB")
    print(f"{'mmap':6}{'processes':>10}{'model, MB':>12}{'in all, MB':>12}{'a process':>12}")
    for mmap in (True, False):
        for n_processes in (1, options.processes):
            of_file, in_all = measure(path, n_processes, mmap)
            print(
                f"{mmap!s:6}{n_processes:10}{of_file / MB:12.0f}{in_all / MB:12.0f}"
                f"{in_all / MB / n_processes:12.0f}"
            )


if __name__ == "__main__":
    main()
