"""The cost of more cells.

    python examples/benchmarks/cells.py CORPUS [--words N] [--repeats N]

Prints a row per number of cells: bytes of a packed code, seconds of a ``fit`` on the first words
of a corpus (one sentence a line) and of encoding all known words, both also relative to 400
cells. Medians of interleaved runs.
"""

import argparse
import time
from itertools import islice
from statistics import median

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines

CELLS = (200, 400, 1_000, 2_000)

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("corpus")
parser.add_argument("--words", type=int, default=5_000_000)
parser.add_argument("--repeats", type=int, default=3)
args = parser.parse_args()

lines = islice(TextLines(args.corpus), args.words // 20)  # about twenty words a line
corpus = EncodedCorpus.from_documents(lines, sentence_splitter="line")
fits, codes = ({n: [] for n in CELLS} for _ in range(2))
for _ in range(args.repeats):
    for n_cells in CELLS:
        began = time.perf_counter()
        fly = FlyHashVectorizer(
            n_cells, sentence_splitter="line", document_cells="words", random_state=0
        ).fit(corpus)
        fitted = time.perf_counter()
        fly.hash_words(list(fly.vocabulary_))
        fits[n_cells].append(fitted - began)
        codes[n_cells].append(time.perf_counter() - fitted)

print(f"{corpus.n_words:,} words of text, {len(fly.vocabulary_):,} words known\n")
print("| cells | bytes of a code | fit, s | relative | codes of all words, s | relative |")
print("|---|---|---|---|---|---|")
for n in CELLS:
    fit, code = median(fits[n]), median(codes[n])
    print(
        f"| {n:,} | {-(-n // 8)} | {fit:.1f} | {fit / median(fits[400]):.2f} "
        f"| {code:.2f} | {code / median(codes[400]):.2f} |"
    )
