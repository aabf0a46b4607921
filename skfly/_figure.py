"""A figure that notebooks show, with or without pyplot. Needs matplotlib."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A figure that shows itself as the last line of a notebook's cell.

    Notebooks learn to show figures when pyplot is imported, which nothing else here needs.
    """

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
