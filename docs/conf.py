"""Sphinx settings."""

import sys
from pathlib import Path

import skfly

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

project = "skfly"
author = "the skfly developers"
copyright = "2026, the skfly developers"
version = release = skfly.__version__

extensions = [
    "mathml",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. "  # what is copied is what is typed
copybutton_prompt_is_regexp = True
exclude_patterns = ["_build"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
suppress_warnings = ["ref.ref"]  # methods of scikit-learn refer to its own pages
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_toc_level": 2}
html_title = "skfly"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_sidebars = {"how_it_works": [], "tutorial": []}  # no pages beside them

sphinx_gallery_conf = {
    "examples_dirs": "../examples",  # without benchmarks/, which has no header
    "gallery_dirs": "gallery",
    "filename_pattern": "/",  # run all
    "ignore_pattern": r"(^|/)_",
    "image_scrapers": ("matplotlib", "draw_figures"),
    "within_subsection_order": "ExampleTitleSortKey",
    "default_thumb_file": str(HERE / "images" / "plot_cells.png"),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1,
    "copyfile_regex": "",
}


def setup(app):
    """Draw the figures before the pages are read."""

    def draw(_):
        script, last = HERE / "draw_figures.py", HERE / "figures" / "thumb_words_in_context.png"
        if not last.exists() or last.stat().st_mtime < script.stat().st_mtime:
            from _texts import fly_of_articles
            from draw_figures import draw_all

            draw_all(HERE / "figures", fly_of_articles())

    app.connect("builder-inited", draw, priority=1)  # before the gallery takes its thumbnails
