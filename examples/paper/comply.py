"""Whether order helps: Comply's sentence codes beside bags of words, on pairs of sentences.

    python examples/paper/comply.py CORPUS --sts sts-dev.csv --sts sts-train.csv

CORPUS is a text with one sentence a line. Weights are learned from it by ``learning="comply"``,
once as it is and once with the words of each sentence shuffled; and, to compare with, by the
default rule. The hash length is fixed beforehand (``--hash-length``; 51 of 400 cells, as in their
code). Scores are 100 times Spearman's rank correlation.
"""

import argparse
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from skfly import FlyHashVectorizer, TextLines
from skfly.evaluation import Table, read_sts, sentence_similarity
from skfly.model import PhaseCoder
from skfly.rules.comply import start_weights


class Unordered(PhaseCoder):
    """The same cells without order: every word stands in the middle of its sentence."""

    @property
    def sequences(self):
        raise AttributeError("order is not read")


def without_order(model):
    return replace(model, coder=Unordered(**model.coder.arrays))


def untrained(model, seed):
    """Return the model with weights that have not learned anything."""
    shape = (model.n_words, model.n_cells)
    weights = start_weights(shape, np.random.default_rng(seed))
    return replace(model, coder=PhaseCoder(np.abs(weights), np.angle(weights)))


def shuffled(lines, seed):
    random = np.random.default_rng(seed)
    return [" ".join(random.permutation(line.split())) for line in lines]


def models(lines, params, seed):
    """Yield names and models."""
    params = params | {"random_state": seed, "sentence_splitter": None}

    def learned(rule, text):
        fly = FlyHashVectorizer(learning=rule, **params).fit(text)
        return fly.model_.with_(document_cells="words")

    plain = learned("lloyd", lines)
    yield "lloyd, bag of words", plain
    ordered = learned("comply", lines)
    random = untrained(ordered, seed)
    yield "random weights, in order", random
    yield "random weights, bag of words", without_order(random)
    yield "comply, in order", ordered
    yield "comply, bag of words", without_order(ordered)
    unordered = learned("comply", shuffled(lines, seed))
    yield "comply of shuffled sentences, bag of words", without_order(unordered)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sts", type=Path, action="append", required=True)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--hash-length", type=int, default=51)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int)
    given = parser.parse_args()
    data = [read_sts(path) for path in given.sts]
    text = (line for line in TextLines(given.corpus) if line.strip())
    lines = list(islice(text, given.lines))
    params = {
        "n_kenyon_cells": given.cells,
        "hash_length": given.hash_length,
        "n_jobs": given.jobs,
    }
    rows = []
    for name, model in models(lines, params, given.seed):
        found = sentence_similarity(model, data)
        rows.append({"codes": name} | {row.dataset: row.spearman for row in found.rows})
        print(rows[-1], file=sys.stderr, flush=True)
    print(Table(rows))


if __name__ == "__main__":
    main()
