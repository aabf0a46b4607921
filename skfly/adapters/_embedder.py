"""Shared by BERTopic and KeyBERT, whose embedders have the same methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._embedding import MentionsGensim


class CodesEmbedder(metaclass=MentionsGensim):
    """Embed texts as their codes.

    Either package refuses the embedder for the other one.

    Parameters
    ----------
    fly : FlyHashVectorizer or Pipeline
        Fitted.
    """

    def __init__(self, fly: Any) -> None:
        super().__init__()
        self.embedding_model = fly

    def embed(self, documents: list[str], verbose: bool = False) -> NDArray[Any]:  # noqa: ARG002
        """Return the codes of documents, dense."""
        codes = self.embedding_model.transform(documents)
        return codes.toarray() if sparse.issparse(codes) else np.asarray(codes)
