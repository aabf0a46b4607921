"""Writing safely: whole files or none, one writer at a time, and optional packages."""

import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

import pytest

from skfly._files import (
    LockedError,
    TemporaryDirectory,
    import_optional,
    replace_directory,
    replace_file,
    write_file,
    write_lock,
)

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and signals of POSIX")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestReplaceFile:
    def test_the_new_content_takes_the_place_of_the_old(self, tmp_path):
        target = tmp_path / "notes.txt"
        for content in ("old", "new"):
            with replace_file(target) as place:
                assert place != target
                place.write_text(content)
                assert not target.exists() or target.read_text() == "old"
            assert target.read_text() == content
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    @pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
    @pytest.mark.parametrize("there", [True, False])
    def test_a_failed_write_leaves_what_was_there_and_no_litter(self, tmp_path, error, there):
        target = tmp_path / "notes.txt"
        if there:
            target.write_text("old")
        before = list(tmp_path.iterdir())

        def write_half():
            with replace_file(target) as place:
                place.write_text("half of")
                raise error

        with pytest.raises(type(error)):
            write_half()

        assert list(tmp_path.iterdir()) == before
        if there:
            assert target.read_text() == "old"

    @pytest.mark.parametrize("step", ["fsync", "replace"])
    def test_one_that_fails_at_its_end_does_so_too(self, tmp_path, monkeypatch, step):
        target = tmp_path / "notes.txt"
        target.write_text("old")

        def fail(*_):
            raise OSError("Input/output error")

        owner = os if step == "fsync" else type(target)
        monkeypatch.setattr(owner, step, fail)
        with pytest.raises(OSError, match="Input/output"), replace_file(target) as place:
            place.write_text("new")

        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]

    def test_nothing_written_is_an_error(self, tmp_path):
        with pytest.raises(FileNotFoundError), replace_file(tmp_path / "notes.txt"):
            pass
        assert list(tmp_path.iterdir()) == []

    def test_what_is_written_beside_the_place_is_no_litter(self, tmp_path):
        with replace_file(tmp_path / "notes.txt") as place:
            place.with_name("lock").write_text("")
            place.write_text("new")
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    @POSIX
    @pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
    def test_the_mode_is_that_of_any_new_file(self, tmp_path, umask):
        before = os.umask(umask)
        try:
            write_file(tmp_path / "notes.txt", "new")
            (tmp_path / "plain.txt").write_text("new")
            now = os.umask(umask)
        finally:
            os.umask(before)

        assert now == umask  # it was not changed meanwhile
        assert mode(tmp_path / "notes.txt") == mode(tmp_path / "plain.txt") == 0o666 & ~umask

    @pytest.mark.parametrize("content", ["größer", b"gr\xf6\xdfer"])
    def test_text_and_bytes(self, tmp_path, content):
        write_file(tmp_path / "notes", content)
        expected = content if isinstance(content, bytes) else content.encode()
        assert (tmp_path / "notes").read_bytes() == expected


class TestReplaceDirectory:
    def test_it_gets_its_name_at_the_end(self, tmp_path):
        target = tmp_path / "above" / "run"
        with replace_directory(target) as beside:
            (beside / "a").write_text("1")
            assert not target.exists()
        assert (target / "a").read_text() == "1"
        assert list(target.parent.iterdir()) == [target]

    def test_an_existing_one_is_refused_and_left_alone(self, tmp_path):
        (tmp_path / "mine").write_text("1")
        with (
            pytest.raises(FileExistsError, match="exists; remove it or choose another name"),
            replace_directory(tmp_path),
        ):
            pytest.fail("it went on")
        assert (tmp_path / "mine").read_text() == "1"

    @pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
    def test_nothing_is_left_of_one_that_failed(self, tmp_path, error):
        def write_half():
            with replace_directory(tmp_path / "run") as beside:
                (beside / "a").write_text("1")
                raise error

        with pytest.raises(type(error)):
            write_half()
        assert list(tmp_path.iterdir()) == []

    def test_it_can_be_made_elsewhere(self, tmp_path):
        work = tmp_path / "work"
        work.mkdir()
        with replace_directory(tmp_path / "run", inside=work) as beside:
            assert beside.parent == work
            (beside / "a").write_text("1")
        assert (tmp_path / "run" / "a").read_text() == "1"
        assert list(work.iterdir()) == []

    @POSIX
    @pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
    def test_the_mode_is_that_of_any_new_directory(self, tmp_path, umask):
        before = os.umask(umask)
        try:
            with replace_directory(tmp_path / "run") as beside:
                (beside / "a").write_text("1")
        finally:
            os.umask(before)
        assert mode(tmp_path / "run") == 0o777 & ~umask
        assert [path.name for path in (tmp_path / "run").iterdir()] == ["a"]


