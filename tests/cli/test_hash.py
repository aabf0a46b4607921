"""``skfly hash``: codes of lines and words."""

import json

from scipy import sparse

from skfly import FlyHashVectorizer, TextLines


def test_hash_prints_active_cells_line_by_line(skfly, fly, model, tmp_path):
    lines = ["ripe fruit", "unknown", "", "the BANKS lend"]
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(lines))
    expected = [row.indices.tolist() for row in fly.transform(lines)]
    assert [len(cells) for cells in expected] == [4, 0, 0, 4]
    from_file = skfly("hash", model, file)
    assert from_file.code == 0
    assert from_file.err == ""
    assert [list(map(int, line.split())) for line in from_file.out.split("\n")[:-1]] == expected
    assert skfly("hash", model, stdin=file.read_bytes()) == from_file
    assert skfly("hash", model, "-", stdin=file.read_bytes()) == from_file


def test_hash_as_json_lines(skfly, fly, model):
    out = skfly(
        "hash", model, "--json", "--hash-length", "2", stdin="Früchte fly\r\n".encode()
    ).out
    cells = FlyHashVectorizer.load(model).set_params(hash_length=2).transform(["fly"]).indices
    assert [json.loads(line) for line in out.splitlines()] == [
        {"text": "Früchte fly", "cells": cells.tolist()}
    ]


def test_hash_of_words_is_static(skfly, fly, model):
    out = skfly("hash", model, "--words", stdin=b"Fly\nnone\n fruit \n").out
    codes = fly.hash_words(["fly", "none", "fruit"])
    assert out == "".join(" ".join(map(str, row.indices)) + "\n" for row in codes)
    assert out.splitlines()[1] == ""


def test_hash_into_a_matrix(skfly, fly, model, text, tmp_path):
    output = tmp_path / "codes.npz"
    code, out, err = skfly("hash", model, text, "-o", output)
    assert (code, out, err) == (0, f"{output}: 60 codes of 20 cells\n", "")
    codes, expected = sparse.load_npz(output), fly.transform(TextLines(text))
    assert codes.shape == expected.shape
    assert (codes != expected).nnz == 0
    told = skfly("hash", model, "-o", output, "--json", "--force")  # standard input is empty
    assert json.loads(told.out) == {"codes": str(output), "rows": 0, "cells": 20}
    assert sparse.load_npz(output).shape == (0, 20)
    (tmp_path / "one.txt").write_text("ripe fruit\n")
    one = skfly("hash", model, tmp_path / "one.txt", "-o", output, "--force")
    assert one.out == f"{output}: 1 code of 20 cells\n"
    assert {path.name for path in tmp_path.iterdir()} == {
        "codes.npz",
        "model.skfly",
        "one.txt",
        "text.txt",
    }


def test_hash_of_more_lines_than_are_taken_at_a_time(skfly, fly, model, text, monkeypatch):
    monkeypatch.setattr("skfly.cli._files._DOCUMENTS_AT_A_TIME", 3)
    whole = skfly("hash", model, stdin=text.read_bytes()).out
    assert len(whole.splitlines()) == 60
    assert whole.splitlines()[59] == " ".join(
        map(str, fly.transform(["banks lend money"]).indices)
    )


def test_hash_takes_lines_as_text_whatever_the_model_was_set_to(skfly, fly, text, tmp_path):
    other = FlyHashVectorizer(
        n_kenyon_cells=20, hash_length=4, random_state=0, document_codes="counts"
    ).fit(text.read_text().splitlines())
    other.set_params(input="filename", sparse_output=False).save(tmp_path / "other")
    out = skfly("hash", tmp_path / "other", stdin=b"the fly eats ripe fruit\n").out
    assert len(out.split()) == 4


def test_a_text_in_the_place_of_a_file(skfly, model):
    code, _, err = skfly("hash", model, "ripe fruit")
    assert code == 2
    assert err == (
        "skfly: error: there is no file ripe fruit; to hash a text itself, pipe it in\n"
    )
