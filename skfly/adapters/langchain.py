"""LangChain's ``Embeddings``, for code that asks for this class.

Most of LangChain calls ``embed_documents`` and ``embed_query`` of whatever it is given, which the
estimator has.
"""

from __future__ import annotations

from typing import Any

from skfly._files import import_at_least

__all__ = ["FlyEmbeddings"]

_embeddings = import_at_least(
    "langchain_core.embeddings", "langchain-core", "0.3", "skfly.adapters.langchain"
)


class FlyEmbeddings(_embeddings.Embeddings):  # type: ignore[misc, name-defined]
    """Codes of documents as LangChain's embeddings.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        self.fly = fly

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the codes of documents."""
        vectors: list[list[float]] = self.fly.embed_documents(texts)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the code of a query."""
        vector: list[float] = self.fly.embed_query(text)
        return vector
