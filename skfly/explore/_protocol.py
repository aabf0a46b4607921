"""Connections with time limits: a client must send its request in time."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from skfly.explore._server import is_loopback


class TimedProtocol(H11Protocol):
    """HTTP connections, few per client, none of which waits long for a request.

    uvicorn itself ends those that are idle after a request, but not those on which a request never
    comes, or comes byte by byte. The body of a request is read by the application, which has a
    limit of its own.
    """

    SECONDS = 5.0  # after one to two of which a connection without a request is closed
    MOST_OF_A_CLIENT = 64
    _connections: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._client = self.client[0] if self.client else ""
        self._waited_for: object = self  # no data yet
        self._timer = self.loop.call_later(self.SECONDS, self._tick)
        self._connections[self._client] += 1
        too_many = self._connections[self._client] > self.MOST_OF_A_CLIENT
        # all users of this machine have one address
        if too_many and not is_loopback(self._client):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        self._connections[self._client] -= 1
        if not self._connections[self._client]:
            del self._connections[self._client]
        super().connection_lost(exc)

    def _tick(self) -> None:
        waits = self.cycle is None or self.cycle.response_complete
        if waits and self._waited_for is self.cycle:
            self.transport.abort()
            return
        self._waited_for = self.cycle if waits else self
        self._timer = self.loop.call_later(self.SECONDS, self._tick)
