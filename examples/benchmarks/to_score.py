"""Time to a score: how long the fly takes to be as good as hashed word2vec.

    python examples/benchmarks/to_score.py CORPUS.txt[.xz] --wordsim MEN.txt --words 5000000

The score to reach is that of gensim's skip-gram (300 dimensions, 5 epochs), hashed by RandExp to
``--hash-length`` of 400 cells, in the mean of five draws. The fly is trained with 1, 2, 4, ...
epochs until it is there. Each is timed whole, from the encoded corpus to the end of training, on
``--threads`` threads.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from _text import WORD2VEC, read_corpus

from skfly import FlyHashVectorizer
from skfly.binarize import RandExp
from skfly.evaluation import word_similarity


def mean_score(table):
    return float(np.mean([row.spearman for row in table.rows]))


def score_to_reach(corpus, args):
    """Return the score of hashed word2vec, the words it knows and the seconds of training."""
    from gensim.models import Word2Vec

    began = time.perf_counter()
    vectors = Word2Vec(corpus, **WORD2VEC, workers=args.threads, seed=0).wv
    seconds = time.perf_counter() - began
    scores = []
    for seed in range(5):
        hasher = RandExp(n_cells=400, hash_length=args.hash_length, random_state=seed)
        codes = hasher.fit_transform(vectors.vectors).toarray()
        by_word = dict(zip(vectors.index_to_key, codes, strict=True))
        scores.append(mean_score(word_similarity(by_word, args.wordsim, measure="sokal-michener")))
    return float(np.mean(scores)), set(vectors.index_to_key), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wordsim", type=Path, required=True, help="a file of word pairs")
    parser.add_argument("--words", type=int, help="use only about so many words of the text")
    parser.add_argument("--hash-length", type=int, default=51)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        corpus = read_corpus(args.corpus, Path(temporary) / "corpus", args.words)
        params = {"learning": "lloyd", "sentence_splitter": None, "random_state": 0}
        params |= {"n_jobs": args.threads}
        FlyHashVectorizer(**params, n_epochs=1).fit(["to compile the kernels"] * 9)
        goal, known, word2vec_seconds = score_to_reach(corpus, args)
        print(f"{corpus.n_words:,} words, {args.threads} threads, k={args.hash_length}\n")
        print("| method | epochs | score | s | faster |\n|---|---|---|---|---|")
        print(f"| skip-gram 300d, RandExp | 5 | {goal:.1f} | {word2vec_seconds:.1f} | |")
        score, epochs = -np.inf, 1
        while score < goal and epochs <= 64:
            began = time.perf_counter()
            fly = FlyHashVectorizer(**params, n_epochs=epochs).fit(corpus)
            seconds = time.perf_counter() - began
            table = word_similarity(fly, args.wordsim, [args.hash_length], pairs_known_to=[known])
            score = mean_score(table)
            ratio = word2vec_seconds / seconds
            print(
                f"| fly | {epochs} | {score:.1f} | {seconds:.1f} | {ratio:.0f} times |", flush=True
            )
            epochs *= 2


if __name__ == "__main__":
    main()
