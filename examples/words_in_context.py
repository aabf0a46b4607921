"""
Tell the senses of a word apart
===============================

One word in two contexts has two codes with different neighbours: figure 4 of the paper.

``python examples/words_in_context.py MODEL`` uses your own model. One trained on 45 million words
(``skfly train CORPUS -o en.skfly``) separates the ``bank`` of a river from the one with money
(:doc:`/gensim`).
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_words_in_context.png'

import sys

import matplotlib.pyplot as plt
import numpy as np
from _texts import fly_of_articles

from skfly import FlyHashVectorizer

fly = FlyHashVectorizer.load(sys.argv[1]) if len(sys.argv) > 1 else fly_of_articles()
uses = [
    ("state", "the governor of the state of Alabama"),
    ("state", "the oxidation state of the metal"),
    ("apollo", "the crew of Apollo landed on the Moon"),
    ("apollo", "Apollo was the god of prophecy, son of Zeus and Leto"),
]
codes = fly.hash_in_context([context for _, context in uses], [word for word, _ in uses]).toarray()
for (word, context), code in zip(uses, codes, strict=True):
    nearest = ", ".join(near for near, _ in fly.wv.similar_by_vector(code))
    print(f"{word}: {context}\n    {nearest}")

# %%
# The cells that the codes share. Two uses of one word have some cells in common, but each is
# nearer to the words of its own context.

labels = [f"{word} ({context.split()[1]} ...)" for word, context in uses]
words = ["government", "metal", "spacecraft", "zeus"]
shared = np.hstack([codes @ codes.T, codes @ fly.hash_words(words).toarray().T]).astype(int)

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.imshow(shared, cmap="Blues")
for (row, column), count in np.ndenumerate(shared):
    ax.text(column, row, count, ha="center", va="center", color="w" if count > 16 else "k")
ax.set_yticks(range(4), labels)
ax.set_xticks(range(8), [*labels, *words], rotation=35, ha="right")
plt.show()
