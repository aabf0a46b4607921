"""``skfly evaluate``: scores, and what is refused."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines
from skfly.cli._evaluate import new_spelling
from skfly.evaluation import mean_over_seeds, word_analogies, word_in_context, word_similarity

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
        "evaluate", "words", model, "--wordsim", wordsim, "--hash-lengths", "2, 4", "--quiet"
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
        *("evaluate", "words", model, "--wordsim", one, "--wordsim", other, "--json", *places),
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
    code, out, err = skfly("evaluate", "words", model, "--quiet")
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
    code, out, err = skfly("evaluate", "words", path, "--wordsim", wordsim, "--quiet")
    assert (code, err) == (0, "")
    assert out.splitlines()[2].startswith("| dense | ")
    assert out.splitlines()[3] == "| pairs | 3 of 6 | 3 of 6 |"


def test_evaluate_word_codes_that_were_saved_alone(skfly, fly, wordsim, tmp_path):
    fly.wv.save(tmp_path / "codes.skfly")
    args = ("evaluate", "words", tmp_path / "codes.skfly", "--wordsim", wordsim, "--quiet")
    code, out, err = skfly(*args)
    assert (code, err) == (0, "")
    assert out == f"{word_similarity(fly.wv, wordsim)}\n"
    assert (
        "--unknown-words is for models of skfly" in skfly(*args, "--unknown-words", "ignore").err
    )


@pytest.mark.parametrize("encoded", [False, True])
def test_evaluate_over_seeds_trains_again(skfly, fly, model, text, wordsim, tmp_path, encoded):
    corpus = text
    if encoded:
        corpus = tmp_path / "ids"
        EncodedCorpus.from_documents(TextLines(text)).save(corpus)
    code, out, err = skfly(
        *("evaluate", "words", model, "--wordsim", wordsim, "--hash-lengths", "4"),
        *("--seeds", "3", "--corpus", corpus, "--json"),
    )
    assert code == 0, err
    # what it says in between, if it takes long, is not counted
    assert len(re.findall("skfly: counting: .* words in ", err)) == 3
    assert err.count("skfly: evaluating: ") == 3
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
    args = ("evaluate", "words", model, "--wordsim", wordsim / "mine.csv")
    args = (*args, "--hash-lengths", "4", "-q")
    assert skfly(*args)[1].splitlines()[-1] == "| pairs | 0 of 2 |"
    code, out, _ = skfly(*args, "--unknown-words", "spelling")
    assert code == 0
    assert out.splitlines()[-1] == "| pairs | 2 of 2 |"
    (tmp_path / "words").write_text("fruits\n")
    coded = ("hash", model, tmp_path / "words", "--words")
    assert skfly(*coded)[1].split() == []
    assert len(skfly(*coded, "--unknown-words", "spelling")[1].split()) == 4


def test_lines_without_a_score_are_reported(skfly, model, wordsim):
    path = wordsim / "mine.csv"
    path.write_text(path.read_text() + "ripe,fly\n")
    code, _, err = skfly(
        "evaluate", "words", model, "--wordsim", path, "--hash-lengths", "4", "-q"
    )
    assert code == 0
    assert err.startswith(f"skfly: warning: {path}: 1 of 7 pairs left out")
    assert err.count("\n") == 1


def test_a_plot_without_matplotlib_is_refused_at_once(skfly, model, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = skfly("evaluate", "words", model, "--plot", tmp_path / "s.png")
    assert (code, out) == (2, "")
    assert err == 'skfly: error: --plot needs matplotlib: pip install "skfly[plot]"\n'


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("words {model} --seeds 3", "--seeds and --corpus need each other"),
        ("words {model} --corpus {text}", "--seeds and --corpus need each other"),
        ("words {model} --hash-lengths 4,x", "'--hash-lengths': '4,x' is not a list of"),
        ("words {model} --hash-lengths 0", "'0' is not a list of whole numbers above 0"),
        ("words {model} --hash-lengths 21", "none of the hash lengths [21] is possible"),
        ("words {model} --wordsim {dir}/none.txt", "{dir}/none.txt: No such file"),
        ("words {model} --wordsim {text}", "{text} has no word pairs; expected lines of"),
        ("words {model} --plot {dir}/s.xyz", "must end in .png, .svg or .pdf"),
        ("words {model} --csv {dir}/none/s.csv", "there is no directory {dir}/none"),
        ("words {model} --measure magic", "measure must be one of"),
        ("words {model} --wic {dir}", "No such option: --wic"),
        ("words {dir}/none.skfly", "there is no model file {dir}/none.skfly"),
        ("words {dir}/none.bin", "there is no file {dir}/none.bin"),
        ("words {text}", "{text} cannot be read as word vectors"),
        ("words {text} --seeds 2 --corpus {text}", "--seeds is for models of skfly"),
        ("words {text} --unknown-words spelling", "{text} holds vectors"),
        ("words", "Missing argument 'MODEL'"),
        ("contexts {model}", "give --wic, --scws, or both"),
        ("contexts {model} --wic {dir}/none", "there is no file {dir}/none"),
        ("contexts {model} --scws {text}", "{text} has no pairs of SCWS; expected lines of 18"),
        ("contexts {text} --wic {dir} --hash-lengths 4", "has no pairs of WiC"),
        ("contexts {model} --wic {dir} --wordsim {text}", "No such option: --wordsim"),
        ("analogies {model} {text}", "{text} has no analogies; expected lines of four"),
        ("analogies {model} {dir}/none.txt", "No such file"),
        ("analogies {model} {text} --unknown-words spelling", "No such option: --unknown-words"),
        ("analogies {text} {text} --hash-lengths 4", "--hash-lengths is for models of skfly"),
        ("report {model} --data {dir} -o {dir}/out", "python examples/paper/report.py MODEL"),
        ("{model} --data={dir} --report {dir}/out", "python examples/paper/report.py MODEL"),
        ("", "Missing command"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(skfly, model, text, tmp_path, args, message):
    if "--plot" in args:
        pytest.importorskip("matplotlib")
    names = {"dir": tmp_path, "model": model, "text": text}
    code, out, err = skfly("evaluate", *(arg.format(**names) for arg in args.split()))
    assert (code, out) == (2, "")
    assert err.startswith("skfly: error: ")
    assert message.format(**names) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["words", "contexts", "analogies"])
def test_help_has_examples(skfly, command):
    code, out, _ = skfly("evaluate", command, "--help")
    assert code == 0
    assert f"skfly evaluate {command} corpus.skfly" in out


class TestOldSpelling:
    """``skfly evaluate MODEL ...`` of 0.1, without a subcommand."""

    def test_it_does_what_the_new_one_does_with_a_warning(self, skfly, model, wordsim):
        options = (model, "--wordsim", wordsim, "--hash-lengths", "4", "--quiet")
        code, out, err = skfly("evaluate", *options)
        assert (code, out) == skfly("evaluate", "words", *options)[:2]
        assert code == 0
        assert err.startswith("skfly: warning: without a subcommand")
        spelling = f"'skfly evaluate words {model} --wordsim {wordsim} --hash-lengths 4 --quiet'"
        assert spelling in err
        assert err.count("\n") == 1

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("m.skfly", "words m.skfly"),
            (
                "--seeds 3 --corpus=c.txt m.skfly --json",
                "words --seeds 3 --corpus c.txt m.skfly --json",
            ),
            ("m --wic w --scws s --jobs 2", "contexts m --wic w --scws s"),
            ("m --wic w --unknown-words spelling", "contexts m --wic w --unknown-words spelling"),
            ("--analogies q.txt m --hash-lengths 4", "analogies m --hash-lengths 4 q.txt"),
            ("m --analogies=q.txt --measure cosine", "analogies m q.txt"),
            ("./words --quiet", "words ./words --quiet"),
        ],
    )
    def test_how_options_are_spelled_now(self, old, new):
        assert new_spelling(old.split()) == new.split()

    def test_a_model_that_is_called_as_a_command(self, skfly, model, wordsim, monkeypatch):
        monkeypatch.chdir(model.parent)
        model.rename("words")
        table = ("--wordsim", wordsim, "--quiet")
        expected = skfly("evaluate", "words", "words", *table).out
        assert skfly("evaluate", "./words", *table).out == expected
        assert expected.startswith("| hash length |")


class LeavesAMark:
    """When a pickle of it is opened, a file is made."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "args", ["words {kv}", "{kv}", "contexts {kv} --wic {dir}", "analogies {kv}"]
)  # fmt: skip
def test_a_pickle_is_opened_only_if_it_is_trusted(skfly, model, tmp_path, args):
    mark, kv = tmp_path / "mark", tmp_path / "v.kv"
    kv.write_bytes(pickle.dumps(LeavesAMark(mark)))
    (tmp_path / "a.data.txt").write_text("x\tN\t0-0\ta b\ta b\n")
    (tmp_path / "a.gold.txt").write_text("T\n")
    words = args.format(kv=kv, dir=tmp_path, model=model).split()
    code, _, err = skfly("evaluate", *words)
    assert code == 2
    assert "v.kv is a pickle" in err
    assert "--trust-pickle" in err
    assert not mark.exists()
    assert "cannot be read as word vectors" in skfly("evaluate", *words, "--trust-pickle").err
    assert mark.exists()  # so the test can fail


