"""Codes of words and of bags of words: the kernels against the numpy reference.

    python examples/benchmarks/hashing.py MODEL.skfly

Medians over interleaved repeats, on ``--threads`` threads; both give the same codes. The reference
(``backend="numpy"``) is the formula, written down with numpy and scipy. Codes of words in context
and documents are made of bags of rows; their tokens are read already. A model keeps the codes of
all words once many are needed: the last row is ``hash_words`` from then on.
"""

import argparse
import os
import statistics
import time
from functools import partial
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
    if hasattr(coder, "at_length"):
        coder = coder.at_length(length)
    numba, numpy = (get_engine(name, args.threads) for name in ("numba", "numpy"))
    words = list(fly.model_.vocabulary)[: len(many)]
    by_formula = {
        "one word": lambda engine: coder.words(engine, one, length, by).cells,
        f"{len(many):,} words": lambda engine: coder.words(engine, many, length, by).cells,
        "one bag": lambda engine: coder.bags(engine, bags[:1], length).cells,
        f"{args.bags:,} bags": lambda engine: coder.bags(engine, bags, length).cells,
    }
    tasks = {name: (partial(run, numba), partial(run, numpy)) for name, run in by_formula.items()}
    tasks[f"hash_words of {len(many):,} words"] = (
        lambda: fly.hash_words(words).indices.reshape(-1, length),
        lambda: np.sort(coder.words(numpy, many, length, by).cells, axis=1),
    )
    print(f"{args.threads} threads, {args.words_a_bag} words a bag\n")
    print("| what | skfly, ms | numpy, ms | skfly is |\n|---|---|---|---|")
    for task, runs in tasks.items():
        ours, reference = (run() for run in runs)
        assert (ours == reference).all()
        seconds = ([], [])
        for _ in range(args.repeats):
            for run, taken in zip(runs, seconds, strict=True):
                began = time.perf_counter()
                run()
                taken.append(time.perf_counter() - began)
        ours, reference = (1000 * statistics.median(taken) for taken in seconds)
        print(f"| {task} | {ours:.3f} | {reference:.3f} | {reference / ours:.1f} times |")


if __name__ == "__main__":
    main()
