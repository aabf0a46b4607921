"""Change the code in small ways, one at a time, and see whether tests notice: ``tox -e mutants``.

Without arguments all mutants are judged, which takes hours; else those whose names match a
pattern, or some that are drawn at random. mutmut does the work, in ``mutants/``; a table comes
out, and what no test noticed. ``mutmut show NAME`` shows the change.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

NOT_NOTICED = (0, 5, 33)  # tests passed, or there were none
ROOMS = {
    "engine": "skfly/engine/_numpy.py",
    "fit": "skfly/fit",
    "index": "skfly/index",
    "model": "skfly/model",
    "rules": "skfly/rules",
}


def judged() -> dict[str, int | None]:
    """Return how the tests ended for each mutant; ``None`` if they were not run."""
    found: dict[str, int | None] = {}
    for path in sorted(Path("mutants").glob("skfly/**/*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def mutmut(children: int, *names: str) -> None:
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(children), *names]
    subprocess.run(command, check=False)


def drawn(count: int, seed: int, without: list[str]) -> list[str]:
    """Return names drawn at random; they are the same as long as the code is."""
    names = [
        name
        for name in sorted(judged())
        if not any(fnmatchcase(name, pattern) for pattern in without)
    ]
    return sorted(random.Random(seed).sample(names, count))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("patterns", nargs="*", help="names, such as '*LloydRule*'")
    parser.add_argument("--random", type=int, metavar="N", help="judge so many, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--children", type=int, default=2, help="processes")
    options = parser.parse_args()
    chosen = options.patterns
    if options.random:
        mutmut(options.children, "skfly.nothing")  # makes the mutants, and finds none of that name
        chosen = drawn(options.random, options.seed, options.without)
    mutmut(options.children, *chosen)
    codes = {
        name: code
        for name, code in judged().items()
        if not chosen or any(fnmatchcase(name, pattern) for pattern in chosen)
    }
    table(codes)
    return int(any(code is None for code in codes.values()))


def table(codes: dict[str, int | None]) -> None:
    by_room: dict[str, list[int | None]] = defaultdict(list)
    for name, code in codes.items():
        by_room[ROOMS[name.split(".")[1]]].append(code)
        by_room["all"].append(code)
    print("| where | mutants | noticed | |\n|---|---:|---:|---:|")
    for room in (*ROOMS.values(), "all"):
        ended = [code for code in by_room[room] if code is not None]
        noticed = sum(code not in NOT_NOTICED for code in ended)
        share = f"{100 * noticed / len(ended):.0f} %" if ended else ""
        print(f"| {room} | {len(ended):,} | {noticed:,} | {share} |")
    print(*(name for name, code in codes.items() if code in NOT_NOTICED), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
