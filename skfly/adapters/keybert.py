"""Keywords with KeyBERT: ``KeyBERT(model=FlyEmbedder(fly))``.

KeyBERT also takes ``fly.wv``, whose vectors it averages. For classes of scikit-learn, such as
``Pipeline`` and ``FrozenEstimator``, it silently loads a model of its own and calls nothing of
ours, so that skfly can neither take part nor raise an error: pass ``FlyEmbedder(pipeline)``.
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
