"""Serve the page."""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skfly.index import DocumentIndex
    from skfly.vectorizer import FlyHashVectorizer

_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # and the address by which this machine reaches it


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Server:
    """The page of a model at an address, bound at once and served by ``run``.

    Parameters
    ----------
    host : str, default="127.0.0.1"
        The page asks for a token if others can reach the address.
    port : int, default=8765
        0 takes any free port.

    Attributes
    ----------
    token : str or None
    everywhere : bool
        Whether it listens on every address of this machine.
    url : str
        With the token, if there is one. If it listens on any address, that of this machine.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 8765) -> None:
        self.everywhere = host in _ANY
        self.token = None if is_loopback(host) else secrets.token_urlsafe(24)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((host, port))
            self._socket.listen()  # earlier clients wait until it is served
        except OSError as error:
            self._socket.close()
            wrong = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
            raise OSError(
                f"cannot listen on {host}, port {port}: {error.strerror}; choose another {wrong}"
            ) from None
        # no browser can ask for "any address"
        reached = _ANY.get(host, host)
        shown = f"[{reached}]" if ":" in reached else reached
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}/"
        if self.token is not None:
            self.url += f"#token={self.token}"

    def run(
        self,
        fly: FlyHashVectorizer,
        name: str,
        ready: Any = None,
        index: DocumentIndex | None = None,
    ) -> None:
        """Serve a model until interrupted."""
        import uvicorn

        from skfly.explore._app import create_app
        from skfly.explore._protocol import TimedProtocol

        with self._socket:
            app = create_app(fly, name=name, index=index, token=self.token)
            config = uvicorn.Config(
                app,
                log_level="critical",
                lifespan="off",
                ws="none",
                server_header=False,
                proxy_headers=False,
                http=TimedProtocol,
                limit_concurrency=512,
                timeout_graceful_shutdown=1,
            )
            if ready is not None:
                ready()
            uvicorn.Server(config).run(sockets=[self._socket])
