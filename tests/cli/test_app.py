"""The command as a whole: help, errors, streams and exit codes."""

import bz2
import gzip
import io
import os
import signal
import subprocess
import sys

import pytest

from skfly.cli import app
from skfly.cli._console import in_one_line

COMMANDS = [
    "train", "hash", "neighbors", "context", "cells", "evaluate", "explore", "export", "demo",
    "info",
]  # fmt: skip


def test_version(skfly):
    assert skfly("--version") == (0, "skfly 0.2.0\n", "")


def test_the_package_can_be_run_as_a_module():
    command = [sys.executable, "-m", "skfly", "--version"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"skfly 0.2.0\n"


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands(skfly, args):
    code, out, err = skfly(*args)
    assert (code, err) == (0, "")
    for command in COMMANDS:
        assert f"\n  {command} " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples_line_by_line(skfly, command):
    code, out, _ = skfly(command, "--help")
    assert code == 0
    _, examples = out.split("Examples:\n")
    assert len(examples.strip().splitlines()) >= 2
    assert all(f"skfly {command}" in line for line in examples.strip().splitlines())
    assert "--json" in out
    assert "[[" not in out  # what may be left out is in one pair of brackets


def test_the_shell_completes_commands():
    shell = {"_SKFLY_COMPLETE": "complete_bash", "COMP_WORDS": "skfly e", "COMP_CWORD": "1"}
    run = subprocess.run(
        [sys.executable, "-c", "from skfly.cli import main; main()"],
        capture_output=True, text=True, check=False, env=os.environ | shell,
    )  # fmt: skip
    assert sorted(run.stdout.split()) == ["evaluate", "explore", "export"]


def test_starting_needs_neither_gensim_nor_numba():
    check = "import skfly.cli, sys; print(sys.modules.keys() & {'gensim', 'numba'})"
    out = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"


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
        (["train", "-", "-o", "{dir}/m", "--rule", "magic"], "'--rule': 'magic' is not one of"),
        (["train", "-", "-o", "{dir}/m", "--encoding", "x-y"], "unknown encoding: x-y"),
        (["train", "-", "-o", "{dir}/m", "--learning-rate", "-1"], "--learning-rate must be"),
        (["train", "-", "-o", "{model}"], "{model} exists; --force replaces it"),
        (["hash", "{model}", "-", "-o", "{text}"], "{text} exists; --force replaces it"),
        (["export", "{model}", "{text}", "--format", "numpy"], "{text} exists; --force"),
        (["index", "{text}", "-o", "{model}"], "{model} exists; --force replaces it"),
        (["demo", "-o", "{model}"], "{model} exists; --force replaces it"),
        (["train", "-", "-o", "{dir}/m", "--encoded-corpus", "{dir}/a/b"], "no directory {dir}/a"),
        (["train", "{dir}", "-o", "{dir}/m", "-q"], "{model} cannot be read as utf-8"),
        (["hash", "{dir}/none", "-"], "there is no model file {dir}/none"),
        (["hash", "{text}", "-"], "{text} is not a model file"),
        (["hash", "{model}", "{dir}"], "{dir} is a directory, not a text file"),
        (["hash", "{model}", "-", "-o", "{dir}/none/codes.npz"], "no directory {dir}/none"),
        (["hash", "{model}", "{text}", "--hash-length", "21"], "the model has 20 Kenyon cells"),
        (["info", "{text}"], "{text} is not a model file"),
        (["fly"], "No such command 'fly'; see 'skfly --help'"),
        (["inof"], "No such command 'inof'"),
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
    ids=["gz, cut", "gz, plain", "bz2, plain", "bz2, cut", "xz, plain"],
)
def test_damaged_compressed_text(skfly, tmp_path, suffix, content):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(content)
    code, _, err = skfly("train", path, "-o", tmp_path / "m", "--encoding", "latin-1", "--quiet")
    assert code == 2
    assert err.startswith(f"skfly: error: {path} cannot be read: ")
    assert err.count("\n") == 1


def test_a_truncated_model(skfly, model):
    model.write_bytes(model.read_bytes()[:-10])
    code, _, err = skfly("info", model)
    assert code == 2
    assert "is cut short" in err


def test_notes_and_line_breaks_of_an_error_go_into_the_line():
    error = ValueError("bad\n  text")
    error.add_note("in document number 3")
    assert in_one_line(error) == "bad text; in document number 3"
    assert in_one_line(MemoryError()) == "not enough memory"
    assert in_one_line(PermissionError(13, "Permission denied", "m")) == "m: Permission denied"


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
    assert run.stderr == (
        "skfly: error: there is no model file none.skfly; the models that come with skfly "
        "are: en\n"
    )


def test_a_reader_that_has_seen_enough_is_no_error(model, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("ripe fruit\n" * 20_000)
    with subprocess.Popen(
        [*COMMAND, "hash", str(model), str(lines)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert len(process.stdout.readline().split()) == 4
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_says_what_was_kept_and_leaves_nothing(tmp_path):
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
            assert process.wait(timeout=600) == 130
        finally:
            process.kill()
        assert process.stdout.read() == b""
        assert process.stderr.read() == b"\nskfly: interrupted; no model was written\n"
    assert list(tmp_path.iterdir()) == []
