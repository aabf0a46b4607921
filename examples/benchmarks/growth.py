"""How the cost of learning grows, and how near the window kernels are to the machine's limit.

    python examples/benchmarks/growth.py CORPUS.txt[.xz]

CORPUS has one sentence a line. All of ``fit`` with default parameters is counted, on the first
``--words`` words; one thing at a time is changed from K=400, w=11, V=20,000, 2 threads. Runs are
interleaved; medians are shown, as time a word against that setting. ``--learning lloyd`` times one
epoch of the rule of 0.1 instead, without subsampling and consensus.

The last table, for ``lloyd`` only, compares the kernel that finds winners with a loop that only
adds the necessary rows: the word that enters the window, the one that leaves, and the target as
target and as context. Both run on one thread.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from _text import read_corpus
from numba import njit

from skfly import FlyHashVectorizer
from skfly.engine import get_engine

BASE = {"n_kenyon_cells": 400, "window": 11, "max_features": 20_000, "n_jobs": 2}
CHANGES = {
    "V": ("max_features", (5_000, 20_000, 50_000, 200_000)),
    "w": ("window", (5, 11, 21)),
    "K": ("n_kenyon_cells", (100, 400, 1600, 5000)),
    "threads": ("n_jobs", (1, 2)),
}


def time_a_word(corpus, params, learning):
    """Return the seconds of a fit, by word."""
    if learning == "lloyd":
        params = params | {"n_epochs": 1, "subsample": 0, "word_codes": "synapses"}
    fly = FlyHashVectorizer(
        **params, learning=learning, min_count=1, sentence_splitter=None, random_state=0
    )
    began = time.perf_counter()
    fly.fit(corpus)
    return (time.perf_counter() - began) / corpus.n_words


def growth_table(corpora, repeats, learning):
    whole = corpora[max(corpora)]
    runs = {
        (name, value): (whole, BASE | {param: value})
        for name, (param, values) in CHANGES.items()
        for value in values
    }
    runs |= {("words", n_words): (corpus, BASE) for n_words, corpus in corpora.items()}
    seconds = {key: [] for key in runs}
    for _ in range(repeats + 1):
        for key, (corpus, params) in runs.items():
            seconds[key].append(time_a_word(corpus, params, learning))
    median = {key: statistics.median(values[1:]) for key, values in seconds.items()}
    base = median["K", 400]
    print(f"\n{whole.n_words:,} words, {learning}, medians of {repeats}\n")
    print("| changed | to | words/s | time a word |\n|---|---|---|---|")
    for (name, value), time_taken in median.items():
        print(f"| {name} | {value:,} | {1 / time_taken:,.0f} | {time_taken / base:.2f} |")


@njit(nogil=True, cache=True)
def add_rows(drives, ids, offsets, half, totals):
    """Add the rows that a running sum must touch, and nothing else."""
    n_words, n_cells = drives.shape[0] // 2, drives.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for t in range(start, stop):
            enters = ids[min(t + half, stop - 1)]
            leaves = ids[max(t - half - 1, start)]
            target = ids[t]
            for m in range(n_cells):
                totals[0, m] = np.int16(totals[0, m] + drives[enters, m] - drives[leaves, m])
            for m in range(n_cells):
                totals[1, m] = np.int16(
                    totals[0, m] + drives[n_words + target, m] - drives[target, m]
                )


def limit_table(corpus, repeats):
    n_words, n_cells = BASE["max_features"], BASE["n_kenyon_cells"]
    n_sentences = min(corpus.n_sentences, 50_000)
    ids, lengths = corpus.block(0, n_sentences)
    ids = np.where((ids < 0) | (ids >= n_words), 0, ids).astype(np.int32)  # every row is known
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    drives = np.random.default_rng(0).integers(0, 300, (2 * n_words, n_cells), dtype=np.int16)
    backend, totals = get_engine("numba", 1), np.zeros((2, n_cells), np.int16)
    runs = {
        "only the rows": lambda: add_rows(drives, ids, offsets, 5, totals),
        "winners": lambda: backend.find_winners(drives, ids, offsets, 11, True),
    }
    seconds = {name: [] for name in runs}
    for _ in range(repeats + 1):
        for name, run in runs.items():
            began = time.process_time()
            run()
            seconds[name].append(time.process_time() - began)
    rates = {name: len(ids) / statistics.median(values[1:]) for name, values in seconds.items()}
    print("\n| what | windows/s, one thread | of the limit |\n|---|---|---|")
    for name, rate in rates.items():
        print(f"| {name} | {rate:,.0f} | {rate / rates['only the rows']:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--words", type=float, nargs="+", default=[1e6, 4e6, 16e6])
    parser.add_argument("--learning", default="whiten")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as temporary:
        corpora = {
            int(n_words): read_corpus(args.corpus, Path(temporary) / str(n_words), int(n_words))
            for n_words in args.words
        }
        growth_table(corpora, args.repeats, args.learning)
        if args.learning == "lloyd":
            limit_table(corpora[max(corpora)], args.repeats)


if __name__ == "__main__":
    main()
