"""The documents of an index: added, removed, kept."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._pretrained import find_model
from skfly.index._document_rows import Rows
from skfly.index._packed import PackedIndex
from skfly.index._rows import Numbers, Strings, as_ids
from skfly.model import FlyModel
from skfly.text import EncodedCorpus

_DOCUMENTS_AT_A_TIME = 1 << 13


class StoredDocuments:
    """Documents with their codes and ids; see :class:`DocumentIndex`."""

    def __init__(self, fly: Any, *, keep_texts: bool = False, n_jobs: int | None = None) -> None:
        self.model = as_model(fly)
        self.n_jobs = n_jobs
        if keep_texts and not self.model.analyzer.reads_text:
            raise ValueError(
                "keep_texts=True needs texts, but the model reads files: set input='content'"
            )
        self._n_cells = int(self.model.documents([]).shape[1])
        self._lock = threading.RLock()
        texts = Strings() if keep_texts else None
        self._set(Rows((), Numbers(), texts, np.zeros(0, np.bool_)))

    def _set(self, rows: Rows) -> None:
        """Replace all documents."""
        self._rows = rows
        self._row_of: dict[Any, int] | None = None
        numbers = rows.ids.array() if isinstance(rows.ids, Numbers) else np.zeros(0, np.int64)
        self._next_id = int(numbers.max(initial=-1)) + 1

    def __len__(self) -> int:
        return int(np.count_nonzero(self._rows.kept))

    def __repr__(self) -> str:
        return f"DocumentIndex({len(self):,} documents, {self.model!r})"

    def __contains__(self, id_: object) -> bool:
        with self._lock:
            return id_ in self._row_by_id()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    @property
    def ids(self) -> NDArray[np.int64] | list[str]:
        rows = self._rows
        found: Any = rows.with_ids(np.flatnonzero(rows.kept))
        return found if self._has_numbers else list(found)

    @property
    def keeps_texts(self) -> bool:
        """Whether the texts are kept."""
        return self._rows.texts is not None

    @property
    def _has_numbers(self) -> bool:
        return isinstance(self._rows.ids, Numbers)

    @property
    def n_empty(self) -> int:
        rows = self._rows
        return int(np.count_nonzero(rows.is_empty() & rows.kept))

    @property
    def nbytes(self) -> int:
        rows = self._rows
        n_bytes = sum(part.nbytes for part in rows.parts) + rows.kept.nbytes
        return n_bytes + (rows.ids.array().nbytes if isinstance(rows.ids, Numbers) else 0)

    # Documents

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Replace all documents with others, with ids from 0; for scikit-learn's API.

        Parameters
        ----------
        X : iterable of str
        y : None
            Ignored.

        Returns
        -------
        self : DocumentIndex
        """
        made = type(self)(self.model, keep_texts=self.keeps_texts)
        made.add(X)
        with self._lock:
            self._set(made._rows)
        return self

    def add(self, texts: Any, ids: Iterable[int] | Iterable[str] | None = None) -> None:
        """Add documents. If anything is wrong with one of them, none is added.

        Parameters
        ----------
        texts : iterable or EncodedCorpus
            Documents, as ``fly.transform`` takes them. They are read a few million characters at a
            time, so a generator works.
        ids : iterable of int or str, optional
            Distinct, all int or all str. By default, numbers that continue from the largest, or
            start at 0.
        """
        with self._lock:
            given = None if ids is None else self._new_ids(ids)
            if given is None and len(self._rows.kept) and not self._has_numbers:
                raise ValueError("the documents of this index have ids of type str: give ids")
            codes, kept = self._read(texts)
            if given is None:
                given = np.arange(self._next_id, self._next_id + len(codes))
            if len(given) != len(codes):
                raise ValueError(f"{len(codes)} texts and {len(given)} ids; each text needs one")
            if len(codes):
                self._append(codes, given, kept)

    def _read(self, texts: Any) -> tuple[PackedIndex, list[str]]:
        """Return the codes of texts, and the texts if they are kept."""
        tee = _Tee(self.model, texts) if self.keeps_texts else None
        parts = [PackedIndex(sparse.csr_array((0, self._n_cells)))]
        kept: list[str] = []
        for codes in self.model.document_batches(tee or texts, _DOCUMENTS_AT_A_TIME):
            parts.append(PackedIndex(codes))
            if tee is not None:
                kept.extend(tee.take(codes.shape[0]))
        return PackedIndex.concatenate(parts), kept

    def _new_ids(self, ids: Iterable[Any]) -> NDArray[np.int64] | list[str]:
        """Check that ids are new, and return them."""
        given = as_ids(ids)
        are_numbers = not isinstance(given, list)
        if len(self._rows.kept) and len(given) and are_numbers != self._has_numbers:
            have, got = ("int", "str") if self._has_numbers else ("str", "int")
            raise TypeError(f"the documents of this index have ids of type {have}; got {got}")
        there = self._row_by_id()
        seen: set[Any] = set()
        for value in _as_list(given):
            if value in there:
                raise ValueError(f"there is a document with the id {value!r} already")
            if value in seen:
                raise ValueError(f"the id {value!r} is given twice")
            seen.add(value)
        return given

    def _append(
        self, codes: PackedIndex, ids: NDArray[np.int64] | list[str], texts: list[str]
    ) -> None:
        rows = self._rows
        stored: Any = rows.ids
        n_before = len(rows.kept)
        if not n_before:  # the first ones set the type of ids
            stored = Strings() if isinstance(ids, list) else Numbers()
        stored.extend(ids)
        if rows.texts is not None:
            rows.texts.extend(texts)
        parts = [*rows.parts, codes]
        # the number of parts grows with the logarithm: each code is moved only a few times
        while len(parts) > 1 and 2 * len(parts[-1]) > len(parts[-2]):
            parts[-2:] = [PackedIndex.concatenate(parts[-2:])]
        kept = np.concatenate([rows.kept, np.ones(len(codes), np.bool_)])
        if self._row_of is not None:
            self._row_of.update(zip(_as_list(ids), range(n_before, len(kept)), strict=True))
        if not isinstance(ids, list):
            self._next_id = max(self._next_id, int(ids.max()) + 1)
        self._rows = Rows(tuple(parts), stored, rows.texts, kept)

    def remove(self, ids: Iterable[int] | Iterable[str]) -> None:
        """Remove documents. If an id is unknown, none is removed.

        Parameters
        ----------
        ids : iterable of int or str
        """
        with self._lock:
            removed = self._rows_with(ids)
            if not removed:
                return
            rows, row_of = self._rows, self._row_by_id()
            kept = rows.kept.copy()
            kept[removed] = False
            where = np.array(removed)
            parts = []
            for start, part in zip(rows.starts, rows.parts, strict=True):
                here = where[(where >= start) & (where < start + len(part))] - start
                parts.append(part.without(here) if len(here) else part)
            for row in removed:
                del row_of[rows.ids[row]]
            self._rows = rows._replace(parts=tuple(parts), kept=kept)
            if 2 * np.count_nonzero(kept) < len(kept):
                self.compact()

    def compact(self) -> None:
        """Free the memory of removed documents.

        This happens automatically once more than half were removed; :meth:`save` never writes
        removed documents.
        """
        with self._lock:
            rows = self._rows
            if rows.kept.all():
                return
            kept = np.flatnonzero(rows.kept)
            next_id = self._next_id
            parts = [
                part.take(rows.kept[start : start + len(part)])
                for start, part in zip(rows.starts, rows.parts, strict=True)
            ]
            texts = None if rows.texts is None else rows.texts.take(kept)
            whole = (PackedIndex.concatenate(parts),)
            self._set(Rows(whole, rows.ids.take(kept), texts, np.ones(len(kept), np.bool_)))
            self._next_id = next_id  # an id is not given twice

    def with_ids(self, ids: Iterable[int] | Iterable[str]) -> Self:
        """Return an index of the same documents with other ids; it shares their codes.

        Parameters
        ----------
        ids : iterable of int or str
            One per document, in the order of :attr:`ids`.

        Returns
        -------
        index : DocumentIndex
        """
        self.compact()
        given = as_ids(ids)
        if len(given) != len(self) or len(set(_as_list(given))) != len(given):
            raise ValueError(f"{len(self)} documents need as many ids, all different")
        made = copy(self)
        made._lock = threading.RLock()
        stored: Any = Strings() if isinstance(given, list) else Numbers()
        stored.extend(given)
        texts = self._rows.texts
        own_texts = None if texts is None else Strings(texts.parts())
        made._set(self._rows._replace(ids=stored, texts=own_texts))
        return made

    def texts(self, ids: Iterable[int] | Iterable[str]) -> list[str]:
        """Return the texts of documents, if they are kept.

        Parameters
        ----------
        ids : iterable of int or str

        Returns
        -------
        texts : list of str
        """
        with self._lock:
            texts = self._rows.texts
            if texts is None:
                raise ValueError("this index keeps no texts: make it with keep_texts=True")
            return [texts[row] for row in self._rows_with(ids)]

    def _row_by_id(self) -> dict[Any, int]:
        """Return the row of each id; built when first needed."""
        if self._row_of is None:
            rows = self._rows
            kept = np.flatnonzero(rows.kept).tolist()
            found = {rows.ids[row]: row for row in kept}
            if len(found) < len(kept):
                raise ValueError("two documents have the same id: change one with with_ids")
            self._row_of = found
        return self._row_of

    def _rows_with(self, ids: Iterable[Any]) -> list[int]:
        given = as_ids(ids)
        listed = _as_list(given)
        row_of = self._row_by_id()
        unknown = [value for value in listed if value not in row_of]
        if unknown:
            shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
            raise ValueError(f"there is no document with the id {shown}")
        return [row_of[value] for value in listed]


