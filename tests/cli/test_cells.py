"""``skfly cells``: the most active cells of texts."""

import json


def test_a_line_for_each_cell(skfly, fly, model):
    code, out, err = skfly("cells", model, "ripe  fruit", "zzz", "--cells", 2, "--words", 3)
    assert (code, err) == (0, "skfly: warning: the model knows no word of this text: zzz\n")
    cells = fly.kenyon_cells("ripe fruit", 2, 3)
    names = fly.model_.cell_names()
    assert [line.split("\t") for line in out.splitlines()] == [
        [
            "ripe fruit",
            str(cell.number),
            " ".join(names[cell.number]),
            f"{cell.activation:.4f}",
            *(f"{word} {chance:.3f}" for word, chance in cell.words),
        ]
        for cell in cells
    ]


def test_as_json_from_standard_input(skfly, fly, model):
    _, out, err = skfly("cells", model, "-", "--json", stdin=b"banks lend money\n\n")
    assert err == ""
    first, second = map(json.loads, out.splitlines())
    assert first["text"] == "banks lend money"
    assert [cell["number"] for cell in first["cells"]] == [
        cell.number for cell in fly.kenyon_cells("banks lend money")
    ]
    names = fly.model_.cell_names()
    assert all(cell["name"] == " ".join(names[cell["number"]]) for cell in first["cells"])
    assert second == {"text": "", "cells": []}


def test_the_temperature(skfly, model):
    def likeliest(temperature):
        out = skfly("cells", model, "ripe fruit", "--json", "--temperature", temperature).out
        return json.loads(out)["cells"][0]["words"][0][1]

    assert likeliest(0.05) > likeliest(1)
    assert skfly("cells", model, "ripe fruit", "--temperature", 0).code == 2
