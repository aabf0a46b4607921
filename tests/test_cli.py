"""The command line: what goes in, what comes out, and where."""

import bz2
import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy import sparse

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines
from skfly._console import _in_one_line
from skfly.backends import BACKENDS
from skfly.cli import Backend, app
from skfly.demo import Cell, DemoResult, Neighbours, SimilarityScore
from skfly.evaluation import mean_over_seeds, word_analogies, word_in_context, word_similarity

TEXT = "the fly eats ripe fruit\nripe fruit smells sweet. flies like it\nbanks lend money\n" * 20
SMALL = ["--cells", "20", "--hash-length", "4", "--window", "5"]


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def skfly(capsys, monkeypatch):
    """Run the command in this process."""

    def run(*args, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="ascii"))
        with pytest.raises(SystemExit) as exited:
            app([str(arg) for arg in args], prog_name="skfly")
        return Result(exited.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def fly():
    texts = TEXT.splitlines()
    return FlyHashVectorizer(n_kenyon_cells=20, hash_length=4, random_state=0).fit(texts)


@pytest.fixture
def model(fly, tmp_path):
    path = tmp_path / "model.skfly"
    fly.save(path)
    return path


# The program


def test_version(skfly):
    assert skfly("--version") == (0, "skfly 0.1.0\n", "")


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands(skfly, args):
    code, out, err = skfly(*args)
    assert (code, err) == (0, "")
    for command in ("train", "hash", "evaluate", "info", "demo"):
        assert f"\n  {command} " in out


@pytest.mark.parametrize("command", ["train", "hash", "evaluate", "info", "demo"])
def test_help_of_a_command_has_examples_line_by_line(skfly, command):
    code, out, _ = skfly(command, "--help")
    assert code == 0
    _, examples = out.split("Examples:\n")
    assert len(examples.strip().splitlines()) >= 2
    assert all(f"skfly {command}" in line for line in examples.strip().splitlines())


def test_starting_needs_neither_gensim_nor_numba():
    check = "import skfly.cli, sys; print(sys.modules.keys() & {'gensim', 'numba'})"
    out = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"


# train


def test_train_writes_a_model_and_tells_about_it(skfly, text, tmp_path):
    path = tmp_path / "my.skfly"
    code, out, err = skfly("train", text, "-o", path, *SMALL)
    assert code == 0
    assert out.startswith(f"{path}: 13 words, learned from ")
    assert out.count("\n") == 1
    assert "skfly: reading: 300 words" in err
    assert "skfly: learning: " in err
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


def test_quiet_training_says_nothing(skfly, text, tmp_path):
    assert skfly("train", text, "-o", tmp_path / "m", *SMALL, "--quiet") == (0, "", "")


def test_compressed_text_and_standard_input_give_the_same_model(skfly, text, tmp_path):
    sources = {"plain": text, "stdin": "-"}
    for suffix, opener in {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.items():
        sources[suffix] = tmp_path / f"text{suffix}"
        with opener(sources[suffix], "wb") as file:
            file.write(TEXT.encode())
    models = {}
    for name, source in sources.items():
        result = skfly("train", source, "-o", tmp_path / name, *SMALL, stdin=TEXT.encode())
        assert result.code == 0, result.err
        models[name] = FlyHashVectorizer.load(tmp_path / name)
    for fly in models.values():
        assert fly.vocabulary_ == models["plain"].vocabulary_
        np.testing.assert_array_equal(fly.synapses_, models["plain"].synapses_)


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
    assert {backend.value for backend in Backend} == set(BACKENDS)


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
        np.testing.assert_array_equal(fly.synapses_, models[0].synapses_)
    assert EncodedCorpus.load(kept).n_documents == 60


def test_words_are_those_of_the_encoded_corpus_unless_told_otherwise(skfly, tmp_path):
    kept = tmp_path / "ids"
    args = ["--encoded-corpus", kept, *SMALL]
    skfly("train", "-", "-o", tmp_path / "m", *args, "--fold-numbers", stdin=b"in 1984 or so\n")
    assert skfly("train", kept, "-o", tmp_path / "same", *SMALL, "--quiet") == (0, "", "")
    same = FlyHashVectorizer.load(tmp_path / "same")
    assert same.fold_numbers
    assert same.hash_words(["2001"]).nnz == 4
    other = skfly("train", kept, "-o", tmp_path / "m", *SMALL, "--no-fold-numbers", "--quiet")
    assert other.code == 0
    assert other.err.startswith("skfly: warning: the corpus was encoded with other text param")
    assert other.err.count("\n") == 1


def test_text_newer_than_its_encoded_corpus_is_told(skfly, text, tmp_path):
    kept = tmp_path / "ids"
    args = ["train", text, "-o", tmp_path / "m", "--encoded-corpus", kept, *SMALL, "--quiet"]
    assert skfly(*args).err == ""
    later = kept.stat().st_mtime + 10
    os.utime(text, (later, later))
    assert f"skfly: warning: {text} is newer than {kept}" in skfly(*args).err


def test_nothing_is_kept_of_a_text_without_words(skfly, tmp_path):
    kept = tmp_path / "ids"
    result = skfly("train", "-", "-o", tmp_path / "m", "--encoded-corpus", kept, stdin=b"\n")
    assert result.code == 2
    assert result.err.endswith("skfly: error: - has no words\n")
    assert not kept.exists()


# hash


def test_hash_prints_active_cells_line_by_line(skfly, fly, model, tmp_path):
    lines = ["ripe fruit", "unknown", "", "the BANKS lend"]
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(lines))
    expected = [row.indices.tolist() for row in fly.transform(lines)]
    assert [len(cells) for cells in expected] == [4, 0, 0, 4]
    from_file = skfly("hash", model, file)
    assert from_file.code == 0
    assert from_file.err == ""
    assert [list(map(int, line.split())) for line in from_file.out.split("\n")[:-1]] == expected
    assert skfly("hash", model, stdin=file.read_bytes()) == from_file
    assert skfly("hash", model, "-", stdin=file.read_bytes()) == from_file


def test_hash_as_json_lines(skfly, fly, model):
    out = skfly(
        "hash", model, "--json", "--hash-length", "2", stdin="Früchte fly\r\n".encode()
    ).out
    cells = FlyHashVectorizer.load(model).set_params(hash_length=2).transform(["fly"]).indices
    assert [json.loads(line) for line in out.splitlines()] == [
        {"text": "Früchte fly", "cells": cells.tolist()}
    ]


def test_hash_of_words_is_static(skfly, fly, model):
    out = skfly("hash", model, "--words", stdin=b"Fly\nnone\n fruit \n").out
    codes = fly.hash_words(["fly", "none", "fruit"])
    assert out == "".join(" ".join(map(str, row.indices)) + "\n" for row in codes)
    assert out.splitlines()[1] == ""


def test_hash_into_a_matrix(skfly, fly, model, text, tmp_path):
    output = tmp_path / "codes.npz"
    code, out, err = skfly("hash", model, text, "-o", output)
    assert (code, out, err) == (0, f"{output}: 60 codes of 20 cells\n", "")
    codes, expected = sparse.load_npz(output), fly.transform(TextLines(text))
    assert codes.shape == expected.shape
    assert (codes != expected).nnz == 0
    told = skfly("hash", model, "-o", output, "--json")  # standard input is empty
    assert json.loads(told.out) == {"codes": str(output), "rows": 0, "cells": 20}
    assert sparse.load_npz(output).shape == (0, 20)
    assert {path.name for path in tmp_path.iterdir()} == {"codes.npz", "model.skfly", "text.txt"}


def test_hash_of_more_lines_than_are_taken_at_a_time(skfly, fly, model, monkeypatch):
    monkeypatch.setattr("skfly.cli._DOCUMENTS_AT_A_TIME", 3)
    whole = skfly("hash", model, stdin=TEXT.encode()).out
    assert len(whole.splitlines()) == 60
    assert whole.splitlines()[59] == " ".join(
        map(str, fly.transform(["banks lend money"]).indices)
    )


def test_hash_takes_lines_as_text_whatever_the_model_was_set_to(skfly, fly, tmp_path):
    other = FlyHashVectorizer(
        n_kenyon_cells=20, hash_length=4, random_state=0, document_codes="counts"
    ).fit(TEXT.splitlines())
    other.set_params(input="filename", sparse_output=False).save(tmp_path / "other")
    out = skfly("hash", tmp_path / "other", stdin=b"the fly eats ripe fruit\n").out
    assert len(out.split()) == 4


# evaluate

PAIRS = (
    "ripe\tfruit\t9\nbanks\tmoney\t8\nfly\tmoney\t1\nthe\tTHE\t10\neats\tRIPE\t5\nfly\tdodo\t3\n"
)


@pytest.fixture
def wordsim(tmp_path):
    path = tmp_path / "wordsim"
    path.mkdir()
    (path / "EN-RG-65.txt").write_text(PAIRS)
    (path / "mine.csv").write_text("word1,word2,score\n" + PAIRS.replace("\t", ","))
    return path


def test_evaluate_prints_a_table(skfly, fly, model, wordsim):
    code, out, err = skfly(
        "evaluate", model, "--wordsim", wordsim, "--hash-lengths", "2, 4", "--quiet"
    )
    assert (code, err) == (0, "")
    assert out == f"{word_similarity(fly, wordsim, [2, 4])}\n"
    assert out.splitlines()[0] == "| hash length | RG | mine |"
    assert out.splitlines()[-1] == "| pairs | 5 of 6 | 5 of 6 |"


def test_evaluate_as_json_and_into_files(skfly, fly, model, wordsim, tmp_path):
    pytest.importorskip("matplotlib")
    files = {"--csv": "s.csv", "--json-file": "s.json", "--plot": "s.png"}
    places = [word for option, name in files.items() for word in (option, tmp_path / name)]
    one, other = wordsim / "mine.csv", wordsim / "EN-RG-65.txt"
    code, out, err = skfly(
        *("evaluate", model, "--wordsim", one, "--wordsim", other, "--json", *places),
        *("--hash-lengths", "2,4"),
    )
    assert code == 0
    assert "skfly: evaluating: 12 word pairs in " in err
    table = word_similarity(fly, [one, other], [2, 4])
    assert json.loads(out) == {"model": str(model), **table.to_dict()}
    assert json.loads((tmp_path / "s.json").read_text()) == table.to_dict()
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 1 + len(table.rows)
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


def test_evaluate_without_word_pairs_takes_those_of_gensim(skfly, model):
    code, out, err = skfly("evaluate", model, "--quiet")
    assert code == 0
    assert out.splitlines()[0] == "| hash length | WS353 | SimLex |"
    assert out.splitlines()[-1].endswith("of 353 | 0 of 999 |")
    assert "skfly: warning: no score for SimLex: none of its 999 pairs is known\n" in err


def test_evaluate_vectors(skfly, wordsim, tmp_path):
    kv = KeyedVectors(vector_size=3)
    random = np.random.default_rng(0)
    kv.add_vectors(["ripe", "fruit", "fly", "money", "banks"], random.normal(size=(5, 3)))
    path = tmp_path / "vectors.txt"
    kv.save_word2vec_format(str(path))
    code, out, err = skfly("evaluate", path, "--wordsim", wordsim, "--quiet")
    assert (code, err) == (0, "")
    assert out.splitlines()[2].startswith("| dense | ")
    assert out.splitlines()[3] == "| pairs | 3 of 6 | 3 of 6 |"


@pytest.mark.parametrize("encoded", [False, True])
def test_evaluate_over_seeds_learns_anew(skfly, fly, model, text, wordsim, tmp_path, encoded):
    corpus = text
    if encoded:
        corpus = tmp_path / "ids"
        EncodedCorpus.from_documents(TextLines(text)).save(corpus)
    code, out, err = skfly(
        *("evaluate", model, "--wordsim", wordsim, "--hash-lengths", "4"),
        *("--seeds", "3", "--corpus", corpus, "--json"),
    )
    assert code == 0, err
    assert err.count("skfly: learning: ") == err.count("skfly: evaluating: ") == 3
    assert err.count("skfly: reading: ") == (0 if encoded else 1)
    lines = list(TextLines(text))
    models = [
        FlyHashVectorizer(**(fly.get_params() | {"random_state": seed})).fit(lines)
        for seed in range(3)
    ]
    mean = mean_over_seeds(word_similarity(fly, wordsim, [4]) for fly in models)
    assert json.loads(out)["rows"] == mean.to_dict()["rows"]
    assert json.loads(out)["rows"][0]["n_runs"] == 3


def test_unknown_words_may_be_coded_by_their_spelling(skfly, model, wordsim, tmp_path):
    (wordsim / "mine.csv").write_text("word1,word2,score\nfruits,bank,1\nripened,fruit,9\n")
    args = ("evaluate", model, "--wordsim", wordsim / "mine.csv", "--hash-lengths", "4", "-q")
    assert skfly(*args)[1].splitlines()[-1] == "| pairs | 0 of 2 |"
    code, out, _ = skfly(*args, "--unknown-words", "spelling")
    assert code == 0
    assert out.splitlines()[-1] == "| pairs | 2 of 2 |"
    (tmp_path / "words").write_text("fruits\n")
    coded = ("hash", model, tmp_path / "words", "--words")
    assert skfly(*coded)[1].split() == []
    assert len(skfly(*coded, "--unknown-words", "spelling")[1].split()) == 4


def test_evaluate_tells_of_lines_without_a_score(skfly, model, wordsim):
    path = wordsim / "mine.csv"
    path.write_text(path.read_text() + "ripe,fly\n")
    code, _, err = skfly("evaluate", model, "--wordsim", path, "--hash-lengths", "4", "-q")
    assert code == 0
    assert err.startswith(f"skfly: warning: {path}: 1 of 7 pairs left out")
    assert err.count("\n") == 1


def test_a_plot_without_matplotlib_is_refused_at_once(skfly, model, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = skfly("evaluate", model, "--plot", tmp_path / "s.png")
    assert (code, out) == (2, "")
    assert err == "skfly: error: --plot needs matplotlib: install skfly[plot]\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{model}", "--seeds", "3"], "--seeds and --corpus belong together"),
        (["{model}", "--corpus", "{text}"], "--seeds and --corpus belong together"),
        (["{model}", "--hash-lengths", "4,x"], "'--hash-lengths': '4,x' is not a list of"),
        (["{model}", "--hash-lengths", "0"], "'0' is not a list of whole numbers above 0"),
        (["{model}", "--hash-lengths", "21"], "none of the hash lengths [21] is possible"),
        (["{model}", "--wordsim", "{dir}/none.txt"], "{dir}/none.txt: No such file"),
        (["{model}", "--wordsim", "{text}"], "{text} has no word pairs; expected lines of"),
        (["{model}", "--plot", "{dir}/s.xyz"], "must end in .png, .svg or .pdf"),
        (["{model}", "--csv", "{dir}/none/s.csv"], "there is no directory {dir}/none"),
        (["{dir}/none.skfly"], "there is no model file {dir}/none.skfly"),
        (["{dir}/none.bin"], "there is no file {dir}/none.bin"),
        (["{text}"], "{text} cannot be read as word vectors"),
        (["{text}", "--seeds", "2", "--corpus", "{text}"], "{text} holds vectors"),
        (["{text}", "--unknown-words", "spelling"], "{text} holds vectors"),
        (["{model}", "--wic", "{dir}/none"], "there is no file {dir}/none"),
        (["{model}", "--scws", "{text}"], "{text} has no pairs of SCWS; expected lines of 18"),
        (["{model}", "--wic", "{dir}", "--wordsim", "{text}"], "give a table of their own"),
        (["{model}", "--analogies", "{text}", "--seeds", "2"], "give a table of their own"),
        (["{model}", "--analogies", "{text}", "--wic", "{dir}"], "gives a table of its own"),
        (["{model}", "--analogies", "{text}"], "{text} has no analogies; expected lines of four"),
        (["{model}", "--analogies", "{dir}/none.txt"], "No such file"),
        (["{model}", "--analogies", "{text}", "--unknown-words", "spelling"], "known words only"),
    ],
)
def test_what_is_wrong_with_an_evaluation_is_told_in_one_line(
    skfly, model, text, tmp_path, args, message
):
    if "--plot" in args:
        pytest.importorskip("matplotlib")
    names = {"dir": tmp_path, "model": model, "text": text}
    code, out, err = skfly("evaluate", *(arg.format(**names) for arg in args), "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith("skfly: error: ")
    assert message.format(**names) in err
    assert err.count("\n") == 1


def test_evaluate_words_in_context(skfly, fly, model, tmp_path):
    use = "{}\tN\t1-1\tthe {} eats ripe fruit\tthe {} {}\n"
    lines = [
        use.format(*words)
        for words in (("fly", "fly", "fly", "eats"), ("bank", "bank", "bank", "lends"))
    ]
    (tmp_path / "train.data.txt").write_text("".join(lines * 10))
    (tmp_path / "train.gold.txt").write_text("T\nF\n" * 10)
    code, out, err = skfly(
        *("evaluate", model, "--wic", tmp_path, "--hash-lengths", "4", "--json", "--quiet"),
        *("--csv", tmp_path / "s.csv"),
    )
    assert (code, err) == (0, "")
    table = word_in_context(fly, tmp_path, hash_lengths=[4])
    assert json.loads(out) == {"model": str(model), **table.to_dict()}
    assert (tmp_path / "s.csv").read_text().startswith("dataset,measure,score,")


def test_evaluate_analogies(skfly, fly, model, tmp_path):
    questions = tmp_path / "questions.txt"
    questions.write_text(": mine\nfly eats banks lend\nbanks lend fly Eats\nfly eats moth eats\n")
    places = ("--csv", tmp_path / "s.csv", "--json-file", tmp_path / "s.json")
    code, out, err = skfly(
        *("evaluate", model, "--analogies", questions, "--hash-lengths", "2,4", "--quiet"), *places
    )
    assert (code, err) == (0, "")
    table = word_analogies(fly, questions, [2, 4])
    assert out == f"{table}\n"
    assert table.rows[-1].n_questions == 2
    assert json.loads((tmp_path / "s.json").read_text()) == table.to_dict()
    assert (tmp_path / "s.csv").read_text().startswith("section,hash_length,accuracy,")


# info


def test_info_as_json(skfly, fly, model):
    about = json.loads(skfly("info", model, "--json").out)
    assert about["cells"] == 20
    assert about["words"] == 13
    assert about["hash_length"] == 4
    assert about["window"] == 11
    assert about["rule"] == "lloyd"
    assert about["words_read"] == 300
    assert about["windows_seen"] == fly.n_windows_seen_
    assert about["energy"] == fly.energy_[-1]
    assert about["cells_in_use"] == fly.cells_used_[-1]
    assert about["code_bytes_per_word"] == 3
    assert about["file_bytes"] == model.stat().st_size
    assert about["settings"]["n_epochs"] == 4
    assert about["most_frequent_words"][:2] == [["fruit", 40], ["ripe", 40]]
    assert about["changed_parameters"] == {
        "n_kenyon_cells": 20,
        "hash_length": 4,
        "random_state": 0,
    }


def test_info_in_plain_columns(skfly, model):
    code, out, err = skfly("info", model)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == str(model)
    assert "  cells            20\n" in out
    assert "  packed code      3 bytes a word\n" in out
    assert "  not the default  hash_length=4, n_kenyon_cells=20, random_state=0\n" in out
    assert "fruit 40, ripe 40" in out
    assert out.isascii()


def test_long_parameters_are_told_shortly(skfly, tmp_path):
    fly = FlyHashVectorizer(5, 1, vocabulary=["ripe", "fruit"], dtype=np.float64)
    fly.fit(["ripe fruit"]).save(tmp_path / "m")
    changed = json.loads(skfly("info", tmp_path / "m", "--json").out)["changed_parameters"]
    assert changed["vocabulary"] == "<2 words>"
    assert changed["dtype"] == "float64"


# demo


def demo_result(output, **_):
    near = Neighbours("moon", None, ["lunar", "[red]"], [9, 8])
    there = Neighbours("state", "a solid state", ["liquid"], [7])
    return DemoResult(
        n_articles=2,
        n_characters=12_345,
        n_words=2_000,
        n_windows=1_900,
        n_different_words=700,
        n_kenyon_cells=400,
        hash_length=32,
        seconds_reading=0.5,
        seconds_learning=1.5,
        model=str(output),
        model_bytes=1_000_000,
        code_bytes_per_word=50,
        good_neighbours=[near],
        bad_neighbours=Neighbours("king", None, ["rings"], [3]),
        contexts=[there],
        sentence="acid and metal",
        cells=[Cell(19, 0.3, ["alkali", "metals"])],
        similarity=[SimilarityScore(16, 41.2, 256, 353)],
    )


@pytest.fixture
def quick_demo(monkeypatch, tmp_path):
    monkeypatch.setattr("skfly.demo.run_demo", demo_result)
    monkeypatch.chdir(tmp_path)


def test_demo_in_plain_columns(skfly, quick_demo):
    code, out, err = skfly("demo")
    assert (code, err) == (0, "")
    for line in (
        "  moon  lunar 9, [red] 8",
        "  king  rings 3",
        "  state  a solid state  liquid",
        "  cell 19  alkali, metals",
        "  hash length 16  Spearman 41.2  256 of 353 pairs known",
        "  skfly info demo.skfly",
    ):
        assert line in out.splitlines()


def test_demo_on_a_terminal_shows_words_as_they_are(skfly, quick_demo, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = skfly("demo", "-o", "my demo").out
    assert "lunar 9, [red] 8" in out
    assert "skfly info 'my demo'" in out
    assert "─" in out


def test_demo_as_json(skfly, quick_demo):
    result = json.loads(skfly("demo", "--json").out)
    assert result["model"] == "demo.skfly"
    assert result["good_neighbours"][0]["words"] == ["lunar", "[red]"]


def test_demo_refuses_a_place_that_cannot_be_written(skfly, quick_demo, tmp_path):
    assert skfly("demo", "-o", tmp_path / "none" / "m").code == 2


# Errors


class NotToBeRead(io.StringIO):
    def __next__(self):
        raise AssertionError("standard input was read")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["train", "{dir}/none.txt", "-o", "{dir}/m"], "there is no file {dir}/none.txt"),
        (["train", "-", "-o", "{dir}/none/m"], "there is no directory {dir}/none"),
        (["train", "-", "-o", "/proc/m"], "cannot write in /proc"),
        (["train", "-", "-o", "{dir}"], "{dir} is a directory"),
        (["train", "-"], "option '--output'"),
        (["train", "-", "-o", "{dir}/m", "--window", "4"], "'--window': 4 is even"),
        (["train", "-", "-o", "{dir}/m", "--cells", "9"], "'--hash-length': 32 is more than"),
        (["train", "-", "-o", "{dir}/m", "--rule", "magic"], "'magic' is not one of"),
        (["train", "-", "-o", "{dir}/m", "--encoding", "x-y"], "unknown encoding: x-y"),
        (["train", "-", "-o", "{dir}/m", "--learning-rate", "-1"], "'learning_rate' parameter"),
        (["train", "-", "-o", "{dir}/m", "--encoded-corpus", "{dir}/a/b"], "no directory {dir}/a"),
        (["train", "{dir}", "-o", "{dir}/m"], "{dir} is not an encoded corpus"),
        (["train", "{dir}", "-o", "{dir}/m", "--encoded-corpus", "{dir}/x"], "encoded already"),
        (["hash", "{dir}/none", "-"], "there is no model file {dir}/none"),
        (["hash", "{text}", "-"], "{text} is not a model file"),
        (["hash", "{model}", "{dir}"], "{dir} is a directory, not a text file"),
        (["hash", "{model}", "-", "-o", "{dir}/none/codes.npz"], "no directory {dir}/none"),
        (["hash", "{model}", "{text}", "--hash-length", "21"], "the model has 20 Kenyon cells"),
        (["info", "{dir}"], "{dir} is a directory, not a model file"),
        (["fly"], "No such command 'fly'; see 'skfly --help'"),
        (["info", "--colour"], "see 'skfly info --help'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_before_any_text_is_read(
    skfly, monkeypatch, model, text, tmp_path, args, message
):
    names = {"dir": tmp_path, "model": model, "text": text}
    monkeypatch.setattr(io, "TextIOWrapper", lambda *_, **__: NotToBeRead())
    code, out, err = skfly(*(arg.format(**names) for arg in args))
    assert (code, out) == (2, "")
    assert err.startswith("skfly: error: ")
    assert message.format(**names) in err
    assert err.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"model.skfly", "text.txt"}


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".gz", gzip.compress(os.urandom(5000))[:2000]),
        (".gz", b"plain text"),
        (".bz2", b"plain text"),
        (".bz2", bz2.compress(os.urandom(5000))[:2000]),
        (".xz", b"plain text"),
    ],
)
def test_damaged_compressed_text(skfly, tmp_path, suffix, content):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(content)
    code, _, err = skfly("train", path, "-o", tmp_path / "m", "--encoding", "latin-1", "--quiet")
    assert code == 2
    assert err.startswith(f"skfly: error: {path} is damaged or cut short: ")
    assert err.count("\n") == 1


