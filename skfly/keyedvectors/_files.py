"""Read and write vectors, in skfly's own format and in word2vec's."""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np
from gensim.models import keyedvectors as gensim_vectors
from numpy.typing import NDArray

from skfly._model_file import (
    DAMAGE,
    ModelFileError,
    number_type,
    read_model_file,
    under,
    write_model_file,
)
from skfly.index import PackedIndex
from skfly.keyedvectors._base import KeyedCodes
from skfly.keyedvectors._edit import EditableCodes
from skfly.keyedvectors._input import check_hash_length
from skfly.model import FlyModel
from skfly.text import PackedWords

KIND = "keyedvectors"
_CODES = "packed"
_ATTRIBUTE = "attribute."
_EVENTS = "lifecycle_events"  # gensim makes it when the first one is added
_SAVED_TYPES = ("int32", "int64", "uint16", "uint32", "uint64", "float32", "float64")


class KeyedCodesFiles(EditableCodes):
    """Save and load."""

    def save(
        self,
        fname_or_handle: str | os.PathLike[str],
        separately: Any = None,  # noqa: ARG002
        sep_limit: int = 0,  # noqa: ARG002
        ignore: Any = frozenset(),  # noqa: ARG002
        pickle_protocol: int = 0,  # noqa: ARG002
    ) -> None:
        """Write keys, codes and attributes to one file, without pickle.

        A temporary file is written first and then renamed, so that a failure leaves an older file
        as it was.

        Parameters
        ----------
        fname_or_handle : path-like
        separately, sep_limit, ignore, pickle_protocol
            Ignored; gensim uses them for its several files and pickles.

        See Also
        --------
        FlyKeyedVectors.load : Read it back.
        """
        if not isinstance(fname_or_handle, (str, os.PathLike)):
            raise TypeError(
                f"save needs a file name, not an open file; got {type(fname_or_handle).__name__}"
            )
        arrays, keys = _describe_keys(self)
        arrays[_CODES] = self._index.columns
        lists = {}
        for name, values in self.expandos.items():
            if values.dtype.name in _SAVED_TYPES:
                arrays[_ATTRIBUTE + name] = values
            else:
                lists[name] = {"dtype": values.dtype.name, "values": values.tolist()}
        content = {
            "kind": KIND,
            "keys": keys,
            "n_cells": self.vector_size,
            "hash_length": self._hash_length,
            "similarity_measure": self._measure,
            "dtype": self._dtype.name,
            "attributes": lists,
        }
        if hasattr(self, _EVENTS):
            content[_EVENTS] = getattr(self, _EVENTS)
        try:
            write_model_file(fname_or_handle, arrays, content)
        except TypeError as error:
            raise ValueError(
                "an attribute of the keys, or one of lifecycle_events, cannot be written to a "
                f"file without pickle: {error}"
            ) from error

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None) -> Any:
        """Read what :meth:`save`, or ``save`` of a ``FlyHashVectorizer``, wrote.

        Parameters
        ----------
        fname : path-like
        mmap : {None, "r"}, default=None
            ``"r"`` maps the file into memory, read-only: processes that use the same file share
            its memory, and changing the vectors is an error.

        Returns
        -------
        vectors : FlyKeyedVectors

        Raises
        ------
        ModelFileError
            If the file is neither, is truncated or damaged, or was written by a newer skfly.
        """
        if mmap not in (None, "r"):
            raise ValueError(f"mmap must be None or 'r'; got {mmap!r}")
        arrays, content = read_model_file(fname, mmap=True)
        if content.get("kind") != KIND:
            return cls._load_fly(fname, mmap)
        if mmap is None:
            arrays.check()
        try:
            return _restore(cls, arrays, content, mmap)
        except DAMAGE as error:
            raise ModelFileError(f"{fname} is damaged: {error}") from error

    @classmethod
    def _load_fly(cls, fname: str | os.PathLike[str], mmap: str | None) -> Any:
        from skfly.keyedvectors._of_fly import make_vectors

        try:
            vectors = make_vectors(FlyModel.load(fname, mmap=True))
        except ModelFileError:
            raise
        except ValueError as error:  # word_codes that it does not have
            raise ModelFileError(f"{fname} holds a model, but no codes: {error}") from error
        if mmap == "r":
            vectors._index.columns.setflags(write=False)
        vectors.__class__ = cls
        return vectors

    def save_word2vec_format(self, *args: Any, **kwargs: Any) -> None:
        """Write the codes as vectors in word2vec's format, text or binary.

        Parameters
        ----------
        *args, **kwargs
            As in gensim: ``fname, fvocab=None, binary=False, total_vec=None, write_header=True,
            prefix="", append=False, sort_attr="count"``.
        """
        for key in self.index_to_key:
            if isinstance(key, str) and key.split() != [key]:
                raise ValueError(
                    f"the key {key!r:.60} has a space or is empty, and could not be read back: "
                    "word2vec's format has spaces between words and numbers. Use save, or leave "
                    "such keys out (vectors_for_all)"
                )
        # gensim needs only the shape of `vectors`, so the matrix is not made
        shown = copy.copy(self)
        shown._float_vectors = _only_a_shape(self)
        super(KeyedCodes, shown).save_word2vec_format(*args, **kwargs)

    @classmethod
    def load_word2vec_format(
        cls,
        fname: str | os.PathLike[str],
        fvocab: Any = None,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: Any = np.float32,
        no_header: bool = False,
    ) -> Any:
        """Read codes from a file in word2vec's format, text or binary.

        Its vectors must be ones and zeros. Read others with gensim, and convert them with
        :meth:`FlyKeyedVectors.from_dense`.

        Parameters
        ----------
        fname : path-like
        fvocab : path-like, optional
            File with the words' counts.
        binary, encoding, unicode_errors, limit, datatype, no_header
            As in gensim.

        Returns
        -------
        vectors : FlyKeyedVectors

        Raises
        ------
        ValueError, EOFError
            If the file is not of this format, or damaged; ``EOFError`` (as in gensim) if it is
            cut short.
        """

        class Reading(cls):  # type: ignore[valid-type, misc]
            """Collects what gensim reads; allocates nothing in advance.

            The number of words in the first line of the file may be wrong.
            """

            def __init__(self, vector_size: Any, count: int, dtype: Any) -> None:  # noqa: ARG002
                super().__init__(vector_size, dtype=dtype)
                self.rows: list[NDArray[np.uint8]] = []
                self.counts: list[int] = []

            @property
            def vectors(self) -> NDArray[Any]:
                return _only_a_shape(self)

            def add_vector(self, key: Any, vector: Any) -> int:
                self.rows.append(self._pack([key], np.asarray(vector).reshape(1, -1)))
                self.key_to_index[key] = len(self.index_to_key)
                self.index_to_key.append(key)
                self.next_index = len(self.rows)
                return self.next_index - 1

            def set_vecattr(self, key: Any, attr: str, val: Any) -> None:  # noqa: ARG002
                if not isinstance(val, int) or not -(2**63) <= val < 2**63:
                    raise ValueError(f"the word {key!r:.60} has no count in {fvocab}")
                self.counts.append(val)

        try:
            read = gensim_vectors._load_word2vec_format(
                Reading,
                os.fspath(fname),
                fvocab=fvocab,
                binary=binary,
                encoding=encoding,
                unicode_errors=unicode_errors,
                limit=limit,
                datatype=datatype,
                no_header=no_header,
            )
        except (AssertionError, ArithmeticError, LookupError) as error:
            raise ValueError(f"{fname} is not a word2vec file, or is damaged: {error}") from error
        found = cls(read.vector_size, dtype=datatype)
        rows = np.concatenate([*read.rows, found._index.packed()])
        found._set_keys(read.index_to_key, PackedIndex(rows, found.vector_size))
        found.expandos["count"] = np.array(read.counts, dtype=np.int64)
        setattr(found, _EVENTS, getattr(read, _EVENTS))
        return found

    def intersect_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        lockf: float = 0.0,  # noqa: ARG002
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Replace the codes of keys that are also in a file in word2vec's format.

        Parameters
        ----------
        fname : path-like
        lockf : float
            Ignored: codes are not trained on.
        binary, encoding, unicode_errors
            As in gensim.
        """
        self._check_writable()
        other = type(self).load_word2vec_format(
            fname, binary=binary, encoding=encoding, unicode_errors=unicode_errors
        )
        if other.vector_size != self.vector_size:
            raise ValueError(f"incompatible vector size {other.vector_size} in file {fname}")
        common = [key for key in other.index_to_key if key in self.key_to_index]
        codes = other._index.packed([other.key_to_index[key] for key in common])
        check_hash_length(codes, self._hash_length)
        self._replace([self.key_to_index[key] for key in common], codes)


def _only_a_shape(vectors: KeyedCodes) -> NDArray[Any]:
    """Return zeros of the shape of all vectors that take the memory of one number."""
    return np.broadcast_to(vectors._dtype.type(0), (len(vectors), vectors.vector_size))


def _restore(
    cls: type[Any], arrays: dict[str, NDArray[Any]], content: dict[str, Any], mmap: str | None
) -> Any:
    """Rebuild the object that was saved; damaged content raises one of several errors."""
    # np.asarray: kernels are compiled for arrays, not for numpy's class of mapped ones
    arrays = {
        name: np.asarray(array) if mmap else np.array(array) for name, array in arrays.items()
    }
    number_type(content["dtype"])
    vectors = cls(
        content["n_cells"],
        dtype=content["dtype"],
        hash_length=content["hash_length"],
        similarity_measure=content["similarity_measure"],
    )
    index = _restore_index(arrays, vectors.vector_size)
    keys = _restore_keys(arrays, content["keys"])
    if len(keys) != len(index):
        raise ValueError(f"it has {len(keys)} keys and {len(index)} codes")
    vectors._set_keys(keys, index)
    attributes = under(_ATTRIBUTE, arrays)
    for name, entry in content["attributes"].items():
        attributes[name] = np.array(entry["values"], dtype=number_type(entry["dtype"], "O"))
    for name, values in attributes.items():
        # gensim grows an attribute's array when it is next set, so it may be shorter
        if values.ndim != 1 or len(values) > len(keys):
            raise ValueError(f"the attribute {name!r} does not fit the keys")
        vectors.expandos[name] = values
    if _EVENTS in content:
        setattr(vectors, _EVENTS, content[_EVENTS])
    if mmap:
        index.columns.setflags(write=False)
    return vectors


def _describe_keys(vectors: KeyedCodes) -> tuple[dict[str, NDArray[Any]], Any]:
    """Return words as arrays, or other keys as a list."""
    keys = vectors.index_to_key
    if all(isinstance(key, str) for key in keys):
        return PackedWords.pack(keys).arrays(), None
    return {}, [key.item() if isinstance(key, np.integer) else key for key in keys]


def _restore_keys(arrays: dict[str, NDArray[Any]], keys: Any) -> list[Any]:
    if keys is None:
        keys = list(PackedWords.from_arrays(arrays))
    elif isinstance(keys, dict):  # before 0.2.0: each word is followed by a byte 255
        text = arrays["keys.text"].tobytes()
        *words, after = (word.decode("utf-8", "surrogatepass") for word in text.split(b"\xff"))
        if after or len(words) != keys["n_keys"]:
            raise ValueError("its keys do not fit together")
        keys = words
    if not isinstance(keys, list) or not all(isinstance(k, str | int | None) for k in keys):
        raise ValueError("its keys are not words or numbers")
    if len(set(keys)) < len(keys) - max(keys.count(None) - 1, 0):
        raise ValueError("a key occurs twice")
    return list(keys)


def _restore_index(arrays: dict[str, NDArray[Any]], n_cells: int) -> PackedIndex:
    """Return the codes; the index checks what its kernels rely on."""
    if _CODES in arrays:
        return PackedIndex.from_columns(arrays[_CODES], n_cells)
    if "words" in arrays:  # before 0.1: 64 cells a number
        return PackedIndex(arrays["words"].T, n_cells)
    # 0.1 wrote the numbers of the active cells where that was smaller, n_cells for none
    cells = arrays["cells"]
    if cells.ndim != 2 or cells.dtype.kind != "u" or cells.max(initial=0) > n_cells:
        raise ValueError("its codes are not cell numbers")
    columns = np.zeros((-(-n_cells // 8), cells.shape[1]), dtype=np.uint8)
    for row in cells:
        (on,) = np.nonzero(row < n_cells)
        columns[row[on] // 8, on] |= np.uint8(1) << (row[on] % 8).astype(np.uint8)
    index = PackedIndex.from_columns(columns, n_cells)
    if (index.sizes != (cells < n_cells).sum(axis=0)).any():
        raise ValueError("a code lists a cell twice")
    return index
