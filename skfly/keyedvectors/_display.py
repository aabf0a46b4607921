"""How a notebook shows words and their codes."""

from __future__ import annotations

from html import escape
from typing import Any

__all__ = ["DisplayedCodes"]

_ROWS = 8
_NEAR = 5
_CELLS = 8


class DisplayedCodes:
    """Vectors that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Return the first words with their cells and neighbours, as HTML."""
        vectors: Any = self
        words = [word for word in vectors.index_to_key[:_ROWS] if word in vectors.key_to_index]
        counts = vectors.expandos.get("count")
        head = ["word", *(["count"] if counts is not None else []), "nearest words", "cells"]
        lines = ["".join(f"<th>{name}</th>" for name in head)]
        nearest = vectors.neighbors(words, _NEAR) if words else []
        for word, near in zip(words, nearest, strict=True):
            row = [str(word)]
            if counts is not None:
                row.append(f"{int(counts[vectors.key_to_index[word]]):,}")
            row.append(", ".join(str(other) for other, _ in near))
            row.append(_first(vectors[word].nonzero()[0].tolist()))
            lines.append("".join(f"<td>{escape(cell)}</td>" for cell in row))
        length = "" if vectors.hash_length is None else f", {vectors.hash_length} in a code"
        more = len(vectors) - len(words)
        caption = f"{len(vectors):,} words, {vectors.vector_size:,} cells{length}"
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        rest = f"<p>… and {more:,} more</p>" if more else ""
        return f"<div><p><b>FlyKeyedVectors</b>: {caption}</p><table>{body}</table>{rest}</div>"


def _first(cells: list[int]) -> str:
    shown = ", ".join(map(str, cells[:_CELLS]))
    return f"{shown}, …" if len(cells) > _CELLS else shown
