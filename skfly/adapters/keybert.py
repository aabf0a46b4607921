"""Keywords with KeyBERT: ``KeyBERT(model=FlyEmbedder(fly))``.

KeyBERT also takes ``fly.wv``, whose vectors it averages. It does not recognise a pipeline, calls
nothing in it, and silently loads a model of its own: pass ``FlyEmbedder(pipeline)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._files import import_at_least

__all__ = ["FlyEmbedder"]

_backend = import_at_least("keybert.backend", "keybert", "0.8", "skfly.adapters.keybert")


class FlyEmbedder(_backend.BaseEmbedder):  # type: ignore[misc, name-defined]
    """Codes of documents and candidates for KeyBERT.

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
