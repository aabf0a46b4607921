"""Learning under a memory limit that is smaller than the corpus."""

import subprocess
import sys

import pytest

LIMITED = """
import json, resource, sys
from pathlib import Path
import numpy as np
from skfly import EncodedCorpus, FlyHashVectorizer

place = Path(sys.argv[1])
small = EncodedCorpus.from_documents([[f"w{i % 7}" for i in range(50)]] * 20)
params = {"n_kenyon_cells": 8, "hash_length": 2, "n_jobs": 1, "random_state": 0}
FlyHashVectorizer(**params).fit(small)  # compiles
small.save(place)

status = Path("/proc/self/status").read_text().split()
limit = 1024 * int(status[status.index("VmData:") + 1]) + (96 << 20)
n_words = limit // 4 + (1 << 23)
header = {"descr": "<i4", "fortran_order": False, "shape": (n_words,)}
with open(place / "ids.npy", "wb") as file:  # nearly all of it a hole, which reads as word 0
    np.lib.format.write_array_header_1_0(file, header)
    start = file.tell()
    for part in np.linspace(0, n_words - 1000, 500).astype(int).tolist():
        file.seek(start + 4 * part)
        file.write(np.resize(np.arange(7, dtype=np.int32), 500).data)
    file.truncate(start + 4 * n_words)
sentences = np.append(np.arange(0, n_words, 5000), n_words)
np.save(place / "sentences.npy", sentences)
np.save(place / "documents.npy", np.array([0, n_words]))
np.save(place / "counts.npy", np.array([n_words - 240_000] + [40_000] * 6))

resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
corpus = EncodedCorpus.load(place)
try:
    np.ones(n_words, dtype=np.int32)
except MemoryError:
    pass
else:
    raise AssertionError("the limit does not hold")
fly = FlyHashVectorizer(**params, n_epochs=1, subsample=1e-6, decorrelation=None).fit(corpus)
print(json.dumps({"limit": limit, "corpus": corpus.ids.nbytes, "seen": fly.n_words_seen_,
                  "words": n_words}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_a_corpus_larger_than_the_memory(tmp_path):
    import json

    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "corpus")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["corpus"] > told["limit"]
    assert told["seen"] == told["words"]
