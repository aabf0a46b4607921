"""Training speed and memory, beside gensim's word2vec on the same text and threads.

    python examples/benchmarks/training.py CORPUS.txt[.xz]

CORPUS has one sentence a line. It prints three tables:

1. Words a second for a whole fit of the fly (default parameters: K=400, w=11, V=20,000, one pass;
   whole corpus in its memory-mapped form), and for one of gensim's 5 epochs: CBOW 100d and
   skip-gram 300d (window 5, 5 negatives, no subsampling) on the first words of the same corpus,
   already in memory as lists of words, and, if ``fasttext-wheel`` is installed, for fastText's
   skip-gram 100d on a file of them (two epochs less one, so that reading its dictionary is not
   counted). Runs are interleaved; medians are shown.
2. The fly with other vocabularies: the cost should depend on V only through the caches.
3. Peak memory of a whole ``fit`` with default parameters from the memory-mapped corpus, in a
   process of its own, and its seconds.
"""

import argparse
import importlib.util
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines

MB = 1 << 20


def encoded(text, keep):
    """Return the directory with the encoded corpus, made if it is not there yet."""
    if not keep.exists():
        began = time.perf_counter()
        with EncodedCorpus.from_documents(TextLines(text), sentence_splitter=None) as corpus:
            corpus.save(keep)
        print(f"encoded {text} in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return keep


def fly_rate(corpus, threads, n_words=20_000):
    """Words a second, all of ``fit`` included."""
    fly = FlyHashVectorizer(
        max_features=n_words,
        sentence_splitter=None,
        n_jobs=threads,
        random_state=0,
    )
    began = time.perf_counter()
    fly.fit(corpus)
    return corpus.n_words / (time.perf_counter() - began)


def word2vec_rate(sentences, threads, **params):
    """Words a second of one epoch of gensim's word2vec, without building its vocabulary."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        window=5,
        negative=5,
        sample=0,
        epochs=1,
        max_final_vocab=20_000,
        workers=threads,
        seed=0,
        **params,
    )
    model.build_vocab(sentences)
    began = time.perf_counter()
    model.train(sentences, total_examples=model.corpus_count, epochs=1)
    return sum(map(len, sentences)) / (time.perf_counter() - began)


def fasttext_rate(path, n_words, threads):
    """Words a second of one epoch of fastText's skip-gram, as the second of two epochs."""
    import fasttext

    seconds = []
    for epochs in (1, 2):
        began = time.perf_counter()
        fasttext.train_unsupervised(
            str(path), "skipgram", dim=100, ws=5, neg=5, t=1.0, epoch=epochs, thread=threads,
            minCount=5, verbose=0,
        )  # fmt: skip
        seconds.append(time.perf_counter() - began)
    return n_words / (seconds[1] - seconds[0])


def first_sentences(corpus, n_words):
    sentences, seen = [], 0
    for sentence in corpus:
        sentences.append(sentence)
        seen += len(sentence)
        if seen >= n_words:
            break
    return sentences


def speed_table(corpus, args, temporary):
    sentences = first_sentences(corpus, args.gensim_words)
    methods = {
        "skfly, K=400 w=11 V=20,000": lambda: fly_rate(corpus, args.threads),
        "gensim CBOW 100d": lambda: word2vec_rate(sentences, args.threads, sg=0, vector_size=100),
        "gensim skip-gram 300d": lambda: word2vec_rate(
            sentences, args.threads, sg=1, vector_size=300
        ),
    }
    if importlib.util.find_spec("fasttext"):
        text = Path(temporary) / "sentences.txt"
        text.write_text("\n".join(map(" ".join, sentences)), encoding="utf-8")
        n_words = sum(map(len, sentences))
        methods["fastText skip-gram 100d"] = lambda: fasttext_rate(text, n_words, args.threads)
    fly_rate(corpus, args.threads)  # compiles the kernels, fills the page cache
    rates = {name: [] for name in methods}
    for _ in range(args.repeats):
        for name, run in methods.items():
            rates[name].append(run())
    median = {name: statistics.median(values) for name, values in rates.items()}
    ours = next(iter(median.values()))
    print(f"\nOne pass, {args.threads} threads, medians of {args.repeats}\n")
    print("| method | words/s | words/s a thread | slowest | fastest | skfly is |")
    print("|---|---|---|---|---|---|")
    for name, rate in median.items():
        print(
            f"| {name} | {rate:,.0f} | {rate / args.threads:,.0f} | {min(rates[name]):,.0f} "
            f"| {max(rates[name]):,.0f} | {ours / rate:.1f} times |"
        )


def vocabulary_table(corpus, args):
    sizes = (5_000, 20_000, 100_000)
    rates = {size: [] for size in sizes}
    for _, size in itertools.product(range(args.repeats), sizes):
        rates[size].append(fly_rate(corpus, args.threads, size))
    print("\nThe fly with V words\n")
    print("| V | words/s | time against V=20,000 |")
    print("|---|---|---|")
    base = statistics.median(rates[20_000])
    for size in sizes:
        rate = statistics.median(rates[size])
        print(f"| {size:,} | {rate:,.0f} | {base / rate:.2f} |")


def memory_child(directory, threads):
    """Fit in this process and tell its memory."""

    def status(name):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
        return 0

    params = {"sentence_splitter": None, "n_jobs": threads}
    fly = FlyHashVectorizer(**params, random_state=0)
    fly.fit([["imports", "and", "kernels"]] * 3)
    before, began = status("VmRSS"), time.perf_counter()
    corpus = EncodedCorpus.load(directory)
    fly.fit(corpus)
    seconds = time.perf_counter() - began
    mapped = status("RssFile")
    print(
        json.dumps(
            {
                "before": before,
                "peak": status("VmHWM"),
                "mapped": mapped,
                "pairs": sum(array.nbytes for array in fly.rule_state_.values()),
                "words": fly.n_words_seen_,
                "seconds": seconds,
            }
        )
    )


def memory_table(directory, args):
    command = [sys.executable, __file__, str(directory), "--memory-child"]
    command += ["--threads", str(args.threads)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    print(f"\nMemory of a whole fit on {told['words']:,} words, memory-mapped\n")
    print("| what | MB |\n|---|---|")
    rows = {
        "process before (Python, imports, kernels)": told["before"],
        "peak of the process": told["peak"],
        "peak beyond the process before": told["peak"] - told["before"],
        "of files in memory, at the end (libraries, the mapped corpus)": told["mapped"],
        "of counts of pairs, which the model keeps for partial_fit": told["pairs"],
    }
    for name, n_bytes in rows.items():
        print(f"| {name} | {n_bytes / MB:.0f} |")
    print(f"\nIt took {told['seconds']:.1f} s on {args.threads} threads")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--gensim-words", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="keep the encoded corpus in this directory")
    parser.add_argument("--memory-child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory_child:
        memory_child(args.corpus, args.threads)
        return
    with tempfile.TemporaryDirectory() as temporary:
        keep = args.keep or Path(temporary) / "corpus"
        directory = encoded(args.corpus, keep)
        corpus = EncodedCorpus.load(directory)
        print(corpus)
        speed_table(corpus, args, temporary)
        vocabulary_table(corpus, args)
        memory_table(directory, args)


if __name__ == "__main__":
    main()
