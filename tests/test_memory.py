"""Memory that does not grow with the text: learning from a corpus larger than it, and codes."""

import json
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
about = json.loads((place / "corpus.json").read_text())
del about["checksums"]
(place / "corpus.json").write_text(json.dumps(about | {"version": 1}))

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


HASHING = """
import json, sys
from pathlib import Path
from skfly import FlyHashVectorizer

def memory(kind):
    status = Path("/proc/self/status").read_text().split()
    return 1024 * int(status[status.index(kind) + 1])

texts = [" ".join(f"w{(7 * i + j * j) % 300}" for j in range(20)) for i in range(200)]
fly = FlyHashVectorizer(
    n_kenyon_cells=200, hash_length=20, n_epochs=1, n_jobs=1, random_state=0,
    **json.loads(sys.argv[2]),
).fit(texts)
documents = {
    "many": lambda: (texts[i % 200] for i in range(150_000)),
    "empty": lambda: ["" for i in range(500_000)],
    "long": lambda: [" ".join(texts) * 2000],
    "word": lambda: ["w" * 10_000_000],
}[sys.argv[1]]
fly.transform(texts * 100)  # compiles
documents = documents()
before = memory("VmRSS:")
Path("/proc/self/clear_refs").write_text("5")
codes = fly.transform(documents)
print(json.dumps({
    "result": codes.data.nbytes + codes.indices.nbytes + codes.indptr.nbytes,
    "peak": memory("VmHWM:") - before,
}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is asked for as in Linux")
@pytest.mark.parametrize(
    ("documents", "params"),
    [
        ("many", {"document_codes": "counts"}),
        ("empty", {}),
        ("long", {}),
        ("long", {"unknown_words": "spelling"}),
        ("word", {"unknown_words": "spelling"}),
    ],
)
def test_the_codes_of_documents_take_little_more_than_the_result(documents, params):
    run = subprocess.run(
        [sys.executable, "-c", HASHING, documents, json.dumps(params)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["peak"] < 1.25 * told["result"] + (96 << 20)
