"""LanceDB's embedding function: ``get_registry().get("skfly").create(name="en")``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from skfly import FlyHashVectorizer
from skfly._files import import_at_least
from skfly.adapters._stored import check_same_model

__all__ = ["FlyFunction"]

_embeddings = import_at_least("lancedb.embeddings", "lancedb", "0.30", "skfly.adapters.lancedb")
_registry = _embeddings.get_registry()


@_registry.register("skfly")  # type: ignore[untyped-decorator, unused-ignore]
class FlyFunction(_embeddings.TextEmbeddingFunction):  # type: ignore[misc, name-defined]
    """Codes of documents for LanceDB, which keeps the name of the model with a table.

    Parameters
    ----------
    name : str, default="en"
        ``"en"``, or the path of a model file.
    fingerprint : str, optional
        Fingerprint of the model. :meth:`create` adds it and a table keeps it: a different model
        of the same name is rejected.
    """

    name: str = "en"
    fingerprint: str = ""

    @classmethod
    def create(cls, **kwargs: Any) -> Any:
        """Return the function with these fields."""
        fly = super().create(**kwargs).fly
        made = super().create(**(kwargs | {"fingerprint": fly.model_.fingerprint()}))
        vars(made)["fly"] = fly  # read once: its file may be replaced
        return made

    @cached_property
    def fly(self) -> FlyHashVectorizer:
        """The fitted estimator."""
        fly = FlyHashVectorizer.from_pretrained(self.name)
        found = fly.model_.fingerprint()
        check_same_model(self.name, self.fingerprint or found, found)
        return fly

    def ndims(self) -> int:
        """Return the width of the codes."""
        return int(self.fly.model_.n_cells)

    def generate_embeddings(self, texts: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Return the codes of texts."""
        return list(self.fly.as_dense(list(texts)))
