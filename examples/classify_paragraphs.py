"""
Classify paragraphs
===================

Which article is a paragraph from? A pipeline with Kenyon cells as features, beside TF-IDF.
"""

import numpy as np
from _texts import paragraphs
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from skfly import FlyHashVectorizer

# %%
# The paragraphs of the ten longest articles, and the number of the article of each. A third is
# kept for the test.

texts, labels = paragraphs(n_articles=10)
train, test, train_labels, test_labels = train_test_split(
    texts, labels, test_size=0.3, random_state=0, stratify=labels
)
print(f"{len(train)} paragraphs to learn from, {len(test)} to be tested with")

# %%
# ``document_codes="counts"`` adds up the codes of a text's words; a classifier gets more from
# that than from a few active cells.

fly = FlyHashVectorizer(document_codes="counts", stop_words="english", random_state=0)
tfidf = TfidfVectorizer(stop_words="english")
models = {}
for name, vectorizer in (("fly", fly), ("TF-IDF", tfidf)):
    models[name] = make_pipeline(vectorizer, MaxAbsScaler(), LogisticRegression(max_iter=1000))
    models[name].fit(train, train_labels)
    width = len(vectorizer.get_feature_names_out())
    print(f"{name}: {models[name].score(test, test_labels):.1%} right, with {width:,} features")

# %%
# About as good, from 400 features instead of thousands: where words alone say nearly all, that
# is all there is to gain. And where labels are few? Below, the fly and TF-IDF read all the text
# without labels, and the classifier learns from three paragraphs of each article, drawn twenty
# times.

scaled = {
    name: MaxAbsScaler().fit_transform(vectorizer.fit_transform(texts))
    for name, vectorizer in (("fly", clone(fly)), ("TF-IDF", clone(tfidf)))
}
scores = {name: [] for name in scaled}
for few, others in StratifiedShuffleSplit(20, train_size=30, random_state=0).split(texts, labels):
    for name, features in scaled.items():
        classifier = LogisticRegression(max_iter=1000).fit(features[few], np.take(labels, few))
        scores[name].append(classifier.score(features[others], np.take(labels, others)))
for name, values in scores.items():
    print(f"{name}, 30 labels: {np.mean(values):.1%} +- {np.std(values):.1%} right")
