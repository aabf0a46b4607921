"""States on disk: the last sound one is found, whatever happened to the others."""

import logging
import os

import numpy as np
import pytest

from skfly._model_file import write_model_file
from skfly.fit import CheckpointError, Checkpoints

RUN = {"seed": 3, "window": 11}


def state(number):
    return {"batch": number}, {"counts": np.arange(number, number + 6.0).reshape(2, 3)}


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(tmp_path / "run", RUN)


def files(checkpoints):
    return sorted(checkpoints._directory.iterdir())


def test_nothing_there(checkpoints):
    assert checkpoints.last() is None


def test_what_is_saved_comes_back(checkpoints):
    progress, arrays = state(5)
    progress |= {"energy": 0.1 + 0.2, "random": 2**127 - 1}
    checkpoints.save(progress, arrays | {"none": np.zeros((0, 3), np.float32)})
    saved = checkpoints.last()
    assert saved.progress == progress
    np.testing.assert_array_equal(saved.arrays["counts"], arrays["counts"])
    assert saved.arrays["none"].shape == (0, 3)


def test_two_are_kept_and_the_newest_counts(checkpoints):
    for number in range(12):
        checkpoints.save(*state(number))
        assert checkpoints.last().progress == {"batch": number}
    assert len(files(checkpoints)) == 2


def test_the_directory_is_made_with_those_above_it(tmp_path):
    checkpoints = Checkpoints(tmp_path / "runs" / "of" / "today", RUN)
    checkpoints.save(*state(1))
    assert checkpoints.last().progress == {"batch": 1}


def test_another_process_finds_them(checkpoints):
    checkpoints.save(*state(1))
    again = Checkpoints(checkpoints._directory, RUN)
    again.save(*state(2))
    assert again.last().progress == {"batch": 2}


@pytest.mark.parametrize("where", [0, 9, 200, 300, -1])
def test_a_damaged_one_falls_back_to_the_one_before(checkpoints, caplog, where):
    checkpoints.save(*state(1))
    checkpoints.save(*state(2))
    newest = files(checkpoints)[-1]
    content = bytearray(newest.read_bytes())
    content[where] ^= 0x41
    newest.write_bytes(content)
    with caplog.at_level(logging.WARNING, "skfly"):
        assert checkpoints.last().progress == {"batch": 1}
    assert "a checkpoint is damaged; trying the one before it" in caplog.text
    assert newest.name in caplog.text


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_one_cut_short_falls_back_too(checkpoints, caplog, share):
    checkpoints.save(*state(1))
    checkpoints.save(*state(2))
    newest = files(checkpoints)[-1]
    newest.write_bytes(newest.read_bytes()[: int(share * newest.stat().st_size)])
    with caplog.at_level(logging.WARNING, "skfly"):
        assert checkpoints.last().progress == {"batch": 1}
    assert caplog.records


def test_the_run_is_told_by_the_last_sound_one(checkpoints):
    assert Checkpoints.run_in(checkpoints._directory) is None
    checkpoints.save(*state(1))
    Checkpoints(checkpoints._directory, RUN | {"seed": 4}).save(*state(2))
    assert Checkpoints.run_in(checkpoints._directory) == RUN | {"seed": 4}
    newest = files(checkpoints)[-1]
    newest.write_bytes(newest.read_bytes()[:-7])
    assert Checkpoints.run_in(checkpoints._directory) == RUN


def test_a_model_is_not_a_checkpoint(checkpoints, caplog):
    path = checkpoints._directory / "checkpoint-00000001.skfly"
    write_model_file(path, {"a": np.zeros(1)}, {"params": {}})
    with caplog.at_level(logging.WARNING, "skfly"):
        assert checkpoints.last() is None
    assert "not a checkpoint" in caplog.text


