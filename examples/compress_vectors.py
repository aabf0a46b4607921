"""
Compress word vectors 30 times
==============================

Bits instead of floats, with the same calls.

``python examples/compress_vectors.py VECTORS`` takes a file in word2vec's text format, such as
GloVe's (as distributed; with ``no_header=True`` in the call below). Without one, it computes
vectors of 300 floats by latent semantic analysis of the articles. The plot needs
``pip install "skfly[plot]"``.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_compress_vectors.png'

import sys

import matplotlib.pyplot as plt
import numpy as np
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from skfly import FlyKeyedVectors


def latent_semantic_analysis():
    """Word vectors from the paragraphs in which words occur."""
    from _texts import paragraphs

    texts, _ = paragraphs(n_articles=50)
    tfidf = TfidfVectorizer(min_df=10, stop_words="english", sublinear_tf=True)
    svd = TruncatedSVD(300, n_iter=2, random_state=0).fit(tfidf.fit_transform(texts))
    vectors = KeyedVectors(300)
    vectors.add_vectors(
        list(tfidf.get_feature_names_out()),
        (svd.components_ * svd.singular_values_[:, None]).T.astype(np.float32),
    )
    return vectors


if len(sys.argv) > 1:
    dense = KeyedVectors.load_word2vec_format(sys.argv[1])
else:
    dense = latent_semantic_analysis()
print(f"{len(dense):,} words, {dense.vectors.nbytes / 1e6:.1f} MB")

# %%
# :meth:`~skfly.FlyKeyedVectors.from_dense` takes the name of a method of :mod:`skfly.binarize`
# and its parameters. The result is again a gensim ``KeyedVectors``, so it answers the same
# queries as the dense vectors.

words = dense.index_to_key[:: len(dense) // 100][:100]


def agreement(vectors):
    """Agreement with human judgement of the similarity of words, 100 x Spearman."""
    return 100 * vectors.evaluate_word_pairs(datapath("wordsim353.tsv"))[1][0]


near = [{word for word, _ in dense.most_similar(word, topn=10)} for word in words]
print(f"floats: WordSim-353 {agreement(dense):.1f}")
results = []
for method, params in (
    ("lsh", {"n_bits": 128}),
    ("lsh", {"n_bits": 320}),
    ("lsh", {"n_bits": 1280}),
    ("itq", {"n_bits": dense.vector_size // 2}),
    ("itq", {"n_bits": dense.vector_size}),
    ("nearlossless", {"n_bits": 256}),
):
    codes = FlyKeyedVectors.from_dense(dense, method, random_state=0, **params)
    kept = np.mean(
        [
            len(old & {word for word, _ in codes.most_similar(word, topn=10)})
            for word, old in zip(words, near, strict=True)
        ]
    )
    times = dense.vectors.nbytes / codes.nbytes
    results.append((method, params["n_bits"], times, kept))
    print(
        f"{method}, {params['n_bits']} bits: {times:.0f} times smaller, "
        f"{kept:.1f} of 10 neighbours kept, WordSim-353 {agreement(codes):.1f}"
    )

# %%
# ITQ learns a rotation and needs fewer bits, at most one a dimension; LSH draws its planes at
# random and takes any number of them; NearLossless learns for longer to keep what the vectors say.

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for method, marker in (("lsh", "o"), ("itq", "s"), ("nearlossless", "^")):
    points = [(times, kept) for name, _, times, kept in results if name == method]
    ax.plot(*zip(*points, strict=True), marker=marker, label=method.upper())
ax.set(xscale="log", xlabel="times smaller", ylabel="neighbours kept, of 10", ylim=(0, 10))
shown = [5, 10, 20, 40, 80]
ax.set_xticks(shown, shown)
ax.minorticks_off()
ax.legend()
plt.show()
