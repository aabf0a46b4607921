"""The table of scores: printed, written, drawn."""

import csv
import json
import statistics
import sys

import pytest

from skfly.evaluation import WordSimilarityRow, WordSimilarityTable, mean_over_seeds


def table_of(*scores, n_pairs=60):
    return WordSimilarityTable(
        [
            WordSimilarityRow("RG", length, score, n_pairs, 65)
            for length, score in zip((4, 16), scores, strict=True)
        ]
    )


TABLE = WordSimilarityTable(
    [
        WordSimilarityRow("RG", 4, 40.04, 60, 65),
        WordSimilarityRow("MEN", 4, -3.16, 9, 10),
        WordSimilarityRow("RG", 16, 50.0, 60, 65, 1.25, 3),
        WordSimilarityRow("MEN", 16, None, 9, 10),
        WordSimilarityRow("RG", None, 61.0, 60, 65),
    ]
)


def test_as_text():
    assert str(TABLE).splitlines() == [
        "| hash length | RG | MEN |",
        "|---|---|---|",
        "| 4 | 40.0 | -3.2 |",
        "| 16 | 50.0 +- 1.2 | - |",
        "| dense | 61.0 | - |",
        "| pairs | 60 of 65 | 9 of 10 |",
    ]


def test_one_score():
    assert TABLE.score("RG", 4) == 40.04
    assert TABLE.score("RG") == 61.0
    assert TABLE.score("MEN", 16) is None
    with pytest.raises(KeyError, match="no score for 'MEN' at hash length 8"):
        TABLE.score("MEN", 8)


def test_csv_and_json_hold_the_rows(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv")
    TABLE.to_json(tmp_path / "t.json")
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[2] == {
        "dataset": "RG",
        "hash_length": "16",
        "spearman": "50.0",
        "n_pairs": "60",
        "n_pairs_in_all": "65",
        "std": "1.25",
        "n_runs": "3",
    }
    assert (rows[3]["spearman"], rows[4]["hash_length"]) == ("", "")
    read = json.loads((tmp_path / "t.json").read_text())
    assert [WordSimilarityRow(**row) for row in read["rows"]] == TABLE.rows
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "t.json"}


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OSError, match=r"t\.csv"):
        TABLE.to_csv(tmp_path / "t.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_plot_into_a_file(tmp_path, suffix, begins):
    pytest.importorskip("matplotlib")
    TABLE.plot(tmp_path / f"t{suffix}")
    assert (tmp_path / f"t{suffix}").read_bytes().startswith(begins)
    assert len(list(tmp_path.iterdir())) == 1


def test_plot_has_a_line_for_each_dataset():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert TABLE.plot(ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RG", "MEN"]
    red, blue = ax.containers
    assert red[0].get_xydata().tolist() == [[4, 40.04], [16, 50.0]]
    assert blue[0].get_xydata().tolist() == [[4, -3.16]]  # no score at 16
    assert TABLE.plot() is not ax


def test_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"install skfly\[plot\]"):
        TABLE.plot("t.png")


def test_mean_and_standard_deviation_over_seeds():
    scores = [50.0, 53.0, 51.5]
    mean = mean_over_seeds(table_of(score, 60.0) for score in scores)
    assert mean.rows == [
        WordSimilarityRow("RG", 4, 51.5, 60, 65, statistics.stdev(scores), 3),
        WordSimilarityRow("RG", 16, 60.0, 60, 65, 0.0, 3),
    ]


def test_mean_of_one_has_no_deviation_and_where_there_is_no_score_there_is_no_mean():
    assert mean_over_seeds([table_of(1.0, None)]).rows == table_of(1.0, None).rows
    mean = mean_over_seeds([table_of(1.0, None), table_of(2.0, 3.0)])
    assert mean.score("RG", 16) is None
    assert mean.rows[1].std is None


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "no results"),
        ([table_of(1.0, 2.0), table_of(1.0, 2.0, n_pairs=59)], "pass pairs_known_to"),
        ([table_of(1.0, 2.0), TABLE], "mean already"),
        ([table_of(1.0, 2.0), WordSimilarityTable([])], "same datasets"),
    ],
)
def test_results_that_have_no_mean(tables, message):
    with pytest.raises(ValueError, match=message):
        mean_over_seeds(tables)
