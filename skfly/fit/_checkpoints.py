"""Checkpoints: the state of a run on disk, so that an interrupted run can be resumed.

A directory holds the last two states. Each is a file with checksums, written under a temporary
name and then renamed, so a run that is killed at any moment, even while writing, leaves at least
one intact state behind. Damaged states are reported and skipped. The last state of a finished run
is kept under another name until its model has been saved.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from skfly._files import remove_abandoned, sync_directory
from skfly._model_file import DAMAGE, ModelFileError, read_model_file, write_model_file

_LOG = logging.getLogger("skfly")
_KIND = "checkpoint"
_SECONDS = 60.0
_KEPT = 2
_NAME = "checkpoint-{:08d}.skfly"
_PATTERN = "checkpoint-????????.skfly"
_FINISHED = "finished.skfly"
_DIGESTS = {  # and what to say if they differ
    "corpus": "another text, or read in another way",
    "words": "another vocabulary",
}


class CheckpointError(ValueError):
    """A run cannot resume from the checkpoints in a directory."""


class Saved(NamedTuple):
    """A state of a run: its position and its arrays."""

    progress: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


class Checkpoints:
    """The checkpoints of one run, in a directory.

    Parameters
    ----------
    directory : path-like
        Created if missing.
    made_for : mapping
        What identifies the run: names and JSON values. A run that differs in any of them cannot
        resume from these checkpoints.
    seconds : float, optional
        Time between two checkpoints; by default a minute.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
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
            remove_abandoned(self._directory)  # left by a run that was killed while writing
        except OSError as error:
            raise CheckpointError(f"cannot keep checkpoints in {directory}: {error}") from error
        if not os.access(self._directory, os.W_OK):
            raise CheckpointError(f"cannot keep checkpoints in {directory}: it is not writable")

    def last(self) -> Saved | None:
        """Return the newest intact state; ``None`` if there is none.

        The final state of a different run is removed.

        Raises
        ------
        CheckpointError
            If it belongs to a different run, which was interrupted.
        """
        for path in reversed(_paths(self._directory)):
            try:
                saved, made_for = self.read(path)
            except (ModelFileError, OSError) as error:
                _LOG.warning("a checkpoint is damaged; trying the one before it (%s)", error)
                continue
            if path.name == _FINISHED and made_for != self._made_for:
                path.unlink(missing_ok=True)
                return None
            self._refuse_another_run(made_for)
            return saved
        return None

    @staticmethod
    def run_in(
        directory: str | os.PathLike[str], *, finished: bool = True
    ) -> dict[str, Any] | None:
        """Return what identifies the run in a directory; ``None`` if there is none.

        With ``finished``, this includes a finished run whose model was not saved.
        """
        for path in reversed(_paths(Path(directory))):
            if path.name == _FINISHED and not finished:
                continue
            try:
                return Checkpoints.read(path)[1]
            except (ModelFileError, OSError):
                continue
        return None

    @staticmethod
    def read(path: Path) -> tuple[Saved, dict[str, Any]]:
        """Return a state and the identity of its run; damage raises :class:`ModelFileError`."""
        arrays, content = read_model_file(path)
        progress, made_for = content.get("progress"), content.get("made_for")
        if (
            content.get("kind") != _KIND
            or not isinstance(progress, dict)
            or not isinstance(made_for, dict)
        ):
            raise ModelFileError(f"{path} is not a checkpoint")
        return Saved(progress, arrays), made_for

    def tidy(self) -> None:
        """Remove what killed runs left behind; the caller holds the directory's lock."""
        remove_abandoned(self._directory, ".checkpoint-", locked=True)

    def is_due(self) -> bool:
        """Return whether the next checkpoint is due."""
        return time.monotonic() - self._saved_at >= self._seconds

    def save(self, progress: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a state; of the earlier ones, keep only the last."""
        finished = self._directory / _FINISHED
        paths = [path for path in _paths(self._directory) if path != finished]
        for path in paths[:-_KEPT]:  # left by runs that were killed before removing them
            path.unlink(missing_ok=True)
        number = 1 + (_number(paths[-1]) if paths else 0)
        content = {"kind": _KIND, "made_for": self._made_for, "progress": dict(progress)}
        write_model_file(self._directory / _NAME.format(number), arrays, content)
        for path in [finished, *paths[: len(paths) + 1 - _KEPT]]:
            path.unlink(missing_ok=True)
        self._saved_at = time.monotonic()

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Re-raise errors from restoring a state as :class:`CheckpointError`."""
        try:
            yield
        except DAMAGE as error:
            raise CheckpointError(
                f"the checkpoints in {self._directory} do not fit this run ({error!r:.200}): "
                "remove them to start over"
            ) from error

    def finish(self) -> None:
        """Keep only the newest state: the run has finished, but its model is not saved yet."""
        paths = _paths(self._directory)
        for path in paths[:-1]:
            path.unlink(missing_ok=True)
        for path in paths[-1:]:
            path.replace(self._directory / _FINISHED)
            sync_directory(self._directory)

    def forget(self) -> None:
        """Remove the state of this finished run, whose model has been saved."""
        path = self._directory / _FINISHED
        try:
            _, content = read_model_file(path, mmap=True)
        except (ModelFileError, OSError):
            return
        if content.get("made_for") == self._made_for:
            path.unlink(missing_ok=True)

    def _refuse_another_run(self, made_for: dict[str, Any]) -> None:
        mine = self._made_for
        names = [name for name in {**made_for, **mine} if made_for.get(name) != mine.get(name)]
        if names:
            differences = "; ".join(
                _DIGESTS.get(name) or f"{name}={made_for.get(name)!r} then, {mine.get(name)!r} now"
                for name in sorted(names, key=lambda name: name not in _DIGESTS)
            )
            raise CheckpointError(
                f"the checkpoints in {self._directory} belong to another run: {differences}. Use "
                "the same parameters and text, or choose another directory"
            )


def _paths(directory: Path) -> list[Path]:
    """Return the checkpoints in a directory, oldest first."""
    found = (path for path in directory.glob(_PATTERN) if _number(path) >= 0)
    return [*directory.glob(_FINISHED), *sorted(found, key=_number)]


def _number(path: Path) -> int:
    number = path.stem.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() and number.isascii() else -1
