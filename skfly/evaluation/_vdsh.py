"""The protocol of the papers on semantic hashing, after VDSH."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from skfly.evaluation._document_data import LabelledTexts, load_labelled_texts

_SHARES = (0.6, 0.2, 0.2)
_LENGTHS = (5, 500)


def vdsh_split(
    data: LabelledTexts | str | os.PathLike[str],
    part: str = "test",
    *,
    n_words: int = 10_000,
    random_state: int = 0,
) -> LabelledTexts:
    """Split and prepare documents as the papers on semantic hashing do.

    All documents are split at random: 60 % to train on, 20 % to choose settings on, 20 % to
    test. English stop words are left out, the most frequent other words of the training
    part are kept, and documents with fewer than 5 or more than 500 words left are dropped [1]_.

    Parameters
    ----------
    data : LabelledTexts or path-like
        Its own split is not used. A path is read by :func:`load_labelled_texts`, 20 Newsgroups
        without headers, footers and quotes.
    part : {"test", "validation"}, default="test"
        What the documents to test are: choose settings on the validation part.
    n_words : int, default=10000
    random_state : int, default=0
        Splits the documents.

    Returns
    -------
    data : LabelledTexts
        Texts are the words that are left, separated by spaces.

    References
    ----------
    .. [1] S. Chaidaroon and Y. Fang, "Variational Deep Semantic Hashing for Text Documents",
       SIGIR 2017.

    Examples
    --------
    >>> from skfly.evaluation import LabelledTexts, vdsh_split
    >>> texts = ("the fly smells ripe sweet plums in the garden",) * 8
    >>> data = LabelledTexts("mine", texts, ("fruit",) * 8, texts[:2], ("fruit",) * 2)
    >>> split = vdsh_split(data)
    >>> split
    LabelledTexts('mine, VDSH split', 6 for training, 2 to test, 1 classes)
    >>> split.test_texts[0]
    'fly smells ripe sweet plums garden'
    """
    if part not in ("test", "validation"):
        raise ValueError(f"part must be 'test' or 'validation'; got {part!r}")
    if not isinstance(data, LabelledTexts):
        data = load_labelled_texts(data, footers=False, quotes=False)
    texts = [*data.train_texts, *data.test_texts]
    labels = [*data.train_labels, *data.test_labels]
    order = np.random.default_rng(random_state).permutation(len(texts))
    ends = np.round(np.cumsum(_SHARES[:-1]) * len(texts)).astype(int)
    train, validation, test = np.split(order, ends)
    words = CountVectorizer(stop_words="english").build_analyzer()
    analyzed = [words(text) for text in texts]
    vocabulary = _most_frequent((analyzed[i] for i in train.tolist()), n_words)
    left = [[word for word in some if word in vocabulary] for some in analyzed]

    def kept(places: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
        fit = [i for i in places.tolist() if _LENGTHS[0] <= len(left[i]) <= _LENGTHS[1]]
        return tuple(" ".join(left[i]) for i in fit), tuple(labels[i] for i in fit)

    return LabelledTexts(
        f"{data.name}, VDSH split",
        *kept(train),
        *kept(test if part == "test" else validation),
        several_topics=data.several_topics,
    )


def _most_frequent(documents: Iterable[list[str]], n_words: int) -> set[str]:
    """Return the most frequent words; ties are broken alphabetically.

    Examples
    --------
    >>> sorted(_most_frequent([["fly", "moth"], ["fly", "bee"]], 2))
    ['bee', 'fly']
    """
    words, counts = np.unique(list(chain.from_iterable(documents)), return_counts=True)
    return set(words[np.argsort(-counts, kind="stable")[:n_words]].tolist())
