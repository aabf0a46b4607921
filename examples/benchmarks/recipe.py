"""The effect of each choice of the recipe: one change at a time, by the length of the text.

    python examples/benchmarks/recipe.py CORPUS.txt[.xz] --wordsim DIR --csv recipe.csv

For the first 1, 5, 20 million words of CORPUS (one sentence a line) and all of it, flies are
trained with ``learning="lloyd"`` and with one parameter changed, ``--seeds`` times each. It
prints one table per length: the mean score over MEN, WS353, SimLex and MTurk-287 (100 times
Spearman's correlation), for three hash lengths, with its standard deviation over the seeds.
Choose by the first half of the pairs; the second half shows the effect of the choice. ``--csv``
keeps every single score.
"""

import argparse
import csv
import math
import os
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _text import read_corpus, say

from skfly import EncodedCorpus, FlyHashVectorizer
from skfly._params import RULE_PARAMS
from skfly.evaluation import load_word_pairs, word_similarity
from skfly.rules import RULES, CorpusSize
from skfly.rules.lloyd import LloydRule

DATASETS = ("MEN", "WS353", "SimLex", "MTurk-287")
HASH_LENGTHS = (4, 16, 51)
HALVES = ("first", "second")
IN_PARTS = "partial_fit in ten parts"
AUTO = dict.fromkeys(RULE_PARAMS, "auto")


