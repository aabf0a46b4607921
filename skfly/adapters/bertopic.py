"""Topics with BERTopic: ``BERTopic(embedding_model=FlyEmbedder(fly))``.

BERTopic takes an estimator that it does not know for no model at all and loads another one.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from skfly.adapters._package import import_at_least

__all__ = ["FlyEmbedder"]

_backend = import_at_least("bertopic.backend", "bertopic", "0.17", "skfly.adapters.bertopic")


class FlyEmbedder(_backend.BaseEmbedder):  # type: ignore[misc, name-defined]
    """Codes of documents and words for BERTopic.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        super().__init__()
        self.embedding_model = fly

    def embed(self, documents: list[str], verbose: bool = False) -> NDArray[Any]:  # noqa: ARG002
        """Return the codes of documents, dense."""
        codes: NDArray[Any] = self.embedding_model.as_dense(documents)
        return codes
