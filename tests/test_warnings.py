"""Where warnings are errors from the start (``python -W error``): imports and the command.

The tests themselves run so, but pytest has imported much before it.
"""

import subprocess
import sys
import warnings

import pytest
from sklearn.pipeline import make_pipeline

from skfly import SmallTextWarning, VocabularyWarning, _messages, vectorizer

EVERY_MODULE = """
import importlib, pkgutil, skfly
names = [module.name for module in pkgutil.walk_packages(skfly.__path__, "skfly.")]
for name in names:
    if not name.endswith("__main__") and not name.startswith("skfly.adapters."):  # need packages
        importlib.import_module(name)
print(len(names))
"""


def run(*args):
    return subprocess.run(
        [sys.executable, "-W", "error", *args], capture_output=True, text=True, check=False
    )


def test_no_module_warns_when_imported():
    pytest.importorskip("gensim")
    done = run("-c", EVERY_MODULE)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


@pytest.mark.slow
def test_the_command_does_not_warn(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ripe fruit for the fly\nmoney from the bank\n" * 6000)
    model = str(tmp_path / "model")
    trained = run(
        "-m", "skfly.cli", "train", str(text), "-o", model, "--quiet",
        "--cells", "8", "--hash-length", "2",
    )  # fmt: skip
    assert (trained.returncode, trained.stderr) == (0, "")
    found = run("-m", "skfly.cli", "neighbors", model, "fruit")
    assert (found.returncode, found.stderr) == (0, "")
    assert "ripe" in found.stdout


def test_a_small_text_can_be_filtered(make_fly, documents):
    with pytest.warns(SmallTextWarning) as caught:
        make_fly().fit(documents)
    assert [warning.filename for warning in caught] == [__file__]  # the line that called fit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SmallTextWarning)
        make_fly().fit(documents)


def test_max_features_that_leaves_out_words_says_so_once(make_fly, monkeypatch):
    monkeypatch.setattr(_messages, "_ANNOUNCED", set())
    text = ["one one one two two three", "one two three four"]
    with pytest.warns(VocabularyWarning, match=r"2 of 4 words, 30\.0% of the text"):
        make_fly(max_features=2).fit(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", VocabularyWarning)
        make_fly(max_features=2).fit(text)


def test_max_features_that_keeps_all_says_nothing(make_fly, monkeypatch):
    monkeypatch.setattr(_messages, "_ANNOUNCED", set())
    text = ["one one two two three", "one two"] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", VocabularyWarning)
        make_fly(max_features=3).fit(text)
        make_fly(max_features=2, min_count=3).fit(text)


def test_a_small_cut_says_so_only_if_it_was_chosen(make_fly, monkeypatch):
    monkeypatch.setattr(_messages, "_ANNOUNCED", set())
    text = ["one two three"] * 10 + ["four"]  # one word in 31
    with warnings.catch_warnings():
        warnings.simplefilter("error", VocabularyWarning)
        monkeypatch.setattr(vectorizer, "_DEFAULT_WORDS", 3)
        make_fly(max_features=3).fit(text)
        monkeypatch.undo()
    monkeypatch.setattr(_messages, "_ANNOUNCED", set())
    with pytest.warns(VocabularyWarning, match=r"1 of 4 words, 3\.2% of the text"):
        make_fly(max_features=3).fit(text)


def test_a_warning_names_the_line_below_cached_pipelines(make_fly, documents, tmp_path):
    model = make_pipeline(make_fly(), "passthrough", memory=str(tmp_path))
    with pytest.warns(SmallTextWarning) as caught:
        model.fit(documents)
    assert [warning.filename for warning in caught] == [__file__]
