"""Clients that send nothing, or slowly, are not waited for."""

import http.client
import socket
import threading
from contextlib import closing, suppress

import pytest
import uvicorn

from skfly.explore import _app
from skfly.explore._app import create_app
from skfly.explore._guard import RateLimit
from skfly.explore._protocol import TimedProtocol


@pytest.fixture
def port(explored, monkeypatch):
    monkeypatch.setattr(TimedProtocol, "SECONDS", 0.2)
    monkeypatch.setattr(_app, "BODY_SECONDS", 0.2)
    app = create_app(explored, limit=RateLimit(1e9, 1e9))
    config = uvicorn.Config(app, http=TimedProtocol, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()


def ask(port, path="/", **headers):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        return response


def is_closed(client):
    with client:
        client.settimeout(60)
        try:
            return client.recv(1) == b""
        except ConnectionResetError:
            return True


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127", b"G"])
def test_connections_without_a_request_end_and_others_are_answered(port, sent):
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(70)]
    for client in slow:
        client.sendall(sent)
    assert ask(port).status == 200
    assert all(is_closed(client) for client in slow)
    assert not TimedProtocol._connections["127.0.0.1"]


def test_half_a_second_request_ends_too(port):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET")
        client.settimeout(60)
        assert client.recv(12) == b"HTTP/1.1 404"
        with suppress(ConnectionResetError):
            while client.recv(1000):
                pass


def test_a_body_that_does_not_come(port):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(
            b"POST /api/model HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
        client.settimeout(60)
        assert client.recv(12) == b"HTTP/1.1 408"


def test_few_connections_are_a_clients(port, monkeypatch):
    monkeypatch.setattr(TimedProtocol, "MOST_OF_A_CLIENT", 2)
    monkeypatch.setattr("skfly.explore._protocol.is_loopback", lambda _: False)
    several = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    assert all(is_closed(client) for client in several)  # the last at once, the others in time
    assert ask(port).status == 200


def test_a_long_range_is_no_work(port):
    spans = "bytes=" + ",".join(f"{i}-" for i in range(12_000))
    assert ask(port, "/static/app.js", Range=spans).status < 500
