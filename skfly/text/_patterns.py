"""Patterns for words that a model file brings: they get a time limit, since some never end."""

from __future__ import annotations

import re

from skfly._files import import_optional

SECONDS = 1.0
# one repeat, no group: at worst quadratic in the length of a sentence
_PLAIN = re.compile(r"(?:\(\?u\))?[^()*+?{]*[*+]?[^()*+?{]*")


class FilePattern(str):
    r"""A ``token_pattern`` that was read from a file; otherwise it is a string like any other.

    Examples
    --------
    >>> FilePattern(r"\w+").is_plain, FilePattern(r"(?:a|a)+b").is_plain
    (True, False)
    """

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Whether the pattern always ends soon, so that it needs no time limit."""
        return _PLAIN.fullmatch(self) is not None


class BoundedTokens:
    r"""Find words by a pattern, for at most a second for each sentence.

    Parameters
    ----------
    pattern : str

    Examples
    --------
    >>> BoundedTokens(r"\w+(?:-\w+)*")("a well-kept fly")
    ['a', 'well-kept', 'fly']
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __call__(self, text: str) -> list[str]:
        # only a model with such a pattern needs the package, and only where it reads text
        regex = import_optional("regex", "explore", "the token_pattern of this model file")
        try:
            found: list[str] = regex.findall(self.pattern, text, timeout=SECONDS)
        except TimeoutError:
            raise ValueError(
                "the token_pattern of the model takes too long for it; if you trust its author, "
                "lift the limit with set_params(token_pattern=str(fly.token_pattern))"
            ) from None
        return found
