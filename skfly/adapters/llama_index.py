"""LlamaIndex's ``BaseEmbedding``: ``VectorStoreIndex(nodes, embed_model=FlyEmbedding(fly))``."""

from __future__ import annotations

from typing import Any

from skfly._files import import_at_least

__all__ = ["FlyEmbedding"]

_base = import_at_least(
    "llama_index.core.embeddings", "llama-index-core", "0.12", "skfly.adapters.llama_index"
)


class FlyEmbedding(_base.BaseEmbedding):  # type: ignore[misc, name-defined]
    """Codes of documents as LlamaIndex's embeddings.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    **kwargs
        Fields of ``BaseEmbedding``.
    """

    def __init__(self, fly: Any, **kwargs: Any) -> None:
        super().__init__(**{"model_name": "skfly", **kwargs})
        self._fly = fly

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex lists the class."""
        return "FlyEmbedding"

    def _get_text_embedding(self, text: str) -> list[float]:
        vector: list[float] = self._fly.embed_query(text)
        return vector

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._fly.embed_documents(texts)
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)
