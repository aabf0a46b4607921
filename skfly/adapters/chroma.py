"""Chroma's embedding function: ``embedding_function=FlyFunction(path)`` for a new collection.

``client.get_collection(name)`` then opens it, and rejects a different model.
"""

from __future__ import annotations

import os
from typing import Any

from skfly import FlyHashVectorizer
from skfly._files import import_at_least
from skfly.adapters._stored import check_same_model

__all__ = ["FlyFunction"]

_chroma = import_at_least("chromadb", "chromadb", "1.0", "skfly.adapters.chroma")
_functions = import_at_least(
    "chromadb.utils.embedding_functions", "chromadb", "1.0", "skfly.adapters.chroma"
)


@_functions.register_embedding_function  # type: ignore[untyped-decorator, unused-ignore]
class FlyFunction(_chroma.EmbeddingFunction):  # type: ignore[misc, name-defined]
    """Codes of documents for Chroma, which keeps the name of the model with a collection.

    Parameters
    ----------
    model : str or path-like
        ``"en"``, or the path of a model file.
    """

    def __init__(self, model: str | os.PathLike[str]) -> None:
        self._model = os.fspath(model)
        self._fly = FlyHashVectorizer.from_pretrained(model)

    def __call__(self, input: list[str]) -> Any:
        """Return the codes of texts."""
        return list(self._fly.as_dense(input))

    @staticmethod
    def name() -> str:
        """Return the name under which Chroma lists the function."""
        return "skfly"

    def default_space(self) -> str:
        """Return the default distance for codes."""
        return "cosine"

    def get_config(self) -> dict[str, Any]:
        """Return what :meth:`build_from_config` needs, and the model's fingerprint."""
        return {"model": self._model, "fingerprint": self._fly.model_.fingerprint()}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> FlyFunction:
        """Return the function that a collection was made with; reject a different model."""
        function = FlyFunction(config["model"])
        found = function.get_config()["fingerprint"]
        check_same_model(config["model"], config.get("fingerprint", found), found)
        return function
