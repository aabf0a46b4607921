"""Learning on shards of a corpus on a local Dask cluster: scores, and bytes a round.

    python examples/benchmarks/cluster.py CORPUS --wordsim DIR --words 5e6 --workers 1 4 --seeds 3

CORPUS is a text file with one sentence a line, or the directory of an encoded corpus, of which the
first ``--words`` are cut into as many shards as there are workers. ``local`` is ``fit`` in this
process; the score is that of MEN (100 times Spearman's correlation, codes of 16 cells). ``down``
is what each worker gets in a round, ``up`` what each shard sends, on average, in all levels of the
tree. ``--threads`` keeps the workers in this process: the same bytes, and no second process.

    python examples/benchmarks/cluster.py CORPUS --model MODEL --batches 1e5 1e6 4e6

counts one batch of each size with the synapses of a fitted model, and prints what a shard would
send, and the seconds on one core to apply, pack and add it and to compute new drives.
CORPUS is then the directory of an encoded corpus.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from _text import read_corpus, say
from distributed import Client, LocalCluster
from scipy import sparse

from skfly import EncodedCorpus, FlyHashVectorizer
from skfly.dask import DaskFlyHashVectorizer
from skfly.dask._shards import Counted, Plan, Shard, count_top, count_windows
from skfly.engine import drive_for, get_engine
from skfly.evaluation import load_word_pairs, word_similarity
from skfly.rules.lloyd import information_terms

MB = 1_000_000


def cut(corpus, n_shards, directory):
    """Save runs of neighbouring sentences as corpora of their own; return where."""
    aims = np.linspace(0, corpus.n_words, n_shards + 1)
    bounds = np.searchsorted(corpus.sentences, aims)
    bounds[-1] = corpus.n_sentences
    paths = []
    for i in range(n_shards):
        first, last = int(bounds[i]), int(bounds[i + 1])
        ids, lengths = corpus.block(first, last)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        words = corpus.vocabulary
        counts = np.bincount(ids[ids >= 0], minlength=len(words))
        shard = EncodedCorpus(
            ids, ends, ends, type(words)(list(words), counts), corpus.text_params
        )
        paths.append(Path(directory) / f"{n_shards}-{i}")
        shard.save(paths[-1])
    return paths


def show_bytes(corpus, model, sizes):
    """Print what a shard sends for a batch of each size."""
    fly = FlyHashVectorizer.load(model, mmap=True)
    drive = drive_for(fly.largest_synapse_, fly.window, 0.0)
    drives = get_engine().new_drives(fly.synapses_.shape)
    get_engine().set_drives(drives, fly.synapses_, drive)
    print(f"drives: {drives.nbytes / MB:.1f} MB")
    for size in sizes:
        plan = Plan(
            words=list(fly.vocabulary_),
            counts=fly.word_counts_,
            subsample=fly.subsample_,
            n_batches=max(1, round(corpus.n_words / size)),
            block_size=32,
            seed=0,
            backend="auto",
            n_threads=1,
        )
        shard, at = Shard(0, corpus), (0, 0)
        kinds = {
            "winners": count_windows(shard, plan, at, drives, fly.window, True),
            "consensus": count_top(shard, plan, at, drives, fly.window, True, fly.n_active_),
        }
        for kind, counted in kinds.items():
            print(
                f"{corpus.n_words / plan.n_batches:12,.0f} words, {kind}: "
                f"{counted.cell_sizes.sum():,} windows, {len(counted.cells):,} counts, "
                f"{counted.nbytes / MB:.1f} MB",
                flush=True,
            )
        show_seconds(fly, drives, kinds["winners"])


def show_seconds(fly, drives, counted):
    """Print the seconds of a core that a round takes beside its windows."""
    backend = get_engine("numba", 1)
    sums, rates = np.zeros(drives.shape, np.float32), np.ones(len(drives) // 2, np.float32)
    cells, words = np.ones((2, drives.shape[1])), np.ones(len(drives))
    drive, terms = drive_for(8.0, fly.window, 0.0), information_terms(words, cells, 1.0)

    work = {
        "apply": lambda: counted.add_to(sums, rates, drives),
        # what was applied just now
        "pack": lambda: Counted.of(
            sparse.csr_array(sums), counted.occurrences, counted.cell_sizes
        ),
        "add two": lambda: counted + counted,
        "new drives": lambda: backend.information_drives(drives, sums, terms, drive),
    }
    drives = drives.copy()
    for name, do in work.items():
        do()
        began = time.process_time()
        do()
        print(f"    {name}: {time.process_time() - began:.3f} s", end=",")
    print(flush=True)


def score(fly, datasets):
    (row,) = word_similarity(fly, datasets, [16]).rows
    return row.spearman


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wordsim", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--batches", type=float, nargs="+", default=[1e5, 1e6, 4e6])
    parser.add_argument("--words", type=float, default=5e6)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=None)
    parser.add_argument("--threads", action="store_true")
    args = parser.parse_args()
    if args.model is not None:
        show_bytes(EncodedCorpus.load(args.corpus), args.model, args.batches)
        return
    datasets = [data for data in load_word_pairs(args.wordsim) if data.name == "MEN"]
    params = {"n_kenyon_cells": args.cells, "learning": "lloyd", "sentence_splitter": None}
    params |= {"n_epochs": args.epochs} if args.epochs else {}
    with tempfile.TemporaryDirectory() as temporary:
        corpus = read_corpus(args.corpus, Path(temporary) / "corpus", int(args.words))
        print(f"{corpus.n_words:,} words, {args.seeds} seeds")
        say("local")
        runs = [
            FlyHashVectorizer(**params, random_state=seed).fit(corpus)
            for seed in range(args.seeds)
        ]
        show("local", [score(fly, datasets) for fly in runs])
        for n_workers in args.workers:
            paths = cut(corpus, n_workers, temporary)
            with (
                LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    processes=not args.threads,
                    dashboard_address=":0",
                ) as cluster,
                Client(cluster) as client,
            ):
                scores = []
                for seed in range(args.seeds):
                    say(f"{n_workers} workers, seed {seed}")
                    fly = DaskFlyHashVectorizer(client=client, **params, random_state=seed)
                    began = time.perf_counter()
                    fly.fit(paths)
                    seconds = time.perf_counter() - began
                    scores.append(score(fly.to_local(), datasets))
                n_rounds, down, up = fly.traffic_
                show(f"{n_workers} workers", scores)
                print(
                    f"    {n_rounds} rounds of {fly.batch_size_:,} words, {seconds:.1f} s; "
                    f"a round: {down / n_rounds / MB:.1f} MB down to each worker, "
                    f"{up / n_rounds / n_workers / MB:.1f} MB up from each shard"
                )


def show(name, scores):
    spread = statistics.stdev(scores) if len(scores) > 1 else 0.0
    each = ", ".join(f"{value:.1f}" for value in scores)
    print(f"{name:12} MEN {statistics.mean(scores):.1f}, std {spread:.1f} ({each})", flush=True)


if __name__ == "__main__":
    main()
