"""Nearest words of a word in two contexts: figure 4 of the paper.

    python examples/words_in_context.py

reads some Wikipedia articles; with a model of a large text

    skfly train CORPUS -o en.skfly
    python examples/words_in_context.py en.skfly

contexts are told apart: the company has other neighbours than the fruit.
"""

import sys

from skfly import FlyHashVectorizer
from skfly.evaluation import context_neighbors

USES_IN_ARTICLES = [
    ("state", "the governor of the state of Alabama"),
    ("state", "the oxidation state of the metal"),
    ("apollo", "the crew of Apollo landed on the Moon"),
    ("apollo", "Apollo was the god of prophecy, son of Zeus and Leto"),
]


def main():
    if len(sys.argv) > 1:
        table = context_neighbors(FlyHashVectorizer.load(sys.argv[1]))
    else:
        from _texts import fly_of_articles

        table = context_neighbors(fly_of_articles(), USES_IN_ARTICLES)
    for row in table.rows:
        print(f"{row.word}: {row.context}\n    {row.nearest}")


if __name__ == "__main__":
    main()
