"""Writing safely: atomic files and directories, locks, and optional imports.

A file is written beside its place, synced, and renamed into it; then the directory is synced. A
reader sees the old file or the new one, never half of one, also after a power cut.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = [
    "LockedError",
    "import_optional",
    "replace_directory",
    "replace_file",
    "write_file",
    "write_lock",
]


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a place to write a file to; on success it replaces ``path`` in one step.

    If anything fails, a full disk for one, the file that was there stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     target = Path(directory) / "answer.txt"
    ...     with replace_file(target) as place:
    ...         _ = place.write_text("42")
    ...     target.read_text()
    '42'
    """
    target = Path(path)
    # a directory: some libraries write beside the place that they are given
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as directory:
        place = Path(directory) / target.name
        yield place
        _sync(place)
        place.chmod(_file_mode(Path(directory)))
        place.replace(target)
    sync_directory(target.parent)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file in one step; see :func:`replace_file`."""
    with replace_file(path) as place:
        place.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replace_directory(path: str | os.PathLike[str], inside: Path | None = None) -> Iterator[Path]:
    """Yield a directory to write in; on success it gets the name ``path``.

    If anything fails, nothing is left of it. It is made ``inside`` another directory of the same
    disk, by default the parent of ``path``. An existing ``path`` is refused.
    """
    target = Path(path)
    if target.exists():
        raise FileExistsError(f"{target} exists; remove it or choose another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=inside or target.parent))
    try:
        yield beside
        for file in beside.iterdir():
            _sync(file)
        sync_directory(beside)
        beside.chmod(0o755)
        beside.rename(target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    sync_directory(target.parent)


def _sync(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Sync a directory, so that what was renamed in it stays so; not possible on Windows."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _file_mode(directory: Path) -> int:
    """Return the mode that new files get here, without changing the process's umask."""
    probe = directory / ".mode"
    descriptor = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return os.fstat(descriptor).st_mode & 0o777
    finally:
        os.close(descriptor)
        probe.unlink()


class LockedError(OSError):
    """Another process writes to the same place."""


@contextmanager
def write_lock(target: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a file or directory for one writer; a second one gets a :class:`LockedError`.

    The operating system frees the lock when its holder ends, however it ends.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory, write_lock(f"{directory}/notes"):
    ...     with write_lock(f"{directory}/notes"):
    ...         pass
    Traceback (most recent call last):
    ...
    skfly._files.LockedError: ... is in use by process ... on ...
    """
    path = Path(target)
    lock = path / ".lock" if path.is_dir() else path.absolute().with_name(f".{path.name}.lock")
    descriptor = _open_locked(lock, path)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps([os.getpid(), socket.gethostname()]).encode(), 0)
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _open_locked(path: Path, target: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
            there = path.stat() if path.exists() else None
            if there is not None and os.path.samestat(there, os.fstat(descriptor)):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise LockedError(f"{target} is in use by {_holder(path)}") from error
        os.close(descriptor)  # its last holder removed it just now


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(path: Path) -> str:
    try:
        process, host = json.loads(path.read_bytes())
    except (OSError, ValueError, TypeError):
        return "another process"
    return f"process {process} on {host}"


def import_optional(name: str, extra: str, purpose: str) -> Any:
    """Import a package that not everyone needs, or say how to install it.

    Examples
    --------
    >>> import_optional("no_such_package", "plot", "drawing")
    Traceback (most recent call last):
    ...
    ImportError: drawing needs no_such_package: pip install "skfly[plot]"
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f'{purpose} needs {package}: pip install "skfly[{extra}]"') from error
