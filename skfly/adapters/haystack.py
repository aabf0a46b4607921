"""Haystack's components: one that embeds documents, and one that embeds queries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from skfly._files import import_at_least

__all__ = ["FlyDocumentEmbedder", "FlyTextEmbedder"]

_haystack = import_at_least("haystack", "haystack-ai", "2.6", "skfly.adapters.haystack")
_component = _haystack.component


@_component  # type: ignore[untyped-decorator, unused-ignore]
class FlyDocumentEmbedder:
    """Give documents their codes as ``embedding``.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        self.fly = fly

    @_component.output_types(documents=list[_haystack.Document])  # type: ignore[name-defined, untyped-decorator, unused-ignore]
    def run(self, documents: list[_haystack.Document]) -> dict[str, Any]:  # type: ignore[name-defined]
        """Return the documents with their codes; one without content is read as empty."""
        vectors = self.fly.embed_documents([document.content or "" for document in documents])
        pairs = zip(documents, vectors, strict=True)
        return {"documents": [replace(document, embedding=vector) for document, vector in pairs]}


@_component  # type: ignore[untyped-decorator, unused-ignore]
class FlyTextEmbedder:
    """Return the code of a query.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        self.fly = fly

    @_component.output_types(embedding=list[float])  # type: ignore[untyped-decorator, unused-ignore]
    def run(self, text: str) -> dict[str, Any]:
        """Return the code of one text."""
        return {"embedding": self.fly.embed_query(text)}
