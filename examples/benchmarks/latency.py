"""Latency of one short text, word or context, alone and beside busy processes.

    python examples/benchmarks/latency.py [MODEL.skfly]

Without MODEL, the model that comes with the package. Every call is timed after a warm-up, first
with nothing else running, then beside one process for each core that multiplies matrices.
Milliseconds: median, 99th percentile and the slowest. The slowest of so many calls are those that
the system interrupts: the last row, a loop that only counts for 0.2 ms, is interrupted as often.
"""

import argparse
import multiprocessing
import os
import time

import numpy as np

from skfly import FlyHashVectorizer

WARM_UP = 5_000  # numpy makes the first codes, before compiled kernels are loaded
TEXT = "The price of oil rose again, and banks that lend money to firms want more of it."


def keep_busy():
    matrix = np.ones((400, 400))
    while True:
        matrix @ matrix


def spin():
    end = time.perf_counter() + 0.0002
    while time.perf_counter() < end:
        pass


def milliseconds(call, n_calls):
    for _ in range(WARM_UP):
        call()
    seconds = np.empty(n_calls)
    for i in range(n_calls):
        began = time.perf_counter()
        call()
        seconds[i] = time.perf_counter() - began
    return 1000 * np.quantile(seconds, [0.5, 0.99, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="en")
    parser.add_argument("--calls", type=int, default=3_000)
    args = parser.parse_args()
    fly = FlyHashVectorizer.from_pretrained(args.model)
    calls = {
        "transform, one text": lambda: fly.transform([TEXT]),
        "embed_query": lambda: fly.embed_query(TEXT),
        "hash_in_context": lambda: fly.hash_in_context([TEXT], ["oil"]),
        "hash_words, one word": lambda: fly.hash_words(["oil"]),
        "counting for 0.2 ms": spin,
    }
    print("| beside | call | median, ms | 99 % | slowest |\n|---|---|---|---|---|")
    for name, n_busy in (("nothing", 0), ("busy processes", os.cpu_count())):
        busy = [multiprocessing.Process(target=keep_busy, daemon=True) for _ in range(n_busy)]
        for process in busy:
            process.start()
        for call, run in calls.items():
            shown = " | ".join(f"{value:.3f}" for value in milliseconds(run, args.calls))
            print(f"| {name} | {call} | {shown} |", flush=True)
        for process in busy:
            process.terminate()


if __name__ == "__main__":
    main()
