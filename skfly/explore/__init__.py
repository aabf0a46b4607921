"""A web page that shows what a model has learned: ``skfly explore``.

Needs ``pip install "skfly[explore]"``.
"""

# ruff: noqa: E402

from __future__ import annotations

from skfly._files import import_optional

for _name in ("starlette", "uvicorn"):  # before the modules that need them
    import_optional(_name, "explore", "the page")

from skfly.explore._app import create_app
from skfly.explore._explorer import Explorer
from skfly.explore._guard import RateLimit
from skfly.explore._readonly import write_page
from skfly.explore._server import Server

__all__ = ["Explorer", "RateLimit", "Server", "create_app", "write_page"]
