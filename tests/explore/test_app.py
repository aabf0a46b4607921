"""The page and its API, asked for over HTTP."""

import json
import re
import tracemalloc
from copy import copy
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import skfly.explore
from skfly.explore import RateLimit, create_app

STATIC = Path(skfly.explore.__file__).parent / "static"
GOOD = {
    "model": {},
    "search": {"query": "fr"},
    "sentence": {"text": "ripe fruit", "n_cells": 2, "n_words": 5, "temperature": 0.5},
    "compare": {"left": "ripe fruit", "right": "the bank"},
    "context": {"text": "ripe fruit", "place": 1},
    "word": {"word": "fruit", "other": "fly"},
    "cells": {"order": "specific", "offset": 3, "n_cells": 2},
    "cell": {"cell": 3},
}


def client_of(app, **params):
    return TestClient(app, base_url="http://127.0.0.1:8765", **params)


@pytest.fixture(scope="module")
def app(explored):
    return create_app(explored, limit=RateLimit(per_second=1e9, burst=1e9))


@pytest.fixture
def client(app):
    return client_of(app)


@pytest.mark.parametrize("path", GOOD)
def test_every_question_has_an_answer(client, path):
    response = client.post(f"/api/{path}", json=GOOD[path])
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert isinstance(response.json(), dict)


def test_every_question_is_documented():
    told = (Path(__file__).parents[2] / "docs" / "explore.rst").read_text()
    for path, fields in GOOD.items():
        assert f"``/api/{path}``" in told
        for field in fields:
            assert f"``{field}``" in told


# What is wrong gets a message


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "the body is not JSON"),
        (b"{", 400, "the body is not JSON"),
        (b"\xff\xfe\x00", 400, "the body is not JSON"),
        (b'{"text": NaN}', 400, "NaN is not a JSON number"),
        (b"[" * 30_000, 400, "the body is not JSON"),  # too deep, but not for Python 3.14
        (b'{"text": "a", "n_cells": ' + b"9" * 10_000 + b"}", 400, "the body is not JSON"),
        (b"[]", 400, "must be a JSON object; got list"),
        (b"null", 400, "must be a JSON object; got null"),
        (b"{}", 422, "the field 'text' is missing"),
        (b'{"text": 7}', 422, "text must be a string; got int"),
        (b'{"text": null}', 422, "text must be a string; got null"),
        (b'{"text": ["a"]}', 422, "text must be a string; got list"),
        (b'{"text": "\\ud800"}', 422, "text is not valid Unicode"),
        (b'{"text": "' + b"a" * 2_001 + b'"}', 422, "2,000 characters; got 2,001"),
        (b'{"text": "a", "colour": 1}', 422, "unknown field 'colour'"),
        (b'{"text": "a", "n_cells": 0}', 422, "n_cells must be from 1 to 12"),
        (b'{"text": "a", "n_cells": 1e3}', 422, "n_cells must be a whole number; got float"),
        (b'{"text": "a", "n_cells": true}', 422, "n_cells must be a whole number; got bool"),
        (b'{"text": "a", "n_cells": "4"}', 422, "n_cells must be a whole number; got str"),
        (b'{"text": "a", "n_words": 1000000000}', 422, "n_words must be from 1 to 60"),
        (b'{"text": "a", "temperature": 0}', 422, "temperature must be from 0.005 to 2"),
        (b'{"text": "a", "temperature": -1}', 422, "temperature must be from 0.005 to 2"),
        (b'{"text": "a", "temperature": 1e999}', 422, "temperature must be from 0.005 to 2"),
        (b'{"text": "a", "temperature": false}', 422, "temperature must be a number; got bool"),
        (b'{"text": "' + b"a" * 40_000 + b'"}', 413, "a request may have at most 32,768 bytes"),
    ],
)
def test_bad_bodies(client, body, status, message):
    response = client.post(
        "/api/sentence", content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == status
    assert message in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "fields", "message"),
    [
        ("cell", {"cell": 40}, "there is no cell 40"),
        ("cell", {"cell": 2**31}, "cell must be from 0"),
        ("cell", {"cell": -1}, "cell must be from 0"),
        ("cells", {"order": "best"}, "order must be one of: used, specific, dead"),
        ("cells", {"n_cells": 49}, "n_cells must be from 1 to 48"),
        ("context", {"text": "ripe fruit", "place": 2}, "outside the text, which has 2 words"),
        ("word", {"word": "a" * 101}, "word may have at most 100 characters"),
    ],
)
def test_bad_fields(client, path, fields, message):
    response = client.post(f"/api/{path}", json=fields)
    assert response.status_code == 422
    assert message in response.json()["error"]


