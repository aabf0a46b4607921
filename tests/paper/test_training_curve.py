"""The training curve: a point an epoch, through the estimator's callback."""

import csv

import pytest

from skfly.evaluation import word_similarity
from training_curve import TrainingCurve

PAIRS = {
    "mine": [
        ("fly", "fruit", 9.0),
        ("bank", "loan", 8.0),
        ("peach", "ripe", 7.0),
        ("fly", "bank", 1.0),
        ("ripe", "money", 2.0),
    ]
}


def test_every_epoch_has_a_point(make_lloyd, documents):
    pytest.importorskip("sklearn.callback")
    curve = TrainingCurve(PAIRS, hash_lengths=(4, 8))
    fly = make_lloyd(n_epochs=3).set_callbacks(curve)
    fly.fit(documents)
    fly.fit(documents)  # starts a new table
    rows = curve.table.rows
    assert [(row.epoch, row.hash_length) for row in rows] == [
        (epoch, length) for epoch in (1, 2, 3) for length in (4, 8)
    ]
    assert [row.energy for row in rows[::2]] == fly.energy_
    last = word_similarity(fly, PAIRS, [4, 8])
    assert [row.spearman for row in rows[-2:]] == [row.spearman for row in last.rows]
    assert rows[0].seconds < rows[-1].seconds


class Context:
    def __init__(self, epoch):
        self.task_id = epoch


def test_the_table_is_written_and_drawn(fitted, tmp_path):
    curve = TrainingCurve(PAIRS, hash_lengths=(4, 8))
    for epoch, seconds in enumerate((2.0, 4.0)):
        told = {"seconds": seconds, "energy": -1.0 - epoch}
        curve.on_fit_task_end(None, Context(epoch), metadata=told, fitted_estimator=fitted)
    scores = [f"{row.spearman:.1f}" for row in word_similarity(fitted, PAIRS, [4, 8]).rows]
    assert str(curve.table).splitlines() == [
        "| epoch | seconds | energy | mine, k=4 | mine, k=8 |",
        "|---|---|---|---|---|",
        f"| 1 | 2.0 | -1 | {' | '.join(scores)} |",
        f"| 2 | 4.0 | -2 | {' | '.join(scores)} |",
    ]
    curve.table.to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        assert [row["seconds"] for row in csv.DictReader(file)] == ["2.0", "2.0", "4.0", "4.0"]
    pytest.importorskip("matplotlib")
    ax = curve.table.plot(tmp_path / "t.png")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["mine, 4", "mine, 8"]
