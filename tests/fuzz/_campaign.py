"""Runs workers over many damaged files, and adds up what became of these."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BUSY = 60.0  # seconds of the processor's time without an answer, after which a worker hangs
SILENT = 900.0  # the same by the clock: the machine may have other things to do


@dataclass
class Result:
    """What became of the files of one reader."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)


class Worker:
    """A process that reads damaged files, and another one if it dies; see ``_worker.py``."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, reader: str, first: int, last: int, *, seed: int = 0) -> Result:
        """Read files ``first`` to ``last`` of a reader. A process that dies takes one with it."""
        result = Result()
        while first < last:
            at = None
            for answer in self._answers(reader, first, last, seed):
                if "begin" in answer:
                    at = answer["begin"]
                    continue
                if "died" in answer:
                    if at is None:
                        raise RuntimeError(f"no worker for {reader}: {answer['died']}")
                    answer = {"number": at, "outcome": "failed", "why": answer["died"]}
                result.outcomes[answer["outcome"]] += 1
                if answer["outcome"] == "failed":
                    result.failures.append((answer["number"], answer["why"]))
                first = answer["number"] + 1
        return result

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._errors.close()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [os.fspath(HERE.parent), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "MALLOC_ARENA_MAX": "1",  # else each thread takes addresses for much more than it uses
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._rest = b""
        return subprocess.Popen(
            [sys.executable, "-m", "fuzz._worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )

    def _answers(self, reader: str, first: int, last: int, seed: int) -> Iterator[dict[str, Any]]:
        """Yield what a process says of a task; ``{"died": why}`` if it does not end it."""
        self._process = process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        task = {"reader": reader, "first": first, "last": last, "seed": seed}
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        while True:
            while b"\n" not in self._rest:
                ready = _wait_for(process)
                data = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
                if not data:
                    ended = f"it ended with {process.wait()}" if ready else "it hung"
                    self._errors.seek(0)
                    said = self._errors.read()[-2000:].decode(errors="replace")
                    self.stop()
                    yield {"died": f"{ended}\n{said}"}
                    return
                self._rest += data
            line, _, self._rest = self._rest.partition(b"\n")
            answer = json.loads(line)
            if "done" in answer:
                return
            yield answer


def _wait_for(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process says something, or ends, before it must be taken to hang."""
    until, busy = time.monotonic() + SILENT, _seconds_used(process.pid) + BUSY
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not selector.select(5.0):
            if time.monotonic() > until or _seconds_used(process.pid) > busy:
                return False
    return True


def _seconds_used(pid: int) -> float:
    """Return the processor's time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
