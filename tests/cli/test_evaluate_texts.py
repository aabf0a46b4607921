"""``skfly evaluate documents`` and ``sentences``."""

import json

import pytest

from skfly import FlyHashVectorizer
from skfly.evaluation import document_scores, load_labelled_texts, sentence_similarity

TRAIN = "1 ripe fruit smells sweet\n0 banks lend money to banks\n" * 12
TEST = "1 sweet ripe fruit\n0 money of banks\n"
STS = (
    "m\tx\ty\t1\t5.0\tripe fruit\tthe ripe fruit\nm\tx\ty\t2\t0.0\tbanks lend\tripe fruit\n"
    "m\tx\ty\t3\t3.0\tthe fly eats\tflies eats fruit\n"
)


@pytest.fixture
def data(tmp_path):
    for part, text in (("train", TRAIN), ("test", TEST)):
        (tmp_path / f"stsa.binary.{part}").write_text(text)
    return tmp_path


def without_times(rows):
    return [
        {k: v for k, v in row.items() if k not in ("fit_seconds", "transform_ms")} for row in rows
    ]


def test_documents_are_fitted_and_scored(skfly, data):
    code, out, err = skfly(
        *("evaluate", "documents", "--data", data, "--seeds", "2", "--cells", "12", "--json"),
        *("--hash-length", "3", "--baseline", "--quiet"),
    )
    assert code == 0, err
    fly = FlyHashVectorizer(n_kenyon_cells=12, hash_length=3)
    assert err.count("learning from fewer than 300,000 words") == 1  # of two fits
    table = document_scores({"fly": fly}, load_labelled_texts(data), n_runs=2)
    found = json.loads(out)
    assert [row["method"] for row in found["rows"]] == ["tf-idf", "fly"]
    expected = without_times(table.to_dict()["rows"])
    assert without_times(found["rows"])[1:] == expected
    assert expected[0]["bytes"] == 2.0


def test_documents_with_a_model(skfly, fly, model, data):
    args = ("evaluate", "documents", model, "--data", data, "--seeds", "1", "-q")
    code, out, err = skfly(*args, "--no-fit", "--hash-length", "2")
    assert code == 0, err
    assert out.splitlines()[0].startswith("| dataset | method | P@10 | P@100 | ten labels |")
    assert out.splitlines()[2].startswith("| SST-2 | fly | ")
    code, out, _ = skfly(*args, "--json")
    again = FlyHashVectorizer(**fly.get_params())  # trained on these texts, not on its own
    table = document_scores({"fly": again}, load_labelled_texts(data), n_runs=1)
    assert without_times(json.loads(out)["rows"]) == without_times(table.to_dict()["rows"])


def test_documents_by_the_protocol_of_semantic_hashing(skfly, tmp_path):
    path = tmp_path / "reuters.tsv"
    path.write_text("train\tfruit,plum\tripe plums smell sweet wonderful garden\n" * 20)
    with path.open("a") as file:
        file.write("test\tmoney\tbanks lend money charge interest loans\n" * 20)
    code, out, err = skfly(
        *("evaluate", "documents", "--data", path, "--vdsh", "--cells", "8", "--hash-length", "2"),
        *("--seeds", "1", "--json", "-q"),
    )
    assert code == 0, err
    [row] = json.loads(out)["rows"]
    assert row["dataset"] == "Reuters-21578, VDSH split"
    assert (row["n_train"], row["n_test"]) == (24, 8)
    assert row["bits"] == pytest.approx(4.807, abs=1e-3)  # log2 28
    assert row["all_labels"] is None


def test_documents_that_are_refused(skfly, data):
    code, _, err = skfly("evaluate", "documents", "--data", data, "--no-fit")
    assert code == 2
    assert "--no-fit needs a MODEL" in err
    code, _, err = skfly("evaluate", "documents", "--data", data / "none")
    assert code == 2
    assert "there is no file or directory" in err


def test_sentences(skfly, fly, model, tmp_path):
    sts = tmp_path / "sts-dev.csv"
    sts.write_text(STS)
    code, out, err = skfly(
        "evaluate", "sentences", model, "--sts", sts, "--hash-lengths", "4,8", "--quiet"
    )
    assert (code, err) == (0, "")
    assert out == f"{sentence_similarity(fly, sts, [4, 8])}\n"
    code, out, _ = skfly("evaluate", "sentences", model, "--sts", sts, "--json", "--quiet")
    assert json.loads(out)["rows"][0]["hash_length"] == 4


def test_sentences_by_vectors(skfly, tmp_path):
    (tmp_path / "sts-dev.csv").write_text(STS)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("3 2\nfruit 1 0\nripe 1 0.1\nbanks 0 1\n")
    args = ("evaluate", "sentences", vectors, "--sts", tmp_path / "sts-dev.csv", "-q")
    code, out, err = skfly(*args)
    assert (code, err) == (0, "")
    assert "dense" in out
    assert skfly(*args, "--hash-lengths", "4")[0] == 2
