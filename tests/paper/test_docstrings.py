"""The examples in the docstrings of the scripts run."""

import doctest
from importlib import import_module

import pytest

NAMES = [
    "clusters",
    "compare_codes",
    "context_neighbors",
    "document_classification",
    "page",
    "word_tree",
]


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name):
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0
