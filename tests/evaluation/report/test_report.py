"""The report: every experiment on small data, the page, the files, and what goes wrong."""

import csv
import re
from html.parser import HTMLParser

import pytest

from skfly.evaluation.report import _experiments as experiments
from skfly.evaluation.report import write_report
from skfly.evaluation.report._page import page
from skfly.evaluation.report._paper import BINARIZED, WORD_SIMILARITY, of_codes
from skfly.evaluation.report._section import Goal, Grid, Section


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
    assert "(paper 34.0" in text  # MEN, hash length 4
    assert "(paper 57.7" in text  # WiC
    assert "paper: TextCNN on the fly's codes" in text
    assert all(load.startswith("data:") for load in html.loads)
    names = {path.stem for path in (tmp_path / "out").glob("*.csv")}
    assert names >= {"word_similarity", "codes", "contexts", "contexts-glove", "contexts-word2vec"}
    assert names >= {"context_neighbors", "clusters", "documents", "goals"}
    assert {experiment for experiment, _ in told} >= {"codes", "contexts", "clusters", "documents"}
    experiments_with_goals = {goal.experiment for goal in report.goals}
    assert experiments_with_goals >= {"words in context", "codes", "clusters"}
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
    assert report.goals == []
    assert "None of the paper's figures was measured." in report.path.read_text()


def test_an_experiment_that_fails_does_not_stop_the_others(fitted, data, tmp_path, monkeypatch):
    def fail(_):
        raise MemoryError("no room")

    monkeypatch.setitem(experiments.EXPERIMENTS, "clusters", fail)
    report = write_report(fitted, data, tmp_path / "out", experiments=["clusters", "similarity"])
    assert report.notes["Clusters"] == ["Failed: no room"]
    assert (tmp_path / "out" / "word_similarity.csv").exists()


def test_textcnn_without_pytorch_is_told(fitted, data, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "find_spec", lambda name: None)
    report = write_report(fitted, data, tmp_path / "out", experiments=["textcnn"])
    assert 'pip install "skfly[torch]"' in report.notes["Document classification, TextCNN"][0]


def test_textcnn(fitted, data, tmp_path, monkeypatch):
    pytest.importorskip("skorch")
    plain = experiments.TextCNNClassifier
    monkeypatch.setattr(
        experiments,
        "TextCNNClassifier",
        lambda *args, **params: plain(*args, n_filters=4, max_epochs=2, **params),
    )
    report = write_report(fitted, data, tmp_path / "out", experiments=["textcnn"])
    [goal] = report.goals
    assert (goal.experiment, goal.what, goal.paper) == ("TextCNN", "SST-2", 77.1)


def test_the_curve_needs_a_text(fitted, data, documents, tmp_path):
    report = write_report(fitted, data, tmp_path / "out", experiments=["curve"])
    assert "Not run" in report.notes["Training curve"][0]


def test_an_unknown_experiment(fitted, data, tmp_path):
    with pytest.raises(ValueError, match=r"experiments are similarity, .*; got 'magic'"):
        write_report(fitted, data, tmp_path / "out", experiments=["magic"])
    assert not (tmp_path / "out").exists()


def test_what_is_missed_is_shown_as_missed():
    section = Section("S", "how", [Grid("g", ["k"], [["30.0 (paper 34.0: missed)"], ["35.0"]])])
    section.goals = [
        Goal.at_least("similarity", "MEN", 30.0, 34.0),
        Goal.at_least("similarity", "RG", 35.0, 34.0),
        Goal.at_least("similarity", "RW", None, 34.0),
    ]
    html = page("t", [section], {}, {}, {}, 1.0)
    assert '<td class="missed">30.0 (paper 34.0: missed)</td>' in html
    assert re.findall(r'<td class="(\w[\w ]*)">(?:missed|reached|not measured)<', html) == [
        "missed",
        "reached",
        "not measured",
    ]


def test_words_are_shown_as_they_are():
    section = Section("S", "", [Grid("<b>", ["<i>"], [["<script>alert(1)</script>"]])])
    section.notes = ["<script>"]
    html = page("<title>", [section], {"<s>": "<s>"}, {}, {"<m>": "<m>"}, 1.0)
    assert "<script" not in html
    assert "<m>" not in html


def test_the_figures_of_the_paper_are_complete():
    assert {len(scores) for scores in WORD_SIMILARITY.values()} == {7}
    assert len(WORD_SIMILARITY) == 6
    for scores in BINARIZED.values():
        for dataset in WORD_SIMILARITY:
            for method in ("LSH", "RandExp", "ITQ", "SH", "PCAH"):
                assert list(scores[dataset, method]) == [4, 8, 16, 32, 64, 128]
    assert of_codes("my word2vec", "PCAH", "MTurk-287", 64) == 64.2
    assert of_codes("glove", "dense", "RG", None) == 74.2
    assert of_codes("glove", "NLB", "RG", 64) is None
