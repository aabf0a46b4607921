"""txtai's external vectors: ``Embeddings(method="external", transform=transform(fly))``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

__all__ = ["transform"]


def transform(fly: Any) -> Callable[[Any], NDArray[Any]]:
    """Return the function that txtai calls with texts. No extra package is needed.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.

    Returns
    -------
    transform : callable

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> transform(fly)(["sweet fruit"]).shape
    (1, 8)
    """

    def codes(texts: Any) -> NDArray[Any]:
        found: NDArray[Any] = fly.encode(texts, normalize_embeddings=True)
        return found

    return codes
