"""Why did the classifier say so? The cells that weigh most, and the words they stand for.

python examples/explain_a_classification.py
"""

import numpy as np
from _texts import paragraphs
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skfly import FlyHashVectorizer


def main():
    texts, labels = paragraphs(n_articles=2)
    fly = FlyHashVectorizer(
        document_codes="counts", stop_words="english", max_features=5_000, random_state=0
    )
    model = make_pipeline(fly, LogisticRegression(max_iter=1000)).fit(texts, labels)
    weights = model[-1].coef_[0]
    text = texts[-1]
    pushes = np.asarray(fly.transform([text]).toarray()[0] * weights)
    print(f"a paragraph of article {model.predict([text])[0]}: {' '.join(text.split())[:70]} ...")
    stands_for = {
        cell.number: [word for word, _ in cell.words]
        for cell in fly.kenyon_cells(text, n_cells=fly.n_features_out_, n_words=6)
    }
    for cell in np.argsort(-np.abs(pushes))[:5].tolist():
        side = int(pushes[cell] > 0)
        words = ", ".join(stands_for[cell])
        print(f"    cell {cell} speaks for {side} ({abs(pushes[cell]):.2f}): {words}")


if __name__ == "__main__":
    main()
