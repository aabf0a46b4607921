"""MTEB's encoder: ``mteb.evaluate(FlyEncoder(fly), tasks)``."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from skfly._files import import_at_least

__all__ = ["FlyEncoder"]

_encoder = import_at_least("mteb.models.abs_encoder", "mteb", "2.0", "skfly.adapters.mteb")
_meta = import_at_least("mteb.models.model_meta", "mteb", "2.0", "skfly.adapters.mteb")


class FlyEncoder(_encoder.AbsEncoder):  # type: ignore[misc, name-defined]
    """Codes of documents for the tasks of MTEB, compared by cosine.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    name : str, default="skfly/fly"
        The name under which results are kept, with the fingerprint of the model as revision.
    """

    def __init__(self, fly: Any, name: str = "skfly/fly") -> None:
        self.fly = fly
        self.mteb_model_meta = _meta.ModelMeta.create_empty(
            overwrites={
                "name": name,
                "revision": fly.model_.fingerprint(),
                "embed_dim": fly.model_.n_cells,
                "similarity_fn_name": _meta.ScoringFunction.COSINE,
            }
        )

    def encode(self, inputs: Any, **kwargs: Any) -> NDArray[Any]:  # noqa: ARG002
        """Return the codes of texts."""
        codes: NDArray[Any] = self.fly.encode(inputs)
        return codes
