"""The demo: its parts on a tiny model, and all of it as a user runs it."""

import json
import subprocess
import sys

import pytest

from skfly import FlyHashVectorizer
from skfly.demo import near_words


@pytest.fixture(scope="module")
def fly():
    texts = [
        "the river bank is green and wet",
        "grass grows on the green river bank",
        "the bank lends money and takes interest",
        "money and interest from the bank",
    ]
    params = {"n_kenyon_cells": 24, "hash_length": 4, "stop_words": ["the", "and", "is", "on"]}
    return FlyHashVectorizer(**params, random_state=0).fit(texts * 50)


def test_neighbours_are_sorted_and_without_the_word_itself(fly):
    river, money = (near_words(fly, word, n_words=3) for word in ("river", "money"))
    assert (river["word"], river["context"]) == ("river", None)
    assert len(river["words"]) == len(river["shared_cells"]) == 3
    assert "river" not in river["words"]
    assert list(river["shared_cells"]) == sorted(river["shared_cells"], reverse=True)
    own = (fly.hash_words(river["words"]) @ fly.hash_words(["river"]).T).toarray()
    assert list(river["shared_cells"]) == own.ravel().tolist()
    assert {"green", "wet", "grass", "grows"} & set(river["words"])
    assert {"interest", "lends", "takes", "from"} & set(money["words"])


def test_neighbours_in_context_follow_it_and_leave_out_its_words(fly):
    wet, rich = (
        near_words(fly, "bank", text, n_words=2)
        for text in ("the wet river bank", "the bank lends money")
    )
    assert wet["context"] == "the wet river bank"
    assert wet["words"][0] in {"green", "grass", "grows"}
    assert rich["words"][0] in {"interest", "takes", "from"}
    assert not {"wet", "river", "bank"} & set(wet["words"])
    assert not {"bank", "lends", "money"} & set(rich["words"])


@pytest.mark.slow
def test_the_demo_from_any_directory(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "skfly.cli", "demo", "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    result = json.loads(run.stdout)
    assert all(line.startswith("skfly: ") for line in run.stderr.splitlines())
    assert [path.name for path in tmp_path.iterdir()] == ["demo.skfly"]
    assert FlyHashVectorizer.load(tmp_path / "demo.skfly").get_params()["verbose"] == 0

    assert result["n_articles"] == 104
    near = {
        neighbours["word"]: set(neighbours["words"]) for neighbours in result["good_neighbours"]
    }
    assert near["moon"] & {"lunar", "orbit", "landing", "spacecraft", "crew", "mission"}
    assert near["atom"] & {"atoms", "electron", "electrons", "hydrogen", "carbon", "molecule"}
    assert near["species"] & {"amphibians", "frogs", "frog", "salamanders", "aquatic"}

    by_context = [set(neighbours["words"]) for neighbours in result["contexts"]]
    office, chemistry, space, myth = by_context
    assert office & {"legislature", "legislatures", "senate", "govern", "congressional"}
    assert chemistry & {"alkali", "metals", "lithium", "ions", "cations", "bonding", "ionisation"}
    assert space & {"spacecraft", "flight", "landing", "mission", "aldrin", "orbit"}
    assert myth & {"asclepius", "delos", "delphi", "hera", "artemis", "oracle", "priam", "troy"}

    words_of_cells = {word for cell in result["cells"] for word in cell["words"]}
    assert {"acid", "metals", "hydrogen"} <= words_of_cells
    assert [score["hash_length"] for score in result["similarity"]] == [4, 16, 32]
    for score in result["similarity"]:
        assert 200 < score["n_pairs"] <= score["n_pairs_in_all"] == 353
        if score["hash_length"] >= 16:
            assert score["spearman"] > 15
