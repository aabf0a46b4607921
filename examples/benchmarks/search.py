"""Speed, memory and files of FlyKeyedVectors, beside gensim's KeyedVectors and faiss.

    python examples/benchmarks/search.py
    python examples/benchmarks/search.py --cells 1000 --hash-length 32

200,000 words: gensim has dense vectors of 300 float32; skfly and faiss (``IndexBinaryFlat``) have
codes of 400 bits, 32 of them ones, that ``FlyKeyedVectors.from_dense`` makes of these vectors. The
vectors are drawn at random around 2,000 centres; no text is needed.

Each method runs in a process of its own, with the same number of threads: in one process, the
threads of one library slow down those of another. Runs take turns, and medians are shown. Speeds
are those of ``most_similar(word, topn=10)`` for one word after another, and of 1,000 words at once
(gensim has no such method: its second row multiplies matrices, 100 words at a time). "Vectors" is
the size of the arrays; "resident" is what loading and one query add to the process, including the
words and the table to find them. faiss has no words. Run it on an idle machine: if a core is busy,
the threads of gensim and faiss wait for each other, which flatters skfly.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import faiss
import numba
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


def make_files(directory, args, seed=0):
    """Write the vectors of all methods."""
    n_words = args.words
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(n_words // 100, 1), 300)).astype(np.float32)
    vectors = centres[random.integers(len(centres), size=n_words)]
    vectors += random.normal(size=vectors.shape).astype(np.float32)
    dense = KeyedVectors(300)
    words = [f"word{number}" for number in random.permutation(n_words)]
    dense.add_vectors(words, vectors)
    codes = FlyKeyedVectors.from_dense(
        dense, "randexp", n_cells=args.cells, hash_length=args.hash_length, random_state=seed
    )
    dense.save(str(directory / "gensim"))
    codes.save(directory / "skfly")
    faiss.write_index_binary(codes.to_faiss(), str(directory / "faiss"))


def load(method, directory):
    """Load the vectors of a method."""
    if method == "faiss":
        return faiss.read_index_binary(str(directory / "faiss"))
    if method in ("gensim", "product"):
        return KeyedVectors.load(str(directory / "gensim"))
    vectors = FlyKeyedVectors.load(directory / "skfly")
    if method == "indexed":
        vectors.build_index()
    return vectors


def search_product(dense, words):
    """Search for many words at once with a product of matrices."""
    found = []
    for start in range(0, len(words), 100):
        queries = np.stack([dense.get_vector(w, norm=True) for w in words[start : start + 100]])
        scores = queries @ dense.vectors.T / dense.norms
        for row in scores:
            best = np.argpartition(-row, TOPN + 1)[: TOPN + 1]
            found.append(best[np.argsort(-row[best])])
    return found


def searches(method, loaded, n):
    """Return functions that search for word number i, and for the first n words at once."""
    if method == "faiss":
        codes = faiss.vector_to_array(loaded.xb).reshape(loaded.ntotal, -1)[:n].copy()
        return (
            lambda i: loaded.search(codes[i : i + 1], TOPN + 1),
            lambda: loaded.search(codes, TOPN + 1),
        )
    words = list(loaded.index_to_key[:n])
    single = lambda i: loaded.most_similar(words[i], topn=TOPN)  # noqa: E731
    if method == "gensim":
        return single, None
    if method == "product":
        return None, lambda: search_product(loaded, words)
    return single, lambda: loaded.neighbors(words, TOPN)


def resident():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def nbytes(loaded):
    if isinstance(loaded, FlyKeyedVectors):
        return loaded.nbytes
    if isinstance(loaded, KeyedVectors):
        return loaded.vectors.nbytes + loaded.norms.nbytes
    return loaded.ntotal * loaded.code_size


def warm_up():
    """Import and compile everything, which is not part of the vectors' memory."""
    tiny = FlyKeyedVectors.from_codes(["a", "b"], np.repeat([[1] * 32 + [0] * 368], 2, axis=0))
    with tempfile.TemporaryDirectory() as temporary:
        tiny.save(Path(temporary) / "tiny")
        tiny = FlyKeyedVectors.load(Path(temporary) / "tiny")
    tiny.most_similar("a")
    tiny.build_index()
    tiny.most_similar("a")


