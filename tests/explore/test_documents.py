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
    with pytest.raises(ValueError, match="the index is of another model"):
        create_app(explored, index=indexed(other))


def test_without_an_index_documents_are_refused(explored):
    client = TestClient(create_app(explored), base_url="http://127.0.0.1")
    answer = client.post("/api/documents", json={"query": "fruit"})
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        "no index is open: start the page with --index",
    )


def test_the_map_has_each_word_once_and_is_the_same_each_time(explored, explorer):
    drawn = explorer.map()
    assert len(set(drawn["words"])) == len(drawn["words"]) == len(drawn["x"])
    assert set(drawn["words"]) <= set(explored.model_.known_words())
    assert all(0 <= part <= 10_000 for part in drawn["x"] + drawn["y"])
    assert Explorer(explored).map() == drawn


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
