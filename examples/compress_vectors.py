"""Make dense vectors 30 times smaller: bits instead of floats, with the same calls.

    python examples/compress_vectors.py [VECTORS]

VECTORS is a file in word2vec's text format, such as GloVe's with a header. Without it, vectors of
300 floats are learned from some Wikipedia articles.
"""

import sys

import numpy as np
from gensim.models import KeyedVectors, Word2Vec
from gensim.utils import simple_preprocess

from skfly import FlyKeyedVectors


def dense_vectors():
    if len(sys.argv) > 1:
        return KeyedVectors.load_word2vec_format(sys.argv[1])
    from _texts import articles

    sentences = [simple_preprocess(line) for text in articles() for line in text.splitlines()]
    return Word2Vec(sentences, vector_size=300, min_count=5, workers=2, seed=0, epochs=3).wv


def main():
    dense = dense_vectors()
    size = dense.vectors.nbytes / len(dense)
    words = dense.index_to_key[100:200]
    near = [{word for word, _ in dense.most_similar(word, topn=10)} for word in words]
    for method, params in (("lsh", {"n_bits": 320}), ("itq", {"n_bits": 256})):
        codes = FlyKeyedVectors.from_dense(dense, method, random_state=0, **params)
        kept = [
            len(old & {word for word, _ in codes.most_similar(word, topn=10)})
            for word, old in zip(words, near, strict=True)
        ]
        times = size * len(dense) / codes.nbytes
        print(f"{method}: {times:.0f} times smaller, {np.mean(kept):.1f} of 10 neighbours kept")


if __name__ == "__main__":
    main()
