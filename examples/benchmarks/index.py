"""An index of a million documents, beside faiss and a product with tf-idf vectors.

    python examples/benchmarks/index.py
    python examples/benchmarks/index.py --documents 1e5 --text corpus.txt.xz --usearch

Documents have 20 to 200 words: lines of ``--text`` put together, or drawn from topics in which
words are distributed by Zipf's law. A model is learned from the first 50,000, and documents are
added 20,000 at a time; making their texts is not timed. faiss (``IndexBinaryFlat``) has the same
codes, and its time does not include computing them; tf-idf vectors are scikit-learn's, multiplied
as sparse matrices, 100 queries at a time. "One query" is the median of 20, from the text of the
query to the ten best documents. "Same" is the share of queries whose scores equal those of a
brute-force comparison with numpy. ``--usearch`` adds the recall of an approximate
index.
"""

import argparse
import statistics
import time
from itertools import islice

import numpy as np
from _text import say
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from skfly import DocumentIndex, FlyHashVectorizer, TextLines
from skfly.codes import pack_codes

AT_A_TIME = 20_000
N = 10


def drawn(n_documents, seed=0, n_words=20_000, n_topics=200):
    """Yield texts of words of one topic each, and of words of all."""
    random = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(n_words)], dtype=object)
    shares = 1 / np.arange(1, n_words + 1)
    heights = np.cumsum(shares / shares.sum())
    orders = [np.random.default_rng(topic).permutation(n_words) for topic in range(n_topics)]
    for _ in range(n_documents):
        n = int(random.integers(20, 201))
        ranks = np.minimum(np.searchsorted(heights, random.random(n)), n_words - 1)
        topical = random.random(n) < 0.5
        ids = np.where(topical, orders[random.integers(n_topics)][ranks], ranks)
        yield " ".join(words[ids])


def put_together(path, n_documents, seed=0):
    """Yield lines of a text file put together to 20 to 200 words; from its start again."""
    random = np.random.default_rng(seed)
    n_made = 0
    while n_made < n_documents:
        held, wanted = [], int(random.integers(20, 201))
        for line in TextLines(path):
            held += line.split()
            if len(held) >= wanted:
                yield " ".join(held[:wanted])
                n_made += 1
                held, wanted = [], int(random.integers(20, 201))
                if n_made == n_documents:
                    return


def timed(call):
    began = time.perf_counter()
    result = call()
    return result, time.perf_counter() - began


def measure(search, queries):
    """Return seconds of one query, of all at once, and the scores of all."""
    search(queries[:1])
    one = statistics.median(timed(lambda q=q: search([q]))[1] for q in queries[:20])
    scores, many = timed(lambda: search(queries))
    return one, many, scores


def brute_force(packed, queries):
    """Return the best scores by comparing bits, a query at a time."""
    best = []
    for query in queries:
        shared = np.bitwise_count(packed & query).sum(axis=1)
        best.append(np.sort(shared)[::-1][:N] / np.bitwise_count(query).sum())
    return np.array(best)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=float, default=1e6)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--checked", type=int, default=50, help="queries to check")
    parser.add_argument("--text", help="text file, a sentence a line")
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--hash-length", type=int, default=32)
    parser.add_argument("--jobs", type=int, help="threads")
    parser.add_argument("--usearch", action="store_true")
    args = parser.parse_args()
    n = int(args.documents)

    def make(count, seed):
        return put_together(args.text, count, seed) if args.text else drawn(count, seed)

    learned = list(make(min(n, 50_000), 0))
    params = {"n_kenyon_cells": args.cells, "hash_length": args.hash_length, "n_jobs": args.jobs}
    fly, seconds = timed(lambda: FlyHashVectorizer(**params, random_state=0).fit(learned))
    say(f"learned from {len(learned):,} documents in {seconds:.0f} s")
    tfidf = TfidfVectorizer(max_features=20_000, sublinear_tf=True, dtype=np.float32).fit(learned)
    queries = list(make(args.queries, 2))

    index, vectors = DocumentIndex(fly, n_jobs=args.jobs), []
    index.add(learned[:100])  # compiles
    index.remove(range(100))
    index.compact()
    adding = vectorizing = 0.0
    documents = make(n, 1)
    while texts := list(islice(documents, AT_A_TIME)):
        adding += timed(lambda texts=texts: index.add(texts))[1]
        part, seconds = timed(lambda texts=texts: tfidf.transform(texts))
        vectors.append(part)
        vectorizing += seconds
        say(f"{len(index):,} documents")
    vectors = sparse.vstack(vectors, "csr")
    binary = index.to_faiss()
    if args.jobs:
        import faiss

        faiss.omp_set_num_threads(args.jobs)

    def search_faiss(texts):
        distances, _ = binary.search(pack_codes(fly.transform(texts)), N)
        return 1 - distances / (2 * args.hash_length)

    def search_tfidf(texts):
        best = []
        for start in range(0, len(texts), 100):
            products = vectors @ tfidf.transform(texts[start : start + 100]).T.tocsc()
            best += [
                np.sort(np.partition(row.data, -N)[-N:])[::-1] if row.nnz > N else []
                for row in products.T.tocsr()
            ]
        return best

    rows = []
    methods = {
        "skfly DocumentIndex": (lambda texts: index.search(texts, N)[1], adding, index.nbytes),
        "faiss IndexBinaryFlat": (search_faiss, None, n * -(-args.cells // 8)),
        "tf-idf, sparse product": (
            search_tfidf,
            vectorizing,
            vectors.data.nbytes + vectors.indices.nbytes + vectors.indptr.nbytes,
        ),
    }
    packed = np.concatenate(
        [pack_codes(part) for part in fly.transform_batches(make(n, 1), AT_A_TIME)]
    )
    expected = brute_force(packed, pack_codes(fly.transform(queries[: args.checked])))
    for name, (search, seconds, n_bytes) in methods.items():
        one, many, scores = measure(search, queries)
        same = "-"
        if "tf-idf" not in name:
            found = np.asarray(scores)[: args.checked]
            same = f"{np.mean(np.isclose(found, expected).all(axis=1)):.0%}"
        rate = "-" if seconds is None else f"{n / seconds:,.0f}"
        rows.append(
            [name, rate, f"{n_bytes / n:.0f}", f"{1000 * one:.2f}", f"{1000 * many:.0f}", same]
        )
    if args.usearch:
        approximate, seconds = timed(index.to_usearch)

        def search_usearch(texts):
            matches = approximate.search(pack_codes(fly.transform(texts)), N)
            return np.atleast_2d(2 * (1 - matches.distances) / (2 - matches.distances))

        one, many, scores = measure(search_usearch, queries)
        recall = np.mean(scores[: args.checked] > expected[:, -1:] - 1e-6)
        size = approximate.memory_usage / n
        rate = f"{n / seconds:,.0f} (codes)"
        rows.append(
            [
                "usearch b1",
                rate,
                f"{size:.0f}",
                f"{1000 * one:.2f}",
                f"{1000 * many:.0f}",
                f"recall {recall:.0%}",
            ]
        )
    print(f"{n:,} documents, {args.cells} cells, hash length {args.hash_length}\n")
    columns = ["", "added a second", "bytes a document", "one query, ms"]
    columns += [f"{args.queries} queries, ms", "same"]
    print("| " + " | ".join(columns) + " |")
    print("|---|---:|---:|---:|---:|---:|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
