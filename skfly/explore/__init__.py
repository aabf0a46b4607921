"""A page in the browser that shows what a model has learned: ``skfly explore``.

It needs ``pip install "skfly[explore]"``.
"""

from __future__ import annotations

try:
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as error:
    raise ImportError(
        'the page needs starlette and uvicorn: pip install "skfly[explore]"'
    ) from error

from skfly.explore._app import create_app
from skfly.explore._explorer import Explorer
from skfly.explore._guard import RateLimit
from skfly.explore._server import Server

__all__ = ["Explorer", "RateLimit", "Server", "create_app"]
