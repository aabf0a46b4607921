"""Figures of a model, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

from skfly._files import import_optional
from skfly.model import KenyonCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["new_figure", "plot_cells"]

_WIDTH, _HEIGHT = 4.0, 2.8  # of one cell, in inches
_COLUMNS = 4
_PIXELS_PER_INCH = 100
_COLOURS = "viridis"
_DARK = 0.55  # the part of the colours that can be read on white


def plot_cells(cells: Sequence[KenyonCell], title: str = "") -> Figure:
    """Draw cells as word clouds, one beside the other.

    The figure belongs to no window: a notebook shows it, and ``savefig`` writes it.
    """
    WordCloud = import_optional("wordcloud", "plot", "drawing").WordCloud
    columns = min(len(cells), _COLUMNS) or 1
    rows = -(-len(cells) // columns) or 1
    figure = new_figure(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes:
        ax.set_axis_off()
    for ax, cell in zip(axes, cells, strict=False):
        cloud = WordCloud(
            width=int(_WIDTH * _PIXELS_PER_INCH),
            height=int(0.85 * _HEIGHT * _PIXELS_PER_INCH),
            mode="RGBA",
            background_color=None,
            color_func=_colour,
            prefer_horizontal=1.0,
            random_state=cell.number,  # the same cell, the same picture
        )
        ax.imshow(cloud.generate_from_frequencies(_sizes(cell)), interpolation="bilinear")
        ax.set_title(f"cell {cell.number}, activation {cell.activation:.2f}", fontsize="medium")
    if not cells:
        axes[0].text(0.5, 0.5, "no known word", ha="center", va="center")
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def new_figure(**params: Any) -> Figure:
    """Return a figure that shows itself as the last line of a notebook's cell.

    Notebooks learn to show figures when pyplot is imported, which nothing else here needs.
    """
    figures = import_optional("matplotlib.figure", "plot", "drawing")

    class ShownFigure(figures.Figure):  # type: ignore[name-defined, misc]
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png")
            return picture.getvalue()

    return ShownFigure(**params)


def _colour(*_: Any, random_state: Random, **__: Any) -> str:
    """Return a colour for a word, as wordcloud asks for it."""
    from matplotlib import colormaps

    red, green, blue = colormaps[_COLOURS](_DARK * random_state.random(), bytes=True)[:3]
    return f"rgb({red}, {green}, {blue})"


def _sizes(cell: KenyonCell) -> dict[str, float]:
    """Return the words with their probabilities; wordcloud wants them above 0."""
    return {word: max(chance, 1e-12) for word, chance in cell.words}
