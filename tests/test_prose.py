"""The check of the prose: it reads prose, not code, and says what is better."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the pages are not here")


@pytest.fixture
def check(monkeypatch, tmp_path):
    """Return the findings in a file with a text."""
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.delitem(sys.modules, "check_prose", raising=False)
    import check_prose

    def findings(name, text):
        (tmp_path / name).write_text(text)
        return [
            (line, words)
            for line, words, _ in check_prose.findings(tmp_path / name, check_prose.read_rules())
        ]

    return findings


def test_pages_are_read_without_their_code(check):
    page = "Codes are\nmade anew.\n\n>>> print('anew')\n\nThe word ``anew`` is quoted.\n"
    assert check("page.rst", page) == [(2, "anew")]


def test_a_phrase_may_go_over_the_end_of_a_line(check):
    assert check("page.md", "We went on\nwith here.\n```\nanew\n```\n") == [(1, "went on with")]


def test_modules_are_read_for_docstrings_and_messages(check):
    module = 'def anew():\n    """Learn anew."""\n    raise ValueError("what computes: here")\n'
    assert check("module.py", module) == [(2, "Learn anew"), (2, "anew"), (3, "what computes")]


def test_names_are_written_as_their_owners_write_them(check):
    page = "A TF-IDF of Scikit-learn, ``Gensim``, tf-idf.\n"
    assert sorted(check("page.md", page)) == [(1, "Scikit-learn"), (1, "TF-IDF")]


def test_what_is_better_is_said(check):
    import check_prose

    page = check_prose.ROOT / "README.md"
    assert list(check_prose.findings(page, check_prose.read_rules())) == []
    told = {message for _, message, _ in check_prose.read_rules()}
    assert told == {"'%s' is better than '%s'", "leave out '%s'"}
