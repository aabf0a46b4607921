"""A fit that is stopped, in whatever way, goes on where it was and ends with the same bits."""

import errno
import logging
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from skfly import EncodedCorpus, FlyHashVectorizer
from skfly._files import LockedError, write_lock
from skfly._messages import Progress
from skfly.fit import CheckpointError, Checkpoints, _checkpoints
from skfly.fit._checkpoints import Saved
from skfly.rules.whiten import WhitenRule

RULES = [
    {"learning": "whiten"},
    {"learning": "lloyd"},
    {"learning": "hebbian", "word_codes": "synapses"},
]


@pytest.fixture(autouse=True)
def at_every_batch(monkeypatch):
    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)


class StoppedError(Exception):
    pass


@pytest.fixture
def stop_at(monkeypatch):
    """Return ``stop_at(n)``: the next fit ends with its ``n``-th checkpoint."""
    save = Checkpoints.save

    def stop_at(n):
        saved = []

        def stopping(self, *state):
            save(self, *state)
            saved.append(state)
            if len(saved) == n:
                raise StoppedError

        monkeypatch.setattr(Checkpoints, "save", stopping)
        return saved

    yield stop_at
    monkeypatch.setattr(Checkpoints, "save", save)


def checkpoints_in(path):
    return sorted(path.glob("checkpoint-*")) if path.exists() else []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["learning"])
def test_stopped_at_every_checkpoint(make_fly, documents, fingerprint, tmp_path, stop_at, rule):
    params = rule | {"batch_size": 300, "n_epochs": 3}
    whole = fingerprint(make_fly(**params).fit(documents))
    saved = stop_at(0)
    make_fly(**params, checkpoint_dir=tmp_path / "count").fit(documents)
    n_checkpoints = len(saved)
    stages = {progress["position"]["stage"] for progress, _ in saved}
    # the second one of lloyd counts the consensus
    assert stages == ({0, 1} if rule["learning"] == "lloyd" else {0})
    for n in range(1, n_checkpoints + 1):
        directory = tmp_path / str(n)
        fly = make_fly(**params, checkpoint_dir=directory)
        stop_at(n)
        with pytest.raises(StoppedError):
            fly.fit(documents)
        assert checkpoints_in(directory)
        stop_at(0)
        assert fingerprint(fly.fit(documents)) == whole
        assert not checkpoints_in(directory)  # at the end of a run they go


@pytest.mark.parametrize(("learning", "batch_size"), [("whiten", 100), ("lloyd", 300)])
def test_stopped_again_and_again(
    make_fly, documents, fingerprint, tmp_path, stop_at, learning, batch_size
):
    params = {"learning": learning, "batch_size": batch_size, "n_epochs": 3}
    whole = fingerprint(make_fly(**params).fit(documents))
    fly = make_fly(**params, checkpoint_dir=str(tmp_path))
    n_stops = 0
    while True:
        stop_at(1)
        try:
            fly.fit(documents)
            break
        except StoppedError:
            n_stops += 1
            assert len(checkpoints_in(tmp_path)) <= 2
            assert n_stops < 1000, "it does not go on"
    assert n_stops > 10
    assert fingerprint(fly) == whole


def test_a_model_that_cannot_be_saved_is_not_lost(make_fly, documents, tmp_path, monkeypatch):
    fly = make_fly(checkpoint_dir=tmp_path / "state").fit(documents)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(OSError, match="No space"):
        fly.save(tmp_path / "fly.skfly")
    monkeypatch.undo()
    monkeypatch.setattr(_checkpoints, "_SECONDS", 1e9)
    steps = []
    step = WhitenRule.step
    monkeypatch.setattr(WhitenRule, "step", lambda *args: steps.append(1) or step(*args))
    # the process ended: another one fits again, from the last state on
    again = make_fly(checkpoint_dir=tmp_path / "state").fit(documents)
    assert not steps
    again.save(tmp_path / "fly.skfly")
    assert list((tmp_path / "state").iterdir()) == []
    make_fly().fit(documents).save(tmp_path / "whole.skfly")
    assert (tmp_path / "fly.skfly").read_bytes() == (tmp_path / "whole.skfly").read_bytes()


def test_a_seed_is_drawn_again_after_a_run_that_came_to_its_end(make_lloyd, documents, tmp_path):
    fly = make_lloyd(random_state=None, checkpoint_dir=tmp_path)
    first, second = (fly.fit(documents).synapses_ for _ in range(2))
    assert (first != second).any()


