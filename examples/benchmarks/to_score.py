"""A whole fit, from a file of text to words, beside gensim's skip-gram: seconds and scores.

    python examples/benchmarks/to_score.py TEXT.txt[.xz] --wordsim MEN.txt WS353.txt RW.txt

TEXT has one sentence a line, of which the first ``--words`` are written to a file for the fly, and
their tokens, separated by spaces, to a file for gensim, which does not split text itself: that is
not counted. The fly has default parameters, ``--cells`` cells and codes of ``--hash-length`` ones;
reading is counted. gensim's skip-gram has 300 dimensions and 5 epochs (``_text.py`` has its
settings); its dense vectors are scored by their cosines, and hashed by RandExp to codes as long as
the fly's, in the mean of five draws. All score the pairs that both know. Each runs once: skip-gram
takes long.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from _text import WORD2VEC, first_words

from skfly import FlyHashVectorizer, TextLines
from skfly.binarize import RandExp
from skfly.evaluation import word_similarity


def timed(run):
    began = time.perf_counter()
    return run(), time.perf_counter() - began


def skip_gram(path, threads):
    from gensim.models import Word2Vec

    return Word2Vec(corpus_file=str(path), **WORD2VEC, workers=threads, seed=0).wv


def by_dataset(table):
    return {row.dataset: row.spearman for row in table.rows}


def hashed_scores(vectors, args, known):
    scores = []
    for seed in range(5):
        hasher = RandExp(n_cells=args.cells, hash_length=args.hash_length, random_state=seed)
        codes = hasher.fit_transform(vectors.vectors).toarray()
        by_word = dict(zip(vectors.index_to_key, codes, strict=True))
        table = word_similarity(
            by_word, args.wordsim, measure="sokal-michener", pairs_known_to=known
        )
        scores.append(by_dataset(table))
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--wordsim", type=Path, nargs="+", required=True, help="files of pairs")
    parser.add_argument("--words", type=int, help="use only about so many words of the text")
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--hash-length", type=int, default=51)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--save-vectors", type=Path, metavar="FILE.kv", help="for word_similarity.py"
    )
    args = parser.parse_args()
    params = {"sentence_splitter": None, "random_state": 0, "n_jobs": args.threads}
    params |= {"n_kenyon_cells": args.cells}
    FlyHashVectorizer(**params).fit(["to compile the kernels of text and learning"] * 20_000)
    with tempfile.TemporaryDirectory() as temporary:
        path, tokens = Path(temporary) / "text.txt", Path(temporary) / "tokens.txt"
        tokenize = FlyHashVectorizer(**params).build_analyzer()
        with path.open("w", encoding="utf-8") as file, tokens.open("w", encoding="utf-8") as split:
            for line in first_words(TextLines(args.text), args.words):
                file.write(f"{line}\n")
                split.write(" ".join(tokenize(line)) + "\n")
        fly, ours = timed(lambda: FlyHashVectorizer(**params).fit(TextLines(path)))
        vectors, theirs = timed(lambda: skip_gram(tokens, args.threads))
    if args.save_vectors is not None:
        vectors.save(str(args.save_vectors))
    known = [set(vectors.index_to_key), set(fly.vocabulary_)]
    results = {
        f"fly, {args.hash_length} of {args.cells} cells": (
            ours,
            by_dataset(
                word_similarity(fly, args.wordsim, [args.hash_length], pairs_known_to=known)
            ),
        ),
        "skip-gram 300d, dense": (
            theirs,
            by_dataset(word_similarity(vectors, args.wordsim, pairs_known_to=known)),
        ),
        "skip-gram 300d, RandExp": (theirs, hashed_scores(vectors, args, known)),
    }
    names = list(results["skip-gram 300d, dense"][1])
    print(f"{fly.n_words_seen_:,} words, {args.threads} threads\n")
    print(f"| method | seconds | skfly is | {' | '.join(names)} |")
    print("|---|---|---|" + "---|" * len(names))
    for method, (seconds, scores) in results.items():
        shown = " | ".join(f"{scores[name]:.1f}" for name in names)
        print(f"| {method} | {seconds:.1f} | {seconds / ours:.1f} times | {shown} |")


if __name__ == "__main__":
    main()
