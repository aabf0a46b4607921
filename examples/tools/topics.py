"""Topics of sentences with BERTopic, without a download: ``python examples/tools/topics.py``."""

# %%
# Codes of the English model that comes with the package, and scikit-learn's parts in the place of
# UMAP and HDBSCAN, which such a small text does not need.

from bertopic import BERTopic
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

from skfly import FlyHashVectorizer
from skfly.adapters.bertopic import FlyEmbedder

TEXTS = [
    f"{who} {what}"
    for who, whats in {
        "the guitarist": ["played a song on stage", "recorded an album with the band"],
        "the singer": ["wrote the music of the album", "sang a song with the band"],
        "the team": ["won the match in the last minute", "lost the final of the league"],
        "the striker": ["scored a goal in the match", "left the football club of the league"],
    }.items()
    for what in whats
] * 3
fly = FlyHashVectorizer.from_pretrained("en")
model = BERTopic(
    embedding_model=FlyEmbedder(fly),
    umap_model=TruncatedSVD(4, random_state=0),
    hdbscan_model=KMeans(2, random_state=0, n_init=10),
    vectorizer_model=CountVectorizer(stop_words="english"),
)
topics, _ = model.fit_transform(TEXTS)

# %%
# Music and football are apart:

for topic in sorted(set(topics)):
    print(topic, [word for word, _ in model.get_topic(topic)[:5]])