def test_a_seed_that_was_drawn_is_kept(make_fly, documents, tmp_path, stop_at):
    fly = make_fly(random_state=None, batch_size=300, checkpoint_dir=tmp_path)
    stop_at(2)
    with pytest.raises(StoppedError):
        fly.fit(documents)
    seed = Checkpoints.run_in(tmp_path)["seed"]
    stop_at(1)
    with pytest.raises(StoppedError):
        fly.fit(documents)
    assert Checkpoints.run_in(tmp_path)["seed"] == seed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window": 7}, "window=5 then, 7 now"),
        ({"random_state": 1}, "seed=.* then, .* now"),
        ({"n_kenyon_cells": 21}, "n_kenyon_cells=20 then, 21 now"),
        ({"n_epochs": 3}, "n_epochs=2 then, 3 now"),
        ({"shrinkage": 2.0}, "shrinkage=.* then, 2.0 now"),
        ({"learning": "hebbian"}, "learning='lloyd' then, 'hebbian' now"),
        ({"max_features": 10}, "run: another vocabulary"),
    ],
)
def test_other_parameters_are_refused(make_lloyd, documents, tmp_path, stop_at, change, message):
    stop_at(1)
    with pytest.raises(StoppedError):
        make_lloyd(checkpoint_dir=tmp_path).fit(documents)
    stop_at(0)
    with pytest.raises(CheckpointError, match=message):
        make_lloyd(checkpoint_dir=tmp_path, **change).fit(documents)
    assert checkpoints_in(tmp_path)  # a wrong call loses nothing


def test_other_text_is_refused(make_fly, documents, tmp_path, stop_at):
    stop_at(1)
    with pytest.raises(StoppedError):
        make_fly(checkpoint_dir=tmp_path).fit(documents)
    stop_at(0)
    swapped = [documents[1], documents[0], *documents[2:]]  # the same words, as often
    with pytest.raises(CheckpointError, match="run: another text, or"):
        make_fly(checkpoint_dir=tmp_path).fit(swapped)


def test_more_threads_and_another_backend_may_go_on(
    make_fly, documents, fingerprint, tmp_path, stop_at
):
    whole = fingerprint(make_fly().fit(documents))
    stop_at(1)
    with pytest.raises(StoppedError):
        make_fly(checkpoint_dir=tmp_path, backend="numpy").fit(documents)
    stop_at(0)
    fly = make_fly(checkpoint_dir=tmp_path, backend="numba", n_jobs=2).fit(documents)
    assert fingerprint(fly) == whole


def test_a_damaged_checkpoint(make_fly, documents, fingerprint, tmp_path, stop_at, caplog):
    params = {"batch_size": 300}
    whole = fingerprint(make_fly(**params).fit(documents))
    stop_at(3)
    with pytest.raises(StoppedError):
        make_fly(**params, checkpoint_dir=tmp_path).fit(documents)
    newest = checkpoints_in(tmp_path)[-1]
    newest.write_bytes(newest.read_bytes()[:-7])
    stop_at(0)
    with caplog.at_level(logging.WARNING, "skfly"):
        fly = make_fly(**params, checkpoint_dir=tmp_path).fit(documents)
    assert "damaged" in caplog.text
    assert fingerprint(fly) == whole


def test_progress_is_full_at_the_end_after_a_stop_too(
    make_lloyd, documents, tmp_path, stop_at, monkeypatch
):
    shown, started = {}, []

    @contextmanager
    def stage(self, name, unit, total=None, done=0):
        shown[name] = [total, done]
        if name == "learning":
            started.append(done)

        class Monitor:
            def advance(self, n, **details):
                shown[name][1] += 1

        yield Monitor()

    monkeypatch.setattr(Progress, "stage", stage)
    params = {"batch_size": 300, "n_epochs": 3}
    make_lloyd(**params).fit(documents)
    steps, done = shown["learning"]
    assert steps == done > 9
    assert shown["consensus"] == [steps / 3, steps / 3]
    stop_at(4)
    with pytest.raises(StoppedError):
        make_lloyd(**params, checkpoint_dir=tmp_path).fit(documents)
    stop_at(0)
    make_lloyd(**params, checkpoint_dir=tmp_path).fit(documents)
    assert started == [0, 0, 4]
    assert shown["learning"] == [steps, steps]


@pytest.mark.parametrize("batch", [-1, "1", 1.0])
def test_a_batch_that_is_none(make_lloyd, documents, tmp_path, stop_at, monkeypatch, batch):
    fly = make_lloyd(checkpoint_dir=tmp_path, batch_size=300)
    saved = stop_at(0)
    fly.fit(documents).save(tmp_path / "fly.skfly")
    stop_at(1 + [progress["position"]["stage"] for progress, _ in saved].index(1))
    with pytest.raises(StoppedError):
        fly.fit(documents)
    last = Checkpoints.last

    def changed(self):
        progress, arrays = last(self)
        return Saved(progress | {"position": progress["position"] | {"batch": batch}}, arrays)

    monkeypatch.setattr(Checkpoints, "last", changed)
    with pytest.raises(CheckpointError, match="do not fit"):
        fly.fit(documents)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_place_that_cannot_be_written_to_is_told_before_the_text_is_read(
    make_fly, tmp_path, method
):
    def unread():
        pytest.fail("it was read")
        yield

    (tmp_path / "file").write_text("")
    fly = make_fly(checkpoint_dir=tmp_path / "file" / "run")
    with pytest.raises(CheckpointError, match="cannot keep checkpoints in"):
        getattr(fly, method)(unread())


