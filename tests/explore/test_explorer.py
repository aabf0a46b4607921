"""The answers, asked for from Python."""

import copy
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from skfly import DocumentIndex, FlyHashVectorizer
from skfly.explore import Explorer
from skfly.index import nearest_words


@pytest.fixture(scope="module")
def explorer(explored):
    return Explorer(explored, "m.skfly")


def test_the_model(explorer, explored):
    about = explorer.model()
    assert about["name"] == "m.skfly"
    assert about["n_cells"] == 40
    assert about["hash_length"] == 4
    assert about["n_words"] == len(explored.vocabulary_)
    assert set(about["examples"]) <= set(explored.vocabulary_)
    assert json.loads(json.dumps(about)) == about


def test_a_sentence_has_the_cells_and_the_code_of_the_estimator(explorer, explored):
    text = "Ripe fruit for unheard flies"
    answer = explorer.sentence(text, n_cells=3, n_words=5, temperature=0.2)
    expected = explored.kenyon_cells(text, n_cells=3, n_words=5, temperature=0.2)
    assert [cell["cell"] for cell in answer["cells"]] == [cell.number for cell in expected]
    for cell, same in zip(answer["cells"], expected, strict=True):
        assert cell["activation"] == pytest.approx(same.activation, abs=1e-5)
        assert [word for word, _ in cell["words"]] == [word for word, _ in same.words]
        assert sum(cell["drives"]) == pytest.approx(1, abs=1e-4)
    assert answer["code"] == sorted(explored.transform([text]).indices.tolist())
    assert [(word["word"], word["known"]) for word in answer["words"]] == [
        ("ripe", True), ("fruit", True), ("for", False), ("unheard", False), ("flies", False),
    ]  # fmt: skip


def test_words_are_lit_by_their_share_of_what_drives_the_winners(explorer, explored):
    words = explorer.sentence("fly eats money zzz")["words"]
    code = explored.transform(["fly eats money"]).indices
    ids = np.array([explored.vocabulary_[word] for word in ("fly", "eats", "money")])
    drives = explored.model_.responses(ids)[:, code].clip(min=0).sum(axis=1)
    assert [word["drive"] for word in words] == pytest.approx(
        [*(drives / drives.sum()), 0], abs=1e-5
    )


def test_words_of_cells_are_kept_but_not_without_end(explorer, explored, monkeypatch):
    monkeypatch.setattr("skfly.explore._explorer._CELLS_KEPT", 5)
    other = Explorer(explored, "m.skfly")
    listed = other.cells(n_cells=12)
    assert listed == explorer.cells(n_cells=12)
    assert len(other._words_of) == 12
    listed["cells"][0]["words"].clear()  # what was given away may be changed
    monkeypatch.setattr("skfly.model.FlyModel.describe_cells", None)  # not asked again
    assert other.cells(n_cells=12) == explorer.cells(n_cells=12)
    monkeypatch.undo()
    monkeypatch.setattr("skfly.explore._explorer._CELLS_KEPT", 5)
    assert other.cell(3) == explorer.cell(3)
    assert len(other._words_of) == 5


@pytest.mark.parametrize("text", ["", "zzz", "   \n "])
def test_a_text_without_a_known_word_has_no_cells(explorer, text):
    answer = explorer.sentence(text)
    assert answer["cells"] == answer["code"] == []


def test_a_word_and_the_cells_it_shares(explorer, explored):
    answer = explorer.word("Bank", "money", n_neighbours=3)
    assert answer["word"] == "bank"
    assert answer["count"] == 40
    code = explored.hash_words(["bank"])
    assert [(near["word"], near["n_shared"]) for near in answer["neighbours"]] == nearest_words(
        explored.model_, code, 3, [{"bank"}]
    )[0]
    bank, money = (set(explored.hash_words([w]).indices.tolist()) for w in ("bank", "money"))
    shared = bank & money
    assert {cell["cell"] for cell in answer["shared"]} == shared
    breadths = [cell["breadth"] for cell in answer["shared"]]
    assert breadths == sorted(breadths)  # the most specific first
    assert answer["similarity"] == len(shared) / 4
    near = {near["word"]: near["n_shared"] for near in explorer.word("bank")["neighbours"]}
    assert near["money"] == len(shared)


