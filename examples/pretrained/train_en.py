"""Train the English model that comes with the package, or one like it on your text.

    python examples/pretrained/train_en.py CORPUS -o skfly/_pretrained/en.skfly

CORPUS is a text with one sentence a line, plain or compressed. The model that is shipped was
trained on 45 million words of English Wikipedia (May 2015). Nothing in the rule is random: the
same text gives the same model on the same kind of processor.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from dataclasses import replace
from pathlib import Path

from skfly import FlyHashVectorizer
from skfly.text import TextLines

SETTINGS = {
    "n_kenyon_cells": 1000,
    "hash_length": 64,
    "max_features": 50_000,
    "sentence_splitter": None,
    "document_cells": "words",
    "unknown_words": "spelling",
    "learning": "whiten",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--text", default="", help="what the text is, and its licence")
    parser.add_argument("--date", help="seconds since 1970, for a file that can be made again")
    args = parser.parse_args()
    if args.date:
        os.environ["SOURCE_DATE_EPOCH"] = args.date
    fly = FlyHashVectorizer(**SETTINGS, verbose=1).fit(TextLines(args.corpus))
    model = fly.model_.compact()
    if args.text:
        model = replace(model, provenance=replace(model.provenance, text=args.text))
    model.save(args.output)
    digest = hashlib.sha256(args.output.read_bytes()).hexdigest()
    print(f"{model}: {args.output.stat().st_size / 1e6:.1f} MB, sha256 {digest}")


if __name__ == "__main__":
    main()
