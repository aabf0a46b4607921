"""What commands print: layouts, notices, and what was kept after Ctrl-C."""

import csv
import io
import json
import sys
from types import SimpleNamespace

import pytest

from skfly import EncodedCorpus
from skfly.cli import _train
from skfly.cli._console import Layout, Rows, in_one_line
from skfly.fit import Checkpoints

SMALL = ("--cells", "20", "--hash-length", "4", "--quiet")


def test_neighbours_as_csv_have_one_header(skfly, model):
    out = skfly("neighbors", model, "fly", "fruit", "-n", 2, "--format", "csv").out
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["word", "neighbor", "cells shared"]
    assert [row[0] for row in rows] == ["fly", "fly", "fruit", "fruit"]
    near = json.loads(skfly("neighbors", model, "fly", "-n", 2, "--json").out)["neighbors"]
    assert [[word, int(shared)] for _, word, shared in rows[:2]] == near


@pytest.mark.parametrize(
    ("args", "header"),
    [
        (["neighbors", "{model}", "fly"], "| word | neighbor | cells shared |"),
        (["context", "{model}", "fly", "a fly"], "| sentence | neighbor | cells shared |"),
        (["cells", "{model}", "a fly"], "| text | cell | name | activation | words |"),
        (["info", "{model}"], "| model | property | value |"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_markdown(skfly, model, args, header):
    code, out, _ = skfly(*(arg.format(model=model) for arg in args), "--format", "markdown")
    lines = out.splitlines()
    assert (code, lines[0]) == (0, header)
    assert len(lines) > 2
    assert {line.count(" | ") for line in lines} == {header.count(" | ")}


def test_search_as_csv(skfly, model, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("ripe fruit\nbanks lend\n")
    index = tmp_path / "notes.idx"
    assert skfly("index", notes, "-o", index, "--by", "line", "--model", model, "-q").code == 0
    header, *rows = csv.reader(io.StringIO(skfly("search", index, "fruit", "--format", "csv").out))
    assert header == ["query", "score", "document", "passage"]
    assert rows[0][2:] == [f"{notes}:1", "ripe fruit"]


def test_a_bar_in_a_cell_does_not_end_it_in_markdown(capsys):
    rows = Rows(Layout.MARKDOWN, "text", "word")
    rows.print("a | b", [["c"]], plain=None)
    assert capsys.readouterr().out == "| text | word |\n| --- | --- |\n| a \\| b | c |\n"


def test_a_terminal_gets_a_table(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    Rows(None, "word", "neighbor").print("fly", [["moth"]], plain=None)
    title, _, header, _, row, _ = capsys.readouterr().out.splitlines()
    assert (title, header, row) == ("fly", "│ neighbor │", "│ moth     │")


def test_evaluations_as_csv(skfly, model, tmp_path):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("fly fruit 5\nbanks money 9\nfly money 1\n")
    args = ("evaluate", "words", model, "--wordsim", pairs, "-q")
    rows = csv.DictReader(io.StringIO(skfly(*args, "--format", "csv").out))
    assert {row["dataset"] for row in rows} == {"pairs"}
    assert skfly(*args, "--format", "markdown").out == skfly(*args).out


def test_an_evaluation_does_not_replace_a_file(skfly, model, text):
    before = text.read_text()
    code, _, err = skfly("evaluate", "words", model, "--csv", text)
    assert (code, err) == (2, f"skfly: error: {text} exists; --force replaces it\n")
    assert text.read_text() == before


def test_waiting_for_a_terminal_is_announced(skfly, model, monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    monkeypatch.setattr(io, "TextIOWrapper", Terminal)
    code, out, err = skfly("neighbors", model, "-", stdin=b"")
    assert (code, out) == (0, "")
    assert err.startswith("skfly: reading standard input, line by line; Ctrl-D ends it")


def test_how_lines_are_split_is_said_unless_it_was_chosen(skfly, text, tmp_path):
    small = SMALL[:-1]
    assert "--sentences punctuation" in skfly("train", text, "-o", tmp_path / "a", *small).err
    chosen = (*small, "--sentences", "line")
    assert "--sentences" not in skfly("train", text, "-o", tmp_path / "b", *chosen).err


def test_errors_name_options(skfly, text, tmp_path):
    _, _, err = skfly("train", text, "-o", tmp_path / "a", *SMALL, "--min-count", "1000")
    assert "fewer than --min-count 1000 times" in err


class Interrupted:
    """Stands for the training of a user who presses Ctrl-C."""

    def __init__(self, before=lambda: None):
        self.before = before

    def __call__(self, *_):
        self.before()
        raise KeyboardInterrupt


def test_ctrl_c_says_that_no_model_was_written(skfly, text, tmp_path, monkeypatch):
    monkeypatch.setattr(_train, "_train", Interrupted())
    code, out, err = skfly("train", text, "-o", tmp_path / "a", *SMALL)
    assert (code, out, err) == (130, "", "\nskfly: interrupted; no model was written\n")


def test_ctrl_c_says_that_there_is_no_checkpoint_yet(skfly, text, tmp_path, monkeypatch):
    monkeypatch.setattr(_train, "_train", Interrupted())
    state = tmp_path / "state"
    _, _, err = skfly("train", text, "-o", tmp_path / "a", *SMALL, "--checkpoint", state)
    assert "and no checkpoint: the first comes after a minute" in err


def test_ctrl_c_says_that_there_is_encoded_text_but_no_checkpoint(
    skfly, text, tmp_path, monkeypatch
):
    ids = tmp_path / "ids"
    monkeypatch.setattr(
        _train, "_train", Interrupted(lambda: EncodedCorpus.from_documents(["a fly"]).save(ids))
    )
    kept = ("--checkpoint", tmp_path / "state", "--encoded-corpus", ids)
    _, _, err = skfly("train", text, "-o", tmp_path / "a", *SMALL, *kept)
    assert "and no checkpoint: the first comes after a minute" in err
    assert f"{ids} has the encoded text" in err


def test_ctrl_c_says_where_the_run_continues(skfly, text, tmp_path, monkeypatch):
    state = tmp_path / "state"
    keep = Interrupted(lambda: Checkpoints(state, {"seed": 0}).save({}, {}))
    monkeypatch.setattr(_train, "_train", keep)
    code, _, err = skfly("train", text, "-o", tmp_path / "a", *SMALL, "--checkpoint", state)
    assert code == 130
    assert f"{state} has the state of the run: the same command with --resume" in err


def test_a_suggested_command_is_followed_by_a_sentence():
    error = ValueError("No such command 'inof'. Did you mean 'info'?")
    error.ctx = SimpleNamespace(command_path="skfly")
    expected = "No such command 'inof'. Did you mean 'info'? See 'skfly --help'"
    assert in_one_line(error) == expected
