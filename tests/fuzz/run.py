"""Damage files at random, many thousands of them, and see that every reader copes.

    python tests/fuzz/run.py --files 100000 --jobs 2
    python tests/fuzz/run.py --hours 24 --jobs 2 --seed 1

Each reader gets the same number of files, with ``--hours`` as many as there is time for. A file
must be read, or be refused with the error that the reader documents, within a second of the
processor's time and 100 MB more memory than before, and must not run code. A file that is not is
kept in ``--keep``, with what happened.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz._campaign import Result, Worker
from fuzz._readers import READERS
from fuzz._worker import damaged_files, write_files

AT_A_TIME = 500
Task = tuple[str, int, int]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=16_000, help="in all")
    parser.add_argument("--hours", type=float, help="instead of a number of files")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    options = parser.parse_args()
    chosen = options.reader or list(READERS)
    each = None if options.hours else -(-options.files // len(chosen))
    began = time.monotonic()
    tasks = parts(chosen, each, began + 3600 * (options.hours or float("inf")))
    results = {reader: Result() for reader in chosen}
    lock = threading.Lock()

    def work(_: int) -> None:
        worker = Worker()
        while True:
            with lock:
                task = next(tasks, None)
            if task is None:
                return worker.stop()
            part = worker.run(*task, seed=options.seed)
            with lock:
                results[task[0]].outcomes += part.outcomes
                results[task[0]].failures += part.failures
                keep(task[0], part.failures, options.keep, options.seed)
                seconds = time.monotonic() - began
                print(f"{seconds:6.0f} s {task[0]}: {dict(part.outcomes)}", file=sys.stderr)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, range(options.jobs)))
    print(table(results))
    print(f"\n{(time.monotonic() - began) / 60:.0f} minutes, {options.jobs} processes")
    return int(any(result.failures for result in results.values()))


def parts(readers: list[str], each: int | None, until: float) -> Iterator[Task]:
    """Yield a reader and the numbers of its files, some of every reader in turn."""
    for first in itertools.count(0, AT_A_TIME) if each is None else range(0, each, AT_A_TIME):
        for reader in readers:
            if time.monotonic() > until:
                return
            yield (
                reader,
                first,
                first + AT_A_TIME if each is None else min(first + AT_A_TIME, each),
            )


def table(results: dict[str, Result]) -> str:
    lines = ["| reader | files | read | refused | failed |", "|---|---:|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for reader, result in [*results.items(), ("all", None)]:
        outcomes = total if result is None else result.outcomes
        numbers = [outcomes.total(), *(outcomes[name] for name in ("read", "refused", "failed"))]
        lines.append(f"| {reader} | {' | '.join(f'{number:,}' for number in numbers)} |")
        total = total + outcomes
    return "\n".join(lines)


def keep(reader: str, failures: list[tuple[int, str]], place: Path, seed: int) -> None:
    """Write the files that failed, to be looked into."""
    seeds = READERS[reader].seeds() if failures else []
    for number, why in failures:
        directory = place / f"{reader}-{seed}-{number}".replace(" ", "-")
        write_files(directory / "files", damaged_files(reader, seed, number, seeds))
        (directory / "why.txt").write_text(why, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
