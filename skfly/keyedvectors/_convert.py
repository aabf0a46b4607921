"""From dense vectors to codes, and to faiss and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["binarizer", "bytes_of_faiss", "import_faiss", "packed_width"]


def binarizer(method: Any, params: dict[str, Any]) -> Any:
    """Return the transformer of :mod:`skfly.binarize` that a name means, or what is given.

    Examples
    --------
    >>> binarizer("lsh", {"n_bits": 8})
    LSH(n_bits=8)
    """
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


def packed_width(transformer: Any) -> int | None:
    """Return the number of bits if one of our transformers packs its codes, or None."""
    if type(transformer).__module__.startswith("skfly.binarize") and transformer.packed:
        return int(transformer._code_width)
    return None


def import_faiss() -> Any:
    """Return faiss, or say how to install it."""
    try:
        import faiss
    except ImportError as error:
        raise ImportError('this needs faiss: pip install "skfly[faiss]"') from error
    return faiss


def bytes_of_faiss(index: Any, n_cells: int) -> NDArray[np.uint8]:
    """Return the codes in one of faiss's binary indexes, as rows of bytes."""
    faiss = import_faiss()
    if not isinstance(index, faiss.IndexBinaryFlat):
        raise TypeError(
            f"expected a faiss IndexBinaryFlat, which holds codes; got {type(index).__name__}"
        )
    if not index.d - 8 < n_cells <= index.d:
        raise ValueError(f"n_cells={n_cells}, but the index has codes of {index.d} bits")
    codes = faiss.vector_to_array(index.xb).reshape(index.ntotal, index.d // 8)
    return np.asarray(codes, dtype=np.uint8)
