"""A fly for the tools of others, and what brute force finds with it."""

import numpy as np
import pytest

from skfly import FlyHashVectorizer

TEXTS = [
    "ripe fruit smells sweet",
    "the bank lends money",
    "sweet ripe fruit for the fly",
    "money comes from the bank",
    "the fly smells fruit",
    "unheard",
]


@pytest.fixture(scope="session")
def texts():
    return TEXTS


@pytest.fixture(scope="session")
def fly():
    return FlyHashVectorizer(n_kenyon_cells=24, hash_length=4, random_state=0).fit(TEXTS * 20)


@pytest.fixture(scope="session")
def model_path(fly, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.skfly"
    fly.save(path)
    return path


@pytest.fixture(scope="session")
def codes(fly, texts):
    return np.asarray(fly.transform(texts).todense())