class _Tee:
    """Keep texts while they are read."""

    def __init__(self, model: FlyModel, texts: Any) -> None:
        if isinstance(texts, EncodedCorpus):
            raise TypeError("an encoded corpus has no texts to keep: set keep_texts=False")
        self._texts = texts
        text_params = model.settings.text
        self._encoding = text_params.get("encoding", "utf-8")
        self._errors = text_params.get("decode_error", "strict")
        self._read: deque[str] = deque()

    def __iter__(self) -> Iterator[Any]:
        for text in self._texts:
            if isinstance(text, bytes):
                text = text.decode(self._encoding, self._errors)
            elif isinstance(text, list | tuple):
                raise TypeError("only texts (str) can be kept: set keep_texts=False")
            self._read.append(text)
            yield text

    def take(self, n: int) -> list[str]:
        return [self._read.popleft() for _ in range(n)]


def as_model(fly: Any) -> FlyModel:
    """Return the model of an estimator or in a file, set to make binary codes."""
    if isinstance(fly, str | os.PathLike):
        fly = FlyModel.load(find_model(fly), mmap=True)
    if not isinstance(fly, FlyModel):
        if not hasattr(type(fly), "model_"):
            raise TypeError(
                f"fly must be a FlyHashVectorizer or a FlyModel; got {type(fly).__name__}"
            )
        fly = fly.model_
    model: FlyModel = fly.with_(document_codes="binary")
    return model


def _as_list(ids: NDArray[np.int64] | list[str]) -> list[Any]:
    return ids if isinstance(ids, list) else ids.tolist()
