"""The training curve: a point an epoch, through the estimator's callback."""

import csv

import pytest

from skfly.evaluation import CurveRow, CurveTable, TrainingCurve, word_similarity

PAIRS = {
    "mine": [
        ("fly", "fruit", 9.0),
        ("bank", "loan", 8.0),
        ("peach", "ripe", 7.0),
        ("fly", "bank", 1.0),
        ("ripe", "money", 2.0),
    ]
}


def test_every_epoch_has_a_point(make_fly, documents):
    pytest.importorskip("sklearn.callback")
    curve = TrainingCurve(PAIRS, hash_lengths=(4, 8))
    fly = make_fly(n_epochs=3).set_callbacks(curve)
    fly.fit(documents)
    fly.fit(documents)  # it begins anew
    rows = curve.table.rows
    assert [(row.epoch, row.hash_length) for row in rows] == [
        (epoch, length) for epoch in (1, 2, 3) for length in (4, 8)
    ]
    assert [row.energy for row in rows[::2]] == fly.energy_
    last = word_similarity(fly, PAIRS, [4, 8])
    assert [row.spearman for row in rows[-2:]] == [row.spearman for row in last.rows]
    assert rows[0].seconds < rows[-1].seconds


def test_the_table_is_written_and_drawn(tmp_path):
    table = CurveTable(
        [
            CurveRow(1, 2.0, "RG", 4, None, -1.0),
            CurveRow(1, 2.0, "RG", 8, 40.0, -1.0),
            CurveRow(2, 4.0, "RG", 8, 50.0, -2.0),
        ]
    )
    assert str(table).splitlines()[2:] == [
        "| 1 | 2.0 | -1 | - | 40.0 |",
        "| 2 | 4.0 | -2 | - | 50.0 |",
    ]
    table.to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        assert [row["spearman"] for row in csv.DictReader(file)] == ["", "40.0", "50.0"]
    pytest.importorskip("matplotlib")
    ax = table.plot(tmp_path / "t.png")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RG, k=4", "RG, k=8"]
