"""Reads damaged files, one after another, in a process of its own with limits.

A line of JSON on standard input is a task: a reader, a seed, and which files. For each file a
line comes back before it is read, and one with what became of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import Any

from fuzz._mutate import Files, mutate
from fuzz._readers import BAD_READERS, READERS, Reader

MOST_SECONDS = 1.0  # of the processor
MOST_BYTES = 100 * 10**6
_PAGE = os.sysconf("SC_PAGE_SIZE")
# what only code that came with a file could do; see "Audit events table" of Python
_FORBIDDEN = ("pickle.find_class", "os.exec", "os.fork", "os.posix_spawn", "os.system")
_FORBIDDEN += ("subprocess.Popen", "ctypes.dlopen", "socket.connect", "socket.bind")
_armed = False
_numba_worked = False


class OvertimeError(BaseException):
    """A file took longer than it may."""


class ForbiddenError(BaseException):
    """Reading a file did what no file should make a reader do."""


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if not _armed:
        return
    if event == "exec":  # of what is in no file: modules are imported when they are needed
        forbidden = not os.path.isfile(getattr(args[0], "co_filename", ""))
    elif event == "open":
        forbidden = isinstance(args[2], int) and bool(args[2] & (os.O_WRONLY | os.O_RDWR))
        forbidden &= os.path.basename(str(args[0])) != ".lock"  # of one who may write there
    else:
        forbidden = event in _FORBIDDEN
    if forbidden and not _is_numba_at_work():
        raise ForbiddenError(f"{event} {args!r:.200}")


def _is_numba_at_work() -> bool:
    """Whether numba compiles a kernel, or loads one from its cache, which is a pickle."""
    global _numba_worked
    frame: Any = sys._getframe(2)
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("numba."):
        frame = frame.f_back
    _numba_worked |= frame is not None
    return frame is not None


def damaged_files(reader: str, seed: int, number: int, seeds: list[Files]) -> Files:
    """Return file ``number``; the first ones are the seeds as they are."""
    if number < len(seeds):
        return seeds[number]
    random = Random(f"{reader}-{seed}-{number}")
    return mutate(random, random.choice(seeds), READERS[reader].ways)


def write_files(directory: Path, files: Files) -> None:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextlib.contextmanager
def limits(seconds: float, n_bytes: int) -> Any:
    """Within, memory and time have limits and code is not run."""
    global _armed
    used = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + n_bytes, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    _armed = True
    try:
        yield
    finally:
        _armed = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def outcome(reader: Reader, place: Path, files: Files, number: int) -> tuple[str, str]:
    """Return what became of files, and why they failed if they did.

    Where a kernel that had not been used before had to be compiled, they are tried again, once
    with wider limits.
    """
    global _numba_worked
    _numba_worked = False
    what, why = _try(reader, place, files, number)
    if what == "failed" and _numba_worked:
        _try(reader, place, files, number, 20 * MOST_SECONDS, 20 * MOST_BYTES)
        what, why = _try(reader, place, files, number)
    return what, why


def _try(
    reader: Reader,
    path: Path,
    files: Files,
    number: int,
    seconds: float = MOST_SECONDS,
    n_bytes: int = MOST_BYTES,
) -> tuple[str, str]:
    _fresh(path, files)
    try:
        with limits(seconds, n_bytes):
            try:
                found = reader.read(path, number)
            except reader.errors as error:
                return "refused", type(error).__name__
            with contextlib.suppress(ValueError):
                reader.use(found, number)
    except (Exception, OvertimeError, ForbiddenError):
        return "failed", traceback.format_exc(limit=-6)
    return "read", ""


def work(answers: Any) -> None:
    def overtime(*_: Any) -> None:
        raise OvertimeError

    signal.signal(signal.SIGPROF, overtime)
    sys.addaudithook(_audit)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="skfly-fuzz-") as root:
        place = Path(root) / "files"
        for line in sys.stdin:
            task = json.loads(line)
            name = task["reader"]
            reader = BAD_READERS[name] if name in BAD_READERS else READERS[name]
            seeds = reader.seeds()
            for number, files in enumerate([] if name in BAD_READERS else seeds * 2):
                # what is made at the first use is made now
                for n in (0, number):
                    _fresh(place, files)
                    reader.use(reader.read(place, number), n)
            for number in range(task["first"], task["last"]):
                files = damaged_files(name, task["seed"], number, seeds)
                print(json.dumps({"begin": number}), file=answers, flush=True)
                what, why = outcome(reader, place, files, number)
                answer = {"number": number, "outcome": what, "why": why}
                print(json.dumps(answer), file=answers, flush=True)
            print(json.dumps({"done": name}), file=answers, flush=True)


def _fresh(place: Path, files: Files) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    write_files(place, files)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what else is printed must not be taken for an answer
    work(answers)
