"""Topics with BERTopic: ``BERTopic(embedding_model=FlyEmbedder(fly))``.

BERTopic also takes ``fly.wv``, whose vectors it averages, and ``make_pipeline(fly)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._files import import_at_least

__all__ = ["FlyEmbedder"]

_backend = import_at_least("bertopic.backend", "bertopic", "0.17", "skfly.adapters.bertopic")


class FlyEmbedder(_backend.BaseEmbedder):  # type: ignore[misc, name-defined]
    """Codes of documents and words for BERTopic.

    Parameters
    ----------
    fly : FlyHashVectorizer or Pipeline
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        super().__init__()
        self.embedding_model = fly

    def embed(self, documents: list[str], verbose: bool = False) -> NDArray[Any]:  # noqa: ARG002
        """Return the codes of documents, dense."""
        codes = self.embedding_model.transform(documents)
        return codes.toarray() if sparse.issparse(codes) else np.asarray(codes)
