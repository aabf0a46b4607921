"""Text columns of Parquet and Arrow files."""

import sys

import pytest

from skfly import FlyHashVectorizer, TextColumn

TEXTS = ["One fly", None, "", "fällt\nauf"] * 3


@pytest.fixture(params=["a.parquet", "a.arrow", "stream.arrow", "a.feather"])
def table(request, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    content = arrow.table({"n": range(12), "text": TEXTS})
    path = tmp_path / request.param
    if path.suffix == ".parquet":
        parquet.write_table(content, path, row_group_size=5)
    elif path.suffix == ".feather":
        feather.write_feather(content, path, compression="zstd")
    else:
        stream = path.name.startswith("stream")
        new = arrow.ipc.new_stream if stream else arrow.ipc.new_file
        with new(str(path), content.schema) as writer:
            writer.write_table(content, max_chunksize=5)
    return path


@pytest.mark.parametrize("column", ["text", None])
def test_rows_are_documents_again_and_again(table, column):
    rows = TextColumn(table, column)
    assert list(rows) == list(rows) == [text or "" for text in TEXTS]


def test_a_directory_is_read_file_by_file(table, tmp_path):
    (tmp_path / "notes.txt").write_text("not a table")
    assert list(TextColumn(tmp_path)) == [text or "" for text in TEXTS]


def test_a_column_that_is_not_there_or_not_text(table):
    with pytest.raises(ValueError, match="no column 'txt'; it has n, text"):
        list(TextColumn(table, "txt"))
    with pytest.raises(ValueError, match="holds int64, not text"):
        list(TextColumn(table, "n"))


def test_a_file_that_is_cut_short_is_named(table):
    data = table.read_bytes()
    table.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=table.name):
        list(TextColumn(table, "text"))


def test_which_column_must_be_clear(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    words = arrow.array(["a", "b"]).dictionary_encode()
    parquet.write_table(arrow.table({"x": words, "y": ["c", "d"]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"2 text columns \(x, y\); choose one"):
        list(TextColumn(tmp_path / "t.parquet"))
    assert list(TextColumn(tmp_path / "t.parquet", "x")) == ["a", "b"]


def test_an_estimator_learns_from_one(table):
    fly = FlyHashVectorizer(n_kenyon_cells=4, hash_length=1, random_state=0)
    assert set(fly.fit(TextColumn(table)).vocabulary_) == {"one", "fly", "fällt", "auf"}


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"skfly\[arrow\]"):
        list(TextColumn(tmp_path / "t.parquet"))
