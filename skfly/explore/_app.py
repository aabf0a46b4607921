"""The page and its JSON API, as a Starlette application."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anyio import CapacityLimiter, fail_after, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from skfly.explore._atlas import SCALE
from skfly.explore._documents import MAX_WORD
from skfly.explore._explorer import ORDERS, Explorer
from skfly.explore._fields import (
    MAX_BODY,
    RefusedError,
    choice,
    flag,
    number,
    parse,
    polygon,
    text,
    whole,
)
from skfly.explore._guard import Guard, RateLimit, refusal

if TYPE_CHECKING:
    from skfly.index import DocumentIndex
    from skfly.vectorizer import FlyHashVectorizer

_STATIC = Path(__file__).parent / "static"
_MOST = 2**31 - 1
_CORNERS = 200
_SLOW = ("map", "selection", "duplicates")
BODY_SECONDS = 10
"""Time limit for receiving the body of a request."""

_NEIGHBOURS = {"n_neighbours": whole(1, 50)}
_CLOUDS = {"n_words": whole(1, 60), "temperature": number(0.005, 2), "stop_words": flag()}
_DOCUMENTS = {"n_documents": whole(1, 50)}
_CELLS = {"n_cells": whole(1, 12), **_CLOUDS}


class _Query(NamedTuple):
    answer: Callable[..., dict[str, Any]]
    required: dict[str, Any]
    optional: dict[str, Any]


def create_app(
    fly: FlyHashVectorizer,
    *,
    name: str = "a model",
    index: DocumentIndex | None = None,
    token: str | None = None,
    limit: RateLimit | None = None,
) -> Starlette:
    """Return the application that shows a model.

    Parameters
    ----------
    fly : FlyHashVectorizer
        Fitted.
    name : str
        The model's name on the page.
    index : DocumentIndex, optional
        Documents to search on the page; an index of a different model is rejected.
    token : str, optional
        The token that requests to the API must send; without one, only requests to this machine's
        own names are answered.
    limit : RateLimit, optional
        How often a client may send requests.

    Returns
    -------
    app : starlette.applications.Starlette
    """
    explorer = Explorer(fly, name, index)
    queries = {
        "model": _Query(explorer.model, {}, {}),
        "search": _Query(explorer.search, {"query": text(MAX_WORD)}, {"n_words": whole(1, 50)}),
        "sentence": _Query(explorer.sentence, {"text": text()}, _CELLS),
        "compare": _Query(explorer.compare, {"left": text(), "right": text()}, _CELLS),
        "context": _Query(
            explorer.context, {"text": text(), "place": whole(0, _MOST)}, _NEIGHBOURS
        ),
        "word": _Query(
            explorer.word, {"word": text(MAX_WORD)}, {"other": text(MAX_WORD), **_NEIGHBOURS}
        ),
        "cells": _Query(
            explorer.cells,
            {},
            {"order": choice(*ORDERS), "offset": whole(0, _MOST), "n_cells": whole(1, 48)},
        ),
        "cell": _Query(explorer.cell, {"cell": whole(0, _MOST)}, _CLOUDS),
        "documents": _Query(explorer.documents, {"query": text()}, _DOCUMENTS),
        "document": _Query(explorer.document, {"place": whole(0, _MOST)}, _DOCUMENTS),
        "duplicates": _Query(explorer.duplicates, {}, {}),
        "passages": _Query(
            explorer.passages, {"cell": whole(0, _MOST)}, {"n_passages": whole(1, 20)}
        ),
        "map": _Query(explorer.map, {}, {}),
        "selection": _Query(explorer.selection, {"polygon": polygon(_CORNERS, SCALE)}, {}),
    }
    one_at_a_time, one_slow = CapacityLimiter(1), CapacityLimiter(1)
    routes = [
        Route(
            f"/api/{path}",
            # some are slow at first: other requests do not wait for them
            partial(_answer, query, one_slow if path in _SLOW else one_at_a_time),
            methods=["POST"],
        )
        for path, query in queries.items()
    ]
    return Starlette(
        routes=[
            Route("/", _page),
            *routes,
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        middleware=[Middleware(Guard, token=token, limit=limit or RateLimit())],
        exception_handlers={RefusedError: _refused, HTTPException: _http_error},
    )


async def _page(request: Request) -> Response:  # noqa: ARG001
    return FileResponse(_STATIC / "index.html")


async def _answer(query: _Query, one_at_a_time: CapacityLimiter, request: Request) -> Response:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "send JSON, with Content-Type: application/json")
    fields = parse(await _body(request), query.required, query.optional)
    try:
        # one at a time: memory stays bounded, and the explorer is not thread-safe
        found = await to_thread.run_sync(partial(query.answer, **fields), limiter=one_at_a_time)
    except ValueError as error:
        raise RefusedError(422, str(error)) from None
    return JSONResponse(found, headers={"Cache-Control": "no-store"})


async def _body(request: Request) -> bytes:
    """Return the body of a request; stop reading if it is too long."""
    body = b""
    try:
        with fail_after(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise RefusedError(413, f"a request may have at most {MAX_BODY:,} bytes")
    except TimeoutError:
        raise RefusedError(408, "the request took too long to arrive") from None
    except ClientDisconnect:
        raise RefusedError(400, "the request was cut short") from None
    return body


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return refusal(error)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = refusal(RefusedError(error.status_code, str(error.detail)))
    answer.headers.update(error.headers or {})
    return answer
