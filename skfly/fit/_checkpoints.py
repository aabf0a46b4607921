"""Checkpoints: the state of a run on disk, so that one that was stopped can go on.

A directory holds the last two states. Each is written beside its place and renamed into it, and
carries a digest of its arrays: a run that is killed at any moment, while it writes too, leaves at
least one sound state behind. What is damaged is told and passed over.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly._model_file import DAMAGE, ModelFileError, read_model_file, write_model_file

__all__ = ["CheckpointError", "Checkpoints", "Saved"]

_LOG = logging.getLogger("skfly")
_KIND = "checkpoint"
_SECONDS = 60.0
_KEPT = 2
_NAME = "checkpoint-{:08d}.skfly"
_PATTERN = "checkpoint-????????.skfly"


class CheckpointError(ValueError):
    """A run cannot go on from the checkpoints in a directory."""


class Saved(NamedTuple):
    """A state: where the run is, and its arrays."""

    progress: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


class Checkpoints:
    """The checkpoints of one run, in a directory.

    Parameters
    ----------
    directory : path-like
        Made if it is not there.
    made_for : mapping
        What the run is: names and values, of JSON's types. A run that differs in any of them
        cannot go on from these checkpoints.
    seconds : float, optional
        Time between two of them; by default a minute.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     checkpoints = Checkpoints(directory, {"seed": 0})
    ...     checkpoints.save({"epoch": 3}, {"counts": np.arange(3.0)})
    ...     checkpoints.last().progress
    {'epoch': 3}
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        made_for: Mapping[str, Any],
        seconds: float | None = None,
    ) -> None:
        self._directory = Path(directory)
        self._made_for = dict(made_for)
        self._seconds = _SECONDS if seconds is None else seconds
        self._saved_at = time.monotonic()
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            for left in self._directory.glob(f".{_PATTERN}-*"):  # by a run killed while it wrote
                shutil.rmtree(left)
        except OSError as error:
            raise CheckpointError(f"cannot keep checkpoints in {directory}: {error}") from error
        if not os.access(self._directory, os.W_OK):
            raise CheckpointError(f"cannot keep checkpoints in {directory}: it is not writable")

    def last(self) -> Saved | None:
        """Return the newest sound state; ``None`` if there is none.

        Raises
        ------
        CheckpointError
            If it is of another run.
        """
        for path in reversed(_paths(self._directory)):
            try:
                arrays, content = read_model_file(path)
                saved = _check(path, arrays, content)
            except (ModelFileError, OSError) as error:
                _LOG.warning("a checkpoint is damaged; trying the one before it (%s)", error)
                continue
            self._refuse_another_run(content["made_for"])
            return saved
        return None

    @staticmethod
    def run_in(directory: str | os.PathLike[str]) -> dict[str, Any] | None:
        """Return what the run with checkpoints in a directory is; ``None`` if there is none."""
        for path in reversed(_paths(Path(directory))):
            try:
                arrays, content = read_model_file(path)
                _check(path, arrays, content)
            except (ModelFileError, OSError):
                continue
            return dict(content["made_for"])
        return None

    def is_due(self) -> bool:
        """Tell whether it is time for the next."""
        return time.monotonic() - self._saved_at >= self._seconds

    def save(self, progress: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep a state; of the ones before it, only the last stays."""
        paths = _paths(self._directory)
        for path in paths[:-_KEPT]:  # runs that were killed before they removed them
            path.unlink(missing_ok=True)
        number = 1 + (_number(paths[-1]) if paths else 0)
        content: dict[str, Any] = {
            "kind": _KIND,
            "made_for": self._made_for,
            "progress": dict(progress),
        }
        content["digest"] = _digest(arrays, content)
        write_model_file(self._directory / _NAME.format(number), arrays, content)
        for path in paths[: len(paths) + 1 - _KEPT]:
            path.unlink(missing_ok=True)
        self._saved_at = time.monotonic()

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Errors within are those of a state that does not fit the run."""
        try:
            yield
        except DAMAGE as error:
            raise CheckpointError(
                f"the run cannot go on from the checkpoints in {self._directory}, which do not "
                f"fit it ({error!r:.200}): remove them to begin anew"
            ) from error

    def clear(self) -> None:
        """Remove them: the run is at its end."""
        for path in _paths(self._directory):
            path.unlink(missing_ok=True)

    def _refuse_another_run(self, made_for: dict[str, Any]) -> None:
        mine = self._made_for
        names = [name for name in {**made_for, **mine} if made_for.get(name) != mine.get(name)]
        if names:
            differences = "; ".join(
                f"{name} was {made_for.get(name)!r}, now {mine.get(name)!r}" for name in names
            )
            raise CheckpointError(
                f"the checkpoints in {self._directory} are of another run: {differences}. Go on "
                "with what it had, or choose another directory"
            )


def _check(path: Path, arrays: dict[str, NDArray[Any]], content: dict[str, Any]) -> Saved:
    progress, made_for = content.get("progress"), content.get("made_for")
    if (
        content.get("kind") != _KIND
        or not isinstance(progress, dict)
        or not isinstance(made_for, dict)
    ):
        raise ModelFileError(f"{path} is not a checkpoint")
    digest = content.pop("digest", None)
    if digest != _digest(arrays, content):
        raise ModelFileError(f"{path} is not as it was written")
    return Saved(progress, arrays)


def _digest(arrays: Mapping[str, NDArray[Any]], content: Mapping[str, Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(content, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _paths(directory: Path) -> list[Path]:
    """Return the checkpoints in a directory, oldest first."""
    found = (path for path in directory.glob(_PATTERN) if _number(path) >= 0)
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    number = path.stem.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() and number.isascii() else -1
