"""Nearest words of a word in two contexts: figure 4 of the paper.

    python examples/words_in_context.py

reads some Wikipedia articles; with a model of a large text

    skfly train CORPUS -o en.skfly
    python examples/words_in_context.py en.skfly

contexts are told apart: the company has other neighbours than the fruit.
"""

import sys

from skfly import FlyHashVectorizer

USES = [
    ("apple", "Apple stock rallied after the company announced a new computer and software."),
    ("apple", "She baked an apple pie with sugar, butter and fresh fruit."),
    ("bank", "The bank raised the interest rate of its loans and its credit cards."),
    ("bank", "They walked along the bank of the river to the old bridge."),
]
USES_IN_ARTICLES = [
    ("state", "the governor of the state of Alabama"),
    ("state", "the oxidation state of the metal"),
    ("apollo", "the crew of Apollo landed on the Moon"),
    ("apollo", "Apollo was the god of prophecy, son of Zeus and Leto"),
]


def main():
    if len(sys.argv) > 1:
        fly, uses = FlyHashVectorizer.load(sys.argv[1]), USES
    else:
        from _texts import fly_of_articles

        fly, uses = fly_of_articles(), USES_IN_ARTICLES
    codes = fly.hash_in_context([text for _, text in uses], [word for word, _ in uses])
    for (word, text), code in zip(uses, codes.toarray(), strict=True):
        near = [other for other, _ in fly.wv.similar_by_vector(code, topn=10)]
        print(f"{word}: {text}\n    {', '.join(near)}")


if __name__ == "__main__":
    main()
