"""Draw the figures of the documentation: ``python docs/draw_figures.py [FOLDER] [svg|png]``.

``conf.py`` calls :func:`draw_all` when the pages are built. The numbers in the figures of
learning, consensus, hash length and whitening are invented for the illustration; the overlaps
are those of a model trained on a hundred articles, the thumbnails codes of the English model.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

INK = "#22303c"
PALE = "#d9e0e6"
CONTEXT = "#2a78b5"
TARGET = "#d1603d"
WINNER = "#e0a100"
SHARED = "#3a8f5c"
SENTENCE = ["the", "crew", "of", "Apollo", "landed", "on", "the", "Moon", "in", "July"]
# a made-up vocabulary
VOCABULARY = [
    "acid",
    "Apollo",
    "bank",
    "crew",
    "fruit",
    "July",
    "landed",
    "law",
    "loan",
    "Moon",
    "orbit",
    "war",
]


def canvas(width, height, limits):
    figure = Figure(figsize=(width, height), facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, limits[0]), ylim=(0, limits[1]))
    ax.set_axis_off()
    return figure, ax


def write(ax, x, y, text, **more):
    kwargs = {"ha": "center", "va": "center", "color": INK, "fontsize": 11} | more
    ax.text(x, y, text, **kwargs)


def arrow(ax, start, end, color=INK, **more):
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.5} | more)


def boxes(ax, x, y, on, color, size=0.5):
    """A row of bits; those that are on are filled."""
    for i, bit in enumerate(on):
        face = color if bit else "white"
        ax.add_patch(Rectangle((x + i * size, y), size, size, fc=face, ec=INK, lw=0.8))
        if bit:
            write(ax, x + (i + 0.5) * size, y + size / 2, "1", color="white", weight="bold")


def window():
    """A window of a sentence as binary input."""
    figure, ax = canvas(9, 3.7, (18, 7.4))
    target, reach = 4, 3
    x = 0.9
    for place, word in enumerate(SENTENCE):
        width = 0.45 + 0.24 * len(word)
        inside = abs(place - target) <= reach
        color = TARGET if place == target else CONTEXT if inside else PALE
        ax.add_patch(
            FancyBboxPatch(
                (x, 5.3), width, 0.8, boxstyle="round,pad=0.05", fc="white", ec=color, lw=2
            )
        )
        write(ax, x + width / 2, 5.7, word, color=INK if inside else "#8a97a3")
        if place == target:
            write(ax, x + width / 2, 6.75, "target", color=TARGET)
        if place == target - reach:
            begin = x
        if place == target + reach:
            end = x + width
        x += width + 0.3
    ax.plot([begin, begin, end, end], [5.05, 4.85, 4.85, 5.05], color=INK, lw=1.5)
    write(ax, (begin + end) / 2, 4.45, "window")
    ones = {"Apollo", "crew", "Moon"}
    size = 0.62
    for x0, block, on, color in (
        (1.2, "context: which words are around", ones, CONTEXT),
        (1.2 + 13 * size, "target: which word is in the middle", {"landed"}, TARGET),
    ):
        boxes(ax, x0, 2.6, [word in on for word in VOCABULARY], color, size)
        write(ax, x0 + 6 * size, 3.65, block, color=color)
        for i, word in enumerate(VOCABULARY):
            shade = INK if word in on else "#8a97a3"
            write(
                ax,
                x0 + (i + 0.5) * size,
                2.35,
                word,
                rotation=60,
                fontsize=9,
                color=shade,
                va="top",
            )
        write(ax, x0 + 6 * size, 0.75, "V words")
    return figure


def network():
    """Projection neurons, Kenyon cells, and the winner."""
    figure, ax = canvas(9, 5.2, (18, 10.4))
    on = {"Apollo", "crew", "Moon"}
    rows = [(word, word in on, CONTEXT) for word in VOCABULARY]
    rows += [(word, word == "landed", TARGET) for word in VOCABULARY]
    places = [9.2 - 0.34 * i - (0.5 if i >= len(VOCABULARY) else 0) for i in range(len(rows))]
    cells = np.linspace(8.6, 1.4, 7)
    activations = np.array([0.15, 0.5, 0.1, 1.0, 0.3, 0.65, 0.2])
    winner = int(np.argmax(activations))
    for (_, active, color), y in zip(rows, places, strict=True):
        if active:
            for number, cell in enumerate(cells):
                strong = number == winner
                ax.plot(
                    [4.0, 10.3],
                    [y, cell],
                    color=color,
                    lw=2.2 if strong else 0.4 + 1.2 * activations[number],
                    alpha=0.95 if strong else 0.35,
                    zorder=1,
                )
    for (word, active, color), y in zip(rows, places, strict=True):
        ax.add_patch(
            Circle((3.9, y), 0.14, fc=color if active else "white", ec=INK, lw=0.8, zorder=2)
        )
        write(ax, 3.6, y, word, ha="right", fontsize=8, color=INK if active else "#8a97a3")
    for number, (cell, activation) in enumerate(zip(cells, activations, strict=True)):
        face = WINNER if number == winner else "white"
        ax.add_patch(Circle((10.5, cell), 0.4, fc=face, ec=INK, lw=1.2, zorder=2))
        ax.add_patch(Rectangle((11.4, cell - 0.15), 4 * activation, 0.3, fc=face, ec=INK, lw=0.8))
    write(ax, 11.4, cells[winner] - 0.55, "the winner: only it learns", ha="left")
    write(ax, 3.9, 9.95, "projection neurons", weight="bold")
    write(ax, 10.5, 9.95, "Kenyon cells", weight="bold")
    write(ax, 13.2, 9.95, "activation", weight="bold")
    write(ax, 7.2, 9.95, "synapses", weight="bold")
    write(ax, 1.1, np.mean(places[:12]), "context", color=CONTEXT, rotation=90)
    write(ax, 1.1, np.mean(places[12:]), "target", color=TARGET, rotation=90)
    return figure


def learning():
    """From the windows that a cell has won to its synapses."""
    words = ["the", "Moon", "Apollo", "crew", "landed", "orbit", "war", "law", "loan"]
    counts = np.array([52, 22, 20, 14, 9, 10, 2, 1, 0.0])
    chance = np.array([0.42, 0.012, 0.01, 0.011, 0.012, 0.01, 0.03, 0.028, 0.012])
    chance /= chance.sum()
    shrinkage = 60
    synapses = np.log((counts + shrinkage * chance) / ((counts.sum() + shrinkage) * chance))
    figure = Figure(figsize=(9, 3.6), facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(words))
    left.barh(
        places - 0.2, counts / counts.sum(), 0.38, color=WINNER, label="in windows of the cell"
    )
    left.barh(places + 0.2, chance, 0.38, color=PALE, label="in all windows")
    left.set(yticks=places, yticklabels=words, xlabel="share of the word", title="1. count")
    left.invert_yaxis()
    left.legend(frameon=False, loc="lower right")
    colors = [WINNER if weight > 0 else PALE for weight in synapses]
    right.barh(places, synapses, color=colors)
    right.axvline(0, color=INK, lw=1)
    right.set(xlabel="synapse: log of how much more often", title="2. set the synapses")
    right.text(0.08, 7, "below zero: does not count", va="center", color="#66727d")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def consensus():
    """The code of a word from the windows that it comes in."""
    figure, ax = canvas(9, 4.6, (18, 9.2))
    texts = [
        "the crew landed on the Moon",
        "the Moon orbits the Earth",
        "astronauts walked on the Moon",
        "a new Moon in July",
        "the far side of the Moon",
    ]
    active = [(2, 7, 11, 16), (2, 5, 11, 14), (2, 7, 9, 11), (5, 12, 16, 14), (5, 7, 11, 18)]
    expected = 0.5 + 0.12 * (np.arange(20) % 4)
    size, x0 = 0.47, 7.2
    for row, (text, cells) in enumerate(zip(texts, active, strict=True)):
        y = 7.4 - 0.75 * row
        write(ax, 6.9, y + size / 2, text, ha="right")
        boxes(ax, x0, y, [cell in cells for cell in range(20)], CONTEXT, size)
    write(ax, 3.8, 8.6, "windows with the word", weight="bold")
    write(ax, x0 + 10 * size, 8.6, "their most active cells", weight="bold")
    counts = np.array([sum(cell in cells for cells in active) for cell in range(20)])
    ratios = counts / expected
    best = set(np.argsort(-ratios, kind="stable")[:4].tolist())
    for cell, ratio in enumerate(ratios):
        height = 0.19 * ratio
        face = WINNER if cell in best else PALE
        ax.add_patch(
            Rectangle((x0 + cell * size + 0.06, 2.1), size - 0.12, height, fc=face, ec=INK, lw=0.6)
        )
    write(ax, 6.9, 2.6, "how much more often than by chance", ha="right")
    boxes(ax, x0, 1.0, [cell in best for cell in range(20)], WINNER, size)
    write(ax, 6.9, 1.0 + size / 2, "the k that stand out: the code of Moon", ha="right")
    return figure


def code():
    """A text, the activations of its cells, and the code."""
    figure, ax = canvas(9, 3.3, (18, 6.6))
    activations = np.random.default_rng(3).gamma(1.2, 0.6, 24)
    best = set(np.argsort(-activations)[:5].tolist())
    size, x0 = 0.5, 5.2
    write(ax, 2.6, 4.2, "the crew of Apollo\nlanded on the Moon", fontsize=12)
    arrow(ax, (4.6, 4.2), (5.1, 4.2))
    for cell, activation in enumerate(activations):
        ax.add_patch(
            Rectangle(
                (x0 + cell * size + 0.06, 2.6),
                size - 0.12,
                1.15 * activation,
                fc=WINNER if cell in best else PALE,
                ec=INK,
                lw=0.6,
            )
        )
    write(ax, x0 + 12 * size, 6.2, "how strongly each cell responds", weight="bold")
    boxes(ax, x0, 1.3, [cell in best for cell in range(24)], WINNER, size)
    write(ax, x0 + 12 * size, 0.6, "the code: ones for the strongest cells, zeros for the others")
    return figure


def hash_length():
    """The same activations with three hash lengths."""
    figure, ax = canvas(9, 3.6, (18, 7.2))
    activations = np.random.default_rng(3).gamma(1.2, 0.6, 24)
    order = np.argsort(-activations)
    size, x0 = 0.5, 5.2
    rows = [(2, "coarse: few matches, short"), (5, ""), (10, "fine: more cells to share")]
    for row, (length, note) in enumerate(rows):
        y = 4.6 - 1.5 * row
        best = set(order[:length].tolist())
        write(ax, 4.9, y + size / 2, f"hash_length={length}", ha="right")
        boxes(ax, x0, y, [cell in best for cell in range(24)], WINNER, size)
        write(ax, x0 + 12 * size, y - 0.4, note, fontsize=10, color="#66727d")
    write(ax, x0 + 12 * size, 6.2, "one text, three hash lengths", weight="bold")
    return figure


def whitening():
    """Vectors of words before and after whitening."""
    random = np.random.default_rng(5)
    groups = np.array([[1.3, 0.22], [1.5, -0.2], [2.4, 0.02]])
    points = np.concatenate([center + random.normal(0, (0.5, 0.05), (30, 2)) for center in groups])
    centered = points - points.mean(0)
    directions, _, _ = np.linalg.svd(centered, full_matrices=False)
    white = directions * np.sqrt(len(points))
    turned = white if np.corrcoef(white[:, 0], points[:, 0])[0, 1] > 0 else -white
    figure = Figure(figsize=(9, 3.6), facecolor="white", layout="constrained")
    titles = ("before: one direction drowns the other", "after: both directions count")
    for ax, cloud, title in zip(figure.subplots(1, 2), (centered, turned), titles, strict=True):
        for number, color in enumerate((CONTEXT, TARGET, SHARED)):
            part = cloud[30 * number : 30 * number + 30]
            ax.scatter(part[:, 0], part[:, 1], s=14, color=color)
        reach = 1.1 * np.abs(cloud).max()
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), title=title, xticks=[], yticks=[])
        ax.set_aspect("equal")
    return figure


THUMBNAILS = {
    "classify_paragraphs": ("classify", "a physics paper about energy"),
    "command_line": ("$ skfly", "a computer command and its files"),
    "compress_vectors": ("compress", "vectors and dimensions in mathematics"),
    "explain_a_classification": ("explain", "why the court decided so"),
    "near_duplicates": ("duplicates", "two copies of the same book"),
    "search_notes": ("search", "finding notes in a library"),
    "stream_a_corpus": ("streams", "a river that flows to the sea"),
    "swap_word2vec": ("word vectors", "words of a language and their meaning"),
    "words_in_context": ("context", "the bank of the river"),
}


def thumbnail(fly, label, text):
    """The code of a text as a fingerprint, with the subject of an example."""
    layout = fly.model_.cell_layout()
    palette = [CONTEXT, TARGET, WINNER, SHARED, "#7a5ab5", "#b5365a", "#4d7c7c"]
    image = np.zeros((layout.n_rows * layout.n_columns, 3)) + mpl.colors.to_rgb("#eef1f4")
    for cell in fly.transform([text]).indices.tolist():
        color = palette[int(layout.regions[cell]) % len(palette)]
        image[layout.places[cell]] = mpl.colors.to_rgb(color)
    figure = Figure(figsize=(4, 2.8), facecolor="white")
    ax = figure.add_axes((0.03, 0.2, 0.94, 0.78))
    ax.imshow(image.reshape(layout.n_rows, layout.n_columns, 3), aspect="auto")
    ax.set_axis_off()
    figure.text(0.5, 0.09, label, ha="center", va="center", fontsize=19, color=INK, weight="bold")
    return figure


def overlap(fly):
    """Codes of three words as grids of cells."""
    words = ["moon", "spacecraft", "language"]
    codes = [set(fly.hash_words([word]).indices.tolist()) for word in words]
    columns = 25
    rows = -(-fly.n_features_out_ // columns)
    figure = Figure(figsize=(9, 2.3), facecolor="white", layout="constrained")
    for number, (ax, word, code) in enumerate(
        zip(figure.subplots(1, 3), words, codes, strict=True)
    ):
        shared = code & codes[0] if number else set()
        grid = np.zeros((rows * columns, 3)) + mpl.colors.to_rgb("#eef1f4")
        grid[sorted(code)] = mpl.colors.to_rgb(CONTEXT)
        grid[sorted(shared)] = mpl.colors.to_rgb(SHARED)
        ax.pcolormesh(
            grid.reshape(rows, columns, 3)[::-1],
            edgecolors="white",
            linewidth=0.7,
            rasterized=False,
        )
        ax.set_aspect("equal")
        ax.set_axis_off()
        note = f"{len(shared)} of {len(code)} shared with moon" if number else f"{len(code)} ones"
        ax.set_title(f"{word}: {note}", color=INK, fontsize=10)
    return figure


def scrape_cells(_block, block_vars, gallery_conf):
    """Keep the figures of ``fly.plot_cells`` in the gallery, which belong to no window."""
    from sphinx_gallery.scrapers import figure_rst

    figure = block_vars["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path)
    return figure_rst([path], gallery_conf["src_dir"])


def _get_sg_image_scraper():
    return scrape_cells


def draw_all(folder, fly, suffix="svg"):
    """Draw all of them into a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "window": window(),
        "network": network(),
        "code": code(),
        "hash_length": hash_length(),
        "whitening": whitening(),
        "learning": learning(),
        "consensus": consensus(),
        "overlap": overlap(fly),
    }
    with mpl.rc_context({"svg.hashsalt": "skfly"}):
        for name, figure in figures.items():
            figure.savefig(folder / f"{name}.{suffix}", dpi=110)
    english = type(fly).from_pretrained("en")
    for name, (label, text) in THUMBNAILS.items():
        thumbnail(english, label, text).savefig(folder / f"thumb_{name}.png", dpi=100)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    from _texts import fly_of_articles

    draw_all(*(sys.argv[1:2] or ["figures"]), fly_of_articles(), *sys.argv[2:3])
