"""``skfly demo``: what it prints."""

import json
import sys

import pytest


def neighbours(word, context, words, shared):
    return {"word": word, "context": context, "words": words, "shared_cells": shared}


def demo_result(output, **_):
    near = neighbours("moon", None, ["lunar", "[red]"], [9, 8])
    there = neighbours("state", "a solid state", ["liquid"], [7])
    return {
        "n_articles": 2,
        "n_characters": 12_345,
        "n_words": 2_000,
        "n_windows": 1_900,
        "n_different_words": 700,
        "n_kenyon_cells": 400,
        "hash_length": 32,
        "seconds_reading": 0.5,
        "seconds_learning": 1.5,
        "model": str(output),
        "model_bytes": 1_000_000,
        "code_bytes_per_word": 50,
        "good_neighbours": [near],
        "bad_neighbours": neighbours("king", None, ["rings"], [3]),
        "contexts": [there],
        "sentence": "acid and metal",
        "cells": [{"number": 19, "activation": 0.3, "words": ["alkali", "metals"]}],
        "similarity": [
            {"hash_length": 16, "spearman": 41.2, "n_pairs": 256, "n_pairs_in_all": 353}
        ],
    }


def pretrained_result():
    return {
        "neighbours": [neighbours("loan", None, ["loans", "debt"], [30, 20])],
        "contexts": [neighbours("bank", "by the river", ["valley"], [17])],
    }


@pytest.fixture
def quick_demo(monkeypatch, tmp_path):
    monkeypatch.setattr("skfly.demo.run_demo", demo_result)
    monkeypatch.setattr("skfly.demo.show_pretrained", pretrained_result)
    monkeypatch.chdir(tmp_path)


def test_demo_in_plain_columns(skfly, quick_demo):
    code, out, err = skfly("demo")
    assert (code, err) == (0, "")
    for line in (
        "  loan  loans 30, debt 20",
        "  bank  by the river  valley",
        "  moon  lunar 9, [red] 8",
        "  king  rings 3",
        "  state  a solid state  liquid",
        "  cell 19  alkali, metals",
        "  hash length 16  Spearman 41.2  256 of 353 pairs known",
        "  skfly info demo.skfly",
    ):
        assert line in out.splitlines()


def test_demo_on_a_terminal_shows_words_as_they_are(skfly, quick_demo, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = skfly("demo", "-o", "my demo").out
    assert "lunar 9, [red] 8" in out
    assert "skfly info 'my demo'" in out
    assert "─" in out
    assert "  skfly neighbors 'my demo' moon" in out.splitlines()  # as it can be copied


@pytest.mark.parametrize("missing", [None, "starlette", "uvicorn"])
def test_demo_says_what_the_page_needs(skfly, quick_demo, monkeypatch, missing):
    monkeypatch.setattr("skfly.cli._demo.find_spec", lambda name: name != missing or None)
    before = 'pip install "skfly[explore]" && ' if missing else ""
    assert f"  {before}skfly explore demo.skfly" in skfly("demo").out.splitlines()


def test_demo_as_json(skfly, quick_demo):
    result = json.loads(skfly("demo", "--json").out)
    assert result["model"] == "demo.skfly"
    assert result["pretrained"]["neighbours"][0]["words"] == ["loans", "debt"]
    assert result["good_neighbours"][0]["words"] == ["lunar", "[red]"]


def test_demo_refuses_a_place_that_cannot_be_written(skfly, quick_demo, tmp_path):
    assert skfly("demo", "-o", tmp_path / "none" / "m").code == 2
