"""Writing safely: atomic files and directories, locks, and optional imports.

A file is written under a temporary name, synced and renamed; then the directory is synced. A
reader sees the old file or the new one, never half of one, also after a power cut.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

_SUFFIX = ".skfly-tmp"
_OWNER = ".owner"
_LONG_AGO = 3600.0  # seconds


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a place to write a file to; on success it replaces ``path`` in one step.

    If anything fails, such as on a full disk, an existing file stays unchanged.

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
    with TemporaryDirectory(f".{target.name}.", target.parent) as directory:
        place = Path(directory) / target.name
        yield place
        _sync(place)
        place.chmod(_mode_of_new(Path(directory) / ".mode", is_directory=False))
        place.replace(target)
    sync_directory(target.parent)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file in one step; see :func:`replace_file`."""
    with replace_file(path) as place:
        place.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replace_directory(path: str | os.PathLike[str], inside: Path | None = None) -> Iterator[Path]:
    """Yield a directory to write in; on success it is renamed to ``path``.

    If anything fails, nothing is left of it. It is made ``inside`` another directory of the same
    disk, by default the parent of ``path``. An existing ``path`` is refused.
    """
    target = Path(path)
    if target.exists():
        raise FileExistsError(f"{target} exists; remove it or choose another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(f".{target.name}.", inside or target.parent) as directory:
        beside = Path(directory)
        yield beside
        (beside / _OWNER).unlink()
        for file in beside.iterdir():
            _sync(file)
        sync_directory(beside)
        beside.chmod(_mode_of_new(beside / ".mode", is_directory=True))
        beside.rename(target)
    sync_directory(target.parent)


class TemporaryDirectory(tempfile.TemporaryDirectory[str]):
    """A temporary directory that the next one of the same name removes if its owner was killed.

    Its owner holds a lock on a file in it, which the operating system frees.

    Parameters
    ----------
    prefix : str
    parent : path-like, optional
        By default where the system has temporary files.
    """

    def __init__(self, prefix: str, parent: str | os.PathLike[str] | None = None) -> None:
        place = Path(tempfile.gettempdir() if parent is None else parent)
        remove_abandoned(place, prefix)
        self._free: weakref.finalize[..., TemporaryDirectory] | None = None
        super().__init__(prefix=prefix, suffix=_SUFFIX, dir=place)
        try:
            unlocked = Path(self.name) / f"{_OWNER}-new"
            owner = os.open(unlocked, os.O_RDWR | os.O_CREAT, 0o600)
            self._free = weakref.finalize(self, os.close, owner)
            _lock(owner)
            unlocked.rename(unlocked.with_name(_OWNER))  # never seen without its lock
        except OSError:
            self.cleanup()
            raise

    def cleanup(self) -> None:
        if self._free is not None:
            self._free()
        super().cleanup()


def remove_abandoned(directory: Path, prefix: str = ".", *, locked: bool = False) -> None:
    """Remove temporary directories whose owner ended without doing so.

    ``locked``: the caller holds a lock without which none of this prefix is made, so all of them
    are abandoned, also one whose owner was killed while it made or removed it.
    """
    try:
        found = [path for path in directory.iterdir() if path.name.startswith(prefix)]
    except OSError:  # what comes next says what is wrong
        return
    for path in found:
        if path.name.endswith(_SUFFIX) and (locked or _is_abandoned(path)):
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    try:
        descriptor = os.open(path / _OWNER, os.O_RDWR)
    except (
        FileNotFoundError
    ):  # it is being made, or is to be renamed, or the owner was killed then
        with suppress(OSError):
            return time.time() - path.stat().st_mtime > _LONG_AGO
        return False
    except OSError:  # that of another user
        return False
    try:
        _lock(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def open_regular(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading; refuse a pipe or a device, which may never end."""
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ValueError(f"{os.fspath(path)} is a pipe or a device, not a file")
    return open(path, "rb")


def _sync(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Sync a directory, so that renames in it survive a power failure; not possible on Windows."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mode_of_new(probe: Path, *, is_directory: bool) -> int:
    """Return the mode that new files, or directories, get; the process's umask is not touched."""
    if is_directory:
        probe.mkdir()
    else:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        return probe.stat().st_mode & 0o777
    finally:
        probe.rmdir() if is_directory else probe.unlink()


class LockedError(OSError):
    """Another process writes to the same place."""


@contextmanager
def write_lock(target: str | os.PathLike[str]) -> Iterator[None]:
    """Lock a file or directory for one writer; a second one gets a :class:`LockedError`.

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
        try:
            with suppress(OSError):  # one that is left over holds nothing
                lock.unlink()
        finally:
            os.close(descriptor)


def _open_locked(path: Path, target: Path) -> int:
    # a link would have another file emptied; Windows has neither the flag nor, mostly, links
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    while True:
        descriptor = os.open(path, flags, 0o666)
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
    """Import an optional package, or say how to install it.

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


def gensim_file(name: str) -> str:
    """Return the path of a file that comes with gensim."""
    utils = import_at_least("gensim.test.utils", "gensim", "4.4", f"reading {name}")
    return str(utils.datapath(name))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.partition("+")[0])]