def test_evaluate_words_in_context(skfly, fly, model, tmp_path):
    use = "{}\tN\t1-1\tthe {} eats ripe fruit\tthe {} {}\n"
    lines = [
        use.format(*words)
        for words in (("fly", "fly", "fly", "eats"), ("bank", "bank", "bank", "lends"))
    ]
    (tmp_path / "train.data.txt").write_text("".join(lines * 10))
    (tmp_path / "train.gold.txt").write_text("T\nF\n" * 10)
    code, out, err = skfly(
        *("evaluate", "contexts", model, "--wic", tmp_path, "--hash-lengths", "4"),
        *("--json", "--quiet"),
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
        *("evaluate", "analogies", model, questions, "--hash-lengths", "2,4", "--quiet"), *places
    )
    assert (code, err) == (0, "")
    table = word_analogies(fly, questions, [2, 4])
    assert out == f"{table}\n"
    assert table.rows[-1].n_questions == 2
    assert json.loads((tmp_path / "s.json").read_text()) == table.to_dict()
    assert (tmp_path / "s.csv").read_text().startswith("section,hash_length,accuracy,")


def test_the_measure_of_similarity_may_be_chosen(skfly, model, wordsim, tmp_path):
    vectors = KeyedVectors(2)
    vectors.add_vectors(["fly", "bank", "eats", "lends", "ripe"], np.eye(2)[[0, 1, 0, 1, 0]])
    path = tmp_path / "vectors.txt"
    vectors.save_word2vec_format(str(path))
    lines = [
        "x\tN\t1-1\tthe fly eats\tthe fly eats\n",
        "x\tN\t1-1\tthe fly eats\tthe bank lends\n",
    ]
    (tmp_path / "train.data.txt").write_text("".join(lines * 10))
    (tmp_path / "train.gold.txt").write_text("T\nF\n" * 10)
    args = ("evaluate", "contexts", path, "--wic", tmp_path, "--quiet", "--json", "--measure")
    result = json.loads(skfly(*args, "jensen-shannon").out)
    assert result["rows"][0]["score"] == 100.0
    assert result["rows"][0]["threshold"] == 0.5  # similarities of 0 and 1
    assert "measure must be one of" in skfly(*args, "magic").err
    assert "for vectors, but the model makes codes" in (
        skfly("evaluate", "contexts", model, "--wic", tmp_path, "--measure", "jensen-shannon").err
    )
