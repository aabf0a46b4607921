"""Models that come with the package."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PRETRAINED", "find_model"]

PRETRAINED = ("en",)
"""Their names. ``docs/pretrained.rst`` says what each was trained on."""


def find_model(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the file of a model: one that is there, or else one that comes with the package.

    Examples
    --------
    >>> find_model("en").name
    'en.skfly'
    >>> find_model("klingon")
    Traceback (most recent call last):
    ...
    FileNotFoundError: there is no model file klingon; the models that come with skfly are: en
    """
    path = Path(name_or_path)
    if path.exists():
        return path
    if str(name_or_path) in PRETRAINED:
        return Path(__file__).parent / f"{name_or_path}.skfly"
    raise FileNotFoundError(
        f"there is no model file {path}; the models that come with skfly are: "
        f"{', '.join(PRETRAINED)}"
    )
