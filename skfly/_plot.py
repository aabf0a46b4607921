"""Figures of a model, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import import_optional
from skfly.model import CellLayout, KenyonCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 4.0, 2.8  # of one cell, in inches
_COLUMNS = 4
_PIXELS_PER_INCH = 100
_COLOURS = "viridis"
_DARK = 0.55  # the part of the colours that can be read on white
_INCHES_PER_CELL = 0.13
# of regions, the same as on the page
_TINT = 0.13  # of their cells that are off
_NAMED = 0.7
_LEAST_NAMED = 0.02  # of all cells
_CELLS_PER_LETTER = 0.6
REGION_COLOURS = (
    "#3f7d20",
    "#0f7a6c",
    "#0b7396",
    "#a14a12",
    "#5b52c7",
    "#6b7280",
    "#b3261e",
    "#8a6100",
    "#a3195b",
    "#7b3fa0",
)


def plot_cells(cells: Sequence[KenyonCell], title: str = "") -> Figure:
    """Draw cells as word clouds, side by side.

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
        # wordcloud needs them above 0
        sizes = {word: max(chance, 1e-12) for word, chance in cell.words}
        ax.imshow(cloud.generate_from_frequencies(sizes), interpolation="bilinear")
        ax.set_title(f"cell {cell.number}, activation {cell.activation:.2f}", fontsize="medium")
    if not cells:
        axes[0].text(0.5, 0.5, "no known word", ha="center", va="center")
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def plot_code(
    active: Sequence[int], layout: CellLayout, names: Sequence[str], title: str = ""
) -> Figure:
    """Draw a code as a fingerprint: its cells in their places, in the colours of named regions."""
    from matplotlib.colors import to_rgb
    from matplotlib.patheffects import withStroke

    n_regions = int(layout.regions.max(initial=0)) + 1
    colours = np.array([to_rgb(REGION_COLOURS[n % len(REGION_COLOURS)]) for n in range(n_regions)])
    image = np.ones((layout.n_rows * layout.n_columns, 3))
    image[layout.places] = _on_white(colours, _TINT)[layout.regions]
    image[layout.places[list(active)]] = colours[layout.regions[list(active)]]
    width, height = (_INCHES_PER_CELL * n for n in (layout.n_columns, layout.n_rows))
    figure = new_figure(figsize=(max(width, 3.0), max(height, 1.0) + 0.6), layout="constrained")
    ax = figure.subplots()
    ax.imshow(image.reshape(layout.n_rows, layout.n_columns, 3), interpolation="nearest")
    ax.set_xticks(np.arange(layout.n_columns + 1) - 0.5, labels=[])
    ax.set_yticks(np.arange(layout.n_rows + 1) - 0.5, labels=[])
    ax.grid(color="white", linewidth=1)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for region, colour in enumerate(_on_white(colours, _NAMED)):
        name = names[region].partition(", ")[0]
        places = layout.places[layout.regions == region]
        long = _CELLS_PER_LETTER * len(name)
        if not name or len(places) < max(long, _LEAST_NAMED * len(layout.places)):
            continue
        rows, columns = np.divmod(places, layout.n_columns)
        half = min(long, layout.n_columns) / 2
        x = np.clip(columns.mean(), half - 0.5, layout.n_columns - 0.5 - half)
        ax.text(
            x, rows.mean(), name, parse_math=False, color=colour,
            ha="center", va="center", fontsize="small", fontweight="bold",
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )  # fmt: skip
    if not active:
        ax.text(0.5, 0.5, "no known word", ha="center", va="center", transform=ax.transAxes)
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def new_figure(**params: Any) -> Figure:
    """Return a figure that a notebook displays.

    Notebooks learn to show figures when pyplot is imported, which nothing else here needs.
    """
    figures = import_optional("matplotlib.figure", "plot", "drawing")

    class ShownFigure(figures.Figure):  # type: ignore[name-defined, misc]
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png")
            return picture.getvalue()

    return ShownFigure(**params)


def _on_white(colours: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return colours mixed with white.

    Examples
    --------
    >>> _on_white(np.array([[0.0, 0.5, 1.0]]), 0.5)
    array([[0.5 , 0.75, 1.  ]])
    """
    return 1.0 - share * (1.0 - colours)


def _colour(*_: Any, random_state: Random, **__: Any) -> str:
    """Return a colour for a word, as wordcloud asks for it."""
    from matplotlib import colormaps

    red, green, blue = colormaps[_COLOURS](_DARK * random_state.random(), bytes=True)[:3]
    return f"rgb({red}, {green}, {blue})"