def test_an_unknown_word_has_words_that_begin_like_it(explorer):
    answer = explorer.word("fruition", "zzz")
    assert answer["known"] is False
    assert answer["alike"] == ["fruit"]
    assert answer["other"] == {"word": "zzz", "known": False, "code": [], "alike": []}
    assert answer["shared"] == []


def test_a_word_in_context_beside_itself(explorer, explored):
    text = "the bank lends money"
    answer = explorer.context(text, 1, n_neighbours=5)
    assert answer["word"] == "bank"
    code = explored.hash_in_context([text], ["bank"])
    assert answer["context_code"] == sorted(code.indices.tolist())
    assert answer["static_code"] == sorted(explored.hash_words(["bank"]).indices.tolist())
    for side in ("static", "in_context"):
        assert len(answer[side]) == 5
        assert not {near["word"] for near in answer[side]} & set(text.split())
    with pytest.raises(ValueError, match="outside the text, which has 4 words"):
        explorer.context(text, 4)


def test_two_sentences(explorer, explored):
    left, right = "ripe fruit", "sweet fruit zzz"
    answer = explorer.compare(left, right, n_cells=2)
    codes = [set(explored.transform([text]).indices.tolist()) for text in (left, right)]
    assert answer["shared"] == sorted(codes[0] & codes[1])
    assert answer["similarity"] == len(answer["shared"]) / 4
    assert {cell["cell"] for cell in answer["cells"]} <= set(answer["shared"])
    assert sum(word["drive"] for word in answer["left"]) == pytest.approx(1, abs=1e-4)
    assert answer["right"][2] == {"word": "zzz", "known": False, "drive": 0.0}
    assert explorer.compare(left, left)["similarity"] == 1
    assert explorer.compare(left, "zzz")["shared"] == []


def test_the_orders_of_cells(explorer, explored):
    used = np.bincount(explored.word_codes_.indices, minlength=40)
    listed = {
        order: explorer.cells(order, 0, 48)["cells"] for order in ("used", "specific", "dead")
    }
    counts = [cell["n_used"] for cell in listed["used"]]
    assert counts == sorted(used[used > 0].tolist(), reverse=True)
    shares = [cell["share_used"] for cell in listed["used"]]
    assert shares == pytest.approx([n / len(explored.vocabulary_) for n in counts], abs=1e-5)
    breadths = [cell["breadth"] for cell in listed["specific"]]
    assert breadths == sorted(breadths)
    assert {cell["cell"] for cell in listed["dead"]} == set(np.flatnonzero(used == 0).tolist())
    assert explorer.cells("used", 1, 2)["cells"] == listed["used"][1:3]
    assert explorer.cells("used", 10**9, 2)["cells"] == []


def test_one_cell(explorer, explored):
    cell = int(explored.hash_words(["fruit"]).indices[0])
    answer = explorer.cell(cell, n_words=60)
    having = [w for w, i in explored.vocabulary_.items() if explored.word_codes_[[i], [cell]] > 0]
    assert set(answer["in_codes_of"]) == set(having)
    with pytest.raises(ValueError, match="no cell 40: the model has cells 0 to 39"):
        explorer.cell(40)


def test_search_finds_beginnings_first(explorer):
    assert [row["word"] for row in explorer.search("F")["words"]] == ["fly", "fruit", "from"]
    assert [row["word"] for row in explorer.search("mone")["words"]] == ["money"]
    assert [row["word"] for row in explorer.search("oney")["words"]] == ["money"]
    assert explorer.search("  ")["words"] == explorer.search("zzz")["words"] == []


@pytest.fixture(scope="module")
def idle():
    """A model none of whose cells is in use: no word has others around it."""
    params = {"n_kenyon_cells": 40, "hash_length": 4, "random_state": 0, "n_jobs": 1}
    return FlyHashVectorizer(**params).fit(["apple", "pear", "plum", "fig"])


