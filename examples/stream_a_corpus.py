"""
Learn from a stream
===================

``partial_fit`` learns from text that is never in memory as a whole, and the fly can be used
between the parts.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_stream_a_corpus.png'

from _texts import articles

from skfly import FlyHashVectorizer


def parts(texts, n_parts):
    """A stream: a part at a time, as it would come from a queue or a crawler."""
    for part in range(n_parts):
        yield texts[part::n_parts]


# %%
# The vocabulary comes from the first part (or pass ``vocabulary=``); each part is read and then
# forgotten. The neighbours improve as more is read.

fly = FlyHashVectorizer(stop_words="english", max_features=12_000, random_state=0)
for part in parts(articles(), 4):
    fly.partial_fit(part)
    print(f"{fly.n_words_seen_:,} words read")
    for word in ("war", "moon", "language"):
        near = [other for other, _ in fly.wv.most_similar(word, topn=5)]
        print(f"    {word}: {', '.join(near)}")
