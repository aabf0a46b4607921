"""Sizes of models, the time to open them, and the scores that the compact form loses.

    python examples/benchmarks/sizes.py enwiki.sents.txt.xz --wordsim wordsim/ --news 20news.tar.xz

CORPUS has one sentence a line and an empty line between documents; ``--words`` of it are learned
from. Sizes are of files: codes of words alone, all that learning continues from (full), and
``save(compact=True)``. Document cells begin with random groups, so scores of documents are
given for each of ``--seeds``; nothing about words is random. A process's own memory is what ten
that use the same file at once do not share (``Private`` of /proc/PID/smaps_rollup, Linux), beside
that of a process that imports skfly.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from skfly import FlyHashVectorizer, FlyModel
from skfly.evaluation import read_20newsgroups
from skfly.text import TextLines

USE = """
import re, sys, time
from skfly import FlyModel
def own():
    rollup = open("/proc/self/smaps_rollup").read()
    return sum(map(int, re.findall(r"Private_\\w+: +(\\d+)", rollup))) / 1e3
warm = FlyModel.load(sys.argv[2], mmap=True)
warm.words(["the"])
before, began = own(), time.perf_counter()
model = FlyModel.load(sys.argv[1], mmap=True)
opened = time.perf_counter() - began
model.words(["the"])
print(opened * 1e3, own() - before, flush=True)
sys.stdin.read()
"""


def documents(corpus, n_words):
    seen, lines = 0, []
    for line in TextLines(corpus):
        text = line.strip()
        if text:
            lines.append(text)
            seen += text.count(" ") + 1
        elif lines:
            yield "\n".join(lines)
            lines = []
            if seen >= n_words:
                return
    if lines:
        yield "\n".join(lines)


def ten_processes(path, warm):
    """Return the milliseconds to open a file, and the megabytes of each of ten processes."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", USE, str(path), str(warm)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(10)
    ]
    found = [list(map(float, process.stdout.readline().split())) for process in running]
    for process in running:
        process.communicate("")
    return np.median(found, axis=0)


def word_scores(model, directory):
    """Return the correlation with human judgements, of all pairs of all sets."""
    scores, sizes = [], []
    for file in sorted(Path(directory).glob("*.txt")):
        rows = [line.lower().split() for line in file.read_text().splitlines() if line.strip()]
        rows = [
            row for row in rows if row[0] in model.known_words() and row[1] in model.known_words()
        ]
        left, right = (model.words([row[i] for row in rows]) for i in (0, 1))
        shared = np.asarray(left.multiply(right).sum(axis=1)).ravel()
        scores.append(100 * spearmanr(shared, [float(row[2]) for row in rows])[0])
        sizes.append(len(rows))
    return np.average(scores, weights=sizes)


def news_score(model, path):
    news = read_20newsgroups(path, headers=False, footers=False, quotes=False)
    classifier = LogisticRegression(C=1, max_iter=300)
    classifier.fit(model.documents(news.train_texts), news.train_labels)
    return 100 * classifier.score(model.documents(news.test_texts), news.test_labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--words", type=float, default=8e6)
    parser.add_argument("--cells", type=int, nargs="+", default=[400, 1000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rules", nargs="+", default=["whiten"])
    parser.add_argument("--wordsim")
    parser.add_argument("--news")
    args = parser.parse_args()
    print("rule, cells, form: MB, ms to open, MB of each of ten processes, words, 20 Newsgroups")
    with tempfile.TemporaryDirectory() as place:
        warm = Path(place) / "warm.skfly"
        FlyHashVectorizer(n_kenyon_cells=8, hash_length=2).fit(["the fly"] * 9).save(warm)
        for rule in args.rules:
            for n_cells in args.cells:
                paths = {form: Path(place) / f"{form}.skfly" for form in ("full", "compact")}
                news = {form: [] for form in paths}
                for seed in range(args.seeds):
                    fly = FlyHashVectorizer(
                        n_kenyon_cells=n_cells,
                        hash_length=n_cells // 16 if n_cells > 500 else 32,
                        learning=rule,
                        sentence_splitter="line",
                        random_state=seed,
                    ).fit(documents(args.corpus, args.words))
                    for form, path in paths.items():
                        fly.save(path, compact=form == "compact")
                        if args.news:
                            news[form].append(news_score(FlyModel.load(path), args.news))
                words = len(fly.vocabulary_) * -(-n_cells // 8) / 1e6
                print(f"{rule} {n_cells} codes of words alone: {words:.1f}", flush=True)
                for form, path in paths.items():
                    opening, memory = ten_processes(path, warm)
                    row = f"{path.stat().st_size / 1e6:.1f} {opening:.1f} {memory:.1f}"
                    if args.wordsim:
                        row += f" {word_scores(FlyModel.load(path), args.wordsim):.1f}"
                    row += "".join(f" {score:.1f}" for score in news[form])
                    print(f"{rule} {n_cells} {form}: {row}", flush=True)


if __name__ == "__main__":
    main()
