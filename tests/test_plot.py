"""Figures, and what notebooks show of an estimator."""

import sys

import numpy as np
import pytest

from skfly import FlyHashVectorizer


def test_cells_as_word_clouds(fitted):
    figure = fitted.plot_cells("ripe fruit", n_cells=3, n_words=5)
    drawn = [ax for ax in figure.axes if ax.images]
    cells = fitted.kenyon_cells("ripe fruit", n_cells=3)
    assert [ax.get_title().split(",")[0] for ax in drawn] == [f"cell {c.number}" for c in cells]
    assert all(np.asarray(ax.images[0].get_array())[..., 3].any() for ax in drawn)
    assert figure.get_suptitle() == "ripe fruit"


def test_words_can_be_read_on_white(fitted):
    figure = fitted.plot_cells("ripe fruit", n_cells=4, n_words=12)
    clouds = [np.asarray(ax.images[0].get_array()) for ax in figure.axes if ax.images]
    inked = np.concatenate([cloud[cloud[..., 3] == 255][:, :3] for cloud in clouds]) / 255
    linear = np.where(inked <= 0.03928, inked / 12.92, ((inked + 0.055) / 1.055) ** 2.4)
    contrast = 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    assert contrast.min() >= 3  # the least for large text (WCAG, AA)


def test_notebooks_get_a_picture_without_pyplot(fitted):
    assert fitted.plot_cells("ripe fruit", n_cells=1)._repr_png_().startswith(b"\x89PNG")


def test_more_cells_than_fit_in_a_row_and_words_as_a_list(fitted):
    figure = fitted.plot_cells(["ripe", "fruit"], n_cells=5, n_words=3, temperature=0.01)
    assert len([ax for ax in figure.axes if ax.images]) == 5
    assert figure.get_suptitle() == "ripe fruit"


def test_text_without_a_known_word(fitted, tmp_path):
    figure = fitted.plot_cells("$zzz^")
    assert [text.get_text() for text in figure.axes[0].texts] == ["no known word"]
    figure.savefig(tmp_path / "none.png")


def test_the_extra_is_named(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordcloud", None)
    with pytest.raises(ImportError, match=r'pip install "skfly\[plot\]"'):
        fitted.plot_cells("ripe fruit")


@pytest.mark.parametrize("fit", [False, True])
def test_the_estimator_in_a_notebook(fitted, fit):
    shown = (fitted if fit else FlyHashVectorizer(stop_words=["<script>of"]))._repr_html_()
    assert "FlyHashVectorizer" in shown
    assert "<script>of" not in shown


def test_a_code_as_a_fingerprint(fitted):
    figure = fitted.plot_code("ripe fruit")
    (ax,) = figure.axes
    layout = fitted.model_.cell_layout()
    image = np.asarray(ax.images[0].get_array()).reshape(-1, 3)
    lit = {place for place, pixel in enumerate(image) if np.ptp(pixel) > 0.1}
    code = fitted.model_.with_(document_cells="words").documents(["ripe fruit"])
    assert lit == set(layout.places[code.indices].tolist())
    assert figure.get_suptitle() == "ripe fruit"


def test_regions_are_tinted_and_named(make_fly, documents):
    fly = make_fly(n_kenyon_cells=100).fit(documents)
    (ax,) = fly.plot_code("$zzz^").axes
    layout = fly.model_.cell_layout()
    image = np.asarray(ax.images[0].get_array()).reshape(-1, 3)[layout.places]
    n_regions = layout.regions.max() + 1
    tints = [np.unique(image[layout.regions == region], axis=0) for region in range(n_regions)]
    assert [len(tint) for tint in tints] == [1] * n_regions
    assert len(np.unique(tints, axis=0)) == n_regions
    names = {text.get_text() for text in ax.texts[:-1]}
    assert names
    assert names <= set(fly.vocabulary_)


def test_the_fingerprint_of_a_word_in_context(fitted):
    assert fitted.plot_code("ripe fruit", "fruit").get_suptitle() == "'fruit' in: ripe fruit"


def test_the_fingerprint_of_unknown_words(fitted):
    figure = fitted.plot_code("$zzz^")
    assert figure.axes[0].texts[-1].get_text() == "no known word"
