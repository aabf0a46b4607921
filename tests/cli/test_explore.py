"""``skfly explore``: the page as a process."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

COMMAND = [sys.executable, "-m", "skfly.cli", "explore"]


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.slow
def test_it_serves_until_an_interrupt(model):
    with subprocess.Popen(
        [*COMMAND, str(model), "--port", "0", "--no-browser", "--json", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            told = json.loads(process.stdout.readline())
            assert told["token"] is None
            assert told["url"].startswith("http://127.0.0.1:")
            request = urllib.request.Request(
                told["url"] + "api/model", b"{}", {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request) as answer:
                assert json.load(answer)["name"] == "model.skfly"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=600) == 130
        finally:
            process.kill()
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_the_address_and_the_browser(skfly, model, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    code, out, err = skfly("explore", model, "--port", 0)
    assert code == 0
    assert opened == [out.strip()]
    assert "Ctrl-C ends it" in err
    assert "others" not in err
    code, out, err = skfly("explore", model, "--host", "0.0.0.0", "--port", 0, "--no-browser")
    assert code == 0
    assert out.startswith("http://127.0.0.1:")
    assert "/#token=" in out
    assert "others put this machine's name" in err
    assert len(opened) == 1


def test_the_token_is_in_no_arguments(skfly, model, monkeypatch):
    opened = []

    def read(url):
        path = Path(unquote(urlsplit(url).path))
        opened.append((url, path.read_text(), path.parent.stat().st_mode & 0o777, path))

    monkeypatch.setattr("webbrowser.open", read)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    code, out, _ = skfly("explore", model, "--host", "0.0.0.0", "--port", 0)
    assert code == 0
    ((url, content, mode, path),) = opened
    token = out.strip().partition("#token=")[2]
    assert token
    assert token not in url
    assert f"#token={token}" in content
    assert mode == 0o700  # of the directory
    assert not path.exists()


def test_the_extra_is_named(skfly, model, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("skfly.explore")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    code, _, err = skfly("explore", model)
    assert code == 2
    assert 'pip install "skfly[explore]"' in err


def test_a_directory_is_hashed_and_an_index_is_opened(skfly, model, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "skfly.explore.Server.run", lambda self, fly, name, ready, index: opened.append(index)
    )
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.txt").write_text("the fly eats fruit\n")
    (notes / "two.txt").write_text("the bank lends money\n")
    code, _, err = skfly("explore", model, "--index", notes, "--port", 0, "--no-browser")
    assert code == 0
    assert "indexing" in err
    assert sorted(opened[0].ids) == [str(notes / "one.txt"), str(notes / "two.txt")]
    assert opened[0].keeps_texts
    code, _, err = skfly("explore", model, "--index", tmp_path / "no.idx", "--port", 0)
    assert code == 2
    assert "there is no index" in err


def test_the_page_is_written_as_files(skfly, model, tmp_path):
    code, out, _ = skfly("explore", model, "--static", tmp_path / "page", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["page"] == str(tmp_path / "page")
    written = [file for file in (tmp_path / "page").rglob("*") if file.is_file()]
    assert told["bytes"] == sum(file.stat().st_size for file in written)
    assert (tmp_path / "page" / "index.html").is_file()
    code, _, err = skfly("explore", model, "--static", tmp_path, "--index", tmp_path)
    assert code == 2
    assert "--static publishes no documents" in err
