"""``skfly train``: what goes in, what comes out, and where."""

import bz2
import gzip
import json
import lzma
import os

import numpy as np
import pytest

from skfly import EncodedCorpus, FlyHashVectorizer
from skfly.cli._train import Backend
from skfly.engine import ENGINES

SMALL = ["--cells", "20", "--hash-length", "4", "--window", "5"]


def assert_same_coder(left, right):
    left, right = left.model_.coder.arrays, right.model_.coder.arrays
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


def test_train_writes_a_model_and_tells_about_it(skfly, text, tmp_path):
    path = tmp_path / "my.skfly"
    code, out, err = skfly("train", text, "-o", path, *SMALL)
    assert code == 0
    assert out.startswith(f"{path}: 13 words, learned from 300 words of text in ")
    assert out.count("\n") == 1
    assert "skfly: reading: 300 words" in err
    assert "skfly: counting: 300 words" in err
    fly = FlyHashVectorizer.load(path)
    assert fly.transform(["ripe fruit"]).nnz == 4


def test_train_as_json(skfly, text, tmp_path):
    path = tmp_path / "my.skfly"
    code, out, err = skfly("train", text, "-o", path, *SMALL, "--json", "--quiet")
    summary = json.loads(out)
    fly = FlyHashVectorizer.load(path)
    assert (code, err) == (0, "")
    assert summary.pop("seconds") > 0
    assert summary == {
        "model": str(path),
        "file_bytes": path.stat().st_size,
        "words": 13,
        "words_read": 300,
        "windows": fly.n_windows_seen_,
    }


def test_a_small_text_is_told_of(skfly, text, tmp_path):
    err = skfly("train", text, "-o", tmp_path / "m", *SMALL).err
    assert "skfly: warning: learning from fewer than 300,000 words" in err
    assert skfly("train", text, "-o", tmp_path / "quiet", *SMALL, "--quiet").err == ""


def test_quiet_training_says_nothing(skfly, text, tmp_path):
    assert skfly("train", text, "-o", tmp_path / "m", *SMALL, "--quiet") == (0, "", "")


