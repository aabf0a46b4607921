"""A pretrained model on a few of your texts: as it is, adapted, or trained from scratch.

    python examples/benchmarks/adapting.py 20news-bydate.tar.xz

20 Newsgroups without headers, footers and quotes: ``--texts`` training texts are drawn
``--draws`` times, and a logistic regression on the codes is scored on all test texts. With
``--development`` it is scored on the training texts that were not drawn, to choose settings.
"""

import argparse

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer
from skfly.evaluation import read_20newsgroups

CELLS = {"n_kenyon_cells": 1000, "hash_length": 64, "document_codes": "graded"}
WAYS = {
    "trained from scratch": {},
    "trained from scratch, word cells": {"document_cells": "words"},
    'pretrained="en", adapt="nothing"': {"pretrained": "en", "adapt": "nothing"},
    'pretrained="en", adapt="documents"': {"pretrained": "en", "adapt": "documents"},
    'pretrained="en", adapt="words"': {"pretrained": "en", "adapt": "words"},
    'pretrained="en", adapt="words", document_cells="words"': {
        "pretrained": "en",
        "adapt": "words",
        "document_cells": "words",
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--development", action="store_true")
    args = parser.parse_args()
    news = read_20newsgroups(args.path, headers=False, footers=False, quotes=False)
    texts = np.array(news.train_texts, dtype=object)
    labels = np.array(news.train_labels, dtype=object)
    scores = {way: [] for way in WAYS}
    for draw in range(args.draws):
        order = np.random.default_rng(draw).permutation(len(texts))
        drawn, rest = order[: args.texts], order[args.texts :][:3000]
        seen = (
            (texts[rest], labels[rest])
            if args.development
            else (
                news.test_texts,
                news.test_labels,
            )
        )
        for way, params in WAYS.items():
            fly = FlyHashVectorizer(**CELLS, **params, random_state=draw)
            pipeline = make_pipeline(fly, LogisticRegression(C=10, max_iter=1000))
            pipeline.fit(list(texts[drawn]), list(labels[drawn]))
            scores[way].append(100 * pipeline.score(list(seen[0]), list(seen[1])))
    print(f"accuracy in percent, {args.texts} training texts, mean and deviation of draws\n")
    for way, found in scores.items():
        print(f"{way:56} {np.mean(found):5.1f} ± {np.std(found):.1f}", flush=True)


if __name__ == "__main__":
    main()
