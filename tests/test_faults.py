"""Every call of ours to the system fails once: nothing that was there is lost, the error is plain.

The calls that write are replaced by ones that count, and fail at a number or stop there as a power
cut does: what was not synced by then is lost.
"""

import builtins
import errno
import os
import shutil

import numpy as np
import pytest

from skfly import DocumentIndex, EncodedCorpus, FlyHashVectorizer
from skfly.fit import Checkpoints
from skfly.text import TextLines, encode_to_directory

TEXTS = ["the fly eats ripe fruit", "ripe fruit smells sweet", "banks lend money"] * 4
CALLS = [
    *[(os, name) for name in ("open", "fsync", "replace", "rename", "mkdir", "unlink", "pwrite")],
    *[(os, name) for name in ("ftruncate", "chmod")],
    (builtins, "open"),
    (np, "save"),
    ("safetensors.numpy", "save_file"),
]


@pytest.fixture(scope="module")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=12, hash_length=2, random_state=0).fit(TEXTS)


def save_model(place, fly):
    fly.save(place / "fly")


def save_vectors(place, fly):
    fly.wv.save(place / "vectors")


def save_index(place, fly):
    index = DocumentIndex(fly)
    index.add(TEXTS[:3])
    index.save(place / "index")


def save_checkpoint(place, fly):
    checkpoints = Checkpoints(place / "state", {"seed": 1})
    for number in range(3):
        checkpoints.save({"epoch": number}, {"counts": np.arange(number + 3.0)})


def encode(place, fly):
    text = place / "text.txt"
    if not text.exists():
        text.write_text("\n".join(TEXTS))
    if not (place / "ids").exists():
        encode_to_directory(TextLines(text), place / "ids")


WRITERS = [save_model, save_vectors, save_index, save_checkpoint, encode]


def read_all(place):
    """Return what can be read; what is damaged raises."""
    found = {}
    if (place / "fly").exists():
        found["fly"] = FlyHashVectorizer.load(place / "fly").hash_words(["fly"]).indices.tolist()
    if (place / "vectors").exists():
        from skfly import FlyKeyedVectors

        found["vectors"] = FlyKeyedVectors.load(place / "vectors").index_to_key[0]
    if (place / "index").exists():
        found["index"] = len(DocumentIndex.load(place / "index", mmap=False))
    if (place / "state").exists() and (last := Checkpoints(place / "state", {"seed": 1}).last()):
        found["state"] = last.arrays["counts"].tolist()
    if (place / "ids").exists():
        found["ids"] = EncodedCorpus.load(place / "ids").n_words
    return found


class Counted:
    """Replaces the calls; the ``fail_at``-th one raises."""

    def __init__(self, monkeypatch, place, fail_at=None):
        self.n_calls, self.fail_at, self.place = 0, fail_at, str(place)
        for owner, name in CALLS:
            where = f"{owner}.{name}" if isinstance(owner, str) else None
            real = getattr(__import__(owner, fromlist=[name]), name) if where else None
            real = real or getattr(owner, name)
            patched = self._counting(real)
            if where:
                monkeypatch.setattr(where, patched)
            else:
                monkeypatch.setattr(owner, name, patched)

    def _counting(self, real):
        def call(*args, **kwargs):
            if any(self.place in str(arg) for arg in (*args, *kwargs.values())) or (
                args and isinstance(args[0], int)
            ):
                self.n_calls += 1
                if self.n_calls == self.fail_at:
                    raise OSError(errno.EIO, "Input/output error")
            return real(*args, **kwargs)

        return call


def is_older_or_whole(found, whole, there):
    """Whether what is found is all that was written, or what was there before."""
    if "state" in whole and "state" in found:  # of three that are written
        return found["state"] in ([0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4])
    return found == whole or (found == {} and not there)


def tell(write, *args):
    """Return what the error of a call says, if it is one that we promise."""
    try:
        write(*args)
    except (OSError, ValueError) as error:
        return f"{error} {error.__cause__}"
    return None


@pytest.mark.parametrize("write", WRITERS)
def test_any_call_may_fail(write, fly, tmp_path):
    fresh, used = tmp_path / "fresh", tmp_path / "used"
    used.mkdir()
    write(used, fly)
    whole = read_all(used)
    assert whole
    with pytest.MonkeyPatch.context() as patch:
        fresh.mkdir()
        n_calls = Counted(patch, fresh)
        write(fresh, fly)
        n_calls = n_calls.n_calls
    assert n_calls > 3
    once = write is encode  # what is there is not written again
    for number in range(1, n_calls + 1):
        for there in (False,) if once else (False, True):  # whether an older one is there
            place = tmp_path / f"{number}{there}"
            shutil.copytree(used, place) if there else place.mkdir()
            with pytest.MonkeyPatch.context() as patch:
                Counted(patch, place, fail_at=number)
                told = tell(write, place, fly)
            assert told is None or "Input/output error" in told
            found = read_all(place)
            assert is_older_or_whole(found, whole, there), found
            write(place, fly)  # and the next try works
            assert read_all(place) == whole
            left = [path.name for path in place.rglob("*") if path.name.endswith(".skfly-tmp")]
            assert left == []
            shutil.rmtree(place)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("there", [False, True])
def test_power_may_fail_before_any_sync_or_rename(write, there, fly, tmp_path):
    """At each of them, files that were not synced are lost; the rest must be read or not be."""
    place, synced, snapshots = tmp_path / "place", set(), []
    place.mkdir()
    if there:
        write(place, fly)
        synced |= {path.stat().st_ino for path in place.rglob("*")}

    def cut_before(real):
        def call(*args, **kwargs):
            copy = tmp_path / f"cut{len(snapshots)}"
            shutil.copytree(place, copy)
            for path in place.rglob("*"):
                if path.is_file() and path.stat().st_ino not in synced:
                    os.truncate(copy / path.relative_to(place), path.stat().st_size // 2)
            snapshots.append(copy)
            if isinstance(args[0], int):
                synced.add(os.fstat(args[0]).st_ino)
            return real(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("fsync", "replace", "rename"):
            patch.setattr(os, name, cut_before(getattr(os, name)))
        write(place, fly)
    whole = read_all(place)
    assert (there and write is encode) or len(snapshots) >= 3
    for copy in snapshots:
        assert is_older_or_whole(read_all(copy), whole, there), copy
