"""Codes in the indexes of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import import_optional


def to_faiss(keys: NDArray[np.int64], packed: NDArray[np.uint8]) -> Any:
    """Return packed codes as a faiss ``IndexBinaryFlat`` with keys."""
    faiss = import_optional("faiss", "faiss", "this")
    index = faiss.IndexBinaryIDMap2(faiss.IndexBinaryFlat(8 * packed.shape[1]))
    if len(keys):
        index.add_with_ids(packed, keys)
    return index


def to_usearch(keys: NDArray[np.int64], packed: NDArray[np.uint8], **params: Any) -> Any:
    """Return packed codes as a usearch index of bits with Tanimoto distance."""
    usearch = import_optional("usearch.index", "usearch", "this")
    index = usearch.Index(
        ndim=8 * packed.shape[1],
        metric=usearch.MetricKind.Tanimoto,
        dtype=usearch.ScalarKind.B1,
        **params,
    )
    if len(keys):
        if keys.min() < 0:
            raise ValueError("keys of usearch are not negative: use other ids")
        index.add(keys.astype(np.uint64), packed)
    return index
