"""Count the functions and files of skfly that everyday calls pass at run time.

A newcomer who wants to follow a call has to read about this much. Every function that has a name
counts once, however often it is called; lambdas and comprehensions belong to the function around
them. Peers are traced in the same run: scikit-learn's ``TfidfVectorizer`` and gensim's
``KeyedVectors``, each over its own files. Sentences are too short for document cells, so
``fit`` is traced on longer texts too.

    python examples/benchmarks/walk.py [--list]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import gensim
import numpy as np
import sklearn
from gensim.models import KeyedVectors
from sklearn.feature_extraction.text import TfidfVectorizer

import skfly
from skfly import FlyHashVectorizer

TEXTS = [
    "The fly smells ripe fruit. A sweet banana draws the fly.",
    "The bank lends money. A loan from the bank costs interest.",
] * 200
DOCUMENTS = [" ".join(TEXTS[i : i + 5]) for i in range(len(TEXTS) - 5)]


def trace(call: Callable[[], Any], package: Any) -> set[CodeType]:
    """Return the functions of a package that a call passes, on any thread."""
    root = str(Path(package.__file__).parent)
    passed: set[CodeType] = set()

    def on_event(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_name[0] != "<":
            passed.add(code)

    threading.setprofile(on_event)
    sys.setprofile(on_event)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="list the functions passed")
    arguments = parser.parse_args()
    for kernels in ("engine", "index"):  # numpy makes the first codes, before they are loaded
        importlib.import_module(f"skfly.{kernels}._kernels")
    params = {"n_kenyon_cells": 20, "hash_length": 4, "random_state": 0}
    fly = FlyHashVectorizer(**params).fit(TEXTS)
    fly.transform(TEXTS), fly.wv.most_similar("bank")  # compiles and imports
    tfidf = TfidfVectorizer().fit(TEXTS)
    dense = KeyedVectors(20)
    dense.add_vectors(["bank", "loan"], np.eye(2, 20, dtype=np.float32))
    walks = {
        "fit": (lambda: FlyHashVectorizer(**params).fit(TEXTS), skfly),
        "fit, with document cells": (
            lambda: FlyHashVectorizer(**params).fit(DOCUMENTS),
            skfly,
        ),
        "transform": (lambda: fly.transform(TEXTS), skfly),
        "wv.most_similar": (lambda: fly.wv.most_similar("bank"), skfly),
        "TfidfVectorizer.fit": (lambda: TfidfVectorizer().fit(TEXTS), sklearn),
        "TfidfVectorizer.transform": (lambda: tfidf.transform(TEXTS), sklearn),
        "gensim most_similar": (lambda: dense.most_similar("bank"), gensim),
    }
    print("| call | functions | files |")
    print("|---|---|---|")
    listed = []
    for name, (call, package) in walks.items():
        passed = trace(call, package)
        files = {code.co_filename for code in passed}
        print(f"| {name} | {len(passed)} | {len(files)} |")
        if package is skfly:
            root = Path(skfly.__file__).parent
            lines = (
                f"  {Path(code.co_filename).relative_to(root)}:{code.co_firstlineno} "
                f"{code.co_qualname}"
                for code in passed
            )
            listed += [f"\n{name}", *sorted(lines)]
    if arguments.list:
        print("\n".join(listed))


if __name__ == "__main__":
    main()
