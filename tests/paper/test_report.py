"""The report: every experiment on small data, the page, the files, and what goes wrong."""

import csv
import re
from html.parser import HTMLParser

import pytest

import experiments
from page import page
from report import main, write_report
from section import Section, goal
from skfly.evaluation import Table


class Page(HTMLParser):
    """What a page has: its text, its open tags, and what it would load."""

    def __init__(self, html):
        super().__init__()
        self.text, self.open, self.loads, self.titles = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)


@pytest.fixture
def few_clusters(monkeypatch):
    """Cut trees of few words."""
    monkeypatch.setattr(experiments, "N_CLUSTERS", (3,))
    plain = experiments.word_clusters
    monkeypatch.setattr(
        experiments, "word_clusters", lambda models, **params: plain(models, (3, 5), **params)
    )


def test_all_that_can_be_run_is_run_and_the_rest_is_told(
    fitted, data, vectors, documents, tmp_path, few_clusters, fingerprint
):
    before = fingerprint(fitted)
    told = []
    report = write_report(
        fitted,
        data,
        tmp_path / "out",
        name="<my> fly",
        vectors={"word2vec": vectors},
        corpus=documents,
        experiments=["similarity", "codes", "contexts", "clusters", "documents", "curve"],
        on_progress=lambda *what: told.append(what),
    )
    assert fingerprint(fitted) == before
    assert report.path == tmp_path / "out" / "index.html"
    html = Page(report.path.read_text())
    assert html.open == []
    text = "".join(html.text)
    assert "How good is <my> fly?" in text
    assert "Failed" not in text
    assert html.titles[:2] == ["What was reached", "Missing datasets"]
    assert "TREC-6: not run. there is no file" in text
    assert "SCWS: not run." in text
    assert all(load.startswith("data:") for load in html.loads)
    names = {path.stem for path in (tmp_path / "out").glob("*.csv")}
    assert names >= {"word_similarity", "codes", "contexts", "contexts-glove", "contexts-word2vec"}
    assert names >= {"context_neighbors", "clusters", "documents", "goals"}
    assert {experiment for experiment, _ in told} >= {"codes", "contexts", "clusters", "documents"}
    assert report.goals.values("experiment") == ["codes", "clusters"]
    with open(tmp_path / "out" / "goals.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(report.goals)


def test_vectors_are_reported_too(vectors, data, tmp_path, few_clusters):
    chosen = ["similarity", "codes", "contexts", "clusters", "documents"]
    report = write_report(vectors, data, tmp_path / "out", name="dense", experiments=chosen)
    text = "".join(Page(report.path.read_text()).text)
    assert "Failed" not in text
    assert "dense, averaged, LinearSVC" in text
    assert report.notes["Codes by hash length"] == [
        "Not run: it needs a model of skfly, and word vectors beside it."
    ]


def test_without_datasets_the_page_says_so(fitted, tmp_path):
    (tmp_path / "empty").mkdir()
    report = write_report(fitted, tmp_path / "empty", tmp_path / "out", experiments=["similarity"])
    assert set(report.missing) == {"MEN", "WS353", "SimLex", "RW", "RG", "MTurk-287"}
    assert len(report.goals) == 0
    assert "There was nothing to compare with." in report.path.read_text()


def test_an_experiment_that_fails_does_not_stop_the_others(fitted, data, tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError("no room")

    monkeypatch.setitem(experiments.EXPERIMENTS, "clusters", ("Clusters", fail))
    report = write_report(fitted, data, tmp_path / "out", experiments=["clusters", "similarity"])
    assert report.notes["Clusters"] == ["Failed: no room"]
    assert (tmp_path / "out" / "word_similarity.csv").exists()


def test_figures_are_compared_with_an_earlier_report(fitted, vectors, data, tmp_path):
    options = {"experiments": ["similarity", "contexts"]}
    write_report(fitted, data, tmp_path / "old", **options)
    path = tmp_path / "old" / "word_similarity.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    higher = float(rows[0]["spearman"]) + 5
    path.write_text(
        "dataset,hash_length,spearman\n"
        f"men,4,{higher}\n"  # names in any case
        "MEN,8,-50\nRG,4,\nelsewhere,4,9\n"
    )
    report = write_report(fitted, data, tmp_path / "new", reference=tmp_path / "old", **options)
    found = [(goal.experiment, goal.what, goal.verdict) for goal in report.goals.rows]
    assert found == [
        ("word_similarity", "dataset MEN, hash length 4", "missed"),
        ("word_similarity", "dataset MEN, hash length 8", "reached"),
        ("contexts", "dataset WiC", "reached"),
        ("contexts-glove", "dataset WiC", "reached"),
    ]
    assert report.goals.rows[0].reference == higher
    with pytest.raises(NotADirectoryError, match="there is no directory"):
        write_report(fitted, data, tmp_path / "new", reference=tmp_path / "none")


def test_the_curve_needs_a_text(fitted, data, documents, tmp_path):
    report = write_report(fitted, data, tmp_path / "out", experiments=["curve"])
    assert "Not run" in report.notes["Training curve"][0]


def test_an_unknown_experiment(fitted, data, tmp_path):
    with pytest.raises(ValueError, match=r"experiments are similarity, .*; got 'magic'"):
        write_report(fitted, data, tmp_path / "out", experiments=["magic"])
    assert not (tmp_path / "out").exists()


def test_what_is_missed_is_shown_as_missed():
    section = Section("S", "how")
    section.goals = [
        goal("similarity", "MEN", 30.0, 34.0),
        goal("similarity", "RG", 35.0, 34.0),
        goal("similarity", "RW", None, 34.0),
    ]
    html = page("t", [section], {}, {}, {}, 1.0)
    assert re.findall(r'<td class="(\w+)">(\w+)</td>', html) == [
        ("missed", "missed"),
        ("reached", "reached"),
    ]
    assert "<td>not measured</td>" in html


def test_words_are_shown_as_they_are():
    table = Table([{"<i>": "<script>alert(1)</script>"}], title="<b>")
    section = Section("S", "", {"t": table}, notes=["<script>"])
    html = page("<title>", [section], {"<s>": "<s>"}, {}, {"<m>": "<m>"}, 1.0)
    assert "<script" not in html
    assert "<m>" not in html


def test_the_script(fitted, data, tmp_path, capsys):
    fitted.save(tmp_path / "fly.skfly")
    places = ["--data", str(data), "-o", str(tmp_path / "out")]
    main([str(tmp_path / "fly.skfly"), *places, "--experiments", "similarity"])
    out, err = capsys.readouterr()
    assert out.startswith(f"{tmp_path}/out/index.html: of ")
    assert "similarity: done in " in err
    assert "RW: not run: no such file" in err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "goals.csv",
        "word_similarity.csv",
    }