def test_a_model_without_cells_in_use(idle):
    explorer = Explorer(idle)
    assert explorer.model()["n_dead_cells"] == explorer.cells("dead")["n_cells"] == 40
    assert explorer.cells("used")["cells"] == explorer.cells("specific")["cells"] == []
    assert set(explorer.model()["examples"]) == {"apple", "pear", "plum", "fig"}
    sentence = explorer.sentence("apple pear")
    assert (sentence["code"], sentence["cells"]) == ([], [])
    assert [word["drive"] for word in sentence["words"]] == [0, 0]
    assert idle.transform(["apple pear"]).nnz == explorer.compare("fig", "plum")["similarity"] == 0
    assert (
        explorer.word("apple")["code"] == explorer.context("apple pear", 1)["context_code"] == []
    )
    assert len(explorer.map()["words"]) == 4
    assert explorer.selection([[-1, -1], [9, -1], [9, 9]])["code"] == []


def test_a_word_too_long_to_show_is_cut():
    params = {"n_kenyon_cells": 8, "hash_length": 2, "random_state": 0, "n_jobs": 1}
    texts = [f"fly {'x' * 5000} fruit", f"moth {'x' * 5000} fruit"] * 20
    fly = FlyHashVectorizer(**params, token_pattern=r"\S+").fit(texts)
    index = DocumentIndex(fly, keep_texts=True)
    index.add(texts[:2])
    explorer = Explorer(fly, index=index)
    cut = "x" * 99 + "…"
    near = explorer.word("fruit")["neighbours"]
    assert cut in [row["word"] for row in near]
    assert cut in explorer.map()["words"]
    assert explorer.word(cut) == {"word": cut, "known": False, "code": [], "alike": [cut]}
    assert explorer.search("xxx")["words"][0]["word"] == cut
    answers = [explorer.model(), near, explorer.map(), explorer.sentence("fly fruit")]
    answers += [explorer.cells(), *(explorer.cell(n) for n in range(8))]
    answers += [explorer.documents("fruit")["results"][0]["because"]]
    answers += [passage["words"] for passage in explorer.passages(0)["passages"]]
    assert "x" * 101 not in json.dumps(answers)


def test_the_words_of_a_cell_of_numbers_are_numbers():
    params = {"n_kenyon_cells": 8, "hash_length": 2, "random_state": 0, "n_jobs": 1}
    fly = FlyHashVectorizer(**params).fit(["1901 1902 1903 1904 fly", "1901 1904 fruit"] * 20)
    for cell in Explorer(fly).every_cell(6):
        assert "1901" in [word for word, _ in cell["words"]]  # not only "fly" and "fruit"


def test_text_is_never_the_name_of_a_file(explored, tmp_path):
    secret = tmp_path / "fruit"
    secret.write_text("money money")
    fly = copy.copy(explored).set_params(input="filename", sparse_output=False)
    words = [word["word"] for word in Explorer(fly).sentence(str(secret))["words"]]
    assert words == [str(secret).lower()]
    assert fly.input == "filename"


FIRST_ANSWERS = """
import sys
from numba.core import event
from skfly import DocumentIndex, FlyHashVectorizer
from skfly.explore import Explorer

explorer = Explorer(FlyHashVectorizer.from_pretrained(sys.argv[1]))
with event.install_recorder("numba:compile") as compiled:
    explorer.search("fr")
    explorer.word("fruit", "bank")
    explorer.sentence("ripe fruit")
    explorer.compare("ripe fruit", "sweet fruit")
    explorer.context("ripe fruit", 0)
    explorer.cells("specific")
    explorer.cell(3)
print(len(compiled.buffer))
"""


@pytest.mark.slow
def test_nothing_is_compiled_for_a_first_answer(explored, tmp_path):
    explored.save(tmp_path / "m.skfly")
    done = subprocess.run(
        [sys.executable, "-c", FIRST_ANSWERS, tmp_path / "m.skfly"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == 0
