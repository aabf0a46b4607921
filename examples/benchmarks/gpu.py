"""The GPU beside the CPU: first whether they agree, bit for bit, then how fast they are.

    python examples/benchmarks/gpu.py [CORPUS]

CORPUS is a text with one sentence a line, or the directory of an encoded corpus; without one,
random sentences are made up. It needs a GPU and ``pip install "skfly[cuda12]"`` or
``skfly[cuda13]``. Five parts:

1. The GPUs, CUDA and CuPy found.
2. Agreement: both learning rules on the first words of the text, on the CPU and on the GPU (on all
   of them, if there are several). Synapses, consensus, codes of words and of documents, and
   neighbours must have the same bits. If they do not, the script stops here with status 1:
   report what it prints.
3. The host: words a second that one core makes batches of. ``--host`` shows only this, and needs
   no GPU.
4. Words a second of one epoch, all of ``fit`` included.
5. A step of learning, kernel by kernel, and a search, without the work of the host around them.

docs/gpu.rst says what to expect, and why.
"""

import argparse
import statistics
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines
from skfly.engine import choose_engine, drive_for, get_engine
from skfly.fit import BatchStream
from skfly.index import GpuIndex, PackedIndex
from skfly.rules.lloyd import information_bound, information_terms

RULES = ("lloyd", "hebbian")


