"""A hundred Wikipedia articles that come with gensim. Nothing is downloaded."""

import warnings
from functools import lru_cache

from skfly import FlyHashVectorizer, SmallTextWarning
from skfly.demo import PARAMS, read_articles

warnings.filterwarnings("ignore", category=SmallTextWarning)  # it is small, but enough here


@lru_cache(maxsize=1)
def articles():
    return read_articles()


@lru_cache(maxsize=1)
def fly_of_articles():
    """A fly that has read them, with the settings of skfly demo."""
    return FlyHashVectorizer(**PARAMS).fit(articles())


def paragraphs(n_articles, shortest=300):
    """The paragraphs of the longest articles, and the number of the article of each."""
    longest = sorted(articles(), key=len, reverse=True)[:n_articles]
    found = [
        (paragraph, number)
        for number, article in enumerate(longest)
        for paragraph in article.split("\n\n")
        if len(paragraph) >= shortest
    ]
    return [text for text, _ in found], [number for _, number in found]
