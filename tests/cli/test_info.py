"""``skfly info``: what it tells of a model."""

import json

import numpy as np
import pytest

from skfly import FlyHashVectorizer


def test_info_as_json(skfly, fly, model):
    about = json.loads(skfly("info", model, "--json").out)
    assert about["cells"] == 20
    assert about["words"] == 13
    assert about["hash_length"] == 4
    assert about["window"] == 11
    assert about["rule"] == "whiten"
    assert about["words_read"] == 300
    assert about["windows_seen"] == fly.n_windows_seen_
    assert about["energy"] is about["cells_in_use"] is None
    assert about["code_bytes_per_word"] == 3
    assert about["file_bytes"] == model.stat().st_size
    assert about["settings"] == {
        "n_epochs": 1,
        "batch_size": 2**22,
        "subsample": 0.0,
        "decorrelation": 1.0,
        "max_pairs": 2**27,
        "spelling_weight": pytest.approx(40 * (300 / 1e6) ** 0.5),
        "min_count": 1,
    }
    assert about["most_frequent_words"][:2] == [["fruit", 40], ["ripe", 40]]
    assert about["changed_parameters"] == {
        "n_kenyon_cells": 20,
        "hash_length": 4,
        "random_state": 0,
    }


def test_info_of_a_rule_whose_cells_compete_for_windows(skfly, fly, tmp_path):
    lloyd = FlyHashVectorizer(**(fly.get_params() | {"learning": "lloyd"}))
    lloyd.fit(["ripe fruit smells sweet"] * 20).save(tmp_path / "m")
    about = json.loads(skfly("info", tmp_path / "m", "--json").out)
    assert about["energy"] == lloyd.energy_[-1]
    assert about["cells_in_use"] == lloyd.cells_used_[-1]
    assert about["settings"]["n_epochs"] == 8
    out = skfly("info", tmp_path / "m").out
    assert f"  last energy     {lloyd.energy_[-1]:.6g}\n" in out
    assert "  cells in use " in out


def test_info_in_plain_columns(skfly, model):
    code, out, err = skfly("info", model)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == str(model)
    assert "  cells           20\n" in out
    assert "  packed code     3 bytes per word\n" in out
    assert "  parameters      hash_length=4, n_kenyon_cells=20, random_state=0\n" in out
    assert "fruit 40, ripe 40" in out
    assert "energy" not in out
    assert out.isascii()


def test_long_parameters_are_told_shortly(skfly, tmp_path):
    fly = FlyHashVectorizer(5, 1, vocabulary=["ripe", "fruit"], dtype=np.float64)
    fly.fit(["ripe fruit"]).save(tmp_path / "m")
    changed = json.loads(skfly("info", tmp_path / "m", "--json").out)["changed_parameters"]
    assert changed["vocabulary"] == "<2 words>"
    assert changed["dtype"] == "float64"
