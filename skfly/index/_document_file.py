"""An index of documents in a file: its codes, ids and texts, and the model that made the codes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._model_file import DAMAGE, ModelFileError, read_model_file, write_model_file
from skfly.index._document_rows import Rows
from skfly.index._packed import PackedIndex
from skfly.index._rows import Ids, Numbers, Strings
from skfly.model import FlyModel, describe_model, restore_model

KIND = "documents"
_MODEL = "model."


def write_index(
    path: str | os.PathLike[str], model: FlyModel, n_cells: int, rows: Rows, include_model: bool
) -> None:
    """Write an index without its removed documents."""
    kept = np.flatnonzero(rows.kept)
    columns = [
        part.columns[:, rows.kept[start : start + len(part)]]
        for start, part in zip(rows.starts, rows.parts, strict=True)
    ]
    empty = np.zeros((-(-n_cells // 8), 0), np.uint8)
    arrays = {"codes": np.concatenate([empty, *columns], axis=1)}
    arrays |= rows.ids.arrays("ids", kept)
    if rows.texts is not None:
        arrays |= rows.texts.arrays("texts", kept)
    described = None
    if include_model:
        found, described = describe_model(model)
        arrays |= {_MODEL + name: array for name, array in found.items()}
    content = {
        "kind": KIND,
        "n_cells": n_cells,
        "fingerprint": model.fingerprint(),
        "model": described,
    }
    write_model_file(path, arrays, content)


def read_index(
    path: str | os.PathLike[str], mmap: bool, model: FlyModel | None
) -> tuple[FlyModel, int, Rows]:
    """Read an index; ``model``, if given, must be the one that made the codes."""
    arrays, content = read_model_file(path, mmap=mmap)
    if content.get("kind") != KIND:
        raise ModelFileError(f"{path} is a file of skfly, but not an index of documents")
    if model is not None and content.get("fingerprint") != model.fingerprint():
        raise ValueError(
            f"{path} was made with another model, and codes of different models cannot be "
            "compared: pass the model that made it, or add the texts to a new index"
        )
    if model is None and content.get("model") is None:
        raise ValueError(
            f"{path} was saved without its model: pass it, DocumentIndex.load(path, fly=...)"
        )
    try:
        if model is None:
            model = restore_model(path, arrays, _MODEL, content["model"], mmap)
            model = model.with_(document_codes="binary")
        for name in ("codes", "ids"):
            arrays.check(prefix=name)
        # np.asarray: kernels are compiled for arrays, not for numpy's class of mapped ones
        plain = {name: np.asarray(array) for name, array in arrays.items()}
        return model, *_restore_rows(plain, content, model)
    except DAMAGE as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path} is damaged: {error}") from error


def _restore_rows(
    arrays: dict[str, NDArray[Any]], content: dict[str, Any], model: FlyModel
) -> tuple[int, Rows]:
    n_cells = content["n_cells"]
    if n_cells != model.documents([]).shape[1]:
        raise ValueError("its codes and its model have different numbers of cells")
    codes = PackedIndex.from_columns(arrays["codes"], n_cells)
    ids: Ids = Numbers(arrays["ids"]) if "ids" in arrays else Strings.from_arrays("ids", arrays)
    texts = Strings.from_arrays("texts", arrays) if "texts.ends" in arrays else None
    if len(ids) != len(codes) or (texts is not None and len(texts) != len(codes)):
        raise ValueError("it has different numbers of codes, ids and texts")
    return n_cells, Rows((codes,), ids, texts, np.ones(len(codes), np.bool_))


def merge_rows(rows: Sequence[Rows]) -> Rows:
    """Return the rows of several indexes as rows of one."""
    filled = [each for each in rows if len(each.kept)] or list(rows[:1])
    kinds = {type(each.ids) for each in filled}
    if len(kinds) > 1:
        raise TypeError("some of the indexes have ids of type int, and some of type str")
    ids: Ids
    if kinds == {Numbers}:
        ids = Numbers(np.concatenate([each.ids.array() for each in filled]))  # type: ignore[union-attr]
    else:
        ids = _joined([each.ids for each in filled])
    texts = [each.texts for each in filled]
    return Rows(
        tuple(part for each in filled for part in each.parts),
        ids,
        None if None in texts else _joined(texts),
        np.concatenate([each.kept for each in filled]),
    )


def _joined(strings: Sequence[Any]) -> Strings:
    """Concatenate strings, without reading those in files."""
    return Strings([part for each in strings for part in each.parts()])
