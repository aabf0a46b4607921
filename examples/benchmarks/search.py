"""Search, memory and files of FlyKeyedVectors, beside gensim's KeyedVectors and faiss.

    python examples/benchmarks/search.py

200,000 words: gensim has dense vectors of 300 float32, skfly and faiss (``IndexBinaryFlat``) have
codes of 400 bits, 32 of them ones, that ``FlyKeyedVectors.from_dense`` makes of these vectors. The
vectors are drawn at random around 2,000 centres; no text is needed. All methods use the same
number of threads. Speeds are medians of interleaved runs, of ``most_similar(word, topn=10)`` for
one word after another, and of 1,000 words at once (gensim has no such method: its second row does
it by a product of matrices, 100 words at a time). Memory, load time and file size are measured in
a process of its own for each method: "vectors" is the size of the arrays, "resident" is what
loading and one query add to the process, with the words and Python's dict of them. faiss has no
words.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import faiss
import numpy as np
from gensim.models import KeyedVectors
from threadpoolctl import threadpool_limits

from skfly import FlyKeyedVectors

MB = 1 << 20
TOPN = 10
NAMES = {
    "skfly": "skfly",
    "indexed": "skfly, inverted index",
    "gensim": "gensim KeyedVectors 300d",
    "product": "gensim vectors, product of matrices",
    "faiss": "faiss IndexBinaryFlat",
}


def make_files(directory, n_words, seed=0):
    """Write the vectors of all methods."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(n_words // 100, 1), 300)).astype(np.float32)
    vectors = centres[random.integers(len(centres), size=n_words)]
    vectors += random.normal(size=vectors.shape).astype(np.float32)
    dense = KeyedVectors(300)
    words = [f"word{number}" for number in random.permutation(n_words)]
    dense.add_vectors(words, vectors)
    codes = FlyKeyedVectors.from_dense(
        dense, "randexp", n_cells=400, hash_length=32, random_state=seed
    )
    dense.save(str(directory / "gensim"))
    codes.save(directory / "skfly")
    faiss.write_index_binary(codes.to_faiss(), str(directory / "faiss"))


def load(method, directory):
    """Return what a method loads."""
    if method == "faiss":
        return faiss.read_index_binary(str(directory / "faiss"))
    if method in ("gensim", "product"):
        return KeyedVectors.load(str(directory / "gensim"))
    vectors = FlyKeyedVectors.load(directory / "skfly")
    if method == "indexed":
        vectors.build_index()
    return vectors


def ask_product(dense, words):
    """Search many words at once, the way that numpy allows."""
    found = []
    for start in range(0, len(words), 100):
        queries = np.stack([dense.get_vector(w, norm=True) for w in words[start : start + 100]])
        scores = queries @ dense.vectors.T / dense.norms
        for row in scores:
            best = np.argpartition(-row, TOPN + 1)[: TOPN + 1]
            found.append(best[np.argsort(-row[best])])
    return found


def searches(loaded, words, packed):
    """Return, for each method, how it searches for one word and for many."""
    fly, indexed, dense, index = (loaded[m] for m in ("skfly", "indexed", "gensim", "faiss"))
    return {
        "skfly": (lambda i: fly.most_similar(words[i], topn=TOPN), lambda: fly.neighbors(words)),
        "indexed": (
            lambda i: indexed.most_similar(words[i], topn=TOPN),
            lambda: indexed.neighbors(words),
        ),
        "gensim": (lambda i: dense.most_similar(words[i], topn=TOPN), None),
        "product": (None, lambda: ask_product(dense, words)),
        "faiss": (
            lambda i: index.search(packed[i : i + 1], TOPN + 1),
            lambda: index.search(packed, TOPN + 1),
        ),
    }


