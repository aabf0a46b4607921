"""Keywords with KeyBERT: ``KeyBERT(model=FlyEmbedder(fly))``.

KeyBERT also takes ``fly.wv``, whose vectors it averages. It does not recognise a pipeline, calls
nothing in it, and silently loads a model of its own: pass ``FlyEmbedder(pipeline)``.
"""

from __future__ import annotations

from skfly._files import import_at_least
from skfly.adapters._embedder import CodesEmbedder

__all__ = ["FlyEmbedder"]

_backend = import_at_least("keybert.backend", "keybert", "0.8", "skfly.adapters.keybert")


class FlyEmbedder(CodesEmbedder, _backend.BaseEmbedder):  # type: ignore[misc, name-defined]
    """Codes of documents and candidates for KeyBERT.

    Parameters
    ----------
    fly : FlyHashVectorizer or Pipeline
        Fitted.
    """