def test_partial_fit_keeps_none(make_fly, documents, tmp_path):
    fly = make_fly(checkpoint_dir=tmp_path / "run").fit(documents)
    shutil.rmtree(tmp_path / "run")
    fly.partial_fit(documents)
    assert not (tmp_path / "run").exists()


def test_a_model_file_does_not_name_the_directory(make_fly, documents, tmp_path):
    make_fly(checkpoint_dir=tmp_path / "run").fit(documents).save(tmp_path / "fly.skfly")
    assert FlyHashVectorizer.load(tmp_path / "fly.skfly").checkpoint_dir is None


def test_corpora_have_different_fingerprints(documents):
    corpora = [
        EncodedCorpus.from_documents(texts)
        for texts in (documents, documents[:-1], documents[::-1], [*documents, ""])
    ]
    found = {corpus.fingerprint() for corpus in corpora}
    assert len(found) == len(corpora)
    assert EncodedCorpus.from_documents(documents).fingerprint() in found


KILLED = """
import os, random, signal, sys, time
import joblib
from pathlib import Path
from skfly import FlyHashVectorizer
from skfly.fit import _checkpoints

_checkpoints._SECONDS = 0.0
directory = Path(sys.argv[1])
texts = [line for line in Path(sys.argv[2]).read_text().splitlines()]
params = {"learning": "lloyd", "n_kenyon_cells": 60, "hash_length": 4, "window": 5, "n_epochs": 6,
          "batch_size": 200, "n_jobs": 1, "random_state": 0}


def bits(fly):
    names = [name for name in dir(fly) if name.endswith("_") and not name.startswith("_")]
    assert "synapses_" in names and "energy_" in names
    learned = [name for name in names if name != "model_" and hasattr(fly, name)]
    return {name: joblib.hash(getattr(fly, name)) for name in learned}


whole = bits(FlyHashVectorizer(**params).fit(texts))  # compiles, too
began = time.monotonic()
FlyHashVectorizer(**params, checkpoint_dir=directory / "timed").fit(texts)
longest = (time.monotonic() - began) / 4  # time that a run may have until it is killed
resumed = FlyHashVectorizer(**params, checkpoint_dir=directory / "run")
draw = random.Random(0)


def kill_at_write(n):
    # die with the n-th checkpoint of this process written, but neither on disk nor renamed
    fsync, seen = os.fsync, []

    def counting(handle):
        seen.append(handle)
        os.kill(os.getpid(), signal.SIGKILL) if len(seen) == n else fsync(handle)

    os.fsync = counting


def left_behind():
    return len(list((directory / "run").glob("checkpoint-*")))


killed = {"any": 0, "write": 0}
with_checkpoints = attempts = 0
while killed["any"] < 15 or killed["write"] < 5:
    attempts += 1
    assert attempts < 400, (attempts, killed)
    moment = "write" if attempts % 4 == 0 else "any"
    pid = os.fork()
    if pid == 0:  # which ends by itself only with the right result
        if moment == "write":
            kill_at_write(1 + attempts // 4 % 3)
        os._exit(0 if bits(resumed.fit(texts)) == whole else 1)
    if moment == "any":
        time.sleep(draw.random() * longest)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    if status == 0:  # it was at its end before
        assert left_behind() == 0
        (directory / "run" / "finished.skfly").unlink()
        longest /= 2 if moment == "any" else 1
        continue
    killed[moment] += 1
    assert left_behind() <= 3  # two, and for a moment the one before them
    with_checkpoints += left_behind() > 0
assert bits(resumed.fit(texts)) == whole
assert [path.name for path in (directory / "run").iterdir()] == ["finished.skfly"]
print(killed["any"], killed["write"], with_checkpoints)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_twenty_moments(documents, tmp_path):
    (tmp_path / "texts").write_text("\n".join(documents))
    run = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / "state", tmp_path / "texts"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    at_any_moment, while_writing, with_checkpoints = map(int, run.stdout.split())
    assert at_any_moment >= 15
    assert while_writing >= 5
    assert with_checkpoints >= 5  # each of the others began anew


def test_one_run_at_a_time_can_use_a_directory(make_fly, documents, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    with write_lock(state), pytest.raises(LockedError, match="state is in use by process"):
        make_fly(checkpoint_dir=state).fit(documents)
    make_fly(checkpoint_dir=state).fit(documents)
