"""A hand-made corpus with planted topics."""

import pytest

from planted import plant


@pytest.fixture(scope="session")
def topics_corpus():
    return plant()


@pytest.fixture
def planted():
    """More corpora like ``topics_corpus``."""
    return plant
