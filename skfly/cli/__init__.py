"""The ``skfly`` command: it parses, calls, prints. One module a command.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 a file that
was verified is damaged, 2 something
is wrong with what was asked (one line on standard error says what), 130 interrupted.

Heavy packages are imported inside the commands, so that ``skfly --help`` is quick.
"""

from __future__ import annotations

from skfly.cli._app import app

# isort: off
# in the order in which --help lists them
from skfly.cli import _train, _hash, _neighbors, _context, _cells, _evaluate  # noqa: F401
from skfly.cli import _evaluate_texts, _index, _search, _explore, _export, _demo  # noqa: F401
from skfly.cli import _info, _verify  # noqa: F401
# isort: on

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="skfly")
