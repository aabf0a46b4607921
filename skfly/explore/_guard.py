"""Middleware of the page: access, rate limits, and security headers."""

from __future__ import annotations

import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skfly.explore._fields import RefusedError
from skfly.explore._server import is_loopback

_LOG = logging.getLogger("skfly")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    # blob: pictures saved as PNG are drawn from a blob
    "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RateLimit:
    """Allow each client ``burst`` requests at once, and ``per_second`` in the long run.

    Parameters
    ----------
    per_second, burst : float
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> limit = RateLimit(per_second=1, burst=2, clock=lambda: 0.0)
    >>> [limit.allows("me") for _ in range(3)]
    [True, True, False]
    """

    _MOST_CLIENTS = 1_000

    def __init__(
        self,
        per_second: float = 20,
        burst: float = 60,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str) -> bool:
        """Count a request, and return whether to answer it."""
        now = self._clock()
        left, before = self._left.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - before) * self._per_second)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        if len(self._left) > self._MOST_CLIENTS:
            self._left.popitem(last=False)
        return allowed


class Guard:
    """Middleware that checks requests and sets headers of responses.

    Parameters
    ----------
    app : ASGI application
    token : str or None
        The token that requests to ``/api/`` must send as ``Authorization: Bearer``. ``None``: no
        token, but only requests to this machine's own names are answered, so that a page from
        elsewhere cannot reach it by another name (DNS rebinding).
    limit : RateLimit
    """

    def __init__(self, app: ASGIApp, token: str | None, limit: RateLimit) -> None:
        self._app = app
        self._token = token
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        began = False

        async def send_guarded(message: Message) -> None:
            nonlocal began
            began = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        refused = self._refused(scope)
        try:
            await (refused or self._app)(scope, receive, send_guarded)
        except Exception as error:
            if began:
                raise
            _LOG.exception("a request to %r failed", scope["path"])
            # impossible file names are not found; anything else is a bug
            status = 404 if isinstance(error, (OSError, ValueError)) else 500
            failed = refusal(RefusedError(status, "this cannot be answered"))
            await failed(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if self._token is None and not _names_loopback(headers.get("host", "")):
            return refusal(RefusedError(421, "this page is served to this machine only"))
        if not scope["path"].startswith("/api/"):
            return None
        client = scope["client"][0] if scope.get("client") else ""
        knows_token = self._token is None or _has_token(headers, self._token)
        # guessing tokens does not use up the limit of the owner, perhaps at the same address
        if not self._limit.allows(client if knows_token else f"{client} without token"):
            return refusal(RefusedError(429, "too many requests: wait a second"))
        if not knows_token:
            return refusal(RefusedError(401, "a token is wanted: the command printed it"))
        return None


def refusal(error: RefusedError) -> JSONResponse:
    """Return a response with an error message."""
    headers = {"Cache-Control": "no-store"}
    if error.status == 429:
        headers["Retry-After"] = "1"
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": error.message}, error.status, headers)


def _names_loopback(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def _has_token(headers: Headers, token: str) -> bool:
    given = headers.get("authorization", "")
    return secrets.compare_digest(given.encode(), f"Bearer {token}".encode())
