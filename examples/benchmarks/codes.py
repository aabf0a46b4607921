"""Word similarity by hash length: the fly beside all binarisations of dense vectors.

    python examples/benchmarks/codes.py CORPUS --wordsim DIR --vectors glove.txt.xz \
        --save-vectors word2vec.kv --csv codes.csv

The paper's appendix C: LSH, RandExp, ITQ, spectral hashing, PCAH, near-lossless binarisation and
top k, of gensim's skip-gram vectors trained on CORPUS and of each file of ``--vectors``; beside
flies trained on CORPUS, or read from ``--model``. The mean of five runs where a method draws
numbers, over the pairs that all know.
"""

import argparse
import os
import sys
import tempfile
import warnings
from pathlib import Path

from _text import read_corpus, say
from word_similarity import train_flies, train_word2vec

from skfly import FlyHashVectorizer
from skfly.evaluation import load_vectors

sys.path.append(str(Path(__file__).parents[1] / "paper"))

from compare_codes import compare_codes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wordsim", type=Path, help="a directory or a file of word pairs")
    parser.add_argument("--vectors", type=Path, action="append", default=[])
    parser.add_argument(
        "--model", type=Path, action="append", default=[], help="trained before, with other seeds"
    )
    parser.add_argument("--seeds", type=int, default=3, help="flies to train, without --model")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--words", type=int, help="use only about so many words of the text")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, help="keep the encoded corpus in this directory")
    parser.add_argument(
        "--save-vectors", type=Path, metavar="FILE.kv", help="keep word2vec's vectors here"
    )
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    vectors = {path.name.split(".")[0]: load_vectors(path) for path in args.vectors}
    with tempfile.TemporaryDirectory() as temporary:
        corpus = read_corpus(args.corpus, args.keep or Path(temporary) / "corpus", args.words)
        flies = [FlyHashVectorizer.load(path) for path in args.model]
        if not flies:
            flies, _ = train_flies(corpus, args, args.seeds)
        vectors["word2vec"], _ = train_word2vec(corpus, args)
    table = compare_codes({"fly": flies}, vectors, args.wordsim, n_runs=args.runs, on_progress=say)
    if args.csv is not None:
        table.to_csv(args.csv)
    print(table)


if __name__ == "__main__":
    main()
