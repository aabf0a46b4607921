"""Nearest words of a word in two contexts: figure 4 of the paper.

    skfly train CORPUS -o en.skfly
    python examples/words_in_context.py en.skfly

Contexts are told apart: the company has other neighbours than the fruit.
"""

import argparse

from skfly import FlyHashVectorizer
from skfly.evaluation import context_neighbors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    fly = FlyHashVectorizer.load(parser.parse_args().model)
    for row in context_neighbors(fly).rows:
        print(f"{row.word}: {row.context}\n    {row.nearest}")


if __name__ == "__main__":
    main()
