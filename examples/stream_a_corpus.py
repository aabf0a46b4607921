"""Learn from a stream that is never in memory as a whole, and use the fly on the way.

    python examples/stream_a_corpus.py

The vocabulary is that of the first part; every part is learned from once and forgotten.
"""

from _texts import articles

from skfly import FlyHashVectorizer


def parts(texts, n_parts):
    for part in range(n_parts):
        yield texts[part::n_parts]


def main():
    fly = FlyHashVectorizer(stop_words="english", max_features=12_000, random_state=0)
    for part in parts(articles(), 4):
        fly.partial_fit(part)
        near = [word for word, _ in fly.wv.most_similar("war", topn=5)]
        print(f"{fly.n_words_seen_:,} words read; near war: {', '.join(near)}")


if __name__ == "__main__":
    main()
