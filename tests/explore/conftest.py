"""What the tests of the page share: a small model, with words that would like to be markup."""

import pytest

from skfly import FlyHashVectorizer

HOSTILE = "<script>alert(1)</script>"
TEXTS = [
    "the fly eats ripe fruit with the moth",
    "ripe fruit smells sweet to the fly",
    "the bank lends money at high interest",
    "money from the bank pays the loan",
    f"hostile {HOSTILE} &amp; words",
] * 20


@pytest.fixture(scope="session")
def explored():
    """A fitted estimator that the page is made of; words are what stands between spaces."""
    fly = FlyHashVectorizer(
        n_kenyon_cells=40,
        hash_length=4,
        random_state=0,
        n_jobs=1,
        token_pattern=r"\S+",
        sentence_splitter="line",
        max_features=50,
        stop_words=["and", "of"],
        strip_accents="unicode",
    )
    return fly.fit(TEXTS)
