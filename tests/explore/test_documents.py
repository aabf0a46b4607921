"""Documents, the map and names, as the page asks for them."""

import pytest
from starlette.testclient import TestClient

from skfly import DocumentIndex, FlyHashVectorizer
from skfly.explore import Explorer, create_app

NOTES = {
    "fruit": "ripe fruit smells sweet",
    "bank": "the bank lends money",
    "copy": "ripe fruit smells sweet",
    "odd": "zzz",
    "markup": "hostile <script>alert(1)</script> \u202e words",
}


def indexed(fly, keep_texts=True):
    index = DocumentIndex(fly, keep_texts=keep_texts)
    index.add(list(NOTES.values()), ids=list(NOTES))
    return index


@pytest.fixture(scope="module")
def explorer(explored):
    return Explorer(explored, index=indexed(explored))


def test_documents_with_the_words_that_made_them_match(explorer):
    answer = explorer.documents("sweet fruit", 3)
    first = answer["results"][0]
    assert first["id"] in {"fruit", "copy"}
    assert first["code"]
    assert set(first["because"]) <= set(NOTES["fruit"].split())
    assert first["because"]
    assert explorer.documents("qqq")["results"] == []
    assert not explorer.documents("qqq")["known"]


def test_more_like_this_leaves_out_the_document_itself(explorer):
    answer = explorer.document(0)
    assert (answer["id"], answer["text"]) == ("fruit", NOTES["fruit"])
    others = {row["id"]: row["duplicate"] for row in answer["results"]}
    assert "fruit" not in others
    assert others["copy"]
    with pytest.raises(ValueError, match="no document 99: the index has 5"):
        explorer.document(99)


def test_an_index_without_texts(explored):
    explorer = Explorer(explored, index=indexed(explored, keep_texts=False))
    assert explorer.documents("sweet fruit")["results"][0]["text"] is None
    with pytest.raises(ValueError, match="keeps no texts"):
        explorer.document(0)


def test_an_index_of_another_model_is_refused(explored):
    other = FlyHashVectorizer(n_kenyon_cells=16, hash_length=2, random_state=0)
    other.fit(["ripe fruit smells sweet", "the bank lends money"] * 20)
    with pytest.raises(ValueError, match="the index was made with another model"):
        create_app(explored, index=indexed(other))


def test_without_an_index_documents_are_refused(explored):
    client = TestClient(create_app(explored), base_url="http://127.0.0.1")
    answer = client.post("/api/documents", json={"query": "fruit"})
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        "no index is open: start the page with --index",
    )


def test_duplicates_come_in_groups(explorer):
    answer = explorer.duplicates()
    assert (answer["n_groups"], answer["n_documents"]) == (1, 2)
    assert [row["id"] for row in answer["groups"][0]["documents"]] == ["fruit", "copy"]


def test_passages_that_excite_a_cell_come_from_documents_with_its_words(explorer, explored):
    cell = int(explored.hash_words(["money"]).indices[0])
    passages = explorer.passages(cell)["passages"]
    assert [passage["id"] for passage in passages] == ["bank"]
    assert set(passages[0]["words"]) <= {"bank", "lends", "money"}
    with pytest.raises(ValueError, match="there is no cell 40"):
        explorer.passages(40)


def test_documents_lie_on_the_map_unless_no_word_of_them_is_known(explorer, explored):
    documents = explorer.map()["documents"]
    assert documents["places"] == [0, 1, 2, 4]
    assert documents["x"][0] == documents["x"][2]
    without = Explorer(explored, index=indexed(explored, keep_texts=False))
    assert without.map()["documents"]["places"] == []


def test_of_very_many_documents_the_map_has_every_so_many_th(explored, monkeypatch):
    monkeypatch.setattr("skfly.explore._documents._MAPPED", 3)
    explorer = Explorer(explored, index=indexed(explored))
    assert explorer.map()["documents"]["places"] == [0, 2, 4]
    everything = [[-1, -1], [10_001, -1], [10_001, 10_001], [-1, 10_001]]
    selected = explorer.selection(everything)["documents"]
    assert [row["id"] for row in selected] == ["fruit", "copy", "markup"]
    assert {row["id"] for row in explorer.documents("the bank", 5)["results"]} >= {"bank"}


def test_a_selection_of_everything_has_nothing_that_sets_it_apart(explorer):
    answer = explorer.selection([[-1, -1], [10_001, -1], [10_001, 10_001], [-1, 10_001]])
    assert answer["n_words"] == len(explorer.map()["words"])
    assert answer["n_documents"] == 4
    assert answer["code"] == []


def test_a_selection_of_one_word_has_its_cells(explorer, explored):
    drawn = explorer.map()
    i = drawn["words"].index("money")
    x, y = drawn["x"][i], drawn["y"][i]
    answer = explorer.selection([[x - 1, y - 1], [x + 1, y - 1], [x + 1, y + 1], [x - 1, y + 1]])
    assert "money" in answer["words"]
    if answer["n_words"] == 1:
        assert set(answer["code"]) <= set(explored.hash_words(["money"]).indices.tolist())


@pytest.mark.parametrize(
    ("polygon", "told"),
    [
        ([[0, 0], [1, 1]], "polygon must be a list of 3 to 200 corners"),
        ([[0, 0], [1, 1], [2]], "each corner must be a list of two whole numbers"),
        ([[0, 0], [1, 1], [2, 1e9]], "polygon must be a whole number"),
        ([[0, 0], [1, 1], [2, 10**9]], "polygon must be from -10,000 to 20,000"),
        ("0,0", "polygon must be a list"),
    ],
)
def test_what_is_no_polygon_is_refused(explored, polygon, told):
    client = TestClient(create_app(explored), base_url="http://127.0.0.1")
    answer = client.post("/api/selection", json={"polygon": polygon})
    assert answer.status_code == 422
    assert told in answer.json()["error"]


def test_the_map_has_each_word_once_and_is_the_same_each_time(explored, explorer):
    drawn = explorer.map()
    assert len(set(drawn["words"])) == len(drawn["words"]) == len(drawn["x"])
    assert set(drawn["words"]) <= set(explored.model_.known_words())
    assert all(0 <= part <= 10_000 for part in drawn["x"] + drawn["y"])
    assert Explorer(explored, index=indexed(explored)).map() == drawn


def test_stop_words_are_left_out_of_clouds_unless_asked_for(explorer):
    shown = [word for n in range(40) for word, _ in explorer.cell(n)["words"]]
    every = [word for n in range(40) for word, _ in explorer.cell(n, stop_words=True)["words"]]
    assert "the" not in shown
    assert "the" in every


def test_examples_are_content_words(explorer):
    model = explorer.model()
    assert model["examples"]
    assert not {"the", "at", "with", "to"} & set(model["examples"])
    assert model["tours"]


def test_every_cell_has_a_name_and_a_place(explorer):
    model = explorer.model()
    assert len(model["names"]) == model["n_cells"] == len(set(model["layout"]["places"]))
    assert len(model["region_names"]) == max(model["layout"]["regions"]) + 1
