"""Where the page is served."""

import socket

import pytest

from skfly.explore import Server
from skfly.explore._server import is_loopback


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("localhost.example", False),
    ],
)
def test_loopback(host, own):
    assert is_loopback(host) is own


def test_loopback_has_no_token_and_all_else_has_one():
    own, others = Server(port=0), Server("0.0.0.0", 0)
    own._socket.close()
    others._socket.close()
    assert own.token is None
    assert own.url.startswith("http://127.0.0.1:")
    assert len(others.token) >= 32
    assert others.url.endswith(f"/#token={others.token}")


@pytest.mark.parametrize(
    ("host", "everywhere", "named"),
    [("0.0.0.0", True, "127.0.0.1"), ("127.0.0.2", False, "127.0.0.2")],
)
def test_the_address_is_one_that_a_browser_can_open(host, everywhere, named):
    server = Server(host, 0)
    server._socket.close()
    assert server.everywhere is everywhere
    assert server.url.startswith(f"http://{named}:")


def test_a_host_that_is_not_here():
    with pytest.raises(OSError, match=r"cannot listen on 192\.0\.2\.1, .*; choose another --host"):
        Server("192.0.2.1", 0)  # kept for documentation: no machine has it


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"port {port}: .*; choose another --port"):
            Server(port=port)