def test_compressed_text_and_standard_input_give_the_same_model(skfly, text, tmp_path):
    sources = {"plain": text, "stdin": "-"}
    for suffix, opener in {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.items():
        sources[suffix] = tmp_path / f"text{suffix}"
        with opener(sources[suffix], "wb") as file:
            file.write(text.read_bytes())
    models = {}
    for name, source in sources.items():
        result = skfly("train", source, "-o", tmp_path / name, *SMALL, stdin=text.read_bytes())
        assert result.code == 0, result.err
        models[name] = FlyHashVectorizer.load(tmp_path / name)
    for fly in models.values():
        assert fly.vocabulary_ == models["plain"].vocabulary_
        assert_same_coder(fly, models["plain"])


@pytest.mark.parametrize(("how", "windows"), [("line", 3), ("punctuation", 1)])
def test_sentences_end_at_lines_or_also_at_punctuation(skfly, tmp_path, how, windows):
    options = ["--rule", "hebbian", "--epochs", "1", "--window", "3"]  # whole windows only
    result = skfly(
        *("train", "-", "-o", tmp_path / "m", "--sentences", how, *options, "--json"),
        stdin=b"one two. three four five.\n",
    )
    assert json.loads(result.out)["windows"] == windows


def test_options_reach_the_estimator(skfly, text, tmp_path):
    options = {
        "--cells": ("n_kenyon_cells", 30),
        "--hash-length": ("hash_length", 3),
        "--window": ("window", 3),
        "--vocabulary-size": ("max_features", 6),
        "--min-count": ("min_count", 2),
        "--rule": ("learning", "hebbian"),
        "--epochs": ("n_epochs", 2),
        "--batch-size": ("batch_size", 50),
        "--learning-rate": ("learning_rate", 0.01),
        "--subsample": ("subsample", 0.5),
        "--shrinkage": ("shrinkage", 2.0),
        "--jobs": ("n_jobs", 1),
        "--seed": ("random_state", 7),
        "--backend": ("backend", "numpy"),
        "--stop-words": ("stop_words", "english"),
        "--sentences": ("sentence_splitter", "punctuation"),
    }
    args = [word for option, (_, value) in options.items() for word in (option, value)]
    result = skfly("train", text, "-o", tmp_path / "m", *args, "--fold-numbers")
    assert result.code == 0, result.err
    params = FlyHashVectorizer.load(tmp_path / "m").get_params()
    expected = dict(options.values()) | {"fold_numbers": True}
    assert {name: params[name] for name in expected} == expected
    assert params["verbose"] == 0


def test_defaults_are_those_of_the_estimator(skfly, text, tmp_path):
    skfly("train", text, "-o", tmp_path / "m")
    about = json.loads(skfly("info", tmp_path / "m", "--json").out)
    assert about["changed_parameters"] == {"random_state": 0, "sentence_splitter": "line"}


def test_backends_are_those_there_are():
    assert {backend.value for backend in Backend} == set(ENGINES)


def test_text_in_another_encoding(skfly, tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("Käse und Brötchen\n".encode("latin-1"))
    code, _, err = skfly("train", path, "-o", tmp_path / "m")
    assert code == 2
    assert "cannot be read as utf-8" in err
    assert "--encoding" in err
    assert skfly("train", path, "-o", tmp_path / "m", "--encoding", "latin-1").code == 0
    assert "brötchen" in FlyHashVectorizer.load(tmp_path / "m").vocabulary_
    words = skfly("hash", tmp_path / "m", path, "--encoding", "latin-1", "--json").out
    assert json.loads(words)["text"] == "Käse und Brötchen"


# The encoded corpus


def test_encoded_corpus_is_kept_and_used_again(skfly, text, tmp_path):
    kept = tmp_path / "ids"
    args = ["--encoded-corpus", kept, *SMALL]
    first = skfly("train", text, "-o", tmp_path / "first", *args)
    assert first.code == 0, first.err
    text.unlink()
    again = skfly("train", text, "-o", tmp_path / "again", *args)
    direct = skfly("train", kept, "-o", tmp_path / "direct", *SMALL)
    assert (again.code, direct.code) == (0, 0)
    assert f"skfly: using {kept}; {text} is not read\n" in again.err
    assert "skfly: reading" in first.err
    assert "skfly: reading" not in again.err + direct.err
    models = [FlyHashVectorizer.load(tmp_path / name) for name in ("first", "again", "direct")]
    for fly in models[1:]:
        assert fly.get_params() == models[0].get_params()
        assert_same_coder(fly, models[0])
    assert EncodedCorpus.load(kept).n_documents == 60


def test_words_are_those_of_the_encoded_corpus_unless_told_otherwise(skfly, tmp_path):
    kept = tmp_path / "ids"
    args = ["--encoded-corpus", kept, *SMALL]
    skfly("train", "-", "-o", tmp_path / "m", *args, "--fold-numbers", stdin=b"in 1984 or so\n")
    assert skfly("train", kept, "-o", tmp_path / "same", *SMALL, "--quiet") == (0, "", "")
    same = FlyHashVectorizer.load(tmp_path / "same")
    assert same.fold_numbers
    assert same.hash_words(["2001"]).nnz == 4
    other = skfly("train", kept, "-o", tmp_path / "other", *SMALL, "--no-fold-numbers", "--quiet")
    assert other.code == 0
    assert other.err.startswith("skfly: warning: the corpus was encoded with other text param")
    assert other.err.count("\n") == 1


def test_text_newer_than_its_encoded_corpus_is_told(skfly, text, tmp_path):
    kept = tmp_path / "ids"
    args = ["train", text, "-o", tmp_path / "m", "--encoded-corpus", kept, *SMALL, "--quiet"]
    assert skfly(*args).err == ""
    later = kept.stat().st_mtime + 10
    os.utime(text, (later, later))
    assert f"skfly: warning: {text} is newer than {kept}" in skfly(*args, "--force").err


def test_nothing_is_kept_of_a_text_without_words(skfly, tmp_path):
    kept = tmp_path / "ids"
    result = skfly("train", "-", "-o", tmp_path / "m", "--encoded-corpus", kept, stdin=b"\n")
    assert result.code == 2
    assert result.err.endswith("skfly: error: - has no words\n")
    assert not kept.exists()


def test_a_run_that_was_stopped_goes_on_only_if_told(skfly, text, tmp_path, monkeypatch):
    from skfly.fit import Checkpoints, _checkpoints

    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)
    state, path = tmp_path / "state", tmp_path / "my.skfly"
    train = ("train", text, "-o", path, *SMALL, "--quiet")
    assert skfly(*train).code == 0
    whole = path.read_bytes()
    path.unlink()
    save = Checkpoints.save

    def stopping(self, *args):
        save(self, *args)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", stopping)
    assert skfly(*train, "--checkpoint", state).code == 130
    monkeypatch.setattr(Checkpoints, "save", save)
    code, _, err = skfly(*train, "--checkpoint", state)
    assert code == 2
    assert "continue it with --resume" in " ".join(err.replace("│", " ").split())
    code, _, err = skfly(*train, "--checkpoint", state, "--resume", "--seed", "4")
    assert code == 2
    assert "run: seed=" in err
    assert skfly(*train, "--checkpoint", state, "--resume") == (0, "", "")
    assert path.read_bytes() == whole
    assert list(state.iterdir()) == []


def test_a_full_disk_at_the_end_loses_nothing(skfly, text, tmp_path, monkeypatch):
    from skfly.fit import _checkpoints

    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)
    state, path = tmp_path / "state", tmp_path / "my.skfly"
    train = ("train", text, "-o", path, *SMALL, "--quiet", "--checkpoint", state)
    resource = pytest.importorskip("resource")
    save, limits = FlyHashVectorizer.save, resource.getrlimit(resource.RLIMIT_FSIZE)

    def save_to_little_room(fly, place, **options):
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            save(fly, place, **options)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    monkeypatch.setattr(FlyHashVectorizer, "save", save_to_little_room)
    assert skfly(*train) == (2, "", f"skfly: error: {path}: File too large\n")
    monkeypatch.setattr(FlyHashVectorizer, "save", save)
    assert not path.exists()
    assert [left.name for left in state.iterdir()] == ["finished.skfly"]
    code, _, err = skfly(*train)
    assert code == 2
    assert "whose model was not saved" in " ".join(err.replace("│", " ").split())
    assert skfly(*train, "--resume") == (0, "", "")
    assert list(state.iterdir()) == []