def test_files_of_others_are_left_alone(checkpoints):
    for name in ("checkpoint-abcdefgh.skfly", "notes.txt"):
        (checkpoints._directory / name).write_text("mine")
    checkpoints.save(*state(1))
    checkpoints.finish()
    checkpoints.forget()
    assert [path.name for path in files(checkpoints)] == ["checkpoint-abcdefgh.skfly", "notes.txt"]
    assert checkpoints.last() is None


class TestTheEnd:
    def test_the_last_state_stays_until_it_is_forgotten(self, checkpoints):
        for number in (1, 2):
            checkpoints.save(*state(number))
        checkpoints.finish()
        assert [path.name for path in files(checkpoints)] == ["finished.skfly"]
        assert checkpoints.last().progress == {"batch": 2}
        checkpoints.forget()
        assert files(checkpoints) == []

    def test_a_run_without_states_leaves_none(self, checkpoints):
        checkpoints.finish()
        checkpoints.forget()
        assert files(checkpoints) == []

    def test_another_run_replaces_it(self, checkpoints):
        checkpoints.save(*state(1))
        checkpoints.finish()
        other = Checkpoints(checkpoints._directory, RUN | {"seed": 4})
        assert other.last() is None
        other.save(*state(2))
        other.finish()
        checkpoints.forget()  # it is not the state of this run
        assert other.last().progress == {"batch": 2}

    def test_it_is_resumed_and_finished_again(self, checkpoints):
        checkpoints.save(*state(1))
        checkpoints.finish()
        checkpoints.finish()  # a resumed run that was too short for a state of its own
        assert checkpoints.last().progress == {"batch": 1}
        checkpoints.save(*state(2))
        assert len(files(checkpoints)) == 1
        assert checkpoints.last().progress == {"batch": 2}

    def test_whether_it_counts_as_a_run(self, checkpoints):
        checkpoints.save(*state(1))
        checkpoints.finish()
        assert Checkpoints.run_in(checkpoints._directory) == RUN
        assert Checkpoints.run_in(checkpoints._directory, finished=False) is None


def test_what_a_killed_writer_left_is_removed(checkpoints):
    left = checkpoints._directory / ".checkpoint-00000007.skfly.abc123.skfly-tmp"
    left.mkdir()
    (left / ".owner").write_bytes(b"")
    (left / ".tmpXYZ").write_bytes(b"half of it")
    Checkpoints(checkpoints._directory, RUN)
    assert not left.exists()


def test_another_run_is_refused_and_the_difference_named(checkpoints):
    checkpoints.save(*state(1))
    other = Checkpoints(checkpoints._directory, RUN | {"window": 7, "corpus": "c0ffee"})
    with pytest.raises(CheckpointError, match=r"run: another text, .* way; window=11 then, 7"):
        other.last()


def test_a_place_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot keep checkpoints in"):
        Checkpoints(tmp_path / "file" / "run", RUN)


def test_a_directory_that_is_read_only(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(CheckpointError, match="not writable"):
        Checkpoints(tmp_path, RUN)


def test_a_failed_write_leaves_the_last_one(checkpoints, monkeypatch):
    checkpoints.save(*state(1))

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(OSError, match="No space"):
        checkpoints.save(*state(2))
    assert checkpoints.last().progress == {"batch": 1}
    assert len(files(checkpoints)) == 1


def test_when_the_next_is_due(tmp_path):
    assert Checkpoints(tmp_path, RUN, seconds=0).is_due()
    assert not Checkpoints(tmp_path, RUN, seconds=1e9).is_due()


def test_whoever_holds_the_lock_removes_what_a_killed_run_left_at_any_moment(tmp_path):
    half_made = tmp_path / ".checkpoint-000001.skfly.x1.skfly-tmp"  # without an owner
    half_made.mkdir()
    of_another = tmp_path / ".model.skfly.x1.skfly-tmp"
    of_another.mkdir()
    Checkpoints(tmp_path, {}).tidy()
    assert [path.name for path in tmp_path.iterdir()] == [of_another.name]
