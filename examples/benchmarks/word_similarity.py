"""Word similarity by hash length: the fly beside word2vec and its hashes, on the same text.

    python examples/benchmarks/word_similarity.py CORPUS.txt[.xz] --wordsim DIR

CORPUS has one sentence a line, or is the directory of an encoded corpus. On it are trained

- the fly with the published rule (``learning="hebbian"``, ``word_codes="synapses"``),
- the fly with default parameters, and once with 1,000 cells,
- gensim's skip-gram (300 dimensions, window 5, 5 negatives, 5 epochs, frequent words thinned out
  at 1e-4), whose vectors, less their mean, are hashed by LSH and ITQ (k bits) and RandExp (k of
  400 cells).

Flies are trained ``--seeds`` times (the published rule, which takes long, ``--hebbian-seeds``
times), the hashes are drawn 5 times; means (and standard deviations) are shown. All are scored on
the pairs that all know. It prints two tables: the training, and the scores, with the bytes of a
word's code: all cells packed as bits, or the numbers of the active cells in 2 bytes each,
whichever is less.
"""

import argparse
import os
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
from _text import WORD2VEC, read_corpus, say
from scipy.sparse import issparse

from skfly import FlyHashVectorizer
from skfly.binarize import ITQ, LSH, RandExp
from skfly.evaluation import load_vectors, load_word_pairs, mean_over_seeds, word_similarity

HEBBIAN = "fly, hebbian as published"
DEFAULT = "fly, default"
WIDE = "fly, 1,000 cells"
DENSE = "skip-gram 300d, dense"
RUNS = 5
HASH_LENGTHS = (4, 8, 16, 32, 51, 64, 128)


def train_flies(corpus, args, n_seeds, **params):
    flies, seconds = [], []
    for seed in range(n_seeds):
        fly = FlyHashVectorizer(
            **params, sentence_splitter=None, n_jobs=args.threads, random_state=seed
        )
        began = time.perf_counter()
        flies.append(fly.fit(corpus))
        seconds.append(time.perf_counter() - began)
        say(f"trained {params or 'default'} with seed {seed} in {seconds[-1]:.1f} s")
    return flies, float(np.mean(seconds))


def train_word2vec(corpus, args):
    """Return the vectors, and the seconds of training; None if they were trained before."""
    from gensim.models import Word2Vec

    if args.save_vectors is not None and args.save_vectors.exists():
        say(f"using {args.save_vectors}")
        return load_vectors(args.save_vectors, trusted=True), None
    began = time.perf_counter()
    vectors = Word2Vec(corpus, **WORD2VEC, workers=args.threads, seed=0).wv
    seconds = time.perf_counter() - began
    say(f"trained skip-gram in {seconds:.0f} s")
    if args.save_vectors is not None:
        vectors.save(str(args.save_vectors))
    return vectors, seconds


