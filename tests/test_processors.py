"""A model file gives the same codes and layout on every processor and with any settings."""

import os
import subprocess
import sys

import pytest

from planted import plant
from skfly import FlyHashVectorizer

CODES = """
import hashlib, locale, sys
from dataclasses import replace
from skfly import FlyHashVectorizer

try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
backend, *paths = sys.argv[1:]
for n_jobs in (1, 2, 3, 7) if backend == "numba" else (1,):
    for path in paths:
        digest = hashlib.blake2b(digest_size=8)
        for params in ({}, {"unknown_words": "spelling", "hash_length": 5}):
            fly = FlyHashVectorizer.load(path)
            fly.set_params(backend=backend, n_jobs=n_jobs, **params)
            words = list(fly.vocabulary_)
            texts = [" ".join(words[i : i + 9]) for i in range(len(words))]
            for codes in (
                fly.transform(texts),
                fly.hash_words([*words, "topic7word77", "Topic1word"]),
                fly.hash_in_context(texts, [text.split()[0] for text in texts]),
            ):
                codes.sort_indices()
                digest.update(codes.data.tobytes())
                digest.update(codes.indices.astype("<i8").tobytes())
                digest.update(codes.indptr.astype("<i8").tobytes())
        for array in replace(fly.model_, layout=None).cell_layout().arrays.values():
            digest.update(array.tobytes())
        print(path, digest.hexdigest())
"""
WEIGHTS = """
import hashlib
import numpy as np
from skfly.model._spelling import Spelling
from skfly.model._synapses import evidence

random = np.random.default_rng(0)
words = ["".join(random.choice(list("flymoth"), size=5)) for _ in range(3000)]
counts = random.integers(0, 1000, size=(3000, 50)).astype(np.float32)
for found in (Spelling(words[:2000]).weights(words[2000:]).data, evidence(counts, counts.sum(0))):
    print(hashlib.blake2b(found.tobytes()).hexdigest())
"""
try:
    from numpy._core import _multiarray_umath as _numpy
except ImportError:  # numpy 1
    from numpy.core import _multiarray_umath as _numpy
# without these, numpy's logarithms have other last bits
DISPATCHED = [name for name in _numpy.__cpu_dispatch__ if _numpy.__cpu_features__[name]]
PLAIN_NUMPY = {"NPY_DISABLE_CPU_FEATURES": " ".join(DISPATCHED)}
SETTINGS = {
    "AVX2": ("numba", {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "1"}),
    "no AVX": ("numpy", {"OPENBLAS_CORETYPE": "Nehalem", "LC_ALL": "tr_TR.UTF-8"}),
    "SSE3": ("numpy", {"OPENBLAS_CORETYPE": "Prescott", "LC_ALL": "C", "PYTHONUTF8": "0"}),
    "any processor": ("numba", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}),
    "numpy without AVX2": ("numpy", PLAIN_NUMPY),
}


def lines_of(script, *args, **environment):
    run = subprocess.run(
        [sys.executable, "-c", script, *args],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines())


def codes_of(backend, paths, **environment):
    return lines_of(CODES, backend, *paths, **environment)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of some models, and the codes that the plain engine makes here."""
    paths = []
    for rule in ({}, {"learning": "lloyd"}, {"learning": "hebbian", "window": 5}):
        paths.append(tmp_path_factory.mktemp("model") / "fly")
        fly = FlyHashVectorizer(n_kenyon_cells=30, hash_length=3, random_state=0, **rule)
        fly.fit(plant()[0]).save(paths[-1])
    codes = codes_of("numpy", paths)
    assert len(codes) == len(paths)
    return paths, codes


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_codes_depend_on_the_file_alone(expected, setting):
    backend, environment = SETTINGS[setting]
    assert codes_of(backend, expected[0], **environment) == expected[1]


def test_weights_of_words_do_not_depend_on_the_last_bit_of_a_logarithm():
    assert lines_of(WEIGHTS) == lines_of(WEIGHTS, **PLAIN_NUMPY)