def test_only_json_by_post(client):
    """A form of a page from elsewhere can send neither."""
    plain = client.post("/api/cells", content="{}", headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415
    assert client.get("/api/cells").status_code == 405
    assert client.post("/api/none", json={}).status_code == 404
    assert client.get("/static/../_app.py").status_code == 404
    assert client.get("/static/%2e%2e/_app.py").status_code == 404


# Who may ask, and how often


def test_only_this_machine_is_answered(app):
    for host in ("evil.example:8765", "127.0.0.1.evil.example", "[", ""):
        response = client_of(app).post("/api/model", json={}, headers={"Host": host})
        assert response.status_code == 421, host
    for host in ("localhost", "127.0.0.2:8765", "127.0.0.1:1", "[::1]:8765"):
        assert client_of(app).get("/", headers={"Host": host}).status_code == 200


def test_a_token(explored):
    client = client_of(create_app(explored, token="secret-word"))
    assert client.get("/", headers={"Host": "fly.example"}).status_code == 200
    for headers in ({}, {"Authorization": "Bearer é"}, {"Authorization": "Bearer secret-wor"}):
        encoded = {name: value.encode() for name, value in headers.items()}
        response = client.post("/api/model", json={}, headers=encoded)
        assert response.status_code == 401
        assert "token" in response.json()["error"]
    right = {"Authorization": "Bearer secret-word", "Host": "fly.example"}
    assert client.post("/api/model", json={}, headers=right).status_code == 200


def test_the_rate_is_limited(explored):
    now = 0.0
    limit = RateLimit(per_second=2, burst=3, clock=lambda: now)
    client = client_of(create_app(explored, limit=limit))
    asked = [client.post("/api/model", json={}).status_code for _ in range(4)]
    assert asked == [200, 200, 200, 429]
    refused = client.post("/api/model", json={})
    assert refused.headers["retry-after"] == "1"
    assert client.get("/").status_code == 200
    now = 0.5
    assert client.post("/api/model", json={}).status_code == 200
    assert client.post("/api/model", json={}).status_code == 429


def test_clients_are_counted_apart_and_forgotten():
    limit = RateLimit(per_second=1, burst=1, clock=lambda: 0.0)
    assert [limit.allows("a"), limit.allows("a"), limit.allows("b")] == [True, False, True]
    for number in range(1_000):
        limit.allows(str(number))
    assert limit.allows("a")


def test_the_largest_request_allocates_little(app, client):
    text = " ".join(["fruit", "fly", "bank", "zz"] * 200)[:2_000]
    fields = {"left": text, "right": text, "n_cells": 12, "n_words": 60}
    client.post("/api/compare", json=fields)
    tracemalloc.start()
    try:
        assert client.post("/api/compare", json=fields).status_code == 200
        assert tracemalloc.get_traced_memory()[1] < 4e6
    finally:
        tracemalloc.stop()


# What browsers are told


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/none", "/api/model"])
def test_headers(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_page_has_no_inline_script_and_nothing_from_elsewhere():
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"\son\w+=|style=|<style|javascript:", page)
    for file in STATIC.glob("*"):
        if file.suffix in (".html", ".js", ".css"):
            content = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "http:" not in content, file
            assert "https:" not in content, file
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(", content), file


def test_what_is_not_ours_comes_with_its_licence():
    for file in (STATIC / "vendor").glob("*.js"):
        licence = file.with_suffix(".LICENSE").read_text()
        # BSD or ISC
        assert "Redistributions of source code" in licence or "Permission to use, copy" in licence


def test_hostile_words_stay_text(client):
    word = "<script>alert(1)</script>"
    response = client.post("/api/word", json={"word": word})
    assert response.json()["word"] == word
    assert response.json()["known"] is True
    assert json.loads(response.text) == response.json()


def test_a_pattern_that_takes_for_ever_is_refused_in_time(explored, monkeypatch):
    monkeypatch.setattr("skfly.text._analyzer.PATTERN_SECONDS", 0.05)
    fly = copy(explored).set_params(token_pattern=r"(?:a|a)+b|\w+")
    client = client_of(create_app(fly))
    assert client.post("/api/sentence", json={"text": "ripe fruit"}).status_code == 200
    response = client.post("/api/sentence", json={"text": "a" * 2_000})
    assert response.status_code == 422
    assert "token_pattern takes too long" in response.json()["error"]


@pytest.mark.parametrize("path", ["/static/%00", "/static/" + "a" * 5_000, "/%ff%fe"])
def test_names_that_no_file_can_have(app, path):
    response = TestClient(app, "http://127.0.0.1", raise_server_exceptions=True).get(path)
    assert response.status_code == 404
    assert response.json()["error"]
    assert response.headers["x-frame-options"] == "DENY"


def test_a_failure_of_ours_has_our_headers_too(app, monkeypatch, caplog):
    def fail(*_, **__):
        raise KeyError("cells")

    monkeypatch.setattr("skfly.explore._app.JSONResponse", fail)
    response = client_of(app).post("/api/model", json={})
    assert response.status_code == 500
    assert response.headers["x-frame-options"] == "DENY"
    assert "KeyError" in caplog.text
    assert "cells" not in response.text


def test_guesses_of_the_token_do_not_lock_out_its_owner(explored):
    limit = RateLimit(per_second=1, burst=3, clock=lambda: 0.0)
    client = client_of(create_app(explored, token="secret-word", limit=limit))
    wrong = {"Authorization": "Bearer secret-wordy"}
    guesses = [client.post("/api/model", json={}, headers=wrong).status_code for _ in range(5)]
    assert guesses == [401, 401, 401, 429, 429]
    right = {"Authorization": "Bearer secret-word"}
    assert client.post("/api/model", json={}, headers=right).status_code == 200
