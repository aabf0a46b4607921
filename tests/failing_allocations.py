"""What ``test_allocations.py`` runs, with ``failing_malloc.cpp`` preloaded.

``python tests/failing_allocations.py`` lets the first allocation of a megabyte or more within a
call fail, then the second and so on. Each time the object must stay as it was, and the next try
give what the call gives without failures. It prints how many allocations failed, and how many
times the call did.
"""

import ctypes
import hashlib
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np

from skfly import DocumentIndex, FlyHashVectorizer

FOR_GOOD = 1 << 30


def make_texts(n_texts, n_tokens, seed):
    """Return texts of made-up words: frequent ones, and as many rare ones."""
    random = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(4000)])
    ids = np.concatenate(
        [
            np.minimum(random.zipf(1.2, (n_texts, n_tokens)), len(words)) - 1,
            random.integers(len(words), size=(n_texts, n_tokens)),
        ],
        axis=1,
    )
    return [" ".join(words[row]) for row in ids]


def bits(*parts):
    """Return a digest of arrays, sparse matrices and whatever prints all that it is."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        arrays = [part.data, part.indices, part.indptr] if hasattr(part, "indptr") else [part]
        for array in arrays:
            is_array = isinstance(array, np.ndarray) and array.dtype != object
            found.update(array.tobytes() if is_array else repr(array).encode())
    return found.hexdigest()


def learned(fly):
    """Return a digest of all that an estimator has learned."""
    arrays = fly.model_.arrays
    names = sorted(arrays)
    return bits(list(fly.vocabulary_), fly.n_words_seen_, names, *[arrays[name] for name in names])


class Calls:
    """What is called: a function that makes an object, the call, and the object's state."""

    def __init__(self, folder):
        self.folder = folder
        self.texts, self.documents = make_texts(80, 50, seed=1), make_texts(4000, 5, seed=2)
        self.words = [f"w{number}" for number in range(4000)] * 4
        params = {"hash_length": 24, "min_count": 1, "n_jobs": 1, "random_state": 0}
        small = FlyHashVectorizer(n_kenyon_cells=100, **params).fit(make_texts(80, 50, seed=0))
        large = FlyHashVectorizer(n_kenyon_cells=320, **params).fit(make_texts(150, 60, seed=0))
        index = DocumentIndex(large)
        index.add(self.documents)
        for name, saved in {"small": small, "large": large, "index": index}.items():
            saved.save(folder / name)

    def small(self):
        return FlyHashVectorizer.load(self.folder / "small")

    def large(self):
        return FlyHashVectorizer.load(self.folder / "large")

    def empty_index(self):
        return DocumentIndex(self.large())

    def full_index(self):
        return DocumentIndex.load(self.folder / "index")

    def all(self):
        """Return three functions by the name of the call."""
        return {
            "load": (list, lambda _: learned(self.large()), len),
            "fit": (self.small, lambda fly: learned(fly.fit(self.texts)), learned),
            "partial_fit": (self.small, lambda fly: learned(fly.partial_fit(self.texts)), learned),
            "transform": (self.large, lambda fly: bits(fly.transform(self.documents)), learned),
            "hash_words": (self.large, lambda fly: bits(fly.hash_words(self.words)), learned),
            "most_similar": (self.large, lambda fly: bits(fly.wv.most_similar("w0")), learned),
            "DocumentIndex.add": (
                self.empty_index,
                lambda index: bits(index.add(self.documents), *index.search(self.texts)),
                len,
            ),
            "DocumentIndex.search": (
                self.full_index,
                lambda index: bits(*index.search(self.documents[:1000], n=140)),
                len,
            ),
        }


def failures(library, make, call, state):
    """Return how many allocations failed, and in how many runs the call did."""
    call(make())  # compiles
    expected = call(make())
    n_failed = n_raised = 0
    while True:
        one = make()
        before = state(one)
        library.start_counting(n_failed + 1, n_failed + 1)
        try:
            found = call(one)
        except MemoryError:
            found = None
        finally:
            n_large = library.stop_counting()
        if n_large <= n_failed:
            return n_failed, n_raised
        n_failed += 1
        if found is None:
            n_raised += 1
            assert state(one) == before, f"allocation {n_failed} changed the object"
            found = call(one)
        assert found == expected, f"allocation {n_failed} changed the result"


def save_without_memory(library, fly, path):
    """Save where no allocation succeeds any more; the file stays, and the next try works."""
    fly.save(path)
    before = path.read_bytes()
    library.start_counting(1, FOR_GOOD)
    try:
        fly.save(path)
    except MemoryError:
        n_raised = 1
    finally:
        n_failed = library.stop_counting()
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == [path.name]
    fly.save(path)
    return n_failed, n_raised


def main():
    warnings.simplefilter("ignore")
    library = ctypes.CDLL(None)
    library.start_counting.argtypes = [ctypes.c_long] * 2
    library.stop_counting.restype = ctypes.c_long
    with tempfile.TemporaryDirectory() as folder:
        calls = Calls(Path(folder))
        found = {name: failures(library, *call) for name, call in calls.all().items()}
        place = Path(folder) / "saved"
        place.mkdir()
        found["save"] = save_without_memory(library, calls.large(), place / "fly")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
