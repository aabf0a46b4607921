"""The table: looked up, printed, written, drawn, averaged."""

import copy
import csv
import io
import json
import pickle
import statistics
import sys

import numpy as np
import pytest

from skfly.evaluation import Table, mean_over_seeds
from skfly.evaluation._table import Chart, Column, Grid, Score
from skfly.evaluation._word_similarity import _CHART, _GRID, COLUMNS


def row(dataset, hash_length, spearman, n_pairs, n_pairs_in_all, std=None, n_runs=1):
    return {
        "dataset": dataset,
        "hash_length": hash_length,
        "spearman": None if spearman is None else Score(spearman, std),
        "n_pairs": n_pairs,
        "n_pairs_in_all": n_pairs_in_all,
        "n_runs": n_runs,
    }


def similarity(*rows):
    return Table([row(*values) for values in rows], COLUMNS, grid=_GRID, chart=_CHART)


def table_of(*scores, n_pairs=60):
    return similarity(
        *(("RG", k, score, n_pairs, 65) for k, score in zip((4, 16), scores, strict=True))
    )


TABLE = similarity(
    ("RG", 4, 40.04, 60, 65),
    ("MEN", 4, -3.16, 9, 10),
    ("RG", 16, 50.0, 60, 65, 1.25, 3),
    ("MEN", 16, None, 9, 10),
    ("RG", None, 61.0, 60, 65),
)


class TestScore:
    def test_it_is_a_number_that_shows_its_deviation(self):
        score = Score(51.27, 1.04)
        assert score + 1 == 52.27
        assert (f"{score:.1f}", f"{Score(51.27):.1f}") == ("51.3 +- 1.0", "51.3")
        assert json.dumps(score) == "51.27"

    def test_the_deviation_is_that_of_a_sample(self):
        score = Score.mean([1.0, 2.0, 6.0])
        assert (score, score.std) == (3.0, statistics.stdev([1.0, 2.0, 6.0]))
        assert Score.mean([5.0]).std is None

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    def test_copies_keep_the_deviation(self, copied):
        assert copied(Score(1.0, 0.5)).std == 0.5


class TestLookUp:
    def test_rows_have_the_columns_as_attributes(self):
        found = TABLE.rows[2]
        assert (found.dataset, found.hash_length, found.spearman, found.std) == (
            "RG",
            16,
            50.0,
            1.25,
        )
        assert found.spearman.std == 1.25
        assert TABLE.rows[0].std is None
        assert repr(found).startswith("Row(dataset='RG', hash_length=16, spearman=50.0, std=1.25")

    def test_one_score(self):
        assert TABLE.score("RG", 4) == TABLE.score(dataset="RG", hash_length=4) == 40.04
        assert TABLE.score("RG") == 61.0
        assert TABLE.score("MEN", 16) is None
        with pytest.raises(KeyError, match="no row with dataset='MEN', hash_length=8"):
            TABLE.score("MEN", 8)

    @pytest.mark.parametrize(("key", "named"), [(("RG", 4, 5), {}), (("RG",), {"n_runs": 1})])
    def test_what_is_no_key(self, key, named):
        with pytest.raises(TypeError, match="the key is dataset, hash_length"):
            TABLE.row(*key, **named)

    def test_different_values(self):
        assert TABLE.values("hash_length") == [4, 16, None]
        assert len(TABLE) == 5

    def test_equal_tables_have_equal_rows(self):
        assert table_of(1.0, 2.0) == table_of(1.0, 2.0) != table_of(1.0, 2.5)
        with_deviation = similarity(("RG", 4, 1.0, 60, 65, 0.1))
        assert with_deviation != similarity(("RG", 4, 1.0, 60, 65))

    def test_a_table_can_be_pickled(self):
        read = pickle.loads(pickle.dumps(TABLE))
        assert read == TABLE
        assert str(read) == str(TABLE)


class TestShow:
    def test_markdown(self):
        assert str(TABLE).splitlines() == [
            "| hash length | RG | MEN |",
            "|---|---|---|",
            "| 4 | 40.0 | -3.2 |",
            "| 16 | 50.0 +- 1.2 | - |",
            "| dense | 61.0 | - |",
            "| pairs | 60 of 65 | 9 of 10 |",
        ]

    def test_text(self):
        table = Table([{"name": "a", "score": 10.0}, {"name": "longer", "score": 9.5}])
        table.title, table.notes = "Scores", ("of today",)
        assert table.to_text().splitlines() == [
            "Scores",
            "name    score",
            "a        10.0",
            "longer    9.5",
            "of today",
        ]

    def test_html_is_escaped(self):
        table = Table([{"<i>": "<script>"}], title="<b>", notes=["<s>"])
        assert table.to_html() == (
            "<table><caption>&lt;b&gt;</caption><tr><th>&lt;i&gt;</th></tr>"
            "<tr><td>&lt;script&gt;</td></tr></table><p>&lt;s&gt;</p>"
        )
        assert table._repr_html_() == table.to_html()

    def test_markdown_is_escaped(self):
        assert "| a\\|b c |" in str(Table([{"x": "a|b\nc"}]))

    def test_a_table_without_rows(self):
        empty = similarity()
        assert str(empty).splitlines()[0] == "| hash length |"
        assert empty.to_csv().startswith("dataset,hash_length,spearman,std,")
        assert Table([]).to_html() == "<table><tr></tr></table>"

    def test_headings_are_in_order_and_the_best_are_bold(self):
        columns = [Column("name", "key", "name"), Column("k", "key", "k", missing="dense")]
        rows = [
            {"name": "a", "k": None, "score": 90.0},
            {"name": "a", "k": 8, "score": 10.0},
            {"name": "b", "k": 4, "score": 20.0},
            {"name": "b", "k": 8, "score": 30.0},
        ]
        grid = Grid(("name",), ("k",), "score", best_of=("k",))
        table = Table(rows, [*columns, Column("score", "value")], grid=grid)
        assert str(table).splitlines() == [
            "| name | 4 | 8 | dense |",
            "|---|---|---|---|",
            "| a | - | 10.0 | 90.0 |",
            "| b | **20.0** | **30.0** | - |",
        ]
        assert "<b>30.0</b>" in table.to_html()

    def test_numbers_of_numpy_become_plain_ones(self):
        table = Table([{"n": np.int64(3), "score": np.float32(0.5)}])
        assert table.to_dict() == {"rows": [{"n": 3, "score": 0.5}]}
        assert type(table.rows[0].n) is int


