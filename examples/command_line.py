"""
From the command line
=====================

From a text file to neighbours and exports, without a line of Python: the script writes a text
file, then runs the commands that you would type.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_command_line.png'

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from _texts import articles

folder = tempfile.TemporaryDirectory()
Path(folder.name, "text.txt").write_text("\n".join(articles()), encoding="utf-8")


def run(command):
    """Run a command as a terminal would, in the folder with the text."""
    name, *args = shlex.split(command)
    assert name == "skfly"
    done = subprocess.run(
        [sys.executable, "-m", "skfly.cli", *args],
        cwd=folder.name,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    print(f"$ {command}\n{done.stdout}")


# %%
# Train. Each line of the file is a sentence; ``--quiet`` hides the progress.

run("skfly train text.txt -o text.skfly --stop-words english --quiet")
run("skfly info text.skfly")

# %%
# Query. The numbers say how many of the 32 cells two codes have in common.

run("skfly neighbors text.skfly war moon language --words 5")
run(
    "skfly context text.skfly state 'the governor of the state of Alabama'"
    " 'the oxidation state of the metal'"
)

# %%
# Show the cells that a sentence activates: their numbers, names, activations and words.

run("skfly cells text.skfly 'the crew landed on the Moon' --cells 2 --words 5")

# %%
# ``export`` writes files for other tools, and ``--json``, which all commands take, is for scripts.

run("skfly export text.skfly vectors.npz --quiet --json")
folder.cleanup()
