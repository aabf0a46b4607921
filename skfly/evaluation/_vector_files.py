"""Read word vectors from files."""

from __future__ import annotations

import lzma
import os
import pickle
import warnings
import zlib
from pathlib import Path
from typing import Any

from skfly._compressed import open_file

_SUFFIXES = (".kv", ".bin", ".txt", ".vec")
_COMPRESSED = (".gz", ".bz2", ".xz")
_LONGEST_HEADER = 200  # bytes
_READ_SIZE = 1 << 20
_DAMAGED = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError),
    *(TypeError, ValueError, lzma.LZMAError, pickle.UnpicklingError, zlib.error),
)


def load_vectors(path: str | os.PathLike[str], *, trusted: bool = False) -> Any:
    """Read word vectors from a file, by its ending.

    Parameters
    ----------
    path : path-like
        ``.txt`` or ``.vec``: word2vec's text format, with its first line or without (as GloVe's
        files are); ``.bin``: word2vec's binary format; both may be compressed (``.gz``,
        ``.bz2``, ``.xz``). ``.kv``: what gensim's ``KeyedVectors.save`` writes, a pickle.
    trusted : bool, default=False
        Whether to open a pickle. A pickle can run any program when it is opened: open only files
        that you made, or got from someone you trust.

    Returns
    -------
    vectors : gensim.models.KeyedVectors

    Raises
    ------
    ValueError
        If the file does not hold vectors, is damaged, or is a pickle that is not trusted.
    OSError
        If it cannot be opened, or is not compressed as its name says.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from skfly.evaluation import load_vectors
    >>> load_vectors(datapath("test_glove.txt")).vector_size
    50
    """
    path = Path(path)
    suffix = _suffix(path)
    if suffix is None:
        raise ValueError(f"{path} does not end in one of {', '.join(_SUFFIXES)}")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if suffix == ".kv" and not trusted:
        raise ValueError(
            f"{path} is a pickle, which can run any program when it is opened: if you trust it, "
            "pass trusted=True (--trust-pickle on the command line), or save the vectors with "
            "save_word2vec_format"
        )
    try:
        return _read_pickle(path) if suffix == ".kv" else _read_word2vec(path, suffix == ".bin")
    except _DAMAGED as error:
        raise ValueError(f"{path} cannot be read as word vectors: {error}") from error


def _read_pickle(path: Path) -> Any:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors.load(str(path), mmap="r")
    return vectors if isinstance(vectors, KeyedVectors) else vectors.wv


def _read_word2vec(path: Path, binary: bool) -> Any:
    from gensim.models import KeyedVectors

    has_header = _has_header(path, binary)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # gensim does not close the file
        return KeyedVectors.load_word2vec_format(
            str(path), binary=binary, no_header=not has_header
        )


def is_vector_file(path: str | os.PathLike[str]) -> bool:
    """Return whether :func:`load_vectors` reads files with this ending.

    Parameters
    ----------
    path : path-like
        The file need not exist.

    Returns
    -------
    is_vector_file : bool

    Examples
    --------
    >>> from skfly.evaluation import is_vector_file
    >>> is_vector_file("glove.txt.gz"), is_vector_file("fly.skfly")
    (True, False)
    """
    return _suffix(Path(path)) is not None


def _suffix(path: Path) -> str | None:
    """Return the ending that says how a file stores vectors, or None."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in _SUFFIXES else None


def _has_header(path: Path, binary: bool) -> bool:
    """Return whether a file begins with its size; refuse one that promises more than it has.

    gensim allocates memory for all that the header promises.
    """
    with open_file(path) as file:
        first = file.readline(_LONGEST_HEADER if binary else -1).split()
        if not binary and len(first) != 2:
            if not first:
                raise ValueError("its first line is empty")
            return False
        n_words, n_numbers = map(int, first)
        # in text, a number takes at least a space and a digit, a word a line break
        needed = n_words * (4 * n_numbers + 1 if binary else 2 * n_numbers + 1)
        if path.suffix.lower() not in _COMPRESSED:
            needed -= path.stat().st_size
        while needed > 0 and (data := file.read(_READ_SIZE)):
            needed -= len(data)
    if n_words < 1 or n_numbers < 1 or needed > 0:
        raise ValueError(f"its first line announces {n_words} vectors of {n_numbers} numbers")
    return True
