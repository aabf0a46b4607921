"""The effect of each choice of the recipe on documents: nearest paragraphs of the same article.

    python examples/benchmarks/paragraphs.py

Flies learn from a hundred Wikipedia articles that come with gensim, with the variants of
``recipe.py``, ``--seeds`` times each. The codes of all paragraphs are compared by the cells that
they share: in how many of a hundred cases is the nearest from the same article, and how many of
the nearest five are? Means and standard deviations over the seeds.
"""

import argparse
import warnings
from unittest.mock import patch

import numpy as np
from _text import say
from recipe import IN_PARTS, variants
from sklearn.preprocessing import normalize

from skfly import FlyHashVectorizer
from skfly.demo import PARAMS, read_articles
from skfly.rules import RULES
from skfly.rules.lloyd import LloydRule

LLOYD = PARAMS | {"learning": "lloyd"}
LEAST_CHARACTERS = 300
LEAST_PARAGRAPHS = 5
CODES = {
    "codes, k=16": {"hash_length": 16},
    "codes, k=32": {"hash_length": 32},
    "counts": {"hash_length": 32, "document_codes": "counts"},
}


def paragraphs(articles):
    """Return paragraphs and the number of the article of each, of articles that have some."""
    by_article = [
        [text for text in article.split("\n\n") if len(text) >= LEAST_CHARACTERS]
        for article in articles
    ]
    found = [
        (text, number)
        for number, texts in enumerate(by_article)
        if len(texts) >= LEAST_PARAGRAPHS
        for text in texts
    ]
    return [text for text, _ in found], np.array([number for _, number in found])


def from_the_same(codes, articles):
    """Return how many of 100 nearest, and of 100 among the nearest five, are of the article."""
    similar = (codes @ codes.T).toarray()
    np.fill_diagonal(similar, -1)
    # ties: by chance, the same for all
    similar += 1e-6 * np.random.default_rng(0).random(similar.shape)
    nearest = np.argsort(-similar, axis=1)[:, :5]
    same = articles[nearest] == articles[:, None]
    return 100 * same[:, 0].mean(), 100 * same.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="VARIANT", help="only these variants")
    args = parser.parse_args()
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    articles = read_articles()
    texts, numbers = paragraphs(articles)
    n_words = FlyHashVectorizer(**PARAMS).fit(articles).n_words_seen_
    print(f"{len(texts):,} paragraphs, {n_words:,} words, {args.seeds} seeds\n")
    columns = [f"{name}, {which}" for name in CODES for which in ("nearest", "of five")]
    print("| variant | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for name, params in variants(n_words).items():
        if name == IN_PARTS or "block" in params or (args.only and name not in args.only):
            continue
        rule = params.pop("rule", LloydRule)
        rows = []
        for seed in range(args.seeds):
            fly = FlyHashVectorizer(**(LLOYD | params | {"random_state": seed}))
            with patch.dict(RULES, lloyd=rule):
                fly.fit(articles)
            rows.append([])
            for changes in CODES.values():
                codes = fly.set_params(**changes).transform(texts).astype(np.float64)
                rows[-1] += from_the_same(normalize(codes), numbers)
        means, spread = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        cells = [f"{a:.1f} +- {b:.1f}" for a, b in zip(means, spread, strict=True)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