class TestFiles:
    def test_csv_and_json_hold_the_rows(self, tmp_path):
        text = TABLE.to_csv(tmp_path / "t.csv")
        TABLE.to_json(tmp_path / "t.json")
        assert (tmp_path / "t.csv").read_text() == text
        rows = list(csv.DictReader(io.StringIO(text)))
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
        assert read == TABLE.to_dict() == {"rows": [vars(row) for row in TABLE.rows]}
        assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "t.json"}

    def test_title_and_notes_are_in_json(self):
        table = Table([{"x": 1}], title="Numbers", notes=["whole"])
        assert json.loads(table.to_json()) == {
            "title": "Numbers",
            "notes": ["whole"],
            "rows": [{"x": 1}],
        }

    def test_nothing_is_left_of_a_file_that_cannot_be_written(self, tmp_path):
        (tmp_path / "t.csv").mkdir()
        with pytest.raises(OSError, match=r"t\.csv"):
            TABLE.to_csv(tmp_path / "t.csv")
        assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


class TestPlot:
    @pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
    def test_into_a_file(self, tmp_path, suffix, begins):
        pytest.importorskip("matplotlib")
        TABLE.plot(tmp_path / f"t{suffix}")
        assert (tmp_path / f"t{suffix}").read_bytes().startswith(begins)
        assert len(list(tmp_path.iterdir())) == 1

    def test_a_line_for_each_dataset(self):
        pytest.importorskip("matplotlib")
        from matplotlib.figure import Figure

        ax = Figure().subplots()
        assert TABLE.plot(ax) is ax
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RG", "MEN"]
        red, blue = ax.containers
        assert red[0].get_xydata().tolist() == [[4, 40.04], [16, 50.0]]
        assert blue[0].get_xydata().tolist() == [[4, -3.16]]  # no score at 16
        assert [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"] == [61.0]
        assert TABLE.plot() is not ax

    def test_one_part_at_a_time(self):
        pytest.importorskip("matplotlib")
        chart = Chart("x", "y", ("name",), ("x", "y"), split="part")
        names = zip("aab", (1, 2, 1), strict=True)
        rows = [{"name": n, "part": p, "x": 1.0, "y": Score(2.0, 0.1)} for n, p in names]
        table = Table(rows, chart=chart)
        assert table.plot().get_title() == "part: 1"
        assert len(table.plot().containers) == 2
        assert len(table.plot(part=2).containers) == 1
        with pytest.raises(ValueError, match="no rows to draw with part=3"):
            table.plot(part=3)

    def test_without_a_chart(self):
        with pytest.raises(ValueError, match="cannot be drawn"):
            Table([{"x": 1.0}]).plot()

    def test_without_matplotlib_the_extra_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(ImportError, match=r"pip install .skfly\[plot\]"):
            TABLE.plot("t.png")


class TestMean:
    def test_mean_and_standard_deviation(self):
        scores = [50.0, 53.0, 51.5]
        mean = mean_over_seeds(table_of(score, 60.0) for score in scores)
        assert mean == similarity(
            ("RG", 4, 51.5, 60, 65, statistics.stdev(scores), 3),
            ("RG", 16, 60.0, 60, 65, 0.0, 3),
        )
        assert "| 4 | 51.5 +- 1.5 |" in str(mean)

    def test_of_one_there_is_no_deviation_and_no_score_has_no_mean(self):
        assert mean_over_seeds([table_of(1.0, None)]) == table_of(1.0, None)
        mean = mean_over_seeds([table_of(1.0, None), table_of(2.0, 3.0)])
        assert mean.score("RG", 16) is None
        assert mean.rows[1].std is None

    def test_what_else_differs_is_none(self):
        columns = [Column("dataset", "key"), Column("score", "value"), Column("window")]
        tables = [
            Table([{"dataset": "WiC", "score": 1.0, "window": window}], columns)
            for window in (5, 11)
        ]
        [found] = mean_over_seeds(tables).rows
        assert (found.window, found.n_runs) == (None, 2)

    @pytest.mark.parametrize(
        ("tables", "message"),
        [
            ([], "no results"),
            ([table_of(1.0, 2.0), table_of(1.0, 2.0, n_pairs=59)], "pass pairs_known_to"),
            ([table_of(1.0, 2.0), TABLE], "mean already"),
            ([table_of(1.0, 2.0), similarity()], "different datasets"),
        ],
    )
    def test_results_that_have_no_mean(self, tables, message):
        with pytest.raises(ValueError, match=message):
            mean_over_seeds(tables)
