"""Which article is a paragraph from? A pipeline with Kenyon cells as features, beside TF-IDF.

    python examples/classify_paragraphs.py

Cells are 400 features where TF-IDF has thousands; with so little text, words alone do better.
"""

from _texts import paragraphs
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from skfly import FlyHashVectorizer


def main():
    texts, labels = paragraphs(n_articles=10)
    train, test, train_labels, test_labels = train_test_split(
        texts, labels, test_size=0.3, random_state=0, stratify=labels
    )
    fly = FlyHashVectorizer(document_codes="counts", stop_words="english", random_state=0)
    for name, vectorizer in (("fly", fly), ("TF-IDF", TfidfVectorizer(stop_words="english"))):
        model = make_pipeline(vectorizer, MaxAbsScaler(), LogisticRegression(max_iter=1000))
        model.fit(train, train_labels)
        width = model[0].transform(test[:1]).shape[1]
        print(f"{name}: {model.score(test, test_labels):.1%} right with {width} features")


if __name__ == "__main__":
    main()
