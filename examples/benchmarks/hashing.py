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
from pathlib import Path

import numpy as np
from scipy import sparse

from skfly import FlyHashVectorizer
from skfly.engine import get_engine


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
    shape = (args.bags, args.words_a_bag)
    rows = np.repeat(np.arange(args.bags), args.words_a_bag)
    ids = random.integers(0, n_words, shape).ravel()
    ones = np.ones(len(ids), dtype=np.float32)
    bags = sparse.csr_array((ones, (rows, ids)), shape=(args.bags, n_words))
    coder, length, by = fly.model_.coder, fly.hash_length, fly.word_codes
    tasks = {
        "one word": lambda engine: coder.words(engine, one, length, by),
        f"{len(many):,} words": lambda engine: coder.words(engine, many, length, by),
        "one bag": lambda engine: coder.bags(engine, bags[:1], length),
        f"{args.bags:,} bags": lambda engine: coder.bags(engine, bags, length),
    }
    engines = {name: get_engine(name, args.threads) for name in ("numba", "numpy")}
    print(f"{args.threads} threads, {args.words_a_bag} words a bag\n")
    print("| what | numba, ms | numpy, ms | numba is |\n|---|---|---|---|")
    for task, run in tasks.items():
        found = {name: run(engine).cells for name, engine in engines.items()}
        assert (found["numba"] == found["numpy"]).all()
        seconds = {name: [] for name in engines}
        for _ in range(args.repeats):
            for name, engine in engines.items():
                began = time.perf_counter()
                run(engine)
                seconds[name].append(time.perf_counter() - began)
        numba, numpy = (1000 * statistics.median(seconds[name]) for name in engines)
        print(f"| {task} | {numba:.3f} | {numpy:.3f} | {numpy / numba:.1f} times |")


if __name__ == "__main__":
    main()