KILLED = """
import os, signal, sys
from pathlib import Path
from skfly._files import TemporaryDirectory, replace_directory, replace_file

how, place = sys.argv[1], Path(sys.argv[2])
if how == "spool":
    temporary = TemporaryDirectory("spool-", place)
    (Path(temporary.name) / "text").write_text("some gigabytes")
    os.kill(os.getpid(), signal.SIGKILL)
with (replace_file if how == "file" else replace_directory)(place / "out") as beside:
    (beside if how == "file" else beside / "a").write_text("half of")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@POSIX
class TestLitter:
    def kill(self, how, place):
        run = subprocess.run([sys.executable, "-c", KILLED, how, place], check=False)
        assert run.returncode == -signal.SIGKILL

    @pytest.mark.parametrize("how", ["file", "directory"])
    def test_the_next_write_to_a_place_removes_what_a_killed_one_left(self, tmp_path, how):
        self.kill(how, tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        write_file(tmp_path / "another", "1")  # not its place
        assert len(list(tmp_path.iterdir())) == 2
        write_file(tmp_path / "out", "new")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["another", "out"]

    def test_so_does_the_next_temporary_directory(self, tmp_path):
        self.kill("spool", tmp_path)
        with TemporaryDirectory("spool-", tmp_path) as directory:
            assert [str(path) for path in tmp_path.iterdir()] == [directory]

    def test_those_in_use_stay(self, tmp_path):
        with replace_file(tmp_path / "out") as place:
            place.write_text("one")
            write_file(tmp_path / "out", "two")
            assert place.read_text() == "one"
        assert (tmp_path / "out").read_text() == "one"

    def test_what_others_called_so_stays(self, tmp_path):
        for name in (".out.backup", ".out.d1.skfly-tmp"):  # the second may be in the making
            (tmp_path / name).mkdir()
        write_file(tmp_path / "out", "1")
        assert len(list(tmp_path.iterdir())) == 3
        os.utime(tmp_path / ".out.d1.skfly-tmp", (0, 0))
        write_file(tmp_path / "out", "1")
        assert sorted(path.name for path in tmp_path.iterdir()) == [".out.backup", "out"]


HOLDER = """
import sys
from skfly._files import write_lock

with write_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def holder_of(target):
    """Another process that holds the lock of a target until it is told to let go."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


class TestWriteLock:
    def test_it_is_free_even_if_its_file_could_not_be_removed(self, tmp_path, monkeypatch):
        def fail(*_, **__):
            raise OSError("Input/output error")

        with monkeypatch.context() as patch, write_lock(tmp_path / "run"):
            patch.setattr(os, "unlink", fail)
        with write_lock(tmp_path / "run"):
            pass
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(os.name == "nt", reason="links need rights there")
    def test_a_link_in_its_place_is_not_followed(self, tmp_path):
        (tmp_path / "other").write_text("kept")
        (tmp_path / ".run.lock").symlink_to(tmp_path / "other")
        with pytest.raises(OSError, match=r"\.run\.lock"), write_lock(tmp_path / "run"):
            pytest.fail("it went on")
        assert (tmp_path / "other").read_text() == "kept"

    def test_a_second_process_is_refused_and_told_who_holds_it(self, tmp_path):
        with holder_of(tmp_path / "run") as holder:
            with (
                pytest.raises(LockedError, match=rf"run is in use by process {holder.pid} on \S+"),
                write_lock(tmp_path / "run"),
            ):
                pytest.fail("it went on")
            with write_lock(tmp_path / "another"):
                pass

            holder.stdin.write("\n")
            holder.stdin.flush()
            assert holder.wait() == 0
            with write_lock(tmp_path / "run"):
                pass
        assert list(tmp_path.iterdir()) == []

    @POSIX
    def test_a_killed_holder_holds_nothing(self, tmp_path):
        with holder_of(tmp_path / "run") as holder:
            holder.send_signal(signal.SIGKILL)
            assert holder.wait() == -signal.SIGKILL
            with write_lock(tmp_path / "run"):
                pass
        assert list(tmp_path.iterdir()) == []

    def test_a_second_time_in_the_same_process(self, tmp_path):
        with (
            write_lock(tmp_path / "run"),
            pytest.raises(LockedError, match=f"in use by process {os.getpid()} "),
            write_lock(tmp_path / "run"),
        ):
            pytest.fail("it went on")

    def test_an_error_within_frees_it(self, tmp_path):
        with pytest.raises(ZeroDivisionError), write_lock(tmp_path / "run"):
            _ = 1 / 0
        with write_lock(tmp_path / "run"):
            pass

    def test_the_refused_one_does_not_free_it(self, tmp_path):
        with holder_of(tmp_path / "run"):
            for _ in range(2):
                with pytest.raises(LockedError), write_lock(tmp_path / "run"):
                    pytest.fail("it went on")

    def test_rubbish_that_was_left_is_no_lock(self, tmp_path):
        (tmp_path / ".run.lock").write_text("rubbish")
        with write_lock(tmp_path / "run"):
            pass
        assert list(tmp_path.iterdir()) == []


class TestImportOptional:
    def test_a_package_that_is_there(self):
        assert import_optional("json.decoder", "plot", "drawing").JSONDecoder

    @pytest.mark.parametrize("name", ["no_such_package", "no_such_package.part"])
    def test_one_that_is_not(self, name):
        message = r'^drawing needs no_such_package: pip install "skfly\[plot\]"$'
        with pytest.raises(ImportError, match=message):
            import_optional(name, "plot", "drawing")
