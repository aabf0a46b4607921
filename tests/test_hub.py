"""Models of the Hugging Face Hub, by a server on this machine that answers like it."""

import base64
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skfly import FlyHashVectorizer, FlyKeyedVectors, ModelFileError

constants = pytest.importorskip("huggingface_hub.constants")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """Repositories in memory: making one, uploading files, downloading them."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, body=b"", status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        found = re.fullmatch(r"/([^/]+/[^/]+)/resolve/[^/]+/(.+)", self.path)
        if found is None:
            self.reply(json.dumps({"sha": COMMIT, "siblings": []}).encode())
            return
        files = self.server.repositories.get(found[1])
        if files is None or found[2] not in files:
            missing = "RepoNotFound" if files is None else "EntryNotFound"
            self.reply(status=404, X_Error_Code=missing)
            return
        body = files[found[2]]
        self.reply(body, ETag=f'"{hash(body) & 0xFFFFFFFF:x}"', X_Repo_Commit=COMMIT)

    def do_HEAD(self):
        self.do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = "/".join(filter(None, [asked.get("organization"), asked["name"]]))
            self.server.repositories.setdefault(name, {})
            self.reply(json.dumps({"url": f"{self.server.address}/{name}"}).encode())
        elif "/preupload/" in self.path:
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in json.loads(body)["files"]
            ]
            self.reply(json.dumps({"files": files}).encode())
        elif "/commit/" in self.path:
            name = re.match(r"/api/models/([^/]+/[^/]+)/commit/", self.path)[1]
            for line in body.splitlines():
                entry = json.loads(line)
                if entry["key"] == "file":
                    content = base64.b64decode(entry["value"]["content"])
                    self.server.repositories[name][entry["value"]["path"]] = content
            url = f"{self.server.address}/{name}/commit/{COMMIT}"
            answer = {"success": True, "commitUrl": url, "commitOid": COMMIT, "hookOutput": ""}
            self.reply(json.dumps(answer).encode())
        else:
            self.reply(b"{}")


@pytest.fixture
def server(tmp_path, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as found:
        found.repositories = {}
        found.address = f"http://127.0.0.1:{found.server_port}"
        monkeypatch.setattr(constants, "ENDPOINT", found.address)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            found.address + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", "hf_none")
        monkeypatch.chdir(tmp_path)
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def pushed(server, fitted):
    fitted.push_to_hub("me/flies")
    return server.repositories["me/flies"]


def test_what_is_pushed_comes_back(server, pushed, fitted, documents):
    assert set(pushed) >= {"README.md", "config.json", "model.skfly"}
    assert 'from_pretrained("me/flies")' in pushed["README.md"].decode()
    fly = FlyHashVectorizer.from_pretrained("me/flies")
    expected = fitted.model_.compact().documents(documents)
    assert (fly.transform(documents) != expected).nnz == 0
    words = FlyKeyedVectors.from_pretrained("me/flies")
    assert words.index_to_key == fly.wv.index_to_key


def test_a_pipeline_may_begin_with_it(pushed, documents):
    fly = FlyHashVectorizer(pretrained="me/flies", hash_length=4, adapt="nothing")
    assert set(fly.fit_transform(documents).getnnz(axis=1)) == {4}


def test_a_changed_file_is_refused(pushed):
    content = bytearray(pushed["model.skfly"])
    content[-1] ^= 1
    pushed["model.skfly"] = bytes(content)
    with pytest.raises(ValueError, match=r"not the file that .* describes"):
        FlyHashVectorizer.from_pretrained("me/flies")


@pytest.mark.parametrize(
    "card", [b"{}", b"[]", b'{"skfly": {"sha256": 1}}', b"\xff", b"x" * 70_000]
)
def test_a_changed_card_is_refused(pushed, card):
    pushed["config.json"] = card
    with pytest.raises(ValueError, match="not the card of a model"):
        FlyHashVectorizer.from_pretrained("me/flies")


def test_a_file_that_is_no_model_is_refused(pushed):
    pushed["model.skfly"] = b"\x80\x04pickle"
    digest = hashlib.sha256(pushed["model.skfly"]).hexdigest()
    pushed["config.json"] = json.dumps({"skfly": {"sha256": digest}}).encode()
    with pytest.raises(ModelFileError, match="not a model file"):
        FlyHashVectorizer.from_pretrained("me/flies")


def test_an_unknown_repository(server):
    with pytest.raises(FileNotFoundError, match=r"me/nothing.*come with skfly are: en"):
        FlyHashVectorizer.from_pretrained("me/nothing")


def test_without_network_it_says_where_it_looked(server, monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(FileNotFoundError, match=r"me/flies.*in the cache .*cache.* at http"):
        FlyHashVectorizer.from_pretrained("me/flies")


def test_a_missing_file_is_not_looked_up(server):
    with pytest.raises(FileNotFoundError, match=r"no model file models/mine\.skfly"):
        FlyHashVectorizer.from_pretrained("models/mine.skfly")


def test_a_wrong_name_is_refused_before_anything_is_sent(fitted):
    with pytest.raises(ValueError, match="named user/name"):
        fitted.push_to_hub("flies")
