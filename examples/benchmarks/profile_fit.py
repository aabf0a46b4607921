"""Where the time of a fit goes, from text to codes.

    python examples/benchmarks/profile_fit.py TEXT.txt[.xz] --words 5000000

TEXT has one sentence a line. Every call of the stages below is timed while a fly with default
parameters but ``--epochs`` epochs learns from the first ``--words`` words on one thread (so that
times add up), then makes the codes of all its words. One warm-up on a little text compiles the
kernels.
"""

import argparse
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from _text import first_words

from skfly import FlyHashVectorizer, TextLines, vectorizer
from skfly.engine._numba import NumbaEngine
from skfly.fit import BatchStream
from skfly.rules import _windows
from skfly.rules.lloyd import LloydRule

STAGES = {
    "text to ids": (vectorizer, "encode_documents"),
    "minibatches: gather, subsample": (BatchStream, "_gather"),
    "synapses from counts": (NumbaEngine, "information_drives"),
    "winners of windows": (NumbaEngine, "find_winners"),
    "counting words for winners": (NumbaEngine, "add_windows"),
    "fading": (LloydRule, "_rescale"),
    "last synapses": (NumbaEngine, "information"),
    "consensus": (NumbaEngine, "count_top_cells"),
    "connections between cells": (_windows, "learn_lateral"),
    "codes of all words": (FlyHashVectorizer, "hash_words"),
}


def timed(function, spent, name):
    def call(*args, **kwargs):
        began = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[name] += time.perf_counter() - began

    return call


def profile(documents, n_epochs, spent):
    """Return the seconds of all, and the fly; ``spent`` gets those of the stages."""
    with ExitStack() as patches:
        for name, (owner, attribute) in STAGES.items():
            function = timed(getattr(owner, attribute), spent, name)
            patches.enter_context(patch.object(owner, attribute, function))
        params = {"learning": "lloyd", "n_epochs": n_epochs, "sentence_splitter": None}
        fly = FlyHashVectorizer(**params, n_jobs=1, random_state=0)
        began = time.perf_counter()
        fly.fit(documents)
        fly.hash_words(list(fly.vocabulary_))
        return time.perf_counter() - began, fly


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--words", type=int, default=5_000_000)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    some = list(first_words(TextLines(args.text), 200_000))
    profile(some, args.epochs, dict.fromkeys(STAGES, 0.0))
    documents = list(first_words(TextLines(args.text), args.words))
    spent = dict.fromkeys(STAGES, 0.0)
    seconds, fly = profile(documents, args.epochs, spent)
    print(f"{fly.n_words_seen_:,} words, {fly.n_iter_} epochs, {fly.n_windows_seen_:,} windows\n")
    print("| stage | s | share |\n|---|---|---|")
    spent["the rest"] = seconds - sum(spent.values())
    for name, taken in spent.items():
        print(f"| {name} | {taken:.2f} | {taken / seconds:.0%} |")
    print(f"| all | {seconds:.2f} | |")


if __name__ == "__main__":
    main()
