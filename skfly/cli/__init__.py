"""The ``skfly`` command, one module per subcommand.

Results go to standard output, everything else to standard error. Exit codes: 0 for success, 1 if
``skfly verify`` finds a damaged file, 2 for user errors (explained in one line on standard
error), 130 if interrupted.

Heavy packages are imported inside the commands to keep ``skfly --help`` fast.
"""

from __future__ import annotations

from skfly.cli._app import app

# isort: off
# in the order of --help
from skfly.cli import _train, _hash, _neighbors, _context, _cells, _evaluate  # noqa: F401
from skfly.cli import _evaluate_texts, _index, _search, _explore, _export, _demo  # noqa: F401
from skfly.cli import _info, _verify  # noqa: F401
# isort: on

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="skfly")
