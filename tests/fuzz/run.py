"""Damage files at random, many thousands of them, and see that every reader copes.

    python tests/fuzz/run.py --files 100000 --jobs 2

Each reader gets the same number of files. A file must be read, or be refused with the error that
the reader documents, within a second of the processor's time and 100 MB more memory than before,
and must not run code. A file that is not is kept in ``--keep``, with what happened.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz._campaign import Result, Worker
from fuzz._readers import READERS
from fuzz._worker import damaged_files, write_files

AT_A_TIME = 2000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=16_000, help="in all")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    options = parser.parse_args()
    chosen = options.reader or list(READERS)
    each = -(-options.files // len(chosen))
    tasks = [
        (reader, first, min(first + AT_A_TIME, each))
        for reader in chosen
        for first in range(0, each, AT_A_TIME)
    ]
    results = {reader: Result() for reader in chosen}
    began = time.monotonic()
    workers = [Worker() for _ in range(options.jobs)]
    idle = list(workers)

    def work(task: tuple[str, int, int]) -> Result:
        worker = idle.pop()
        try:
            return worker.run(*task, seed=options.seed)
        finally:
            idle.append(worker)

    with ThreadPoolExecutor(options.jobs) as pool:
        for (reader, *_), part in zip(tasks, pool.map(work, tasks), strict=True):
            results[reader].outcomes += part.outcomes
            results[reader].failures += part.failures
            keep(reader, part.failures, options.keep, options.seed)
            print(
                f"{time.monotonic() - began:6.0f} s {reader}: {dict(part.outcomes)}",
                file=sys.stderr,
            )
    for worker in workers:
        worker.stop()
    print(table(results))
    return int(any(result.failures for result in results.values()))


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
