"""
Find near-duplicates
====================

The codes of nearly identical paragraphs share most of their cells.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_near_duplicates.png'

import random

import matplotlib.pyplot as plt
from _texts import fly_of_articles, paragraphs

from skfly.codes import nearest

# %%
# To know what should be found, we copy fifty paragraphs, leave out a tenth of the words, and
# shuffle the sentences.

texts, _ = paragraphs(n_articles=20)
draw = random.Random(0)


def copy(text):
    sentences = text.split(". ")
    draw.shuffle(sentences)
    return " ".join(word for word in ". ".join(sentences).split() if draw.random() > 0.1)


chosen = draw.sample(range(len(texts)), 50)
copies = [copy(texts[i]) for i in chosen]

# %%
# :func:`skfly.codes.nearest` counts the cells that codes have in common.

fly = fly_of_articles()
rows, shared = nearest(fly.transform(copies), fly.transform(texts), 2)
found = sum(int(row) == i for row, i in zip(rows[:, 0], chosen, strict=True))
print(f"{found} of {len(copies)} copies find their original among {len(texts):,} paragraphs")

# %%
# How many cells should two texts share to count as duplicates? The numbers that a copy shares with
# its original, and with the next nearest paragraph, hardly overlap, so a threshold in between
# works.

print(f"with the original: {shared[:, 0].mean():.1f} of {fly.hash_length} on average")
print(f"with the next nearest: {shared[:, 1].mean():.1f}")

fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
bins = range(fly.hash_length + 2)
ax.hist(shared[:, 1], bins=bins, alpha=0.7, label="next nearest paragraph", align="left")
ax.hist(shared[:, 0], bins=bins, alpha=0.7, label="original", align="left")
ax.set(xlabel=f"cells shared, of {fly.hash_length}", ylabel="copies")
ax.legend()
plt.show()
