"""What a user writes: it runs here, and ``tox -e lint`` holds it against the installed package's
types with ``mypy --strict``, where each ``type: ignore`` must be needed.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import skfly
from skfly import EncodedCorpus, FlyHashVectorizer, FlyKeyedVectors, KenyonCell, ModelFileError
from skfly.binarize import ITQ, LSH
from skfly.codes import nearest, similarity

TEXTS = ["the fly eats ripe fruit", "the bank lends money"] * 60


def learn(texts: list[str], learning: str = "whiten") -> FlyHashVectorizer:
    fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, learning=learning, random_state=0)
    return fly.fit(texts)


def test_an_estimator_from_text_to_file(tmp_path: Path) -> None:
    fly = learn(TEXTS, "lloyd").partial_fit(["the fly sleeps"])
    fly.save(tmp_path / "model")
    read: FlyHashVectorizer = FlyHashVectorizer.load(tmp_path / "model", mmap=True)
    synapses: NDArray[np.float32] = read.synapses_
    ids: dict[str, int] = read.vocabulary_
    assert synapses.shape == (2 * len(ids), read.n_features_out_)
    assert all(isinstance(energy, float) for energy in fly.energy_)
    assert read.transform(TEXTS[:2]).shape == (2, 8)


def test_cells_and_their_words() -> None:
    cells: list[KenyonCell] = learn(TEXTS).kenyon_cells("ripe fruit", n_cells=2, n_words=3)
    assert [len(cell.words) for cell in cells] == [3, 3]


def test_vectors_and_codes() -> None:
    fly = learn(TEXTS)
    vectors: FlyKeyedVectors = fly.wv
    assert len(vectors) == len(fly.vocabulary_)
    codes = fly.hash_words(["fly", "bank"])
    scores: NDArray[np.float64] = similarity(codes, codes)
    assert scores.shape == (2,)
    rows, _ = nearest(codes, codes, 1)
    assert rows[:, 0].tolist() == [0, 1]


def test_binarisation() -> None:
    dense = np.random.default_rng(0).standard_normal((20, 4))
    bits: NDArray[np.uint8] = LSH(8, random_state=0).fit(dense).transform(dense)
    assert bits.shape == (20, 8)
    assert ITQ(4, random_state=0).fit(dense).transform(dense).shape == (20, 4)


def test_corpora(tmp_path: Path) -> None:
    with EncodedCorpus.from_documents(TEXTS) as corpus:
        corpus.save(tmp_path / "corpus")
        n_words: int = corpus.n_words
    assert n_words == 60 * 9
    assert issubclass(ModelFileError, ValueError)


def wrong_uses(fly: FlyHashVectorizer) -> None:
    """Mypy sees through all of these."""
    FlyHashVectorizer(n_kenyon_cels=8)  # type: ignore[call-arg]
    FlyHashVectorizer(hash_length="2")  # type: ignore[arg-type]
    fly.fit()  # type: ignore[call-arg]
    fly.save(1)  # type: ignore[arg-type]
    skfly.FlyHashVectoriser()  # type: ignore[attr-defined]
    words: list[str] = fly.energy_  # type: ignore[assignment]
    assert words