def variants(n_words):
    """Return the parameters of each variant, by its name."""
    auto = LloydRule.resolve(AUTO, CorpusSize(n_words, 20_000, 400))
    return {
        "default": {},
        "window of 7": {"window": 7},
        "window of 15": {"window": 15},
        "whole windows only": {"truncate_windows": False},
        "a third of the shrinkage": {"shrinkage": auto.shrinkage / 3},
        "three times the shrinkage": {"shrinkage": auto.shrinkage * 3},
        "a third of the subsampling threshold": {"subsample": auto.subsample / 3},
        "ten times the subsampling threshold": {"subsample": min(1.0, auto.subsample * 10)},
        "half the epochs": {"n_epochs": auto.n_epochs // 2},
        "twice the epochs": {"n_epochs": auto.n_epochs * 2},
        "remembers half as long": {"rule": Forgetful},
        "remembers twice as long": {"rule": Mindful},
        "cells begin from one window": {"rule": BeginsSmall},
        "cells begin from up to 50 windows": {"rule": BeginsLarge},
        "idle cells are not begun again": {"rule": LeavesIdle},
        "a fourth of the batches": {"batch_size": 4 * auto.batch_size},
        "sentences shuffled one by one": {"block": 1},
        "consensus of four times the cells": {"n_active": 4 * auto.n_active},
        "consensus of a fourth of the cells": {"n_active": max(1, auto.n_active // 4)},
        "codes of words from synapses": {"word_codes": "synapses"},
        "no connections": {"decorrelation": None},
        "connections, no decorrelation": {"decorrelation": 0.0},
        "connections, decorrelation 0.5": {"decorrelation": 0.5},
        "three cells learn from a window": {"rule": Ranked},
        IN_PARTS: {},
        "1,000 cells": {"n_kenyon_cells": 1000},
    }


class Forgetful(LloydRule):
    """What was counted fades twice as fast."""

    def __init__(self, task):
        super().__init__(task)
        self._fading = min(1.0, 2 * self._fading)


class Mindful(LloydRule):
    """What was counted fades half as fast."""

    def __init__(self, task):
        super().__init__(task)
        self._fading /= 2


class BeginsLarge(LloydRule):
    """Cells begin from up to a tenth of the first batch, whatever its size."""

    def _start(self, batch, random):
        with patch("skfly.rules.lloyd._START_SHARE", 10):
            super()._start(batch, random)


class BeginsSmall(LloydRule):
    """A cell begins from one window."""

    def _start(self, batch, random):
        with patch("skfly.rules.lloyd._START_WINDOWS", 1):
            super()._start(batch, random)


class LeavesIdle(LloydRule):
    """A cell that wins nothing for an epoch stays as it is."""

    def _end_epoch(self):
        self._won[:] = 1
        super()._end_epoch()


class Ranked(LloydRule):
    """Not only the winner learns: the three most active cells do, with weights 1, 1/2 and 1/4."""

    _batch = None

    def _learn(self, batch, epoch):
        self._batch = batch
        report = super()._learn(batch, epoch)
        self._batch = None
        return report

    def _add(self, counts):
        energy = super()._add(counts)
        if self._batch is None:  # cells that begin take only what is drawn for them
            return energy
        task, batch, scale = self._task, self._batch, self._scale
        truncate = task.settings.truncate_windows
        ranked = task.engine._top_of_windows(self._drives, *batch, task.window, truncate, 3)
        for rank, weight in ((1, 0.5), (2, 0.25)):
            self._scale = scale / weight  # what is added is divided by it
            cells = np.where(counts._winners >= 0, ranked[:, rank], -1)
            super()._add(
                task.counter.count_given(
                    np.ascontiguousarray(cells), batch, task.window, task.n_cells
                )
            )
        self._scale = scale
        return energy


def train(corpus, name, params, seed, threads):
    params = dict(params)
    rule = params.pop("rule", LloydRule)
    block = params.pop("block", LloydRule.block_size)
    params |= {"learning": "lloyd", "sentence_splitter": None, "n_jobs": threads}
    fly = FlyHashVectorizer(**params, random_state=seed)
    with patch.dict(RULES, lloyd=rule), patch.object(rule, "block_size", block):
        return fly.fit(corpus) if name != IN_PARTS else fit_in_parts(fly, corpus)


def fit_in_parts(fly, corpus):
    words = np.array(corpus.vocabulary.words, dtype=object)
    fly.set_params(vocabulary=words[: fly.max_features].tolist())
    bounds = np.linspace(0, corpus.n_sentences, 11).astype(int)
    for first, last in pairwise(bounds.tolist()):
        ids, lengths = corpus.block(first, last)
        part = EncodedCorpus(
            np.asarray(ids),
            np.concatenate([[0], np.cumsum(lengths)]),
            np.array([0, len(ids)]),
            corpus.vocabulary,
        )
        fly.partial_fit(part)
    return fly


def score(fly, datasets):
    """Return the scores of a fly by half, hash length and dataset."""
    scores = {}
    for half in HALVES:
        table = word_similarity(fly, datasets, HASH_LENGTHS, half=half)
        for row in table.rows:
            scores[half, row.hash_length, row.dataset] = row.spearman
    return scores


def cell(scores, half, k):
    """Return mean and standard deviation over the seeds, as text."""
    by_seed = [np.mean([one[half, k, name] for name in DATASETS]) for one in scores]
    deviation = f" +- {np.std(by_seed, ddof=1):.1f}" if len(by_seed) > 1 else ""
    return f"{np.mean(by_seed):.1f}{deviation}"


def study(corpus, datasets, args, writer):
    columns = [(half, k) for half in HALVES for k in HASH_LENGTHS]
    print(f"\n{corpus.n_words:,} words, {args.seeds} seeds\n")
    print("| variant | " + " | ".join(f"{half} half, k={k}" for half, k in columns) + " | s |")
    print("|---" * (len(columns) + 2) + "|", flush=True)
    for name, params in variants(corpus.n_words).items():
        if args.only and name not in args.only:
            continue
        scores, seconds = [], []
        for seed in range(args.seeds):
            began = time.perf_counter()
            fly = train(corpus, name, params, seed, args.threads)
            seconds.append(time.perf_counter() - began)
            scores.append(score(fly, datasets))
            for (half, k, dataset), value in scores[-1].items():
                writer(corpus.n_words, name, seed, half, k, dataset, value)
        cells = " | ".join(cell(scores, *column) for column in columns)
        print(f"| {name} | {cells} | {np.mean(seconds):.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--wordsim", type=Path, required=True)
    parser.add_argument("--words", type=float, nargs="+", default=[1e6, 5e6, 20e6, math.inf])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="VARIANT", help="only these variants")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--csv", type=Path, help="append every score to this file")
    args = parser.parse_args()
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    datasets = [data for data in load_word_pairs(args.wordsim) if data.name in DATASETS]

    def writer(*row):
        if args.csv is not None:
            with args.csv.open("a", newline="") as file:
                csv.writer(file).writerow(row)

    for n_words in args.words:
        with tempfile.TemporaryDirectory() as temporary:
            wanted = None if math.isinf(n_words) else int(n_words)
            corpus = read_corpus(args.corpus, Path(temporary) / "corpus", wanted)
            study(corpus, datasets, args, writer)


if __name__ == "__main__":
    main()
