"""Document classification with the paper's TextCNN, over the codes or vectors of words.

    python -m venv cnn
    cnn/bin/pip install . skorch torch
    cnn/bin/python examples/paper/text_cnn.py en.skfly --data DIR --vectors glove.txt

The network of Y. Kim, "Convolutional Neural Networks for Sentence Classification" (EMNLP 2014),
with one channel: filters over 3, 4 and 5 words, the maximum over the document, dropout, a linear
layer. Codes and vectors are not trained, and are scaled to the same mean length. A tenth of the
documents is held out, and the epoch with the best accuracy there is taken. Network, training and
words are the same for all. DIR has datasets as for ``report.py``: 20 Newsgroups,
SST-2, TREC-6 or Web of Science.
"""

import argparse
import re
from pathlib import Path

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping
from skorch.dataset import ValidSplit
from torch import nn

from document_classification import document_classification
from skfly import FlyHashVectorizer
from skfly.evaluation import (
    Table,
    load_vectors,
    read_20newsgroups,
    read_sst2,
    read_trec,
    read_wos,
)

PAPER = {
    "20 Newsgroups": {"fly": 78.2, "GloVe": 77.9, "word2vec": 77.3, "BERT": 78.6},
    "SST-2": {"fly": 77.1, "GloVe": 78.3, "word2vec": 80.7, "BERT": 90.8},
    "WOS-11967": {"fly": 83.8, "GloVe": 84.2, "word2vec": 84.8, "BERT": 86.7},
    "TREC-6": {"fly": 90.4, "GloVe": 89.0, "word2vec": 90.9, "BERT": 94.0},
}
"""Accuracy in the paper's table 5."""
READERS = {
    "20news-bydate-train": read_20newsgroups,
    "stsa.binary.train": read_sst2,
    "train_5500.label": read_trec,
    "X.txt": read_wos,
}
MEAN_LENGTH = 5.0  # of the codes or vectors
WORD = re.compile(r"(?u)\b\w+\b")


class TextCNN(nn.Module):
    """Filters over words, the maximum over the document, dropout, and a linear layer.

    ``vectors`` has a row for each word below a row of zeros, and is not trained.
    """

    def __init__(self, vectors, n_classes, kernel_sizes=(3, 4, 5), n_filters=100, dropout=0.5):
        super().__init__()
        self.register_buffer("vectors", torch.from_numpy(vectors), persistent=False)
        self.kernel_sizes = kernel_sizes
        self.filters = nn.ModuleList(
            nn.Conv1d(vectors.shape[1], n_filters, size) for size in kernel_sizes
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(n_filters * len(kernel_sizes), n_classes)

    def forward(self, ids):
        used = torch.nonzero(ids.any(dim=0))  # columns with a known word
        last = int(used[-1]) + 1 if len(used) else 0
        words, places = torch.unique(ids[:, : max(last, *self.kernel_sizes)], return_inverse=True)
        found = [self.strongest(layer, self.vectors[words], places) for layer in self.filters]
        return self.output(self.dropout(torch.cat(found, dim=1)))

    @staticmethod
    def strongest(layer, vectors, places):
        """Return the largest response of each filter.

        It equals the maximum of ``layer`` over the document, but every word of the batch is
        multiplied once, not at each of its places.
        """
        size = layer.kernel_size[0]
        n_places = places.shape[1] - size + 1
        responses = layer.bias
        for offset in range(size):
            by_word = vectors @ layer.weight[:, :, offset].T
            here = places[:, offset : offset + n_places]
            responses = responses + nn.functional.embedding(here, by_word)
        return nn.functional.relu(responses).amax(dim=1)


class TextCNNClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of texts, as ``document_classification`` takes it.

    ``vectors`` is a fitted FlyHashVectorizer or maps words to vectors; ``words`` are those to use.
    """

    def __init__(
        self, vectors, words, n_filters=100, max_words=400, max_epochs=25, patience=5,
        batch_size=50, learning_rate=0.001, random_state=0,
    ):  # fmt: skip
        self.vectors = vectors
        self.words = words
        self.n_filters = n_filters
        self.max_words = max_words
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, texts, y):
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        stop = EarlyStopping(
            "valid_acc", lower_is_better=False, patience=self.patience, load_best=True,
            sink=lambda *_: None,
        )  # fmt: skip
        self.net_ = NeuralNetClassifier(
            TextCNN,
            module__vectors=embedding(self.vectors, self.words),
            module__n_classes=len(self.classes_),
            module__n_filters=self.n_filters,
            criterion=nn.CrossEntropyLoss,
            optimizer=torch.optim.Adam,
            lr=self.learning_rate,
            batch_size=self.batch_size,
            max_epochs=self.max_epochs,
            iterator_train__shuffle=True,
            train_split=ValidSplit(10, stratified=True),
            callbacks=[("stop", stop)],
            classes=np.arange(len(self.classes_)),
            verbose=0,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self.net_.fit(self.ids(texts), encoder.transform(y).astype(np.int64))
        return self

    def predict(self, texts):
        return self.classes_[self.net_.predict_proba(self.ids(texts)).argmax(axis=1)]

    def ids(self, texts):
        """Return a row of word numbers for each text; 0 is no word, or an unknown one."""
        number = {word: i for i, word in enumerate(self.words, start=1)}
        found = [
            [number.get(w, number.get(w.lower(), 0)) for w in WORD.findall(text)[: self.max_words]]
            for text in texts
        ]
        ids = np.zeros((len(found), max([5, *map(len, found)])), dtype=np.int64)
        for row, numbers in zip(ids, found, strict=True):
            row[: len(numbers)] = numbers
        return ids

    def get_params(self, deep=True):  # noqa: ARG002
        return super().get_params(deep=False)

    def __sklearn_clone__(self):
        return type(self)(**self.get_params())  # with the same vectors, which stay fitted


def embedding(vectors, words):
    """Return vectors of one mean length, below a row of zeros."""
    if isinstance(vectors, FlyHashVectorizer):
        rows = vectors.hash_words(words).toarray()
    else:
        rows = np.stack([vectors[word] for word in words])
    rows = np.asarray(rows, dtype=np.float32)
    rows *= MEAN_LENGTH / (np.linalg.norm(rows, axis=1).mean() or 1.0)
    return np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.float32), rows])


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, action="append", default=[])
    parser.add_argument("--hash-length", type=int, default=30)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--runs", type=int, default=1, help="networks with other seeds")
    args = parser.parse_args(argv)
    fly = FlyHashVectorizer.load(args.model).set_params(hash_length=args.hash_length)
    models = {"fly": fly} | {path.name.split(".")[0]: load_vectors(path) for path in args.vectors}
    words = list(fly.vocabulary_)
    for vectors in list(models.values())[1:]:
        words = [word for word in words if word in vectors]
    methods = {
        name: TextCNNClassifier(model, words, max_epochs=args.epochs)
        for name, model in models.items()
    }
    rows = []
    for name, read in READERS.items():
        for path in sorted(args.data.rglob(name))[:1]:
            data = read(path.parent)
            for row in document_classification(methods, data, n_runs=args.runs).rows:
                paper = {key.lower(): value for key, value in PAPER.get(row.dataset, {}).items()}
                figures = {"accuracy": row.accuracy, "paper": paper.get(row.method.lower())}
                rows.append({"dataset": row.dataset, "words as": row.method, **figures})
    print(Table(rows, title=f"Accuracy, {len(words)} words known"))


if __name__ == "__main__":
    main()
