"""Figures of a model, with matplotlib."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from skfly._files import import_optional
from skfly.model import CellLayout, KenyonCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["new_figure", "plot_cells", "plot_code"]

_WIDTH, _HEIGHT = 4.0, 2.8  # of one cell, in inches
_COLUMNS = 4
_PIXELS_PER_INCH = 100
_COLOURS = "viridis"
_DARK = 0.55  # the part of the colours that can be read on white
_INCHES_PER_CELL = 0.13
_OFF = "#ece8e4"
_LABELLED_REGIONS = 4  # those with the most active cells
# of regions, the same as on the page
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


def plot_code(
    active: Sequence[int], layout: CellLayout, names: Sequence[str], title: str = ""
) -> Figure:
    """Draw a code as a fingerprint: its cells in their places, coloured by region."""
    from matplotlib.colors import to_rgb

    image = np.ones((layout.n_rows * layout.n_columns, 3))
    image[layout.places] = to_rgb(_OFF)
    regions: dict[int, list[int]] = {}
    for cell in active:
        region = int(layout.regions[cell])
        regions.setdefault(region, []).append(cell)
        image[layout.places[cell]] = to_rgb(REGION_COLOURS[region % len(REGION_COLOURS)])
    width, height = (_INCHES_PER_CELL * n for n in (layout.n_columns, layout.n_rows))
    figure = new_figure(figsize=(max(width, 3.0), max(height, 1.0) + 0.6), layout="constrained")
    ax = figure.subplots()
    ax.imshow(image.reshape(layout.n_rows, layout.n_columns, 3), interpolation="nearest")
    ax.set_xticks(np.arange(layout.n_columns + 1) - 0.5, labels=[])
    ax.set_yticks(np.arange(layout.n_rows + 1) - 0.5, labels=[])
    ax.grid(color="white", linewidth=1)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for region in sorted(regions, key=lambda r: (-len(regions[r]), r))[:_LABELLED_REGIONS]:
        cells = regions[region]
        label = _common_words([names[cell] for cell in cells])
        rows, columns = np.divmod(layout.places[cells], layout.n_columns)
        ax.text(
            columns.mean(), rows.mean(), label, parse_math=False,
            ha="center", va="center", fontsize="small", fontweight="bold",
            color=REGION_COLOURS[region % len(REGION_COLOURS)],
            bbox={"boxstyle": "round", "facecolor": "white", "alpha": 0.85, "linewidth": 0},
        )  # fmt: skip
    if not active:
        ax.text(0.5, 0.5, "no known word", ha="center", va="center", transform=ax.transAxes)
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


def _common_words(names: Sequence[str]) -> str:
    """Return the two words that are in the most names.

    Examples
    --------
    >>> _common_words(["city time", "river water", "water lake"])
    'water city'
    """
    often = Counter(word for name in names for word in name.split())
    return " ".join(word for word, _ in often.most_common(2))


def _colour(*_: Any, random_state: Random, **__: Any) -> str:
    """Return a colour for a word, as wordcloud asks for it."""
    from matplotlib import colormaps

    red, green, blue = colormaps[_COLOURS](_DARK * random_state.random(), bytes=True)[:3]
    return f"rgb({red}, {green}, {blue})"


def _sizes(cell: KenyonCell) -> dict[str, float]:
    """Return the words with their probabilities; wordcloud wants them above 0."""
    return {word: max(chance, 1e-12) for word, chance in cell.words}
