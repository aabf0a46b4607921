"""A model file gives the same codes on every processor, whatever else the process is set to."""

import os
import subprocess
import sys

import pytest

from planted import plant
from skfly import FlyHashVectorizer

CODES = """
import hashlib, locale, sys
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
                digest.update(codes.indices.astype("<i8").tobytes())
                digest.update(codes.indptr.astype("<i8").tobytes())
        print(path, digest.hexdigest())
"""
SETTINGS = {
    "AVX2": ("numba", {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "1"}),
    "no AVX": ("numpy", {"OPENBLAS_CORETYPE": "Nehalem", "LC_ALL": "tr_TR.UTF-8"}),
    "SSE3": ("numpy", {"OPENBLAS_CORETYPE": "Prescott", "LC_ALL": "C", "PYTHONUTF8": "0"}),
    "any processor": ("numba", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}),
}


def codes_of(backend, paths, **environment):
    run = subprocess.run(
        [sys.executable, "-c", CODES, backend, *paths],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines())


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
