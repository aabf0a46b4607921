"""From a text file to neighbours and exports, without a line of Python.

    python examples/command_line.py

It writes a text file, and runs what you would type.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from _texts import articles

COMMANDS = [
    "train text.txt -o text.skfly --quiet",
    "info text.skfly",
    "neighbors text.skfly war moon --words 5",
    "context text.skfly state|the governor of the state of Alabama",
    "cells text.skfly|the crew landed on the Moon|--cells|2|--words|5",
    "export text.skfly vectors.txt --quiet",
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "text.txt").write_text("\n".join(articles()), encoding="utf-8")
        for command in COMMANDS:
            first, *rest = command.split("|")
            args = first.split() + rest
            shown = " ".join(f'"{arg}"' if " " in arg else arg for arg in args)
            print(f"$ skfly {shown}", flush=True)
            subprocess.run([sys.executable, "-m", "skfly.cli", *args], cwd=folder, check=True)


if __name__ == "__main__":
    main()
