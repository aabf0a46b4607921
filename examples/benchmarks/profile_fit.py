"""Where the time of a fit goes, from text to codes.

    python examples/benchmarks/profile_fit.py TEXT.txt[.xz] --words 5000000

TEXT has one sentence a line. Every call of the stages below is timed while a fly with default
parameters learns from the first ``--words`` words on one thread (so that times add up), then makes
the codes of all its words. Times are CPU seconds, which other processes hardly affect. One
warm-up on a little text compiles the kernels. ``--learning lloyd`` profiles the rule of 0.1. The
last table is how fast this machine copies memory, and what a product of whitening reads.
"""

import argparse
import statistics
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _text import first_words
from scipy import sparse

from skfly import FlyHashVectorizer, TextLines, vectorizer
from skfly.engine._kernels import COLUMNS
from skfly.engine._numba import NumbaEngine
from skfly.fit import BatchStream
from skfly.rules import _windows, whiten
from skfly.rules._whitening import Contexts
from skfly.rules.lloyd import LloydRule
from skfly.rules.whiten import PairCounts

STAGES = {
    "whiten": {
        "text to ids": (vectorizer, "encode_documents"),
        "batches": (BatchStream, "_gather"),
        "counting pairs": (NumbaEngine, "pairs"),
        "adding counts": (PairCounts, "add"),
        "information": (Contexts, "of"),
        "whitening": (whiten, "whiten"),
        "cells": (whiten, "find_cells"),
        "document cells": (vectorizer, "fit_documents"),
        "codes of all words": (FlyHashVectorizer, "hash_words"),
    },
    "lloyd": {
        "text to ids": (vectorizer, "encode_documents"),
        "batches": (BatchStream, "_gather"),
        "synapses from counts": (NumbaEngine, "information_drives"),
        "winners of windows": (NumbaEngine, "find_winners"),
        "counting words for winners": (NumbaEngine, "add_windows"),
        "fading": (LloydRule, "_rescale"),
        "last synapses": (NumbaEngine, "information"),
        "consensus": (NumbaEngine, "count_top"),
        "connections between cells": (_windows, "learn_lateral"),
        "codes of all words": (FlyHashVectorizer, "hash_words"),
    },
}


def timed(function, spent, name):
    def call(*args, **kwargs):
        began = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            spent[name] += time.process_time() - began

    return call


def profile(documents, learning, spent):
    """Return the seconds of all, and the fly; ``spent`` gets those of the stages."""
    with ExitStack() as patches:
        for name, (owner, attribute) in STAGES[learning].items():
            function = timed(getattr(owner, attribute), spent, name)
            patches.enter_context(patch.object(owner, attribute, function))
        params = {"learning": learning, "sentence_splitter": None, "n_jobs": 1}
        fly = FlyHashVectorizer(**params, random_state=0)
        began = time.process_time()
        fly.fit(documents)
        fly.hash_words(list(fly.vocabulary_))
        return time.process_time() - began, fly


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--words", type=float, default=5e6)
    parser.add_argument("--learning", default="whiten", choices=STAGES)
    args = parser.parse_args()
    some = list(first_words(TextLines(args.text), 200_000))
    profile(some, args.learning, dict.fromkeys(STAGES[args.learning], 0.0))
    documents = list(first_words(TextLines(args.text), args.words))
    spent = dict.fromkeys(STAGES[args.learning], 0.0)
    seconds, fly = profile(documents, args.learning, spent)
    print(f"{fly.n_words_seen_:,} words, {args.learning}, {fly.n_iter_} passes\n")
    print("| stage | s | share |\n|---|---|---|")
    spent["the rest"] = seconds - sum(spent.values())
    for name, taken in spent.items():
        print(f"| {name} | {taken:.2f} | {taken / seconds:.0%} |")
    print(f"| all | {seconds:.2f} | |")
    bandwidth_table()


def bandwidth_table():
    """Show how fast one thread copies memory, and what a product of whitening makes of it."""
    n_words, n_columns, n_terms = 20_000, 332, 1_500
    block = np.zeros(1 << 25, np.float32)
    random = np.random.default_rng(0)
    columns = np.sort(random.integers(0, n_words, (n_words, n_terms), dtype=np.int32), axis=1)
    ends = np.arange(0, columns.size + 1, n_terms, dtype=np.int32)
    matrix = sparse.csr_array(
        (np.ones(columns.size, np.float32), columns.ravel(), ends), shape=(n_words, n_words)
    )
    dense = random.standard_normal((n_words, n_columns), dtype=np.float32)
    engine = NumbaEngine(1)
    engine.multiply_sparse(matrix, dense)  # compiles
    copying, multiplying = [], []
    for _ in range(3):
        began = time.perf_counter()
        block.copy()
        copying.append(time.perf_counter() - began)
        began = time.perf_counter()
        engine.multiply_sparse(matrix, dense)
        multiplying.append(time.perf_counter() - began)
    seconds = statistics.median(multiplying)
    in_order = -(-n_columns // COLUMNS) * matrix.nnz * 8  # each term, once a block of columns
    rows = matrix.nnz * n_columns * 4
    print("\n| memory, one thread | GB/s |\n|---|---|")
    print(
        f"| a copy, read and written | {2 * block.nbytes / statistics.median(copying) / 1e9:.1f} |"
    )
    print(f"| a product: its sparse matrix, from memory | {in_order / seconds / 1e9:.1f} |")
    print(f"| a product: rows of the dense one, from caches | {rows / seconds / 1e9:.1f} |")
    print(f"\n{2 * matrix.nnz * n_columns / seconds / 1e9:.1f} billion operations a second")


if __name__ == "__main__":
    main()
