"""
Classify paragraphs
===================

Which article is a paragraph from? A pipeline with Kenyon cells as features, compared with tf-idf.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_classify_paragraphs.png'

import matplotlib.pyplot as plt
import numpy as np
from _texts import paragraphs
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, normalize

from skfly import FlyHashVectorizer

# %%
# The paragraphs of the ten longest articles, labelled with the number of their article. A third
# of them is the test set.

texts, labels = paragraphs(n_articles=10)
train, test, train_labels, test_labels = train_test_split(
    texts, labels, test_size=0.3, random_state=0, stratify=labels
)
print(f"{len(train)} paragraphs to learn from, {len(test)} to be tested with")

# %%
# ``document_codes="counts"`` adds up the codes of a text's words, which tells a classifier more
# than a few active cells do.

vectorizers = {
    "fly": FlyHashVectorizer(document_codes="counts", stop_words="english", random_state=0),
    "TF-IDF": TfidfVectorizer(stop_words="english"),
}
for name, vectorizer in vectorizers.items():
    model = make_pipeline(vectorizer, Normalizer(), LogisticRegression(C=100, max_iter=1000))
    model.fit(train, train_labels)
    width = len(vectorizer.get_feature_names_out())
    print(f"{name}: {model.score(test, test_labels):.1%} right, with {width:,} features")

# %%
# A little less than TF-IDF, from 400 features instead of thousands: where single words are
# nearly enough, there is nothing more to gain. What if labels are scarce? Now both read all the
# text, without labels, and the classifier gets the labels of a few paragraphs, drawn five times.

sizes = [30, 100, 300]
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, vectorizer in vectorizers.items():
    features = normalize(vectorizer.fit_transform(texts))
    means = []
    for size in sizes:
        scores = []
        draws = StratifiedShuffleSplit(5, train_size=size, random_state=0)
        for few, others in draws.split(texts, labels):
            classifier = LogisticRegression(C=100, max_iter=1000)
            classifier.fit(features[few], np.take(labels, few))
            scores.append(classifier.score(features[others], np.take(labels, others)))
        means.append(np.mean(scores))
        print(f"{name}, {size} labels: {means[-1]:.1%} +- {np.std(scores):.1%} right")
    ax.plot(sizes, means, marker="o", label=name)
ax.set(xscale="log", xlabel="labels", ylabel="share of paragraphs that are right")
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# With three labels per article, cells are much better: two paragraphs can share cells without a
# word in common. With more labels, single words catch up and win.
