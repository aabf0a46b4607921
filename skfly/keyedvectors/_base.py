"""Keys and their codes, kept as bits."""

# gensim has no types
# mypy: disallow-subclassing-any=False

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy import sparse

from skfly.index import GpuIndex, InvertedIndex, PackedIndex
from skfly.index._bits import to_words
from skfly.index._packed import check_measure
from skfly.keyedvectors._input import check_hash_length, pack_checked

_MOST_CELLS = 1 << 22  # a query takes room for each, whatever the number of codes


class KeyedCodes(KeyedVectors):
    """``KeyedVectors`` whose vectors are codes, kept as bits in an index.

    gensim's attribute ``vectors`` is a property here. No method of this class uses it, since it
    takes ``4 n_cells`` bytes a word.
    """

    vector_size: int
    index_to_key: list[Any]
    key_to_index: dict[Any, int]
    next_index: int
    norms: NDArray[Any] | None
    expandos: dict[str, NDArray[Any]]
    _index: PackedIndex
    _float_vectors: NDArray[Any] | None
    _spell: Callable[[str], sparse.csr_array] | None = None  # codes of unknown words

    def __init__(
        self,
        vector_size: Any,
        count: int = 0,
        dtype: Any = np.float32,
        mapfile_path: Any = None,
        *,
        hash_length: Any = None,
        similarity_measure: str = "cosine",
    ) -> None:
        # gensim's own __init__ would make a matrix of floats
        if not isinstance(vector_size, Integral) or not 1 <= int(vector_size) <= _MOST_CELLS:
            raise ValueError(
                f"vector_size must be a number of cells from 1 to {_MOST_CELLS:,}; got "
                f"{vector_size!r:.30}"
            )
        if hash_length is not None and not (
            isinstance(hash_length, Integral) and 1 <= int(hash_length) <= int(vector_size)
        ):
            raise ValueError(
                f"hash_length={hash_length}, but codes have {vector_size} cells: choose 1 to "
                f"{vector_size}"
            )
        check_measure(similarity_measure)
        self.vector_size = int(vector_size)
        self.index_to_key = [None] * count
        self.next_index = 0
        self.key_to_index = {}
        self.norms = None
        self.expandos = {}
        self.mapfile_path = mapfile_path
        self._dtype = np.dtype(dtype)
        self._hash_length: int | None = None if hash_length is None else int(hash_length)
        self._measure = similarity_measure
        n_bytes = -(-self.vector_size // 8)
        columns = np.zeros((n_bytes, count), np.uint8)
        self._set_index(PackedIndex.from_columns(columns, self.vector_size))

    # The codes

    @property
    def codes(self) -> NDArray[np.uint64]:
        """All codes, packed: cell ``m`` is bit ``m % 64`` of word ``m // 64``; read-only.

        This is a copy: internally, the same byte of all codes is kept together.
        """
        packed = to_words(self._index.packed())
        packed.setflags(write=False)
        return packed

    @property
    def hash_length(self) -> int | None:
        """The number of ones in a code, or None if codes differ in it."""
        if self._hash_length is not None:
            return self._hash_length
        sizes = np.unique(self._index.sizes)
        sizes = sizes[sizes > 0]
        return int(sizes[0]) if len(sizes) == 1 else None

    @property
    def nbytes(self) -> int:
        """Memory of the codes and of what :meth:`build_index` added, without the keys."""
        return self._index.nbytes

    @property
    def vectors(self) -> NDArray[Any]:
        """The codes as a matrix of floats, created on first access and kept.

        It is read-only, since changes would not reach the codes: set ``wv[word]`` instead.
        ``del wv.vectors`` frees its memory.
        """
        if self._float_vectors is None:
            self._float_vectors = self._index.dense(self._dtype)
            self._float_vectors.setflags(write=False)
        return self._float_vectors

    @vectors.setter
    def vectors(self, value: Any) -> None:
        self._check_writable()
        codes, _ = pack_checked(value, self.vector_size)
        if len(codes) != len(self):
            raise ValueError(f"{len(codes)} vectors for {len(self)} keys; each key needs one")
        check_hash_length(codes, self._hash_length)
        self._set_index(PackedIndex(codes, self.vector_size))

    @vectors.deleter
    def vectors(self) -> None:
        self._float_vectors = None

    @property
    def similarity_measure(self) -> str:
        """The measure of similarity: cosine, overlap, sokal-michener or jaccard."""
        return self._measure

    @similarity_measure.setter
    def similarity_measure(self, measure: str) -> None:
        check_measure(measure)
        self._measure = measure

    def build_index(self, n_jobs: int | None = None, *, backend: str = "numba") -> None:
        """Build an index of the codes, which makes searches faster.

        Results stay the same. It takes as much memory again as the codes, and is dropped when
        codes change.

        Parameters
        ----------
        n_jobs : int or None, default=None
            Threads; ``None``: as many as numba is set to use.
        backend : {"numba", "cupy"}, default="numba"
            ``"numba"``: an inverted index over Kenyon cells, in memory. ``"cupy"``: a copy of the
            codes on the current GPU, for many queries at a time (:meth:`neighbors`); it is not
            pickled or saved.
        """
        if backend not in ("numba", "cupy"):
            raise ValueError(f"backend must be 'numba' or 'cupy'; got {backend!r}")
        index = self._index
        self._index = GpuIndex(index) if backend == "cupy" else InvertedIndex(index, n_jobs=n_jobs)

    def drop_index(self) -> None:
        """Free the memory of the index."""
        self._index = PackedIndex(self._index)

    def _set_index(self, index: PackedIndex) -> None:
        """Use other codes, and forget everything that was computed from those before."""
        self._index = index
        self.norms = None
        self._float_vectors = None

    def _check_writable(self) -> None:
        if not self._index.columns.flags.writeable:
            raise ValueError(
                "these codes are mapped read-only from a file: load it without mmap='r' to "
                "change them"
            )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_float_vectors": None, "_spell": None}

    def __repr__(self) -> str:
        ones = "" if self.hash_length is None else f", {self.hash_length} ones per code"
        return f"{type(self).__name__}({len(self):,} words, {self.vector_size:,} cells{ones})"

    def fill_norms(self, force: bool = False) -> None:
        """Make sure that ``norms`` has the length of each vector.

        Parameters
        ----------
        force : bool, default=False
            Compute them again.
        """
        if self.norms is None or force:
            self.norms = np.sqrt(self._index.sizes.astype(self._dtype))

    def get_normed_vectors(self) -> NDArray[Any]:
        """Return all codes as floats, scaled to length 1; an empty code stays as it is."""
        norms = np.sqrt(np.maximum(self._index.sizes, 1).astype(self._dtype))
        vectors = self._index.dense(self._dtype)
        vectors /= norms[:, None]
        return vectors

    def vectors_for_all(
        self, keys: Iterable[Any], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> KeyedCodes:
        """Return the codes of some keys as a new object of this class.

        Parameters
        ----------
        keys : iterable
            Unknown ones are left out, and each is taken once.
        allow_inference : bool, default=True
            Whether a number stands for the key at that place, as in ``wv[0]``.
        copy_vecattrs : bool, default=False
            Whether the keys' attributes are copied. If not, ``"count"`` falls from the number of
            keys to 1, as in gensim.
        """
        known = self if allow_inference else self.key_to_index
        found = [key for key in dict.fromkeys(keys) if key in known]
        rows = [self.get_index(key) for key in found]
        made = type(self)(
            self.vector_size,
            dtype=self._dtype,
            hash_length=self._hash_length,
            similarity_measure=self._measure,
        )
        made._set_keys(found, self._index.take(rows))
        made.expandos["count"] = np.arange(len(found), 0, -1)
        if copy_vecattrs:
            for name, values in self.expandos.items():
                made.expandos[name] = values[rows]
        return made

    def _set_keys(self, keys: list[Any], index: PackedIndex) -> None:
        """Use other keys (distinct, or None where a row is free) and their codes."""
        self.index_to_key = keys
        self.key_to_index = {key: i for i, key in enumerate(keys) if key is not None}
        self.next_index = len(keys)
        self._set_index(index)
