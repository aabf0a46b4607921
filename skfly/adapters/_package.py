"""What all adapters share: the check of a package's version."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["import_at_least"]


def import_at_least(module: str, package: str, oldest: str, adapter: str) -> Any:
    """Import a module of another package, or say which version is needed and which is there.

    Examples
    --------
    >>> import_at_least("numpy", "numpy", "1.26", "this").__name__
    'numpy'
    >>> import_at_least("numpy", "numpy", "1000.2", "this")
    Traceback (most recent call last):
    ...
    ImportError: this needs numpy 1000.2 or newer; ... is installed: pip install "numpy>=1000.2"
    >>> import_at_least("no_such", "no-such", "1.2", "this")
    Traceback (most recent call last):
    ...
    ImportError: this needs no-such 1.2 or newer; none is installed: pip install "no-such>=1.2"
    """
    try:
        found = version(package)
    except PackageNotFoundError:
        found = ""
    if found and _numbers(found) >= _numbers(oldest):
        return import_module(module)
    raise ImportError(
        f"{adapter} needs {package} {oldest} or newer; {found or 'none'} is installed: "
        f'pip install "{package}>={oldest}"'
    )


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.partition("+")[0])]