def child(method, args):
    """Load, report the memory, and then search whenever standard input asks for it."""
    warm_up()
    before = resident()
    began = time.perf_counter()
    loaded = load(method, args.directory)
    seconds = time.perf_counter() - began
    single, batch = searches(method, loaded, args.batch)
    if single:
        single(0)
    memory = resident() - before
    if batch:
        batch()
    if method == "product":
        loaded.fill_norms()
    print(json.dumps({"load": seconds, "resident": memory, "vectors": nbytes(loaded)}), flush=True)
    for _ in sys.stdin:
        rates = [None, None]
        if single:
            began = time.perf_counter()
            for i in range(args.singles):
                single(i)
            rates[0] = args.singles / (time.perf_counter() - began)
        if batch:
            began = time.perf_counter()
            batch()
            rates[1] = args.batch / (time.perf_counter() - began)
        print(json.dumps(rates), flush=True)


def measure(directory, args):
    """Return, for each method, its memory, and its rates."""
    memory, rates = {}, {method: ([], []) for method in NAMES}
    with ExitStack() as stack:
        children = {}
        for method in NAMES:
            command = [sys.executable, __file__, "--child", method, "--directory", str(directory)]
            for name in ("threads", "singles", "batch"):
                command += [f"--{name}", str(getattr(args, name))]
            children[method] = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            memory[method] = json.loads(children[method].stdout.readline())
        for _ in range(args.repeats):
            for method, process in children.items():
                process.stdin.write("\n")
                process.stdin.flush()
                for runs, rate in zip(
                    rates[method], json.loads(process.stdout.readline()), strict=True
                ):
                    if rate is not None:
                        runs.append(rate)
        for process in children.values():
            process.stdin.close()
    return memory, rates


def file_size(method, directory):
    name = {"indexed": "skfly", "product": "gensim"}.get(method, method)
    return sum(path.stat().st_size for path in directory.glob(f"{name}*"))


def report(memory, rates, sizes, args):
    print(
        f"\n{args.words:,} words, codes of {args.cells} cells and {args.hash_length} ones, "
        f"{args.threads} threads, medians of {args.repeats}\n"
    )
    print(
        f"| method | single, queries/s | {args.batch:,} at once, queries/s | vectors, MB "
        "| resident, MB | file, MB | load, s |"
    )
    print("|---|---|---|---|---|---|---|")
    for method, name in NAMES.items():
        row = [f"{statistics.median(runs):,.0f}" if runs else "-" for runs in rates[method]]
        row += [
            "-" if method == "product" else f"{memory[method][what] / MB:.1f}"
            for what in ("vectors", "resident")
        ]
        row += [f"{sizes[method] / MB:.1f}", f"{memory[method]['load']:.2f}"]
        print(f"| {name} | {' | '.join(row)} |")
    one, many = ({m: statistics.median(r[i]) for m, r in rates.items() if r[i]} for i in (0, 1))
    for ours in ("skfly", "indexed"):
        print(
            f"\n{NAMES[ours]}: single queries {one[ours] / one['gensim']:.1f} times gensim's and "
            f"{one[ours] / one['faiss']:.1f} times faiss's; batches "
            f"{many[ours] / many['faiss']:.1f} times faiss's; vectors "
            f"1/{memory['gensim']['vectors'] / memory[ours]['vectors']:.1f} and resident "
            f"1/{memory['gensim']['resident'] / memory[ours]['resident']:.1f} of gensim's memory"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--hash-length", type=int, default=32)
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--singles", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    numba.set_num_threads(args.threads)
    faiss.omp_set_num_threads(args.threads)
    if args.child:
        with threadpool_limits(args.threads):
            child(args.child, args)
        return
    with tempfile.TemporaryDirectory() as temporary:
        make_files(Path(temporary), args)
        memory, rates = measure(Path(temporary), args)
        sizes = {method: file_size(method, Path(temporary)) for method in NAMES}
    report(memory, rates, sizes, args)


if __name__ == "__main__":
    main()