def test_a_truncated_model(skfly, model):
    model.write_bytes(model.read_bytes()[:-10])
    code, _, err = skfly("info", model)
    assert code == 2
    assert "is cut short" in err


def test_notes_and_line_breaks_of_an_error_go_into_the_line():
    error = ValueError("bad\n  text")
    error.add_note("in document number 3")
    assert _in_one_line(error) == "bad text; in document number 3"
    assert _in_one_line(MemoryError()) == "not enough memory"
    assert _in_one_line(PermissionError(13, "Permission denied", "m")) == "m: Permission denied"


def test_a_bug_is_not_hidden(skfly, monkeypatch, tmp_path):
    def run_demo(*_, **__):
        raise KeyError("a bug")

    monkeypatch.setattr("skfly.demo.run_demo", run_demo)
    with pytest.raises(KeyError, match="a bug"):
        app(["demo", "-o", str(tmp_path / "m")], prog_name="skfly")


# As a process


COMMAND = [sys.executable, "-m", "skfly.cli"]


def test_the_exit_code_and_the_streams_of_the_process(tmp_path):
    run = subprocess.run(
        [*COMMAND, "info", "none.skfly"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == "skfly: error: there is no model file none.skfly\n"


def test_a_reader_that_has_seen_enough_is_no_error(model, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("ripe fruit\n" * 20_000)
    with subprocess.Popen(
        [*COMMAND, "hash", str(model), str(lines)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert len(process.stdout.readline().split()) == 4
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_ends_quietly_and_leaves_nothing(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "train", "-", "-o", "model.skfly"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        # a shell that runs the tests in the background may have told us to ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        process.stdin.write(b"ripe fruit smells sweet\n" * 100_000)  # more than a pipe holds:
        process.stdin.flush()  # it is reading now
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []
