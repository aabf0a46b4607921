"""Code that was written for gensim's word vectors takes the fly's as they are.

python examples/swap_word2vec.py
"""

from _texts import articles, fly_of_articles
from gensim.models import Word2Vec
from gensim.utils import simple_preprocess


def describe(wv):
    """What a program that knows nothing of flies may do with vectors."""
    near = [word for word, _ in wv.most_similar("moon", topn=5)]
    odd = wv.doesnt_match(["moon", "sun", "planet", "president"])
    print(f"    near moon: {', '.join(near)}")
    print(f"    does not belong to moon, sun, planet: {odd}")
    print(f"    war and army: {wv.similarity('war', 'army'):.2f}")


def main():
    print("gensim's Word2Vec")
    sentences = [simple_preprocess(line) for text in articles() for line in text.splitlines()]
    describe(Word2Vec(sentences, vector_size=100, min_count=5, workers=2, seed=0).wv)
    print("the fly")
    fly = fly_of_articles()
    describe(fly.wv)
    print(f"    {fly.wv.nbytes / len(fly.wv):.0f} bytes a word, where 100 floats take 400")


if __name__ == "__main__":
    main()
