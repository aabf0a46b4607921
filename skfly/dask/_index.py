"""An index of documents on a Dask cluster, which stay where they are stored."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.index import DocumentIndex
from skfly.model import FlyModel


class DaskDocumentIndex:
    """Search the documents of a Dask bag or data frame where they are stored.

    Workers encode their partitions and keep the codes. A search asks all of them and merges the
    results, which are the same as from one :class:`~skfly.DocumentIndex` of all documents.

    Parameters
    ----------
    fly : FlyHashVectorizer or FlyModel
        The model that computes the codes.
    documents : Bag or Series
        Texts; of a data frame, the column with the texts. Ids are numbers from 0, in order.
    client : distributed.Client or None, default=None
        ``None``: the one that Dask uses by default.
    keep_texts : bool, default=False
        Whether workers also keep the texts.

    See Also
    --------
    skfly.DocumentIndex : On one machine.

    Examples
    --------
    ::

        import dask.dataframe as dd

        reviews = dd.read_parquet("s3://reviews/*.parquet")
        index = DaskDocumentIndex(fly, reviews["body"])
        ids, scores = index.search(["a battery that lasts"], n=10)
        index.gather().save("reviews.idx")      # 59 bytes a document, at 400 cells
    """

    def __init__(
        self, fly: Any, documents: Any, *, client: Any = None, keep_texts: bool = False
    ) -> None:
        from dask.delayed import delayed

        from skfly.dask import _usable

        if not hasattr(documents, "to_delayed"):
            raise TypeError(
                "documents must be a Dask bag or series; got "
                f"{type(documents).__name__}: use DocumentIndex for what is on one machine"
            )
        self._client = _usable(client)
        fly = fly.to_local() if hasattr(fly, "to_local") else fly
        self.model: FlyModel = DocumentIndex(fly).model
        model, index = delayed(self.model, pure=True), delayed(_index_part)
        parts = np.ravel(np.array(documents.to_delayed(), dtype=object)).tolist()
        self._parts = self._client.compute([index(model, part, keep_texts) for part in parts])
        lengths = self._client.gather(self._client.map(len, self._parts))
        self._starts = np.cumsum([0, *lengths])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __repr__(self) -> str:
        return f"DaskDocumentIndex({len(self):,} documents in {len(self._parts)} parts)"

    def search(
        self, queries: Iterable[Any], n: int = 10
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the documents that are most similar to each query.

        Parameters
        ----------
        queries : iterable of str
        n : int, default=10

        Returns
        -------
        ids, scores : ndarray, (n_queries, n)
            As :meth:`skfly.DocumentIndex.search` returns them.
        """
        asked = list(queries)
        DocumentIndex(self.model)._queries(asked)  # warns
        found = [
            self._client.submit(_search_part, part, start, asked, n)
            for part, start in zip(self._parts, self._starts.tolist(), strict=False)
        ]
        ids, scores = (
            np.hstack(arrays) for arrays in zip(*self._client.gather(found), strict=True)
        )
        # rounded: what is equal must be equal however it was computed; nan comes last
        order = np.argsort(-np.round(scores, 12), axis=1, kind="stable")[:, :n]
        return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)

    def texts(self, ids: Iterable[int]) -> list[str]:
        """Return the texts of documents, if they are kept.

        Parameters
        ----------
        ids : iterable of int

        Returns
        -------
        texts : list of str
        """
        found = []
        for number in ids:
            if not 0 <= number < len(self):
                raise ValueError(f"there is no document with the id {number}")
            part = int(np.searchsorted(self._starts, number, side="right")) - 1
            place = int(number - self._starts[part])
            found.append(self._client.submit(_text_in_part, self._parts[part], place))
        texts: list[str] = self._client.gather(found)
        return texts

    def gather(self) -> DocumentIndex:
        """Return one index of all documents, on this machine."""
        parts = []
        starts = self._starts.tolist()
        for part, start in zip(self._client.gather(self._parts), starts, strict=False):
            parts.append(part.with_ids(range(start, start + len(part))))
        return DocumentIndex.merge(parts)


def _index_part(model: FlyModel, texts: Any, keep_texts: bool) -> DocumentIndex:
    index = DocumentIndex(model, keep_texts=keep_texts)
    index.add(list(texts))
    return index


def _search_part(
    index: DocumentIndex, start: int, queries: list[Any], n: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who asked was warned
        ids, scores = index.search(queries, n)
    return np.where(ids < 0, -1, ids + start), scores


def _text_in_part(index: DocumentIndex, place: int) -> str:
    return index.texts([place])[0]
