"""
Swap word2vec
=============

Code written for gensim's word vectors works unchanged with the fly's.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_swap_word2vec.png'

from _texts import articles, fly_of_articles
from gensim.models import Word2Vec
from gensim.utils import simple_preprocess


def describe(wv):
    """Use vectors as a program written for gensim would."""
    for word in ("moon", "language", "atom"):
        print(f"near {word}: {', '.join(near for near, _ in wv.most_similar(word, topn=5))}")
    odd = wv.doesnt_match(["moon", "orbit", "planet", "president"])
    print(f"does not belong to moon, orbit, planet: {odd}")
    print(f"{wv.vectors.shape[1]} numbers a word")


# %%
# gensim's skip-gram, otherwise with default settings. It was designed for a thousand times as
# much text.

sentences = [simple_preprocess(line) for text in articles() for line in text.splitlines()]
describe(Word2Vec(sentences, vector_size=100, min_count=5, sg=1, workers=1, seed=0).wv)

# %%
# The fly, on the same text:

fly = fly_of_articles()
describe(fly.wv)
print(f"{fly.wv.nbytes / len(fly.wv):.0f} bytes a word, where 100 floats take 400")
