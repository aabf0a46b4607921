"""``FlyKeyedVectors``, and conversions from and to other vectors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from skfly._files import import_optional
from skfly._pretrained import find_model
from skfly.index import PackedIndex
from skfly.index._bits import as_packed
from skfly.keyedvectors._files import KeyedCodesFiles
from skfly.keyedvectors._input import check_hash_length, check_keys, pack_checked
from skfly.keyedvectors._queries import CodeQueries
from skfly.model import FlyModel

_SHOWN_WORDS = 8  # in a notebook
_SHOWN_NEIGHBOURS = 5
_SHOWN_CELLS = 8


class FlyKeyedVectors(CodeQueries, KeyedCodesFiles):
    """Words and their binary codes, as gensim's ``KeyedVectors``.

    All methods of :class:`gensim.models.KeyedVectors`, on codes that are stored and searched as
    bits. With the default ``similarity_measure="cosine"``, results are those of gensim on the same
    vectors of ones and zeros, except that ties always come in the order of the keys, and that an
    empty code has similarity 0 to everything instead of nan.

    Parameters
    ----------
    vector_size : int
        Number of Kenyon cells, the width of the codes.
    count : int, default=0
        Make room for this many words.
    dtype : dtype, default=numpy.float32
        Of the vectors that are returned.
    mapfile_path : None
        gensim's, unused.
    hash_length : int or None, default=None
        The number of ones that every code must have (it may also be empty). ``None``: any.
    similarity_measure : {"cosine", "overlap", "sokal-michener", "jaccard"}, default="cosine"
        With ``n11`` cells on in both codes, ``n00`` in neither, and ``n1`` and ``n2`` ones:
        ``n11 / sqrt(n1 * n2)``, ``n11``, ``(n11 + n00) / n`` or ``n11 / (n1 + n2 - n11)``. It may
        be set at any time.

    Attributes
    ----------
    index_to_key : list
        The words.
    key_to_index : dict
        The place of each word.

    See Also
    --------
    FlyHashVectorizer.wv : The words of a fitted estimator.

    Examples
    --------
    >>> from skfly import FlyKeyedVectors
    >>> wv = FlyKeyedVectors.from_codes(["fly", "moth", "bank"],
    ...                                 [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]])
    >>> wv["fly"]
    array([1., 1., 0., 0.], dtype=float32)
    >>> wv.most_similar("fly")
    [('moth', 0.5), ('bank', 0.0)]
    >>> wv.similarity_measure = "jaccard"
    >>> round(float(wv.similarity("moth", "bank")), 3)
    0.333
    """

    @classmethod
    def from_codes(
        cls,
        words: Sequence[Any],
        codes: Any,
        *,
        counts: Any = None,
        n_cells: int | None = None,
        hash_length: int | None = None,
        similarity_measure: str = "cosine",
    ) -> FlyKeyedVectors:
        """Return vectors with these words and codes.

        Parameters
        ----------
        words : list of str
        codes : sparse matrix or array-like, (n_words, n_cells)
            Ones and zeros; or packed bits, if ``n_cells`` is given.
        counts : array-like of int, optional
            Number of occurrences of each word: the attribute ``"count"``.
        n_cells : int, optional
            Width of the codes; says that ``codes`` are packed: rows of bytes as
            :func:`skfly.codes.pack_codes` makes them, or of 64-bit words as in :attr:`codes`.
        hash_length : int, optional
            The number of ones that every code must have.
        similarity_measure : str, default="cosine"

        Returns
        -------
        vectors : FlyKeyedVectors

        Examples
        --------
        >>> from skfly.codes import pack_codes
        >>> packed = pack_codes([[1, 0, 1], [0, 1, 1]])
        >>> FlyKeyedVectors.from_codes(["fly", "moth"], packed, n_cells=3)["moth"]
        array([0., 1., 1.], dtype=float32)
        """
        if n_cells is None:
            packed, n_cells = pack_checked(codes)
        else:
            packed = as_packed(np.asarray(codes), n_cells, packed_only=True)
        keys = check_keys(words, len(packed))
        made = cls(n_cells, hash_length=hash_length, similarity_measure=similarity_measure)
        check_hash_length(packed, hash_length)
        made._set_keys(keys, PackedIndex(packed, n_cells))
        if counts is not None:
            counts = np.array(counts, dtype=np.int64)
            if counts.shape != (len(keys),):
                raise ValueError(f"{len(keys)} words and counts of shape {counts.shape}")
            made.expandos["count"] = counts
        return made

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike[str]) -> FlyKeyedVectors:
        """Return the word vectors of a model from the package or a file.

        Parameters
        ----------
        name : str or path-like
            As in :meth:`FlyHashVectorizer.from_pretrained`.

        Returns
        -------
        vectors : FlyKeyedVectors

        Examples
        --------
        >>> from skfly import FlyKeyedVectors
        >>> FlyKeyedVectors.from_pretrained("en").most_similar("fly", topn=1)[0][0]
        'flies'
        """
        from skfly.keyedvectors._of_fly import make_vectors

        return make_vectors(FlyModel.load(find_model(name, hub=True), mmap=True))

    @classmethod
    def from_dense(
        cls,
        keyed_vectors: Any,
        method: Any = "randexp",
        *,
        similarity_measure: str = "cosine",
        **params: Any,
    ) -> FlyKeyedVectors:
        """Return codes of dense vectors, computed by a transformer of :mod:`skfly.binarize`.

        Parameters
        ----------
        keyed_vectors : gensim.models.KeyedVectors, or a model with these as ``wv``
        method : str or transformer, default="randexp"
            The name of a class in :mod:`skfly.binarize`, in any case (``"itq"``, ``"lsh"``,
            ``"nearlossless"``, ``"pcah"``, ``"randexp"``, ``"spectralhashing"``, ``"topk"``), or
            a transformer.
        similarity_measure : str, default="cosine"
        **params
            Parameters of the transformer.

        Returns
        -------
        vectors : FlyKeyedVectors
            With the same keys, and their attributes.

        Examples
        --------
        >>> from gensim.models import KeyedVectors
        >>> dense = KeyedVectors(3)
        >>> dense.add_vectors(["fly", "moth", "bank"], [[1, 2, 0], [1, 1.9, 0], [-1, 0, 2]])
        >>> codes = FlyKeyedVectors.from_dense(dense, "lsh", n_bits=64, random_state=0)
        >>> codes.vector_size, [word for word, _ in codes.most_similar("fly")]
        (64, ['moth', 'bank'])
        """
        transformer = _binarizer(method, params)
        vectors = getattr(keyed_vectors, "wv", keyed_vectors)
        if not hasattr(vectors, "index_to_key") or not hasattr(vectors, "vectors"):
            raise TypeError(
                "expected gensim KeyedVectors, as KeyedVectors.load or load_word2vec_format "
                f"returns them; got {type(keyed_vectors).__name__}"
            )
        codes = transformer.fit_transform(vectors.vectors)
        is_ours = type(transformer).__module__.startswith("skfly.binarize")
        made = cls.from_codes(
            vectors.index_to_key,
            codes,
            n_cells=transformer._code_width if is_ours and transformer.packed else None,
            similarity_measure=similarity_measure,
        )
        made.expandos = {name: values.copy() for name, values in vectors.expandos.items()}
        return made

    def to_faiss(self) -> Any:
        """Return the codes as a faiss ``IndexBinaryFlat``, which searches by Hamming distance.

        faiss needs whole bytes: a width that is not a multiple of 8 is filled up with zeros. It
        needs ``pip install "skfly[faiss]"``.

        Returns
        -------
        index : faiss.IndexBinaryFlat
        """
        faiss = import_optional("faiss", "faiss", "this")
        codes = self._index.packed()
        index = faiss.IndexBinaryFlat(codes.shape[1] * 8)
        index.add(codes)
        return index

    @classmethod
    def from_faiss(
        cls, index: Any, words: Sequence[Any], n_cells: int | None = None, **params: Any
    ) -> FlyKeyedVectors:
        """Return vectors with the codes in a faiss ``IndexBinaryFlat``.

        Parameters
        ----------
        index : faiss.IndexBinaryFlat
        words : list of str
        n_cells : int, optional
            Width of the codes, if it is not a multiple of 8.
        **params
            Further parameters of :meth:`from_codes`.

        Returns
        -------
        vectors : FlyKeyedVectors
        """
        faiss = import_optional("faiss", "faiss", "this")
        if not isinstance(index, faiss.IndexBinaryFlat):
            raise TypeError(
                f"expected a faiss IndexBinaryFlat, which holds codes; got {type(index).__name__}"
            )
        n_cells = index.d if n_cells is None else n_cells
        if not index.d - 8 < n_cells <= index.d:
            raise ValueError(f"n_cells={n_cells}, but the index has codes of {index.d} bits")
        codes = faiss.vector_to_array(index.xb).reshape(index.ntotal, index.d // 8)
        return cls.from_codes(words, codes, n_cells=n_cells, **params)

    def _repr_html_(self) -> str:
        """Return the first words with their cells and neighbours, as HTML."""
        words = [word for word in self.index_to_key[:_SHOWN_WORDS] if word in self.key_to_index]
        counts = self.expandos.get("count")
        head = ["word", *(["count"] if counts is not None else []), "nearest words", "cells"]
        lines = ["".join(f"<th>{name}</th>" for name in head)]
        for word, near in zip(words, self.neighbors(words, _SHOWN_NEIGHBOURS), strict=True):
            row = [str(word)]
            if counts is not None:
                row.append(f"{int(counts[self.key_to_index[word]]):,}")
            row.append(", ".join(str(other) for other, _ in near))
            cells = self[word].nonzero()[0].tolist()
            more = ["…"] if len(cells) > _SHOWN_CELLS else []
            row.append(", ".join([*map(str, cells[:_SHOWN_CELLS]), *more]))
            lines.append("".join(f"<td>{escape(cell)}</td>" for cell in row))
        length = "" if self.hash_length is None else f", {self.hash_length} in a code"
        caption = f"{len(self):,} words, {self.vector_size:,} cells{length}"
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        n_more = len(self) - len(words)
        rest = f"<p>… and {n_more:,} more</p>" if n_more else ""
        return f"<div><p><b>FlyKeyedVectors</b>: {caption}</p><table>{body}</table>{rest}</div>"


def _binarizer(method: Any, params: dict[str, Any]) -> Any:
    """Return the transformer of :mod:`skfly.binarize` with a name, or the one that is given."""
    import skfly.binarize

    if not isinstance(method, str):
        if params:
            raise ValueError(f"{sorted(params)} cannot be set: method is a transformer already")
        return method
    known = {name.lower(): name for name in skfly.binarize.__all__}
    name = known.get(method.lower().replace("-", "").replace("_", ""))
    if name is None:
        raise ValueError(f"method must be one of {sorted(known)}; got {method!r}")
    return getattr(skfly.binarize, name)(**params)
