"""Words as points, words that share cells near one another; and a sentence's cells as clouds.

    python examples/plot_clusters.py [OUTPUT_DIRECTORY]

It needs pip install skfly[plot].
"""

import sys
from pathlib import Path

from _texts import fly_of_articles
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD

N_WORDS = 150


def main():
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    fly = fly_of_articles()
    words = fly.wv.index_to_key[50 : 50 + N_WORDS]
    codes = fly.hash_words(words)
    places = TruncatedSVD(3, random_state=0).fit_transform(codes)[:, 1:]
    groups = KMeans(8, n_init=4, random_state=0).fit_predict(codes.toarray())
    figure = Figure(figsize=(12, 9), layout="constrained")
    ax = figure.subplots()
    ax.scatter(*places.T, c=groups, cmap="tab10", s=12)
    for word, place in zip(words, places, strict=True):
        ax.annotate(word, place, fontsize=7)
    figure.savefig(output / "words.png")
    clouds = fly.plot_cells("the crew of Apollo landed on the Moon")
    clouds.savefig(output / "cells.png")
    print(f"drawn: {output / 'words.png'}, {output / 'cells.png'}")


if __name__ == "__main__":
    main()