def measure_speed(directory, args):
    """Return queries a second: {method: (single, batch)}, each a list of runs."""
    methods = ("skfly", "indexed", "gensim", "faiss")
    loaded = {method: load(method, directory) for method in methods}
    words = list(loaded["skfly"].index_to_key[: args.batch])
    packed = np.ascontiguousarray(
        np.packbits(loaded["skfly"][words].astype(bool), axis=1, bitorder="little")
    )
    ways = searches(loaded, words, packed)
    for single, batch in ways.values():  # compiles kernels, fills caches
        for run in (single and (lambda single=single: single(0)), batch):
            if run:
                run()
    speed = {method: ([], []) for method in ways}
    for _ in range(args.repeats):
        for method, (single, batch) in ways.items():
            if single:
                began = time.perf_counter()
                for i in range(args.singles):
                    single(i)
                speed[method][0].append(args.singles / (time.perf_counter() - began))
            if batch:
                began = time.perf_counter()
                batch()
                speed[method][1].append(len(words) / (time.perf_counter() - began))
    return speed


def resident():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def memory_child(method, directory):
    """Load in this process, search once, and tell time and memory."""
    tiny = FlyKeyedVectors.from_codes(["a", "b"], np.eye(2, 400))
    tiny.most_similar("a")  # imports and kernels are not the vectors' memory
    before = resident()
    began = time.perf_counter()
    loaded = load(method, directory)
    seconds = time.perf_counter() - began
    if method == "faiss":
        loaded.search(np.zeros((1, 50), np.uint8), TOPN)
        nbytes = loaded.ntotal * loaded.code_size
    else:
        loaded.most_similar(loaded.index_to_key[0], topn=TOPN)
        nbytes = getattr(loaded, "nbytes", None) or loaded.vectors.nbytes + loaded.norms.nbytes
    print(json.dumps({"seconds": seconds, "resident": resident() - before, "vectors": nbytes}))


def measure_memory(method, directory, args):
    command = [sys.executable, __file__, "--child", method, "--directory", str(directory)]
    command += ["--threads", str(args.threads)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(args.repeats)
    ]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def file_size(method, directory):
    name = {"indexed": "skfly", "product": "gensim"}.get(method, method)
    return sum(path.stat().st_size for path in directory.glob(f"{name}*"))


def report(speed, memory, sizes, args):
    print(f"\n{args.words:,} words, {args.threads} threads, medians of {args.repeats}\n")
    print(
        "| method | single, queries/s | 1,000 at once, queries/s | vectors, MB | resident, MB "
        "| file, MB | load, s |"
    )
    print("|---|---|---|---|---|---|---|")
    for method, (single, batch) in speed.items():
        rates = [f"{statistics.median(runs):,.0f}" if runs else "-" for runs in (single, batch)]
        told = memory.get(method)
        rest = (
            [
                f"{told['vectors'] / MB:.1f}",
                f"{told['resident'] / MB:.1f}",
                f"{sizes[method] / MB:.1f}",
                f"{told['seconds']:.2f}",
            ]
            if told
            else ["-"] * 4
        )
        print(f"| {NAMES[method]} | {' | '.join(rates + rest)} |")
    one, many = ({m: statistics.median(s[i]) for m, s in speed.items() if s[i]} for i in (0, 1))
    print(f"\nsingle queries: {one['skfly'] / one['gensim']:.0f} times gensim's")
    print(f"batches: {many['skfly'] / many['faiss']:.1f} times faiss's")
    for name in ("vectors", "resident"):
        ratio = memory["gensim"][name] / memory["skfly"][name]
        print(f"memory, {name}: 1/{ratio:.1f} of gensim's")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--singles", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    import numba

    numba.set_num_threads(args.threads)
    faiss.omp_set_num_threads(args.threads)
    with threadpool_limits(args.threads):
        if args.child:
            memory_child(args.child, args.directory)
            return
        with tempfile.TemporaryDirectory() as temporary:
            directory = Path(temporary)
            make_files(directory, args.words)
            methods = ("skfly", "indexed", "gensim", "faiss")
            memory = {method: measure_memory(method, directory, args) for method in methods}
            sizes = {method: file_size(method, directory) for method in methods}
            speed = measure_speed(directory, args)
    report(speed, memory, sizes, args)


if __name__ == "__main__":
    main()
