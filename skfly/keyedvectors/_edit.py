"""Add keys, and change codes, attributes and the order of keys."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.index import PackedIndex
from skfly.keyedvectors._base import KeyedCodes
from skfly.keyedvectors._input import KEY_TYPES, check_hash_length, check_keys, pack_checked


class EditableCodes(KeyedCodes):
    """Edit keys and codes. Input is checked before anything is changed."""

    def add_vector(self, key: Any, vector: Any) -> int:
        """Add a new key and its code, in a free row if there is one.

        Parameters
        ----------
        key : str or int
        vector : array-like or sparse row
            Ones and zeros.

        Returns
        -------
        index : int
            The row of the key.
        """
        if key in self.key_to_index:
            raise ValueError(
                f"the word {key!r} already has a code; change it with wv[word] = code"
            )
        row = self.next_index
        if row >= len(self) or self.index_to_key[row] is not None:
            row = len(self)
            warnings.warn(
                "Adding single vectors to a KeyedVectors which grows by one each time can be "
                "costly. Consider adding in batches or preallocating to the required size.",
                UserWarning,
                stacklevel=2,
            )
            self.add_vectors([key], _one_row(vector))
        else:
            codes = self._pack([key], _one_row(vector))
            self.index_to_key[row] = key
            self.key_to_index[key] = row
            self._replace([row], codes)
        self.next_index = row + 1
        return row

    def add_vectors(
        self, keys: Any, weights: Any, extras: Any = None, replace: bool = False
    ) -> None:
        """Add the codes of new keys.

        Parameters
        ----------
        keys : list of str or int, or one of them
        weights : array-like or sparse matrix, (n_keys, vector_size)
            Ones and zeros.
        extras : dict of ndarray, optional
            Attributes of the keys, by name.
        replace : bool, default=False
            Whether to replace the codes of keys that exist already, or to keep them.
        """
        if isinstance(keys, KEY_TYPES):
            keys, weights = [keys], _one_row(weights)
        codes = self._pack(keys, weights)
        keys, extras = list(keys), dict(extras or {})
        self.allocate_vecattrs(list(extras), [values.dtype for values in extras.values()])
        new = np.array([key not in self.key_to_index for key in keys], dtype=bool)
        first = len(self)
        for key in compress(keys, new):
            self.key_to_index[key] = len(self.index_to_key)
            self.index_to_key.append(key)
        if new.any():
            self._set_index(self._index.append(codes[new]))
            self.allocate_vecattrs()
        old = [self.key_to_index[key] for key in compress(keys, ~new)]
        if replace and old:
            self._replace(old, codes[~new])
        for name, values in extras.items():
            self.expandos[name][first:] = values[new]
            if replace:
                self.expandos[name][old] = values[~new]

    def __setitem__(self, keys: Any, weights: Any) -> None:
        """Set the codes of keys, new or not."""
        if not isinstance(keys, list):
            keys, weights = [keys], _one_row(weights)
        self.add_vectors(keys, weights, replace=True)

    def _pack(self, keys: Sequence[Any], weights: Any) -> NDArray[np.uint8]:
        """Check keys and codes before anything is changed."""
        self._check_writable()
        codes, _ = pack_checked(weights, self.vector_size)
        check_keys(keys, len(codes))
        check_hash_length(codes, self._hash_length)
        return codes

    def _replace(self, rows: list[int], codes: NDArray[np.uint8]) -> None:
        index = PackedIndex(self._index)
        index.replace(rows, codes)
        self._set_index(index)

    def set_vecattr(self, key: Any, attr: str, val: Any) -> None:
        """Set an attribute of a key.

        Parameters
        ----------
        key : str or int
        attr : str
            Name of the attribute.
        val : object
        """
        self._check_writable()
        super().set_vecattr(key, attr, val)

    def resize_vectors(self, seed: int = 0) -> None:  # noqa: ARG002
        """Resize to the length of ``index_to_key``; new keys have empty codes.

        Parameters
        ----------
        seed : int
            Ignored; gensim uses it to initialize vectors that are trained later.
        """
        self._check_writable()
        index = self._index
        missing = len(self) - len(index)
        if missing < 0:
            self._set_index(index.take(slice(len(self))))
        else:
            self._set_index(index.append(np.zeros((missing, len(index.columns)), np.uint8)))
        self.allocate_vecattrs()

    def sort_by_descending_frequency(self) -> None:
        """Sort the keys by their attribute ``"count"``, most frequent first."""
        self._check_writable()
        if not len(self):
            return
        counts = np.asarray(self.expandos["count"], dtype=np.int64)
        order = np.lexsort((-np.arange(len(counts)), -counts))
        self.allocate_vecattrs()
        for name, values in self.expandos.items():
            self.expandos[name] = values[order]
        self._set_keys([self.index_to_key[i] for i in order], self._index.take(order))

    def unit_normalize_all(self) -> None:
        """Raise ``NotImplementedError``: codes are ones and zeros."""
        raise NotImplementedError(
            "codes are ones and zeros, and cannot be scaled to length 1 in place; "
            "get_normed_vectors() returns scaled vectors, and get_vector(word, norm=True) one"
        )


def _one_row(vector: Any) -> Any:
    if sparse.issparse(vector):
        return vector.reshape(1, -1)
    return np.asarray(vector).reshape(1, -1)
