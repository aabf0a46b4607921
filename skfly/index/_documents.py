"""An index of documents: texts in, the nearest texts out."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import import_optional, write_lock
from skfly.index._bits import pack_codes
from skfly.index._stored import StoredDocuments, as_model


class DocumentIndex(StoredDocuments):
    """Search documents by their codes, exactly.

    A document's score is the share of Kenyon cells that its code has in common with the query's.
    Documents without a known word are kept but never found.

    Any number of threads may search at once, even while another adds or removes documents: a
    search sees the index as it was when the search started.

    Parameters
    ----------
    fly : FlyHashVectorizer, FlyModel, str or path-like
        The fitted model that makes the codes, its file, or ``"en"``. Setting its parameters later
        does not change the index.
    keep_texts : bool, default=False
        Whether to keep the texts as well. See :meth:`texts`.
    n_jobs : int or None, default=None
        Threads per search; ``None``: as many as numba is set to use.

    Attributes
    ----------
    model : FlyModel
        The model that makes the codes.
    ids : ndarray of int64, or list of str
        Ids of all documents, in the order in which they were added.
    n_empty : int
        Number of documents without a known word; they are never found.
    nbytes : int
        Memory of codes and of integer ids, in bytes.

    See Also
    --------
    skfly.index.PackedIndex : Search codes that you have computed.

    Examples
    --------
    >>> from skfly import DocumentIndex, FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money", "a sweet banana is a fruit"]
    >>> fly = FlyHashVectorizer(n_kenyon_cells=30, hash_length=5, random_state=0).fit(texts * 30)
    >>> index = DocumentIndex(fly, keep_texts=True)
    >>> index.add(texts, ids=["fruit", "bank", "banana"])
    >>> ids, scores = index.search(["money from a bank"], n=1)
    >>> ids.tolist(), index.texts(ids[0])
    ([['bank']], ['the bank lends money'])
    >>> index.remove(["bank"])
    >>> len(index)
    2
    """

    # Search

    def search(self, queries: Any, n: int = 10) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the documents that are most similar to each query.

        Parameters
        ----------
        queries : iterable of str
            Texts, as ``fly.transform`` takes them.
        n : int, default=10
            How many documents to return.

        Returns
        -------
        ids : ndarray of int64 or of str, (n_queries, n)
            Best first, ties in the order in which they were added. There are fewer columns if no
            query has that many results. A query without a known word finds nothing and warns: its
            ids are -1, or ``None`` where ids are str.
        scores : ndarray of float64, (n_queries, n)
            The share of cells in common, from 0 to 1; ``nan`` where there is no document.
        """
        rows = self._rows
        codes = self._queries(queries)
        if not rows.kept.any():
            warnings.warn("the index has no documents, so nothing is found", stacklevel=2)
        found, scores = rows.nearest(codes, n, self.n_jobs)
        return rows.with_ids(found), scores

    def kneighbors(self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True) -> Any:
        """Return the nearest documents as scikit-learn's ``NearestNeighbors`` does.

        Parameters
        ----------
        X : iterable of str, optional
            Texts. ``None``: all documents of the index, of which none is its own neighbor.
        n_neighbors : int, default=5
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of float64, (n_queries, n_neighbors)
            One minus the share of cells in common; ``inf`` where there is no document. Only if
            ``return_distance``.
        indices : ndarray of int64, (n_queries, n_neighbors)
            Positions in :attr:`ids`, -1 where there is no document.
        """
        rows = self._rows
        n_there = int(np.count_nonzero(rows.kept)) - (X is None)
        if not 1 <= n_neighbors <= n_there:
            raise ValueError(
                f"n_neighbors is {n_neighbors}, but only {n_there} documents can be neighbors"
            )
        if X is not None:
            found, scores = rows.nearest(self._queries(X), n_neighbors, self.n_jobs)
        else:
            found, scores = rows.nearest_others(n_neighbors, self.n_jobs)
        missing = ((0, 0), (0, n_neighbors - found.shape[1]))
        found = np.pad(found, missing, constant_values=-1)
        scores = np.pad(scores, missing, constant_values=-np.inf)
        indices = rows.places(found)
        distances = np.where(found < 0, np.inf, 1.0 - scores)
        return (distances, indices) if return_distance else indices

    def radius_neighbors(
        self, X: Any = None, radius: float = 0.5, return_distance: bool = True
    ) -> Any:
        """Return all documents within a distance as scikit-learn's ``NearestNeighbors`` does.

        Parameters
        ----------
        X : iterable of str, optional
            Texts. ``None``: all documents of the index, of which none is its own neighbor.
        radius : float, default=0.5
            The largest distance, one minus the share of cells in common.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of ndarray of float64, (n_queries,)
            By rising distance. Only if ``return_distance``.
        indices : ndarray of ndarray of int64, (n_queries,)
            Positions in :attr:`ids`.
        """
        rows = self._rows
        codes = rows.codes() if X is None else self._queries(X)
        own = np.flatnonzero(rows.kept) if X is None else np.full(len(codes), -1)
        distances, indices = (np.empty(len(codes), dtype=object) for _ in range(2))
        near = rows.within(codes, 1.0 - radius, self.n_jobs)
        for i, (found, scores) in enumerate(near):
            others = found != own[i]
            distances[i] = 1.0 - scores[others]
            indices[i] = rows.places(found[others])
        return (distances, indices) if return_distance else indices

    def duplicates(self, threshold: float = 0.9) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return all pairs of documents that are nearly the same.

        All pairs are compared, a few thousand documents with all others at a time: memory is
        proportional to the number of pairs found.

        Parameters
        ----------
        threshold : float, default=0.9
            The smallest score, above 0 and at most 1.

        Returns
        -------
        pairs : ndarray of int64 or of str, (n_pairs, 2)
            Ids, the document added earlier on the left. Most similar pairs come first.
        scores : ndarray of float64, (n_pairs,)
            The share of cells in common.
        """
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1; got {threshold}")
        rows = self._rows
        pairs, scores = rows.pairs(threshold, self.n_jobs)
        return rows.with_ids(pairs), scores

    def _queries(self, texts: Any) -> NDArray[np.uint8]:
        """Return the codes of queries, and warn about those that have none."""
        codes = pack_codes(self.model.documents(texts))
        empty = np.flatnonzero(~codes.any(axis=1))
        if len(empty):
            shown = ", ".join(map(str, empty[:5].tolist())) + (", ..." if len(empty) > 5 else "")
            warnings.warn(
                f"{len(empty)} of {len(codes)} queries have no known word and find nothing: "
                f"number {shown} (counted from 0)",
                stacklevel=3,
            )
        return codes

    # Files, and other indexes

    def save(self, path: str | os.PathLike[str], *, include_model: bool = True) -> None:
        """Write the index to one file, without pickle and without removed documents.

        Parameters
        ----------
        path : path-like
        include_model : bool, default=True
            Whether to store the model as well. Without it the file is smaller, and :meth:`load`
            needs the model that made the codes.

        Raises
        ------
        LockedError
            If another process or thread is writing to the same place. It is an ``OSError``.
        """
        from skfly.index._document_file import write_index

        with self._lock, write_lock(path):
            write_index(path, self.model, self._n_cells, self._rows, include_model)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, mmap: bool = True, fly: Any = None
    ) -> DocumentIndex:
        """Read what :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
        mmap : bool, default=True
            Map the file into memory instead of reading it: processes that use the same file share
            its memory. Documents may still be added and removed; the file does not change.
        fly : FlyHashVectorizer, FlyModel or path-like, optional
            The model that made the codes, to use instead of the one in the file. Any other model
            is rejected: codes of different models cannot be compared.

        Returns
        -------
        index : DocumentIndex

        Raises
        ------
        ModelFileError
            If the file is not an index, is damaged, or comes from a newer skfly.
        """
        from skfly.index._document_file import read_index

        model = None if fly is None else as_model(fly)
        model, n_cells, rows = read_index(path, mmap, model)
        index = cls.__new__(cls)
        index.model, index.n_jobs, index._n_cells = model, None, n_cells
        index._lock = threading.RLock()
        index._set(rows)
        return index

    @classmethod
    def merge(cls, indexes: Sequence[DocumentIndex]) -> DocumentIndex:
        """Return one index with the documents of several; it shares their codes.

        Parameters
        ----------
        indexes : list of DocumentIndex
            All of the same model. No id may occur twice; see :meth:`with_ids`.

        Returns
        -------
        index : DocumentIndex
            It keeps texts if all of them do.
        """
        from skfly.index._document_file import merge_rows

        indexes = list(indexes)
        if not indexes:
            raise ValueError("no indexes to merge; pass at least one")
        names = [index.model.fingerprint() for index in {id(i.model): i for i in indexes}.values()]
        if len(set(names)) > 1:
            raise ValueError(
                "the indexes are of different models, whose codes cannot be compared: add the "
                "texts to one index"
            )
        made = cls(indexes[0].model, n_jobs=indexes[0].n_jobs)
        made._set(merge_rows([index._rows for index in indexes]))
        made._row_by_id()  # raises if an id occurs twice
        return made

    def to_faiss(self) -> Any:
        """Return the codes as a faiss index, which searches by Hamming distance.

        Its ids are the documents' ids or, if these are str, positions in :attr:`ids`. Documents
        without a known word are left out. A distance of ``d`` is a score of
        ``1 - d / (2 * hash_length)``. Needs ``pip install "skfly[faiss]"``.

        Returns
        -------
        index : faiss.IndexBinaryIDMap2
            Of an ``IndexBinaryFlat``.
        """
        keys, packed = self._exported()
        faiss = import_optional("faiss", "faiss", "this")
        index = faiss.IndexBinaryIDMap2(faiss.IndexBinaryFlat(8 * packed.shape[1]))
        if len(keys):
            index.add_with_ids(packed, keys)
        return index

    def to_usearch(self, **params: Any) -> Any:
        """Return the codes as a usearch index: approximate search of bits by Tanimoto distance.

        Its keys are the documents' ids or, if these are str, positions in :attr:`ids`.
        Documents without a known word are left out. Query it with
        ``pack_codes(fly.transform(texts))``. Needs ``pip install "skfly[usearch]"``.

        Parameters
        ----------
        **params
            More parameters of ``usearch.index.Index``: ``connectivity``, ``expansion_search``, ...

        Returns
        -------
        index : usearch.index.Index
        """
        keys, packed = self._exported()
        usearch = import_optional("usearch.index", "usearch", "this")
        index = usearch.Index(
            ndim=8 * packed.shape[1],
            metric=usearch.MetricKind.Tanimoto,
            dtype=usearch.ScalarKind.B1,
            **params,
        )
        if len(keys):
            if keys.min() < 0:
                raise ValueError("usearch does not accept negative ids: use others")
            index.add(keys.astype(np.uint64), packed)
        return index

    def _exported(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return keys and packed codes of the documents that can be found."""
        rows = self._rows
        there = np.flatnonzero(~rows.is_empty())
        packed = np.concatenate(
            [np.zeros((0, -(-self._n_cells // 8)), np.uint8)]
            + [part.packed(part.sizes > 0) for part in rows.parts]
        )
        return (rows.with_ids(there) if self._has_numbers else rows.places(there)), packed