def test_checkpoints_that_cannot_be_kept_are_told_before_anything_is_read(skfly, text, tmp_path):
    kept = ("--encoded-corpus", tmp_path / "ids")
    code, _, err = skfly(
        *("train", text, "-o", tmp_path / "m", *SMALL, *kept, "--checkpoint", text / "run")
    )
    assert code == 2
    assert "cannot keep checkpoints in" in err
    assert "reading" not in err
    assert not (tmp_path / "ids").exists()


def test_resume_wants_to_know_where(skfly, text, tmp_path):
    code, _, err = skfly("train", text, "-o", tmp_path / "m", *SMALL, "--resume")
    assert code == 2
    assert "--checkpoint DIR" in err


def test_resuming_without_a_checkpoint_says_that_it_starts_over(skfly, text, tmp_path):
    state = tmp_path / "state"
    train = ("train", text, "-o", tmp_path / "m", *SMALL, "--checkpoint", state, "--resume")
    code, _, err = skfly(*train)
    assert code == 0
    assert f"skfly: {state} has no checkpoint to resume: starting from the beginning\n" in err


# Directories and tables


def test_a_directory_of_text_and_one_of_tables(skfly, text, tmp_path):
    half = text.read_text().splitlines(keepends=True)
    folder, tables = tmp_path / "texts", tmp_path / "tables"
    folder.mkdir()
    (folder / "a.txt").write_text("".join(half[:30]))
    with gzip.open(folder / "b.txt.gz", "wt") as file:
        file.write("".join(half[30:]))
    sources = {"plain": (text,), "folder": (folder,), "kept": (folder, "--encoded-corpus")}
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    tables.mkdir()
    column = arrow.table({"body": half, "title": half})
    parquet.write_table(column, tables / "t.parquet")
    sources["tables"] = (tables, "--column", "body")
    sources["table"] = (tables / "t.parquet", "--column", "body")
    for name, (source, *options) in sources.items():
        options += [tmp_path / "ids"] if options == ["--encoded-corpus"] else []
        result = skfly("train", source, "-o", tmp_path / f"{name}.skfly", *SMALL, *options)
        assert result.code == 0, result.err
        assert ("of disk" in result.err) == (name == "kept")
        fly = FlyHashVectorizer.load(tmp_path / f"{name}.skfly")
        plain = FlyHashVectorizer.load(tmp_path / "plain.skfly")
        assert_same_coder(fly, plain)
    code, _, err = skfly("train", tables, "-o", tmp_path / "m", *SMALL)
    assert code == 2
    assert "2 text columns (body, title); choose one" in err
    code, _, err = skfly("train", text, "-o", tmp_path / "m", *SMALL, "--column", "x")
    assert code == 2
    assert "--column is for Parquet and Arrow files" in err


def test_the_file_of_a_directory_that_cannot_be_read_is_named(skfly, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("fine\n")
    (folder / "b.txt").write_bytes(b"f\xe4llt\n")
    code, _, err = skfly("train", folder, "-o", tmp_path / "m", *SMALL)
    assert code == 2
    assert "b.txt cannot be read as utf-8" in err
    (folder / "b.txt").unlink()
    (folder / "c.gz").write_bytes(gzip.compress(b"one fly\n" * 99)[:-9])
    code, _, err = skfly("train", folder, "-o", tmp_path / "m", *SMALL)
    assert code == 2
    assert "c.gz cannot be read: " in err


def test_an_encoded_corpus_is_not_encoded_again(skfly, text, tmp_path):
    EncodedCorpus.from_documents(text.read_text().splitlines()).save(tmp_path / "ids")
    train = ("train", tmp_path / "ids", "-o", tmp_path / "m", *SMALL)
    code, _, err = skfly(*train, "--encoded-corpus", tmp_path / "other")
    assert code == 2
    assert "is encoded already" in err
    assert not (tmp_path / "other").exists()
