"""A small folder of datasets, of the form that circulates."""

import numpy as np
import pytest
from gensim.models import KeyedVectors


@pytest.fixture
def vectors(topics):
    random = np.random.default_rng(0)
    keyed = KeyedVectors(12)
    words = [*topics["fruit"], *topics["money"]]
    side = np.repeat(np.eye(12)[:2], 10, axis=0)
    keyed.add_vectors(words, (side + 0.3 * random.normal(size=side.shape)).astype(np.float32))
    return keyed


@pytest.fixture
def data(tmp_path, topics, documents, vectors):
    """Return a folder with all datasets."""
    random = np.random.default_rng(1)
    fruit, money = topics["fruit"], topics["money"]
    folder = tmp_path / "data"
    pairs = []
    for _ in range(30):
        left, right = (fruit if random.random() < 0.5 else money for _ in range(2))
        score = (left is right) + random.random()
        pairs.append(f"{random.choice(left)}\t{random.choice(right)}\t{score:.2f}\n")
    write(folder / "wordsim" / "EN-MEN-TR-3k.txt", "".join(pairs))
    write(folder / "wordsim" / "EN-RG-65.txt", "".join(pairs[:15]))

    def sentence(topic):
        return " ".join(["the", *random.choice(topic, size=3)])

    lines, gold = [], []
    for number in range(40):
        other = fruit if number % 2 else money
        lines.append(f"the\tN\t0-0\t{sentence(fruit)}\t{sentence(other)}\n")
        gold.append("T\n" if number % 2 else "F\n")
    write(folder / "contextual" / "wic" / "train.data.txt", "".join(lines))
    write(folder / "contextual" / "wic" / "train.gold.txt", "".join(gold))
    labelled = [f"{i % 2} {text}\n" for i, text in enumerate(documents)]
    write(folder / "sst2" / "stsa.binary.train", "".join(labelled[:80]))
    write(folder / "sst2" / "stsa.binary.test", "".join(labelled[80:]))
    write(
        folder / "trec" / "train_5500.label",
        "".join(f"A:b {t}\nC:d {t}\n" for t in documents[:20]),
    )
    (folder / "vectors").mkdir()
    vectors.save_word2vec_format(str(folder / "vectors" / "glove.small.txt"))
    return folder


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
