"""Topics with BERTopic: ``BERTopic(embedding_model=FlyEmbedder(fly))``.

BERTopic also takes ``fly.wv``, whose vectors it averages, and ``make_pipeline(fly)``. For
``FrozenEstimator(fly)`` it silently loads a model of its own: pass ``FlyEmbedder(fly)``.
"""

from __future__ import annotations

from skfly._files import import_at_least
from skfly.adapters._embedder import CodesEmbedder

__all__ = ["FlyEmbedder"]

_backend = import_at_least("bertopic.backend", "bertopic", "0.17", "skfly.adapters.bertopic")


class FlyEmbedder(CodesEmbedder, _backend.BaseEmbedder):  # type: ignore[misc, name-defined]
    """Codes of documents and words for BERTopic.

    Parameters
    ----------
    fly : FlyHashVectorizer or Pipeline
        Fitted.
    """
