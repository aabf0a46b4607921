"""
Plot clusters of words
======================

Words as points, with words that share cells near one another; and a sentence's cells as word
clouds (``python examples/plot_clusters.py CELLS.png`` saves them).
"""

import sys

import matplotlib.pyplot as plt
from _texts import fly_of_articles
from sklearn.cluster import KMeans
from sklearn.manifold import TSNE

# %%
# Frequent words (but not the most frequent, which say little), grouped by their codes and laid out
# in the plane.

fly = fly_of_articles()
words = fly.wv.index_to_key[60:220]
codes = fly.hash_words(words).toarray()
groups = KMeans(10, n_init=4, random_state=0).fit_predict(codes)
layout = TSNE(metric="cosine", init="random", perplexity=12, method="exact", random_state=0)
places = layout.fit_transform(codes)

fig, ax = plt.subplots(figsize=(10, 8), layout="constrained")
ax.scatter(*places.T, c=groups, cmap="tab10", s=14)
for word, place in zip(words, places, strict=True):
    ax.annotate(word, place, xytext=(3, 2), textcoords="offset points", fontsize=7)
ax.set_axis_off()
plt.show()

# %%
# The same groups as lists:

for group in range(10):
    print(", ".join(word for word, own in zip(words, groups, strict=True) if own == group))

# %%
# The cells that a sentence activates most, as clouds of the words that they stand for.

figure = fly.plot_cells("the crew of Apollo landed on the Moon")
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