def made_up(n_words, n_different):
    """Yield sentences of 20 words, each with words of one of 100 topics and some of all."""
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, n_different + 1)
    ranks = np.arange(n_different)
    for start in range(0, n_words, 20_000):
        drawn = rng.choice(ranks, (1000, 20), p=chances / chances.sum())
        topics = rng.integers(100, size=(1000, 1))
        words = np.where(rng.random(drawn.shape) < 0.5, drawn, drawn // 100 * 100 + topics)
        for sentence in words[: max(1, (n_words - start) // 20)] % n_different:
            yield [f"w{word}" for word in sentence]


def read(source, args):
    if source is None:
        return EncodedCorpus.from_documents(
            made_up(args.words, args.vocabulary), sentence_splitter=None
        )
    if source.is_dir():
        return EncodedCorpus.load(source)
    return EncodedCorpus.from_documents(TextLines(source), sentence_splitter=None)


def first_sentences(corpus, n_words):
    """Return the first sentences as lists of words."""
    last = int(np.searchsorted(corpus.sentences, n_words)) + 1
    words = np.array(corpus.vocabulary.words, dtype=object)
    bounds = np.asarray(corpus.sentences[: last + 1])
    return [words[corpus.ids[a:b]].tolist() for a, b in pairwise(bounds) if b > a]


def what_is_here():
    """Print it, or leave with a word on why there is no GPU."""
    try:
        backend, which = choose_engine("cupy", n_jobs=-1)
    except (ImportError, ValueError) as error:
        sys.exit(f"{error}")
    import cupy

    print(f"CuPy {cupy.__version__}, {which}; the CPU: {choose_engine('numba')[1]}")
    return len(backend._gpus)


def fly(args, **params):
    return FlyHashVectorizer(
        args.cells,
        min(32, args.cells),
        max_features=args.vocabulary,
        sentence_splitter=None,
        random_state=0,
        **params,
    )


def agreement(sentences, args, n_gpus):
    """Learn on the CPU and on the GPU; return what differs."""
    different = []
    for rule in RULES:
        fitted = []
        for backend, n_jobs in [("numba", None), ("cupy", None), ("cupy", -1)][: 2 + (n_gpus > 1)]:
            one = fly(args, learning=rule, n_epochs=2, backend=backend, n_jobs=n_jobs)
            fitted.append(one.fit(sentences))
        cpu = fitted[0]
        for gpu in fitted[1:]:
            pairs = {
                "synapses": (gpu.synapses_, cpu.synapses_),
                "consensus": (gpu.consensus_, cpu.consensus_),
                "codes of words": (gpu.word_codes_.toarray(), cpu.word_codes_.toarray()),
                "codes of documents": tuple(
                    one.transform(sentences[:1000]).toarray() for one in (gpu, cpu)
                ),
            }
            for name, (mine, wanted) in pairs.items():
                n_different = int((np.asarray(mine) != np.asarray(wanted)).sum())
                what = f"{rule}, {name}, n_jobs={gpu.n_jobs}"
                print(f"{what}: {'equal' if not n_different else f'{n_different} differ'}")
                if n_different:
                    different.append(what)
        vectors = cpu.wv
        some = vectors.index_to_key[:100]
        expected = vectors.neighbors(some)
        vectors.build_index(backend="cupy")
        equal = vectors.neighbors(some) == expected
        print(f"{rule}, neighbours: {'equal' if equal else 'different'}")
        if not equal:
            different.append(f"{rule}, neighbours")
    return different


def seconds(work, repeats):
    """Median time of some work, after a first time that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def host(corpus, args):
    """Time the making of batches, in seconds of one core."""
    print("\nThe host makes batches of words/s, on one core:")
    words = corpus.vocabulary.most_frequent(args.vocabulary, 1)
    for subsample in (0.0, 1e-4):
        stream = BatchStream(
            corpus,
            id_map=words.encode(corpus.vocabulary.words),
            counts=words.counts,
            subsample=subsample,
            batch_size=args.batch,
            block_size=32,
            seed=0,
        )
        began = time.process_time()
        for _ in stream.epoch(0):
            pass
        rate = corpus.n_words / max(time.process_time() - began, 1e-9)
        print(f"  {'all words' if not subsample else 'frequent words left out':24} {rate:14,.0f}")


def whole_fits(corpus, args, n_gpus):
    print(f"\nOne epoch of {corpus.n_words:,} words, K={args.cells}, all of fit: words/s")
    kinds = [("numba", None), ("cupy", None), ("cupy", -1)][: 2 + (n_gpus > 1)]
    for rule in RULES:
        for backend, n_jobs in kinds:
            one = fly(
                args,
                learning=rule,
                n_epochs=1,
                subsample=0,
                word_codes="synapses",
                backend=backend,
                n_jobs=n_jobs,
            )
            taken = seconds(lambda one=one: one.fit(corpus), args.repeats)
            gpus = f" on {n_gpus} GPUs" if n_jobs == -1 else ""
            print(f"  {rule:8} {backend}{gpus:12} {corpus.n_words / taken:14,.0f}")


def parts_of_a_step(backend, args):
    """Return the parts of a step, and a search, as functions; the input is random."""
    rng = np.random.default_rng(0)
    n_words, n_cells, n = args.vocabulary, args.cells, args.batch
    ids = (n_words ** rng.random(n)).astype(np.int32) - 1  # as frequent as in Zipf's law
    batch = (ids, np.append(np.arange(0, n, 20), n))
    counts = rng.random((2 * n_words, n_cells), dtype=np.float32)
    words = counts.sum(axis=1, dtype=float)
    cells = counts.reshape(2, -1, n_cells).sum(axis=1, dtype=float)
    drive = drive_for(information_bound(cells, 1e4), 11, 0.0)
    terms = information_terms(words, cells, 1e4)
    rates = np.ones(n_words, np.float32)
    codes = np.argsort(rng.random((n_words, n_cells)), axis=1) < 32
    index = GpuIndex(codes) if backend.name == "cupy" else PackedIndex(codes)
    queries = index.packed(slice(args.queries))

    there, drives = backend.put(counts), backend.new_drives(counts.shape)
    consensus = backend.zeros((n_words, n_cells))
    winners = backend.find_winners(drives, *batch, 11, True)

    def set_drives():
        backend.information_drives(drives, there, terms, drive)
        backend.find_winners(drives, ids[:1], np.array([0, 1]), 11, True)  # waits for them

    return {
        "drives": set_drives,
        "winners": lambda: backend.find_winners(drives, *batch, 11, True),
        "counts": lambda: backend.add_windows(there, rates, drives, *batch, winners, 11),
        "consensus": lambda: backend.count_top(
            consensus, drives, batch, 11, True, max(1, n_cells // 100)
        ),
        "search": lambda: index.search(queries, 10, measure="overlap"),
    }


def one_step(args):
    print(f"\nA step of {args.batch:,} windows, K={args.cells}, V={args.vocabulary:,}, and")
    print(f"{args.queries:,} queries, without the work of the host around them: milliseconds")
    table = {
        name: {
            part: 1e3 * seconds(work, args.repeats)
            for part, work in parts_of_a_step(get_engine(name), args).items()
        }
        for name in ("numba", "cupy")
    }
    for part, cpu in table["numba"].items():
        gpu = table["cupy"][part]
        print(f"  {part:10} numba {cpu:10.2f}   cupy {gpu:10.2f}   {cpu / gpu:6.1f} x")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--vocabulary", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=20_000_000, help="of a text that is made up")
    parser.add_argument("--compared", type=int, default=500_000, help="words for the agreement")
    parser.add_argument("--batch", type=int, default=1 << 20)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--host", action="store_true", help="only what the host does")
    args = parser.parse_args(arguments)
    n_gpus = 0 if args.host else what_is_here()
    with read(args.corpus, args) as corpus:
        if args.host:
            host(corpus, args)
            return
        different = agreement(first_sentences(corpus, args.compared), args, n_gpus)
        if different:
            sys.exit("GPU and CPU do not agree: " + "; ".join(different))
        host(corpus, args)
        whole_fits(corpus, args, n_gpus)
    one_step(args)


if __name__ == "__main__":
    main()
