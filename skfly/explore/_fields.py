"""Fields of requests: a JSON object, each field with its type and bounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

MAX_BODY = 32_768  # bytes
MAX_TEXT = 2_000  # characters

_Check = Callable[[str, Any], Any]


class RefusedError(Exception):
    """A rejected request, with the HTTP status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def parse(
    body: bytes, required: Mapping[str, _Check], optional: Mapping[str, _Check]
) -> dict[str, Any]:
    """Return the validated fields of a JSON object.

    Examples
    --------
    >>> parse(b'{"text": "ripe fruit"}', {"text": text()}, {"cells": whole(1, 9)})
    {'text': 'ripe fruit'}
    >>> parse(b'{"text": 7}', {"text": text()}, {})
    Traceback (most recent call last):
    ...
    skfly.explore._fields.RefusedError: text must be a string; got int
    """
    try:
        fields = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error)
        raise RefusedError(400, f"the body is not JSON: {reason}") from None
    if not isinstance(fields, dict):
        raise RefusedError(400, f"the body must be a JSON object; got {_kind(fields)}")
    checks = {**required, **optional}
    for name in fields:
        if name not in checks:
            known = ", ".join(checks) or "none"
            raise RefusedError(422, f"unknown field {name[:40]!r}; known are: {known}")
    for name in required:
        if name not in fields:
            raise RefusedError(422, f"the field {name!r} is missing")
    return {name: checks[name](name, value) for name, value in fields.items()}


def text(longest: int = MAX_TEXT) -> _Check:
    """Return a check for strings."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise RefusedError(422, f"{name} must be a string; got {_kind(value)}")
        if len(value) > longest:
            raise RefusedError(
                422, f"{name} may have at most {longest:,} characters; got {len(value):,}"
            )
        try:
            value.encode()
        except UnicodeEncodeError:
            raise RefusedError(422, f"{name} is not valid Unicode") from None
        return value

    return check


def whole(least: int, most: int) -> _Check:
    """Return a check for whole numbers."""
    return _within("a whole number", int, least, most)


def number(least: float, most: float) -> _Check:
    """Return a check for numbers."""
    check = _within("a number", int | float, least, most)
    return lambda name, value: float(check(name, value))


def _within(kind: str, types: Any, least: float, most: float) -> _Check:
    def check(name: str, value: Any) -> Any:
        if not isinstance(value, types) or isinstance(value, bool):
            raise RefusedError(422, f"{name} must be {kind}; got {_kind(value)}")
        if not least <= value <= most:
            raise RefusedError(422, f"{name} must be from {least:,} to {most:,}")
        return value

    return check


def polygon(most: int, largest: int) -> _Check:
    """Return a check for the corners of a polygon, pairs of whole numbers."""
    corner = whole(-largest, 2 * largest)

    def check(name: str, value: Any) -> list[list[int]]:
        if not isinstance(value, list) or not 3 <= len(value) <= most:
            raise RefusedError(422, f"{name} must be a list of 3 to {most} corners")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
            raise RefusedError(422, f"{name}: each corner must be a list of two whole numbers")
        return [[corner(name, part) for part in pair] for pair in value]

    return check


def flag() -> _Check:
    """Return a check for true and false."""

    def check(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise RefusedError(422, f"{name} must be true or false; got {_kind(value)}")
        return value

    return check


def choice(*known: str) -> _Check:
    """Return a check for one of some strings."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise RefusedError(422, f"{name} must be one of: {', '.join(known)}")
        return value

    return check


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__
