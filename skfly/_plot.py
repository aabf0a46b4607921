"""Figures of a model, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from skfly.codes import KenyonCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_cells"]

_WIDTH, _HEIGHT = 4.0, 2.8  # of one cell, in inches
_COLUMNS = 4
_PIXELS_PER_INCH = 100
_COLOURS = "viridis"
_DARK = 0.55  # the part of the colours that can be read on white


def plot_cells(cells: Sequence[KenyonCell], title: str = "") -> Figure:
    """Draw cells as word clouds, one beside the other.

    The figure belongs to no window: a notebook shows it, and ``savefig`` writes it.
    """
    try:
        from wordcloud import WordCloud

        from skfly._figure import ShownFigure
    except ImportError as error:
        raise ImportError(
            'figures need matplotlib and wordcloud: pip install "skfly[plot]"'
        ) from error
    columns = min(len(cells), _COLUMNS) or 1
    rows = -(-len(cells) // columns) or 1
    figure = ShownFigure(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
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


def _colour(*_: Any, random_state: Random, **__: Any) -> str:
    """Return a colour for a word, as wordcloud asks for it."""
    from matplotlib import colormaps

    red, green, blue = colormaps[_COLOURS](_DARK * random_state.random(), bytes=True)[:3]
    return f"rgb({red}, {green}, {blue})"


def _sizes(cell: KenyonCell) -> dict[str, float]:
    """Return the words with their probabilities; wordcloud wants them above 0."""
    return {word: max(chance, 1e-12) for word, chance in cell.words}
