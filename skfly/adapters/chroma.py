"""Chroma's embedding function: ``embedding_function=FlyFunction(path)``.

Pass it when you make a collection and when you open it: Chroma then rejects a different model.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from skfly import FlyHashVectorizer
from skfly._files import import_at_least
from skfly.adapters._stored import check_same_model

__all__ = ["FlyFunction"]

_chroma = import_at_least("chromadb", "chromadb", "1.1", "skfly.adapters.chroma")
_functions = import_at_least(
    "chromadb.utils.embedding_functions", "chromadb", "1.1", "skfly.adapters.chroma"
)


class FlyFunction(_chroma.EmbeddingFunction):  # type: ignore[misc, name-defined]
    """Codes of documents for Chroma, which keeps the name of the model with a collection.

    Chroma compares functions by :meth:`name` only, so each model has its own: ``"skfly-"`` and the
    model's fingerprint. ``client.get_collection`` without a function finds it by this name once
    the process has made a ``FlyFunction`` of the same model.

    Parameters
    ----------
    model : str or path-like
        ``"en"``, or the path of a model file.
    """

    def __init__(self, model: str | os.PathLike[str]) -> None:
        self._model = os.fspath(model)
        self._fly = FlyHashVectorizer.from_pretrained(model)
        name = f"skfly-{self._fly.model_.fingerprint()}"
        self.name = partial(str, name)  # type: ignore[method-assign, unused-ignore]
        _functions.known_embedding_functions[name] = FlyFunction

    def __call__(self, input: list[str]) -> Any:
        """Return the codes of texts."""
        return list(self._fly.as_dense(input))

    @staticmethod
    def name() -> str:
        """Return the name of the class; that of an instance ends with the model's fingerprint."""
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


_functions.register_embedding_function(FlyFunction)
