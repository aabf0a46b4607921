"""Codes of words and of bags of words: the kernels against the numpy reference.

    python examples/benchmarks/hashing.py MODEL.skfly

Medians over interleaved repeats, on ``--threads`` threads; both give the same codes. The reference
(``backend="numpy"``) is the formula, written down with numpy and scipy. Codes of words in context
and documents are made of bags of rows; their tokens are read already.
"""

import argparse
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from skfly import FlyHashVectorizer
from skfly.backends import get_backend


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--bags", type=int, default=2_000)
    parser.add_argument("--words-a-bag", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    fly = FlyHashVectorizer.load(args.model)
    random = np.random.default_rng(0)
    n_words = len(fly.vocabulary_)
    one, many = np.array([7], np.int32), np.arange(min(n_words, 10_000), dtype=np.int32)
    rows = random.integers(0, n_words, args.bags * args.words_a_bag).astype(np.int32)
    indptr = np.arange(args.bags + 1) * args.words_a_bag
    tasks = {
        "one word": lambda hasher: hasher.words(one),
        f"{len(many):,} words": lambda hasher: hasher.words(many),
        "one bag": lambda hasher: hasher.bags(rows[: args.words_a_bag], indptr[:2]),
        f"{args.bags:,} bags": lambda hasher: hasher.bags(rows, indptr),
    }
    hashers = {
        name: replace(fly._hasher(), backend=get_backend(name, args.threads))
        for name in ("numba", "numpy")
    }
    print(f"{args.threads} threads, {args.words_a_bag} words a bag\n")
    print("| what | numba, ms | numpy, ms | numba is |\n|---|---|---|---|")
    for task, run in tasks.items():
        codes = {name: run(hasher) for name, hasher in hashers.items()}
        assert (codes["numba"] != codes["numpy"]).nnz == 0
        seconds = {name: [] for name in hashers}
        for _ in range(args.repeats):
            for name, hasher in hashers.items():
                began = time.perf_counter()
                run(hasher)
                seconds[name].append(time.perf_counter() - began)
        numba, numpy = (1000 * statistics.median(seconds[name]) for name in hashers)
        print(f"| {task} | {numba:.3f} | {numpy:.3f} | {numpy / numba:.1f} times |")


if __name__ == "__main__":
    main()
