"""When short documents need cells of their own, instead of the cells of words.

    python examples/benchmarks/short_texts.py CORPUS --sts sts-dev.csv --data trec/ sst2/

CORPUS has one sentence a line. The first table has the scores of sentences on the STS Benchmark
after learning from some of its sentences, drawn at random; the second the accuracy of a ridge
classifier on two folds of the training texts of each dataset, and how many of the ten nearest
texts have the label of the query. Both are for a model with document cells, and for the same one
without.
"""

import argparse
import copy
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold

from skfly import FlyHashVectorizer, TextLines
from skfly.evaluation import (
    load_labelled_texts,
    neighbor_precision,
    read_sts,
    sentence_similarity,
)
from skfly.fit import _documents


def both(n_cells, hash_length, texts, **params):
    """Return a fly with document cells, however much text there is, and one without."""
    _documents._LITTLE_TEXT = float("inf")  # the limit that these tables are to choose
    fly = FlyHashVectorizer(n_cells, hash_length, random_state=0, **params).fit(texts)
    assert fly.model_.document_coder is not None
    return fly, copy.copy(fly).set_params(document_cells="words")


def drawn(sentences, n_words, random):
    """Return sentences with about this many words in all."""
    order = random.permutation(len(sentences))
    lengths = np.array([sentences[i].count(" ") + 1 for i in order])
    return [sentences[i] for i in order[: np.searchsorted(np.cumsum(lengths), n_words)]]


def sentences_table(args):
    sentences = [line for line in TextLines(args.corpus) if line.strip()]
    random, pairs = np.random.default_rng(0), read_sts(args.sts)
    print("| words of sentences | document cells | word cells |\n|---|---|---|")
    for n_words in args.words:
        texts = drawn(sentences, n_words, random)
        scores = [
            sentence_similarity(fly, pairs).rows[0].spearman
            for fly in both(args.cells, args.hash_length, texts)
        ]
        print(f"| {n_words:,.0f} | {scores[0]:.1f} | {scores[1]:.1f} |", flush=True)


def labels_table(args):
    print("\n| texts | document cells: accuracy, P@10 | word cells |\n|---|---|---|")
    for path in args.data:
        data = load_labelled_texts(path)
        texts, labels = np.array(data.train_texts, object), np.array(data.train_labels)
        found = []
        folds = StratifiedKFold(3, shuffle=True, random_state=0).split(texts, labels)
        for train, test in list(folds)[:2]:
            for fly in both(args.cells, args.hash_length, texts[train].tolist()):
                codes, queries = fly.transform(texts[train]), fly.transform(texts[test])
                model = RidgeClassifier().fit(codes, labels[train])
                topics = labels[train].tolist(), labels[test].tolist()
                near = neighbor_precision(codes, queries, *topics, n=(10,))
                found.append((100 * model.score(queries, labels[test]), near[0]))
        means = np.reshape(found, (2, 2, 2)).mean(axis=0)
        cells = (f"{accuracy:.1f}, {near:.1f}" for accuracy, near in means)
        print(f"| {data.name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sts", type=Path)
    parser.add_argument("--data", type=Path, nargs="*", default=[])
    parser.add_argument("--words", type=float, nargs="+", default=[1e5, 3e5, 1e6, 5e6])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--hash-length", type=int, default=48)
    args = parser.parse_args()
    if args.sts:
        sentences_table(args)
    if args.data:
        labels_table(args)


if __name__ == "__main__":
    main()
