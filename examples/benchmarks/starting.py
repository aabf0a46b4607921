"""Startup time: imports and first calls, with and without cached kernels.

    python examples/benchmarks/starting.py TEXT.txt

TEXT has one sentence a line, of which the first ``--sentences`` are learned from; the other calls
use the model that comes with the package. Each run is a process of its own; the first of a pair
has an empty cache of compiled kernels, the second finds what the first left there. Medians of
``--repeats`` pairs, in seconds.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np

CHILD = """
import json, sys, time
start = time.perf_counter()
import numpy, scipy.sparse, sklearn.feature_extraction.text
others = time.perf_counter()
from skfly import FlyHashVectorizer
imported = time.perf_counter()
lines = sys.stdin.read().splitlines()
what = sys.argv[1]
begun, begun_cpu = time.perf_counter(), time.process_time()
if what == "fit":
    FlyHashVectorizer(sentence_splitter=None, random_state=0).fit(lines)
else:
    fly = FlyHashVectorizer.from_pretrained("en")
    fly.transform(lines[:1]) if what == "transform" else fly.wv.most_similar("bank")
ended, ended_cpu = time.perf_counter(), time.process_time()
print(json.dumps([others - start, imported - others, ended - begun, ended_cpu - begun_cpu]))
"""
CALLS = ("transform", "most_similar", "fit")


def run(what, text, cache):
    """Return the seconds of imports, others' and ours, and of a call, also those of the CPU."""
    process = subprocess.run(
        [sys.executable, "-c", CHILD, what],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": os.fspath(cache), "PYTHONIOENCODING": "utf-8"},
    )
    return json.loads(process.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--sentences", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    with args.text.open(encoding="utf-8") as file:
        text = "".join(islice(file, args.sentences))
    print("| first call | kernels | numpy, scipy, scikit-learn | skfly | call | CPU |")
    print("|---|---|---|---|---|---|")
    for what in CALLS:
        pairs = []
        for _ in range(args.repeats):
            with tempfile.TemporaryDirectory() as cache:
                pairs.append([run(what, text, cache), run(what, text, cache)])
        for place, name in enumerate(("not compiled", "compiled before")):
            seconds = np.median([pair[place] for pair in pairs], axis=0)
            print(f"| {what} | {name} | " + " | ".join(f"{value:.2f}" for value in seconds) + " |")


if __name__ == "__main__":
    main()
