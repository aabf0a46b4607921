"""What tests of threads and processes run: one model, used in many places at once.

``python tests/parallel_use.py MODEL HOW ...`` prints how codes and neighbours came out in each
place, as a digest; all must be the same.
"""

import hashlib
import multiprocessing
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from skfly import FlyHashVectorizer

TEXTS = ["The fly likes ripe fruit.", "Some money with interest from the bank.", ""] * 20
WORDS = ["fly", "fruit", "bank", "money", "unknown", "the"]


def digest(fly):
    """Return what a model makes of text and words, as a few letters."""
    found = hashlib.blake2b(digest_size=8)
    for codes in (fly.transform(TEXTS), fly.hash_words(WORDS)):
        found.update(codes.indptr.tobytes() + codes.indices.tobytes() + codes.data.tobytes())
    found.update(repr(fly.wv.most_similar("fly", topn=5)).encode())
    found.update(repr(fly.hash_in_context(TEXTS[:2], [1, 2]).indices.tolist()).encode())
    return found.hexdigest()


def digest_of_file(path):
    """Return the digest of a model that is read from a file, in another process for one."""
    return digest(FlyHashVectorizer.load(path, mmap=True))


def _put_digest(queue, fly):
    queue.put(digest(fly))


def in_threads(fly):
    """Eight threads, all of them at the same moment."""
    together = threading.Barrier(8)

    def use(_):
        together.wait()
        return digest(fly)

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(use, range(8)))


def in_forks(fly, n_forks=2):
    """Children of a fork, with the parent's kernels and threads' locks as they were."""
    context = multiprocessing.get_context("fork")
    found = []
    for _ in range(n_forks):
        queue = context.SimpleQueue()
        child = context.Process(target=_put_digest, args=(queue, fly))
        child.start()
        child.join(600)
        if child.is_alive():
            child.kill()
            found.append("a child did not come to its end")
        else:
            found.append(queue.get() if child.exitcode == 0 else f"exit code {child.exitcode}")
    return found


def in_forks_while_another_thread_fits(fly):
    """The fit uses its own threads, and compiles what it needs."""
    done = threading.Event()
    fits = []

    def fit():
        while not done.is_set():
            fits.append(FlyHashVectorizer(n_kenyon_cells=50, n_jobs=2).fit(TEXTS * 50))

    thread = threading.Thread(target=fit)
    thread.start()
    try:
        return in_forks(fly, 4)
    finally:
        done.set()
        thread.join()


def in_spawned_processes(path):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(digest_of_file, [path, path])


def in_loky_workers(path, fly):
    from joblib import Parallel, delayed

    used = Parallel(n_jobs=2, backend="loky")
    return used([delayed(digest_of_file)(path), delayed(digest)(fly)])


def with_many_threads_in_each(fly):
    """Kernels run on several threads even if there is little to do."""
    from skfly.engine import _numba

    _numba._WORTH_THREADS = 0
    fly.set_params(n_jobs=4)
    return [*in_threads(fly), *in_forks(fly)]


def main(path, *ways):
    import numba

    fly = FlyHashVectorizer.load(path)
    found = {"main": [digest(fly)]}  # kernels have run before any fork
    numba.get_num_threads()  # starts numba's own threading layer
    for way in ways:
        args = {"in_spawned_processes": [path], "in_loky_workers": [path, fly]}.get(way, [fly])
        found[way] = globals()[way](*args)
    print(numba.threading_layer() if numba.config.THREADING_LAYER != "default" else "default")
    print(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
