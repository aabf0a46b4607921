"""Sphinx settings."""

import skfly

project = "skfly"
author = "the skfly developers"
copyright = "2026, the skfly developers"
version = release = skfly.__version__

extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_toc_level": 2}
html_title = "skfly"
