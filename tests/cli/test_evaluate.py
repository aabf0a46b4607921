"""``skfly evaluate``: scores, and what is refused."""

import json
import re

import numpy as np
import pytest
from gensim.models import KeyedVectors

from skfly import EncodedCorpus, FlyHashVectorizer, TextLines
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
    # what it says in between, if it takes long, is not counted
    assert len(re.findall("skfly: learning: .* windows in ", err)) == 3
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


def test_a_report(skfly, model, wordsim, tmp_path):
    args = ("evaluate", model, "--data", tmp_path, "--report", tmp_path / "out")
    code, out, err = skfly(*args, "--experiments", "similarity, contexts")
    assert code == 0
    assert out.startswith(f"{tmp_path}/out/index.html: of ")
    assert "skfly: similarity: done in" in err
    assert "skfly: warning: WiC was not run: no directory wic" in err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "goals.csv",
        "word_similarity.csv",
        "context_neighbors.csv",
    }
    code, out, err = skfly(*args, "--experiments", "similarity", "--json", "--quiet")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["report"] == f"{tmp_path}/out/index.html"
    assert "RW" in result["missing"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--report", "{dir}/out"], "--report and --data belong together"),
        (["--data", "{dir}"], "--report and --data belong together"),
        (["--report", "{dir}/out", "--data", "{dir}", "--csv", "x"], "leave out the options"),
        (["--report", "{dir}/out", "--data", "{dir}/none"], "there is no directory {dir}/none"),
        (["--report", "{dir}/a/b", "--data", "{dir}"], "there is no directory {dir}/a"),
        (["--report", "{dir}/out", "--data", "{dir}", "--experiments", "x"], "got 'x'"),
        (["--report", "{dir}/out", "--data", "{dir}", "--vectors", "v.txt"], "no file v.txt"),
        (["--vectors", "v.txt"], "--vectors and --experiments are for --report"),
    ],
)
def test_what_is_wrong_with_a_report_is_told(skfly, model, tmp_path, args, message):
    code, out, err = skfly("evaluate", model, *(arg.format(dir=tmp_path) for arg in args))
    assert (code, out) == (2, "")
    assert message.format(dir=tmp_path) in err


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
    args = ("evaluate", path, "--wic", tmp_path, "--quiet", "--json", "--measure")
    result = json.loads(skfly(*args, "jensen-shannon").out)
    assert result["rows"][0]["score"] == 100.0
    assert result["rows"][0]["threshold"] == 0.5  # similarities of 0 and 1
    assert "measure must be one of" in skfly(*args, "magic").err
    assert "for vectors, but the model makes codes" in (
        skfly("evaluate", model, "--wic", tmp_path, "--measure", "jensen-shannon").err
    )
