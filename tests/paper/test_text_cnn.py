"""The paper's figures as files, and its network where PyTorch is installed."""

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from document_classification import document_classification
from skfly.evaluation import LabelledTexts

PAPER = Path(__file__).parents[2] / "examples" / "paper"

pytestmark = pytest.mark.skipif(not PAPER.exists(), reason="the examples are not here")


def figures(name):
    with open(PAPER / "figures" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_figures_of_the_paper_are_complete():
    lengths = ["4", "8", "16", "32", "51", "64", "128"]
    found = {}
    for row in figures("word_similarity"):
        found.setdefault(row["dataset"], []).append(row["hash_length"])
    assert found == dict.fromkeys(["MEN", "WS353", "SimLex", "RW", "RG", "MTurk-287"], lengths)
    codes = {
        (row["vectors"], row["method"], row["dataset"], row["hash_length"]): row["spearman"]
        for row in figures("codes")
    }
    assert codes["word2vec", "PCAH", "MTurk-287", "64"] == "64.2"
    assert codes["GloVe", "dense", "RG", ""] == "74.2"
    for vectors in ("GloVe", "word2vec"):
        for dataset in found:
            for method in ("LSH", "RandExp", "ITQ", "SH", "PCAH"):
                known = {key[3] for key in codes if key[:3] == (vectors, method, dataset)}
                assert known == {*lengths} - {"51"}


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("skorch")
    pytest.importorskip("torch")
    return runpy.run_path(str(PAPER / "text_cnn.py"))


def test_responses_are_those_of_a_convolution(script):
    import torch

    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 6)).astype(np.float32)
    vectors[0] = 0
    cnn = script["TextCNN"](vectors, 3, (2, 4), 5).eval()
    ids = torch.from_numpy(random.integers(0, 20, size=(7, 9)))
    found = [
        torch.relu(layer(cnn.vectors[ids].transpose(1, 2))).amax(dim=2) for layer in cnn.filters
    ]
    torch.testing.assert_close(cnn(ids), cnn.output(torch.cat(found, dim=1)))
    # what follows the longest document does not count, unless documents are shorter than filters
    padded = torch.cat([ids, torch.zeros((7, 5), dtype=ids.dtype)], dim=1)
    torch.testing.assert_close(cnn(padded), cnn(ids))
    assert cnn(torch.zeros((2, 9), dtype=ids.dtype)).shape == (2, 3)


def test_two_topics_are_told_apart_and_seeds_repeat(script, fitted, documents):
    labels = ("fruit", "money") * 60
    texts = tuple(documents)
    data = LabelledTexts("topics", texts[:80], labels[:80], texts[80:], labels[80:])
    words = list(fitted.vocabulary_)
    cnn = script["TextCNNClassifier"](fitted, words, n_filters=8, max_epochs=6, batch_size=10)
    first, second = (clone(cnn).fit(texts[:80], labels[:80]) for _ in range(2))
    np.testing.assert_array_equal(first.predict(texts[80:]), second.predict(texts[80:]))
    [row] = document_classification({"cnn": cnn}, data, n_runs=2).rows
    assert row.accuracy > 90
    assert row.n_runs == 2


def test_the_script(script, fitted, documents, tmp_path, capsys):
    fitted.save(tmp_path / "fly.skfly")
    lines = "".join(f"{i % 2} {text}\n" for i, text in enumerate(documents))
    (tmp_path / "stsa.binary.train").write_text(lines)
    (tmp_path / "stsa.binary.test").write_text(lines)
    options = ["--data", str(tmp_path), "--hash-length", "4", "--epochs", "2"]
    script["main"]([str(tmp_path / "fly.skfly"), *options])
    header, _, row = capsys.readouterr().out.splitlines()
    assert header == "| dataset | words as | accuracy | paper |"
    assert row.startswith("| SST-2 | fly | ")
    assert row.endswith(" | 77.1 |")
