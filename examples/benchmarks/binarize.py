"""Time each class of skfly.binarize, and measure what its inverse loses.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/binarize.py [--vectors 40000]

The vectors are Gaussian, float32, with 300 features that depend on one another, and not centred.
Times grow with the number of vectors; "lost" is the share of their variance that
``inverse_transform`` does not restore.
"""

import argparse
import time

import numpy as np

from skfly.binarize import (
    ITQ,
    LSH,
    PCAH,
    BioHash,
    DenseFly,
    NearLossless,
    RandExp,
    SpectralHashing,
    TopK,
)

TRANSFORMERS = [
    LSH(64),
    RandExp(400, 32),
    BioHash(400, 32),
    DenseFly(400),
    TopK(32),
    PCAH(64),
    ITQ(64),
    ITQ(256),
    SpectralHashing(64),
    NearLossless(64),
    NearLossless(256),
]


def make_vectors(n, n_features=300):
    random = np.random.default_rng(0)
    mixed = random.normal(size=(n_features, n_features)) / np.sqrt(n_features)
    return (random.normal(size=(n, n_features)) @ mixed + 0.3).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", type=int, default=40_000)
    X = make_vectors(parser.parse_args().vectors)
    variance = float(X.var(axis=0).mean())
    print("| transformer | fit | transform | lost |\n|---|---|---|---|")
    for transformer in TRANSFORMERS:
        if hasattr(transformer, "random_state"):
            transformer.set_params(random_state=0)
        began = time.perf_counter()
        transformer.fit(X)
        fitted = time.perf_counter()
        codes = transformer.transform(X)
        ended = time.perf_counter()
        lost = ""
        if hasattr(transformer, "inverse_transform"):
            restored = transformer.inverse_transform(codes)
            lost = f"{np.square(X - restored).mean() / variance:.3f}"
        name = repr(transformer).replace(", random_state=0", "").replace("random_state=0", "")
        print(f"| {name} | {fitted - began:.1f} | {ended - fitted:.1f} | {lost} |", flush=True)


if __name__ == "__main__":
    main()
