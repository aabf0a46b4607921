"""Nearest words of a word in two contexts: figure 4 of the paper.

    skfly train CORPUS -o en.skfly
    python examples/words_in_context.py en.skfly

Contexts are told apart: the company has other neighbours than the fruit.
"""

import argparse

from skfly import FlyHashVectorizer

USES = [
    ("apple", "Apple stock rallied after the company announced a new computer and software."),
    ("apple", "She baked an apple pie with sugar, butter and fresh fruit."),
    ("bank", "The bank raised the interest rate of its loans and its credit cards."),
    ("bank", "They walked along the bank of the river to the old bridge."),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    fly = FlyHashVectorizer.load(parser.parse_args().model)
    codes = fly.hash_in_context([text for _, text in USES], [word for word, _ in USES])
    for (word, text), code in zip(USES, codes.toarray(), strict=True):
        near = [other for other, _ in fly.wv.similar_by_vector(code, topn=10)]
        print(f"{word}: {text}\n    {', '.join(near)}")


if __name__ == "__main__":
    main()
