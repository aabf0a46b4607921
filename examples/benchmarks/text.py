"""Text to word ids and documents to codes, beside scikit-learn and gensim.

    python examples/benchmarks/text.py TEXT DOCUMENTS

TEXT is a plain text file in UTF-8, one sentence a line. DOCUMENTS is a folder of text files, or
a tar of one (20 Newsgroups, say). It prints one table; runs are interleaved, medians are shown, in
wall-clock and CPU time (all threads together). "skfly is": its first row against
each.

Text to ids: everything from the file on disk to ids in memory and the words they stand for.

- skfly: ``EncodedCorpus.from_documents(TextLines(TEXT))``, and the same for a list of lines that
  is in memory already;
- scikit-learn: the analyzer of ``CountVectorizer`` over the lines, and a dict that gives new words
  the next id, as in ``CountVectorizer.fit``;
- gensim: ``LineSentence``, and ``Dictionary`` with ``doc2bow(allow_update=True)`` and ``doc2idx``.
  It cuts at spaces and does not lowercase: it does less.

Transform: ``FlyHashVectorizer.transform`` and ``TfidfVectorizer.transform`` of all documents, each
fitted to them, from a list of str.
"""

import argparse
import os
import statistics
import tarfile
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from gensim.corpora import Dictionary
from gensim.models.word2vec import LineSentence
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines

MB = 1_000_000


def first_lines(text, n_bytes, directory):
    """Return a file with the first lines of a text."""
    with open(text, "rb") as file:
        data = file.read(n_bytes)
    path = Path(directory) / "text.txt"
    path.write_bytes(data[: data.rfind(b"\n") + 1])
    return path


def read_documents(source):
    if source.is_dir():
        files = sorted(path for path in source.rglob("*") if path.is_file())
        return [path.read_text("latin-1") for path in files]
    with tarfile.open(source) as tar:
        return [tar.extractfile(m).read().decode("latin-1") for m in tar if m.isfile()]


def by_sklearn(path):
    analyze = CountVectorizer().build_analyzer()
    vocabulary = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    with open(path, encoding="utf-8") as lines:
        return [[vocabulary[word] for word in analyze(line)] for line in lines]


def by_gensim(path):
    dictionary = Dictionary()
    ids = []
    for sentence in LineSentence(path):
        dictionary.doc2bow(sentence, allow_update=True)
        ids.append(dictionary.doc2idx(sentence))
    return ids


def interleaved(methods, repeats, amount):
    """Return for each method the median amount a second, and a second of the CPU."""
    rates = {name: [] for name in methods}
    for _ in range(repeats):
        for name, run in methods.items():
            began, began_cpu = time.perf_counter(), time.process_time()
            run()
            taken, taken_cpu = time.perf_counter() - began, time.process_time() - began_cpu
            rates[name].append((amount / taken, amount / taken_cpu))
    return {
        name: [statistics.median(column) for column in zip(*runs, strict=True)]
        for name, runs in rates.items()
    }


def text_to_ids(path, threads, repeats):
    def encode(documents, n_jobs):
        EncodedCorpus.from_documents(documents, sentence_splitter=None, n_jobs=n_jobs)

    lines = list(TextLines(path))
    encode(lines, threads)  # compiles
    methods = {
        f"skfly, file, {threads} threads": lambda: encode(TextLines(path), threads),
        "skfly, file, 1 thread": lambda: encode(TextLines(path), 1),
        f"skfly, list of str, {threads} threads": lambda: encode(lines, threads),
        "scikit-learn, file, 1 thread": lambda: by_sklearn(path),
        "gensim, file, 1 thread": lambda: by_gensim(path),
    }
    return interleaved(methods, repeats, path.stat().st_size / MB)


def transform(documents, threads, repeats):
    fly = FlyHashVectorizer(n_jobs=threads, n_epochs=1, random_state=0).fit(documents)
    tfidf = TfidfVectorizer().fit(documents)
    methods = {
        f"skfly, K=400 k=32 V=20,000, {threads} threads": lambda: fly.transform(documents),
        "TfidfVectorizer, 1 thread": lambda: tfidf.transform(documents),
    }
    fly.transform(documents)  # compiles
    return interleaved(methods, repeats, len(documents))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100, help="of TEXT, from its beginning")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = first_lines(args.text, args.megabytes * MB, temporary)
        size = path.stat().st_size / MB
        ids = text_to_ids(path, args.threads, args.repeats)
    documents = read_documents(args.documents)
    codes = transform(documents, args.threads, args.repeats)
    print(f"{size:.0f} MB of text; {len(documents):,} documents; medians of {args.repeats}\n")
    print("| what | how | a second | skfly is | a second of CPU | skfly is |")
    print("|---|---|---|---|---|---|")
    for what, unit, rates in (("text to ids", "MB", ids), ("transform", "documents", codes)):
        ours, ours_cpu = next(iter(rates.values()))
        for name, (rate, rate_cpu) in rates.items():
            print(
                f"| {what} | {name} | {rate:,.0f} {unit} | {ours / rate:.1f} times "
                f"| {rate_cpu:,.0f} {unit} | {ours_cpu / rate_cpu:.1f} times |"
            )


if __name__ == "__main__":
    main()
