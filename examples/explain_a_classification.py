"""
Explain a classification
========================

Why this class? The cells with the largest contributions, and the words that they stand for.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_explain_a_classification.png'

import matplotlib.pyplot as plt
import numpy as np
from _texts import paragraphs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer

# %%
# A classifier that distinguishes the paragraphs of two articles.

texts, labels = paragraphs(n_articles=2)
train, test, train_labels, test_labels = train_test_split(
    texts, labels, test_size=0.3, random_state=0, stratify=labels
)
fly = FlyHashVectorizer(document_codes="counts", stop_words="english", random_state=0)
model = make_pipeline(fly, LogisticRegression(max_iter=1000)).fit(train, train_labels)
print(f"{model.score(test, test_labels):.1%} right")
for number in range(2):
    print(f"article {number}: {texts[labels.index(number)].strip()[:70]} ...")

# %%
# An unseen paragraph: the contribution of a cell is its count times its weight.

text = test[0]
pushes = np.asarray(fly.transform([text]).toarray()[0] * model[-1].coef_[0])
print(" ".join(text.split())[:400], "...\n")
print(f"is from article {test_labels[0]}; the classifier says {model.predict([text])[0]}")

# %%
# The cells with the largest contributions, named by the words that they stand for:

stands_for = {
    cell.number: ", ".join(word for word, _ in cell.words)
    for cell in fly.kenyon_cells(text, n_cells=fly.n_features_out_, n_words=5)
}
strongest = np.argsort(-np.abs(pushes))[:8][::-1]

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
colours = ["tab:orange" if push > 0 else "tab:blue" for push in pushes[strongest]]
ax.barh([stands_for[cell] for cell in strongest.tolist()], pushes[strongest], color=colours)
ax.axvline(0, color="grey", linewidth=0.8)
ax.set_xlabel("for article 0   ←   push   →   for article 1")
plt.show()