def hashed(vectors, words, datasets, common):
    """Yield hash length, method, bytes a word and rows of the hashes of vectors."""
    X = np.stack([vectors[word] for word in words])

    def mean(hashers):
        tables = []
        for hasher in hashers:
            codes = hasher.fit(vectors.vectors).transform(X)
            codes = codes.toarray() if issparse(codes) else codes
            by_word = dict(zip(words, codes, strict=True))
            tables.append(
                word_similarity(
                    by_word, datasets, measure="sokal-michener", pairs_known_to=[common]
                )
            )
        return mean_over_seeds(tables).rows

    for k in HASH_LENGTHS:
        cells = (RandExp(400, k, random_state=run) for run in range(RUNS))
        yield k, "skip-gram, RandExp", code_bytes(400, k), mean(cells)
        for binarizer in (LSH, ITQ):
            bits = (binarizer(n_bits=k, random_state=run) for run in range(RUNS))
            yield k, f"skip-gram, {binarizer.__name__}", -(-k // 8), mean(bits)


def by_length(table):
    """Return the rows of a table by hash length, one of them for each dataset."""
    lengths = table.values("hash_length")
    return {k: [row for row in table.rows if row.hash_length == k] for k in lengths}


def score_text(row):
    return "-" if row.spearman is None else f"{row.spearman:.1f}"


def print_scores(results, datasets):
    """Print rows by hash length; ``results`` has (k, method, bytes a word, rows)."""
    names = [data.name for data in datasets]
    print("\n| hash length | method | bytes a word | " + " | ".join(names) + " |")
    print("|---" * (3 + len(names)) + "|")
    order = sorted(results, key=lambda result: (result[0] is None, result[0] or 0))
    for before, (k, method, n_bytes, rows) in pairwise([(None,), *order]):
        label = "" if before[0] == k and k is not None else "dense" if k is None else k
        scores = " | ".join(map(score_text, rows))
        print(f"| {label} | {method} | {n_bytes:,} | {scores} |")
    pairs = " | ".join(f"{row.n_pairs} of {row.n_pairs_in_all}" for row in order[-1][3])
    print(f"| pairs | known to all | | {pairs} |")


def code_bytes(n_cells, k):
    return min(-(-n_cells // 8), 2 * k)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wordsim", type=Path, help="a directory or a file of word pairs")
    parser.add_argument("--words", type=int, help="use only about so many words of the text")
    parser.add_argument("--seeds", type=int, default=3, help="flies to train of each kind")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--learning", default="whiten", help="the rule of the other flies")
    parser.add_argument("--hebbian-seeds", type=int, default=1, help="0: without it")
    parser.add_argument("--keep", type=Path, help="keep the encoded corpus in this directory")
    parser.add_argument(
        "--save-vectors", type=Path, metavar="FILE.kv", help="keep word2vec's vectors here"
    )
    args = parser.parse_args()
    if args.save_vectors is not None and args.save_vectors.suffix != ".kv":
        parser.error("--save-vectors must end in .kv")
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    datasets = load_word_pairs(args.wordsim)
    with tempfile.TemporaryDirectory() as temporary:
        corpus = read_corpus(args.corpus, args.keep or Path(temporary) / "corpus", args.words)
        print(corpus, flush=True)
        compare(corpus, datasets, args)


def compare(corpus, datasets, args):
    flies = {}
    if args.hebbian_seeds:
        flies[HEBBIAN] = train_flies(
            corpus, args, args.hebbian_seeds, learning="hebbian", word_codes="synapses"
        )
    rule = {"learning": args.learning}
    flies[DEFAULT] = train_flies(corpus, args, args.seeds, **rule)
    flies[WIDE] = train_flies(corpus, args, 1, n_kenyon_cells=1000, **rule)
    vectors, seconds = train_word2vec(corpus, args)
    vocabularies = [trained[0].vocabulary_ for trained, _ in flies.values()]
    common = set(vectors.key_to_index).intersection(*vocabularies)

    print(f"\nTraining, {args.threads} threads\n")
    print("| method | runs | mean seconds | words known |\n|---|---|---|---|")
    for name, (trained, mean_seconds) in flies.items():
        n_words = len(trained[0].vocabulary_)
        print(f"| {name} | {len(trained)} | {mean_seconds:.1f} | {n_words:,} |")
    shown = "trained before" if seconds is None else f"{seconds:.1f}"
    print(f"| {DENSE} | 1 | {shown} | {len(vectors):,} |")

    results = []
    for name, (trained, _) in flies.items():
        mean = mean_over_seeds(
            word_similarity(fly, datasets, HASH_LENGTHS, pairs_known_to=[common])
            for fly in trained
        )
        cells = trained[0].n_features_out_
        results += [(k, name, code_bytes(cells, k), rows) for k, rows in by_length(mean).items()]
    dense = word_similarity(vectors, datasets, pairs_known_to=[common])
    results.append((None, DENSE, 4 * vectors.vector_size, dense.rows))
    words = {key for data in datasets for word in data.words for key in (word, word.lower())}
    known = sorted(word for word in words if word in vectors)
    results += hashed(vectors, known, datasets, common)
    print_scores(results, datasets)


if __name__ == "__main__":
    main()
