"""Shared by vector stores that keep the name of a model beside its codes."""

from __future__ import annotations


def check_same_model(name: str, made_with: str, fingerprint: str) -> None:
    """Reject codes that were made by a different model of the same name.

    Examples
    --------
    >>> check_same_model("en", "1a2b", "1a2b")
    >>> check_same_model("en", "1a2b", "3c4d")
    Traceback (most recent call last):
    ...
    ValueError: en is not the model that the codes were made with (3c4d instead of 1a2b): ...
    """
    if made_with != fingerprint:
        raise ValueError(
            f"{name} is not the model that the codes were made with ({fingerprint} instead of "
            f"{made_with}): codes of two models cannot be compared"
        )
