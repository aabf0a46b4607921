"""``skfly index`` and ``skfly search``: from files to what is found in them."""

import gzip
import json

import pytest

from skfly import DocumentIndex

FRUIT = "The fly eats ripe fruit.\nRipe fruit smells sweet."
MONEY = "Banks lend money.\n\nThe bank and its money."


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "old").mkdir(parents=True)
    (folder / "fruit.md").write_text(FRUIT)
    (folder / "old" / "money.txt.gz").write_bytes(gzip.compress(MONEY.encode()))
    (folder / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    return folder


def test_files_are_documents(skfly, notes, model, tmp_path):
    out = tmp_path / "notes.idx"

    code, printed, err = skfly("index", notes, "-o", out, "--model", model, "--json")

    assert code == 0
    assert "skfly: warning: left out: " in err
    assert json.loads(printed)["documents"] == 2
    index = DocumentIndex.load(out)
    assert index.ids == [str(notes / "fruit.md"), str(notes / "old" / "money.txt.gz")]
    assert index.texts(index.ids[:1]) == [FRUIT]


def test_unreadable_files_are_reported_once(skfly, notes, tmp_path):
    (notes / "other.png").write_bytes(b"\xff\xfe")
    for number in range(30):
        (notes / f"{number}.txt").write_text("ripe fruit smells sweet and banks lend money")

    err = skfly("index", notes, "-o", tmp_path / "notes.idx").err  # reads twice

    assert err.count("left out") == 1
    assert err.count("'--model en' may find more") == 1
    assert "--encoding sets another (1 more files too)" in err


def test_without_a_model_one_is_learned(skfly, notes, tmp_path):
    out = tmp_path / "notes.idx"

    code, printed, err = skfly("index", notes, notes / "fruit.md", "-o", tmp_path / "x")
    assert code == 2
    assert "is given twice" in err

    for number in range(30):
        (notes / f"{number}.txt").write_text("ripe fruit smells sweet and banks lend money")
    code, printed, _ = skfly("index", notes, "-o", out)

    assert code == 0
    assert printed.startswith(f"{out}: 32 documents in ")
    assert skfly("search", out, "sweet fruit", "-n", 1).out.startswith("sweet fruit\n  ")


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("line", ["fruit.md:1", "fruit.md:2", "old/money.txt.gz:1", "old/money.txt.gz:3"]),
        ("paragraph", ["fruit.md:1", "old/money.txt.gz:1", "old/money.txt.gz:3"]),
    ],
)
def test_lines_and_paragraphs(skfly, notes, model, tmp_path, by, names):
    (notes / "picture.png").unlink()
    skfly("index", notes, "-o", tmp_path / "a.idx", "--model", model, "--by", by, "-q")

    index = DocumentIndex.load(tmp_path / "a.idx")

    assert index.ids == [f"{notes}/{name}" for name in names]
    assert index.texts(index.ids[-1:]) == ["The bank and its money."]


def test_rows_of_a_table(skfly, model, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table({"body": ["ripe fruit", "money"], "title": ["a", "b"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    args = ("index", tmp_path / "t.parquet", "-o", tmp_path / "a.idx", "--model", model, "-q")

    assert "choose one" in skfly(*args).err
    assert skfly(*args, "--column", "body", "--no-texts").code == 0

    found = skfly("search", tmp_path / "a.idx", "money", "-n", 1, "--json").out
    assert json.loads(found)["results"] == [
        {"score": 1.0, "document": f"{tmp_path / 't.parquet'}:2"}
    ]


def test_what_is_found_has_its_passage(skfly, notes, model, tmp_path):
    out = tmp_path / "notes.idx"
    (notes / "fruit.md").write_text("The fly eats ripe fruit.\nFlies like it.")
    skfly("index", notes / "fruit.md", notes / "old", "-o", out, "--model", model, "-q")

    answers = skfly("search", out, "-n", 1, "--json", stdin=b"lend money\nflies\n").out

    answers = [json.loads(line) for line in answers.splitlines()]
    assert [answer["query"] for answer in answers] == ["lend money", "flies"]
    assert answers[0]["results"][0]["passage"] == "Banks lend money."
    assert answers[1]["results"][0]["passage"] == "Flies like it."
    table = skfly("search", out, "sweet")
    assert table.out.count("fruit.md") == 1


def test_nothing_is_found(skfly, notes, model, tmp_path):
    out = tmp_path / "notes.idx"
    skfly("index", notes / "fruit.md", "-o", out, "--model", model, "-q")

    code, printed, err = skfly("search", out, "zzz")

    assert (code, printed) == (0, "")
    assert err == "skfly: warning: nothing found for 'zzz': it has no known word\n"


def test_a_query_of_unknown_words_is_reported(skfly, notes, tmp_path):
    out = tmp_path / "notes.idx"
    skfly("index", notes / "fruit.md", "-o", out, "--model", "en", "-q")

    err = skfly("search", out, "zxqvy", "the zxqvy of fruit").err

    assert err == (
        "skfly: warning: the model does not know 'zxqvy': taking words spelled like it\n"
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("search", "none.idx", "x"), "there is no index none.idx"),
        (("search", ".", "x"), ". is a directory: index it with 'skfly index' first"),
        (("index", "none", "-o", "x.idx"), "there is no file none"),
    ],
)
def test_files_that_are_not_there(skfly, args, message):
    code, _, err = skfly(*args)

    assert code == 2
    assert message in err


def test_a_column_of_no_table(skfly, notes, tmp_path):
    code, _, err = skfly("index", notes, "-o", tmp_path / "a.idx", "--column", "x")

    assert code == 2
    assert "--column is for Parquet" in err


def test_a_model_is_no_index(skfly, model):
    code, _, err = skfly("search", model, "x")

    assert code == 2
    assert "not an index of documents" in err
